#include "workloads/icp/descriptor.hpp"

#include "model/estimate.hpp"
#include "model/strategy.hpp"
#include "workloads/icp/icp_model.hpp"

#include <array>

namespace nestbed
{

namespace
{

constexpr std::uint64_t kDefaultScan = std::uint64_t{1} << 22;
constexpr std::uint32_t kDefaultBlock = 1024;

constexpr std::array kInputs{IcpInput::waves, IcpInput::bumps};
constexpr AxisMeaning kMeanings[]{{axis::input, "the surface: waves, or bumps, which has more points in its middle"},
                                  {axis::elements, "scan points", kDefaultScan, "2^22"},
                                  {axis::block, "threads per block, a power of two", kDefaultBlock}};
constexpr std::string_view kFigures[]{"resources", "by-size", "ways"};

void complete(Case& point, const Asked& asked)
{
    if (!asked.elements)
        point.elements = kDefaultScan;
    if (!asked.block)
        point.block = kDefaultBlock;
}

// The scan, what of it is near the surface, and the surface with borders; the host has all of it too.
std::uint64_t memory_bytes(const StrategyInfo& /*info*/, const Case& point, const ExpectedLaunches& /*form*/)
{
    constexpr std::uint64_t kScanBytes = sizeof(ScanPoint);
    constexpr std::uint64_t kPointBytes = 2 * sizeof(IcpPoint);
    const std::uint64_t bytes =
        point.elements * kScanBytes + point.elements * kScanBytes / std::max(1U, point[IcpParameter::near_every]) +
        std::uint64_t{point[IcpParameter::leaves]} * point[IcpParameter::leaf_points] * kPointBytes;
    return bytes * (point.backend == BackendKind::cpu ? 2 : 1);
}

// A search in a leaf visits about so many of its points.
Work work(const StrategyInfo& /*info*/, const Case& point)
{
    constexpr double kVisits = 60;
    constexpr double kIterations = 8;
    const auto scan = static_cast<double>(point.elements);
    const double items = kIterations * scan * (1 + kVisits / std::max(1U, point[IcpParameter::near_every]));
    return {.input_items = items + items_to_sort(static_cast<double>(point[IcpParameter::leaves]) *
                                                 point[IcpParameter::leaf_points]),
            .items = items,
            .rounds = 2 * kIterations,
            .launches = 2 * kIterations};
}

} // namespace

constinit const WorkloadInfo workloads::icp{
    .name = "icp",
    .summary = "moves a scan onto a surface, by the nearest point of the surface to each scan point",
    .axes = {axis::block, axis::elements, IcpParameter::near_every, IcpParameter::leaves, IcpParameter::leaf_points,
             IcpParameter::iterations, axis::seed},
    .inputs = kInputs,
    .meanings = kMeanings,
    .figures = kFigures,
    .irregular = true,
    .has_ratio = true,
    .memory_bytes = memory_bytes,
    .complete = complete,
    .work = work,
};

} // namespace nestbed
