// The descriptor of the workload `sort`.
#pragma once

#include "model/workload.hpp"

namespace nestbed
{

struct SortInput {
    static constexpr InputKind uniform{"uniform"}, sorted{"sorted"}, reversed{"reversed"}, organ_pipe{"organ_pipe"},
        equal{"equal"}, few{"few"}, zipf{"zipf"};
};

struct SortParameter {
    static constexpr Parameter fanout{.name = "fanout",
                                      .help = "maximum parts of a division",
                                      .least = 2,
                                      .most = 256,
                                      .default_value = 256,
                                      .role = AxisRole::tuning,
                                      .decides_input = true,
                                      .place = 2};
    static constexpr Parameter grain{.name = "grain",
                                     .help = "maximum keys of a part that one block sorts",
                                     .most = 65535,
                                     .default_value = 2048,
                                     .role = AxisRole::tuning,
                                     .decides_input = true,
                                     .place = 3};
    static constexpr std::string_view kValues[]{"none", "uint32"};
    static constexpr Parameter values{
        .name = "values", .help = "what moves with each key: none or uint32", .names = kValues, .place = 4};
};

// Whether a number moves with each key.
inline bool has_values(const Case& point)
{
    return SortParameter::kValues[point[SortParameter::values]] == "uint32";
}

namespace workloads
{

extern const WorkloadInfo sort;

} // namespace workloads

} // namespace nestbed
