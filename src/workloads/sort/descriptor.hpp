// The descriptor of the workload `sort`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct SortInput {
    static constexpr InputKind uniform{"uniform"}, sorted{"sorted"}, reversed{"reversed"}, organ_pipe{"organ_pipe"},
        equal{"equal"}, few{"few"}, zipf{"zipf"};
};

namespace workloads
{

extern const WorkloadInfo sort;

} // namespace workloads

} // namespace nestbed
