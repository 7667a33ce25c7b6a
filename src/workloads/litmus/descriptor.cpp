#include "workloads/litmus/descriptor.hpp"

namespace nestbed
{

namespace
{

constexpr AxisMeaning kMeanings[]{{axis::grid, "instances of the pattern"}};
constexpr std::string_view kFigures[]{"litmus"};

} // namespace

constinit const WorkloadInfo workloads::litmus{
    .name = "litmus",
    .summary = "one thread writes and another reads: how often it reads the value from before the write",
    .axes = {axis::grid, axis::block},
    .meanings = kMeanings,
    .figures = kFigures,
    .nondeterministic_answer = true,
    .why_unpredictable = "their kernels wait or may hang",
};

} // namespace nestbed
