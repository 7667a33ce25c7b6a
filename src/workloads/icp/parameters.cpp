#include "workloads/icp/descriptor.hpp"

namespace nestbed
{

namespace
{
const DeclaredParameters declared{&IcpParameter::leaves, &IcpParameter::leaf_points, &IcpParameter::near_every,
                                  &IcpParameter::points_per_thread, &IcpParameter::iterations};
}

} // namespace nestbed
