#include "workloads/sort/descriptor.hpp"

namespace nestbed
{

namespace
{
const DeclaredParameters declared{&SortParameter::fanout, &SortParameter::grain, &SortParameter::values};
}

} // namespace nestbed
