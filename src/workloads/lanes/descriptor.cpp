#include "workloads/lanes/descriptor.hpp"

namespace nestbed
{

namespace
{

constexpr AxisMeaning kMeanings[]{{axis::block, "threads per block; as many lanes of its first warp launch"},
                                  {axis::depth, "levels of launches, 0 to 2", 0, "1"}};
constexpr std::string_view kFigures[]{"lanes"};

} // namespace

constinit const WorkloadInfo workloads::lanes{
    .name = "lanes",
    .summary = "the lanes of a warp launch a grid each, at once or in turn",
    .axes = {axis::grid, axis::block, axis::depth},
    .meanings = kMeanings,
    .figures = kFigures,
    .why_unpredictable = "their kernels wait or may hang",
};

} // namespace nestbed
