#include "workloads/quadtree/descriptor.hpp"

namespace nestbed
{

namespace
{
const DeclaredParameters declared{&QuadParameter::grain, &QuadParameter::levels};
}

} // namespace nestbed
