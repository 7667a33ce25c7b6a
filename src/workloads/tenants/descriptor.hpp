// The descriptor of the workload `tenants`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct TenantsInput {
    static constexpr InputKind together{"together"}, poisson{"poisson"};
};

namespace workloads
{

extern const WorkloadInfo tenants;

} // namespace workloads

} // namespace nestbed
