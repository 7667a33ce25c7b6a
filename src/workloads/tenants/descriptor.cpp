#include "workloads/tenants/descriptor.hpp"

#include "model/strategy.hpp"

#include <array>

namespace nestbed
{

namespace
{

constexpr std::uint32_t kTenantsBlock = 128;
constexpr std::uint32_t kHostStreams = 16;  // of a host that makes every level
constexpr std::uint32_t kGraphStreams = 64; // of graphs, and of tenants that arrive one by one

constexpr std::array kInputs{TenantsInput::together, TenantsInput::poisson};
constexpr AxisMeaning kMeanings[]{
    {axis::input,
     "together: all tenants arrive at once; poisson: at random times, the gaps between them exponential"},
    {axis::block, "threads per block, a power of two", kTenantsBlock},
    {axis::threshold, "a level with at most so many nodes is done by the block that finished the level before"},
    {axis::streams, "host streams that tenants take in turn", 0, "by the form"}};
constexpr std::string_view kFigures[]{"tenants", "by-size", "by-input", "study"};

// Tenants that arrive one by one are launched one by one, and so are graphs: one tenant has one graph. Tail launches of one root grid
// would run one after another, tenant by tenant.
void complete(Case& point, const Asked& asked)
{
    if (!asked.block)
        point.block = kTenantsBlock;
    if (point.input != TenantsInput::poisson)
        point[TenantsParameter::arrival_gap_us] = 0;
    const bool by_graph = point.mechanism && changes_graphs(*point.mechanism);
    if (by_graph)
        point.wave = 1;
    if (!point.wave && (point.input == TenantsInput::poisson || point.mechanism == Mechanism::tail))
        point.wave = 1;
    if (!point.streams && point.mechanism == Mechanism::host)
        point.streams = kHostStreams;
    if (!point.streams && (by_graph || point.wave == 1))
        point.streams = kGraphStreams;
}

double nodes_of(const Case& point)
{
    constexpr double kMeanLevels = 0.75; // of the most levels
    return static_cast<double>(point[TenantsParameter::tenant_count]) * point[TenantsParameter::level_nodes] *
           kMeanLevels * point[TenantsParameter::levels];
}

// Two lists of nodes for each tenant, whose levels are sometimes half again as wide.
std::uint64_t memory_bytes(const StrategyInfo& /*info*/, const Case& point, const ExpectedLaunches& /*form*/)
{
    constexpr std::uint64_t kBytesPerNode = 2 * 4 * 2;
    constexpr std::uint64_t kBytesPerTenant = 256;
    return point[TenantsParameter::tenant_count] *
           (point[TenantsParameter::level_nodes] * kBytesPerNode + kBytesPerTenant);
}

Work work(const StrategyInfo& /*info*/, const Case& point)
{
    constexpr double kRoundsPerItem = 50;
    const double items = nodes_of(point) * (1 + point[TenantsParameter::node_work] / kRoundsPerItem);
    const auto tenants = static_cast<double>(point[TenantsParameter::tenant_count]);
    return {.input_items = items,
            .items = items,
            .rounds = tenants * point[TenantsParameter::levels],
            .launches = tenants * point[TenantsParameter::levels]};
}

} // namespace

constinit const WorkloadInfo workloads::tenants{
    .name = "tenants",
    .summary = "many small recursions that need not wait for each other: their levels, and when each is done",
    .axes = {axis::block, TenantsParameter::tenant_count, TenantsParameter::level_nodes, TenantsParameter::node_work,
             TenantsParameter::levels, TenantsParameter::arrival_gap_us, axis::seed},
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
