// Launch mechanisms: how one grid makes another grid run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace nestbed
{

enum class Mechanism : std::uint8_t {
    none,                  // nothing is launched after the root grid
    null_stream,           // from the device, into the block's NULL stream
    named_stream,          // from the device, into a non-blocking stream created for this launch
    fire_and_forget,       // from the device, into cudaStreamFireAndForget: no order
    tail,                  // from the device, into cudaStreamTailLaunch: after the launching grid and its children
    graph_tail,            // a device graph that launches itself again when it is done
    graph_next,            // device graphs in a ring: each launches the next, to run when it is done
    graph_fire_and_forget, // device graphs in a ring: each launches the next by fire and forget
    graph_sibling,         // device graphs in a ring: each launches the next as its sibling
    graph_while,           // a WHILE node of a graph: its body runs again as long as a kernel of the body says so
    graph_switch,          // the same with a SWITCH node for a body: a kernel also says which of its bodies is next
    graph_if,              // IF nodes, as many as a bound says: the body of each runs if a kernel says so
    graph_update,          // nodes of a graph, as many as a bound says: a kernel enables and sizes the next
    host,                  // a launch from the host
    host_pdl,        // the same, where each grid may begin before the one before has ended (programmatic launch)
    host_read,       // the same, after the host has copied back what the level before decided
    host_polled,     // the same, after the host has seen it in memory that the device maps
    host_graph,      // a node of a graph, launched once from the host
    host_graph_pdl,  // the same, captured from programmatic launches
    host_max_levels, // launches from the host, as many as a bound says: grids past the end return at once
    host_graph_max_levels,     // the same as a graph
    host_graph_pdl_max_levels, // the same, captured from programmatic launches
    grid_sync,                 // no launch: the same cooperative grid continues after grid.sync()
    cluster_sync,              // no launch: the same cluster of thread blocks continues after cluster.sync()
};

// Who decides, while the work runs, whether there is another level.
enum class Decider : std::uint8_t {
    nothing,
    nobody,
    kernel_by_launch,
    kernel_by_graph,
    running_kernel,
    host,
    kernel_up_to_bound
};

constexpr std::string_view text_of(Decider decider)
{
    constexpr std::array<std::string_view, 7> kTexts{"",
                                                     "nobody: as many as were submitted",
                                                     "a kernel, which launches a kernel",
                                                     "a kernel, through a graph",
                                                     "a kernel, which goes on",
                                                     "the host, when it has read what the level found",
                                                     "a kernel, up to a bound"};
    return kTexts.at(static_cast<std::size_t>(decider));
}

// The bound of a mechanism that has one, in levels that are submitted for each level that runs.
inline constexpr unsigned kBoundFactor = 2;

// The rules of a mechanism; in the order of the enumeration.
struct MechanismInfo {
    std::string_view name;
    std::string_view words; // its name in figures; empty where nothing is launched
    Decider decided_by = Decider::nobody;
    bool from_device = false; // kernels make the launches, by an API call, so that the ledger counts them
    bool graphs = false;      // what is launched from a kernel is a device graph, not a kernel
    bool cuda_only =
        false; // needs what only CUDA has: device graphs, nodes that kernels change, cooperative grids, clusters
    bool since_9_0 = false; // needs compute capability 9.0 or later
    // The mechanism whose times are the nearest, for a rough estimate where the launch model was not fitted to it.
    Mechanism nearest = Mechanism::host;
};

constexpr MechanismInfo by_kernel(std::string_view name, std::string_view words, Mechanism nearest)
{
    return {.name = name,
            .words = words,
            .decided_by = Decider::kernel_by_launch,
            .from_device = true,
            .nearest = nearest};
}

constexpr MechanismInfo by_device_graph(std::string_view name, std::string_view words)
{
    return {.name = name,
            .words = words,
            .decided_by = Decider::kernel_by_graph,
            .from_device = true,
            .graphs = true,
            .cuda_only = true,
            .nearest = Mechanism::graph_tail};
}

inline constexpr std::array<MechanismInfo, 24> kMechanismInfos{{
    {.name = "none", .words = {}, .decided_by = Decider::nothing, .nearest = Mechanism::none},
    by_kernel("null_stream", "NULL stream", Mechanism::null_stream),
    by_kernel("named", "named stream", Mechanism::named_stream),
    by_kernel("fire_and_forget", "fire and forget", Mechanism::fire_and_forget),
    by_kernel("tail", "tail launch", Mechanism::tail),
    by_device_graph("graph_tail", "device graph"),
    by_device_graph("graph_next", "device graph, the next one"),
    by_device_graph("graph_fire_and_forget", "device graph, forgotten"),
    by_device_graph("graph_sibling", "device graph, sibling"),
    {.name = "graph_while", .words = "WHILE node", .decided_by = Decider::kernel_by_graph},
    {.name = "graph_switch",
     .words = "SWITCH node in a WHILE node",
     .decided_by = Decider::kernel_by_graph,
     .cuda_only = true},
    {.name = "graph_if", .words = "IF nodes", .decided_by = Decider::kernel_up_to_bound, .cuda_only = true},
    {.name = "graph_update", .words = "updated nodes", .decided_by = Decider::kernel_up_to_bound, .cuda_only = true},
    {.name = "host", .words = "host"},
    {.name = "host_pdl", .words = "host, PDL", .since_9_0 = true},
    {.name = "host_read", .words = "host reads back", .decided_by = Decider::host},
    {.name = "host_polled", .words = "host polls", .decided_by = Decider::host, .cuda_only = true},
    {.name = "host_graph", .words = "host graph", .cuda_only = true, .nearest = Mechanism::host_graph},
    {.name = "host_graph_pdl", .words = "host graph, PDL", .since_9_0 = true, .nearest = Mechanism::host_graph},
    {.name = "host_max_levels", .words = "host, bound", .decided_by = Decider::kernel_up_to_bound},
    {.name = "host_graph_max_levels",
     .words = "host graph, bound",
     .decided_by = Decider::kernel_up_to_bound,
     .nearest = Mechanism::host_graph},
    {.name = "host_graph_pdl_max_levels",
     .words = "host graph, PDL, bound",
     .decided_by = Decider::kernel_up_to_bound,
     .since_9_0 = true,
     .nearest = Mechanism::host_graph},
    {.name = "grid_sync",
     .words = "grid.sync()",
     .decided_by = Decider::running_kernel,
     .cuda_only = true,
     .nearest = Mechanism::grid_sync},
    {.name = "cluster_sync",
     .words = "cluster.sync()",
     .decided_by = Decider::running_kernel,
     .cuda_only = true,
     .since_9_0 = true,
     .nearest = Mechanism::grid_sync},
}};

inline constexpr std::array kMechanisms = [] {
    std::array<Mechanism, kMechanismInfos.size()> all{};
    for (std::size_t index = 0; index < all.size(); ++index)
        all.at(index) = static_cast<Mechanism>(index);
    return all;
}();

constexpr const MechanismInfo& info_of(Mechanism mechanism)
{
    return kMechanismInfos.at(static_cast<std::size_t>(mechanism));
}

// The mechanisms of a strategy that are none of the lists below; the first is the default.
template <Mechanism... How>
inline constexpr std::array kOnly{How...};

constexpr std::string_view name_of(Mechanism mechanism)
{
    return info_of(mechanism).name;
}

// Whether kernels make the launches, so that the ledger counts them.
constexpr bool from_device(Mechanism mechanism)
{
    return info_of(mechanism).from_device;
}

// Whether a kernel launches device graphs: each is made once, and has one run per level.
constexpr bool launches_graphs(Mechanism mechanism)
{
    return info_of(mechanism).graphs;
}

// Whether the host waits for each level, so that not all work can be submitted before it starts.
constexpr bool host_waits(Mechanism mechanism)
{
    return info_of(mechanism).decided_by == Decider::host;
}

// Whether the host submits as many levels as a bound says.
constexpr bool has_bound(Mechanism mechanism)
{
    return info_of(mechanism).decided_by == Decider::kernel_up_to_bound;
}

// Whether a grid may begin while the one before it ends: programmatic launches.
constexpr bool is_programmatic(Mechanism mechanism)
{
    return mechanism == Mechanism::host_pdl || mechanism == Mechanism::host_graph_pdl ||
           mechanism == Mechanism::host_graph_pdl_max_levels;
}

// Whether the host launches all levels as one graph.
constexpr bool is_host_graph(Mechanism mechanism)
{
    return mechanism == Mechanism::host_graph || mechanism == Mechanism::host_graph_pdl ||
           mechanism == Mechanism::host_graph_max_levels || mechanism == Mechanism::host_graph_pdl_max_levels;
}

// How a kernel launches children that it does not wait for.
inline constexpr std::array kChildrenByKernel{Mechanism::fire_and_forget, Mechanism::null_stream,
                                              Mechanism::named_stream, Mechanism::tail};
// How a kernel decides through a graph whether there is another level.
inline constexpr std::array kLevelsByGraph{Mechanism::graph_tail, Mechanism::graph_while};
// How the host makes levels whose number the data decide: it waits for each, or submits as many as a bound says.
inline constexpr std::array kLevelsByHost{Mechanism::host, Mechanism::host_max_levels,
                                          Mechanism::host_graph_max_levels, Mechanism::host_graph_pdl_max_levels};

// Whether it needs compute capability 9.0 or later: programmatic launches and clusters.
constexpr bool since_9_0(Mechanism mechanism)
{
    return info_of(mechanism).since_9_0;
}

// Whether a kernel decides by calls on a graph.
constexpr bool changes_graphs(Mechanism mechanism)
{
    return info_of(mechanism).decided_by == Decider::kernel_by_graph || mechanism == Mechanism::graph_if ||
           mechanism == Mechanism::graph_update;
}

// Whether the launch model was fitted to it, so that it predicts its times.
constexpr bool is_fitted(Mechanism mechanism)
{
    return info_of(mechanism).nearest == mechanism;
}

// Whether it needs what only CUDA has.
constexpr bool cuda_only(Mechanism mechanism)
{
    return info_of(mechanism).cuda_only;
}

} // namespace nestbed
