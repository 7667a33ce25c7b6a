#include "workloads/refine/descriptor.hpp"

namespace nestbed
{

namespace
{
const DeclaredParameters declared{&RefineParameter::division, &RefineParameter::levels, &RefineParameter::time_steps,
                                  &RefineParameter::cell_work};
}

} // namespace nestbed
