// The descriptor of the workload `search`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct SearchInput {
    static constexpr InputKind t1{"t1"}, t3{"t3"}, t3l{"t3l"}, path{"path"}, queens{"queens"};
};

namespace workloads
{

extern const WorkloadInfo search;

} // namespace workloads

} // namespace nestbed
