#include "workloads/tenants/descriptor.hpp"

namespace nestbed
{

namespace
{
const DeclaredParameters declared{&TenantsParameter::levels, &TenantsParameter::tenant_count,
                                  &TenantsParameter::level_nodes, &TenantsParameter::node_work,
                                  &TenantsParameter::arrival_gap_us};
}

} // namespace nestbed
