#include "workloads/launch/descriptor.hpp"

namespace nestbed
{

namespace
{
const DeclaredParameters declared{&LaunchParameter::fanout};
}

} // namespace nestbed
