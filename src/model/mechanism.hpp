// Launch mechanisms: how one grid makes another grid run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace nestbed
{

enum class Mechanism : std::uint8_t {
    none,            // nothing is launched after the root grid
    null_stream,     // from the device, into the block's NULL stream
    named_stream,    // from the device, into a non-blocking stream created for this launch
    fire_and_forget, // from the device, into cudaStreamFireAndForget: no order
    tail,            // from the device, into cudaStreamTailLaunch: after the launching grid and its children
    graph_tail,      // a device graph that launches itself again when it is done
    host,            // a launch from the host
    host_graph,      // a node of a graph, launched once from the host
    grid_sync,       // no launch: the same cooperative grid continues after grid.sync()
};

inline constexpr std::array kMechanisms{
    Mechanism::none,      Mechanism::null_stream, Mechanism::named_stream, Mechanism::fire_and_forget,
    Mechanism::tail,      Mechanism::graph_tail,  Mechanism::host,         Mechanism::host_graph,
    Mechanism::grid_sync,
};

// For a strategy with only one mechanism.
template <Mechanism How>
inline constexpr std::array kOnly{How};

constexpr std::string_view name_of(Mechanism mechanism)
{
    constexpr std::array<std::string_view, kMechanisms.size()> kNames{
        "none", "null_stream", "named", "fire_and_forget", "tail", "graph_tail", "host", "host_graph", "grid_sync"};
    return kNames.at(static_cast<std::size_t>(mechanism));
}

// The name of Mechanism::null_stream in logs, manifests and profiles of earlier versions. pandas reads it as a
// missing value.
inline constexpr std::string_view kOldNullStream = "null";

// Converts the name of a mechanism in a log of any version to the name in this version.
constexpr std::string_view current_name(std::string_view mechanism)
{
    return mechanism == kOldNullStream ? name_of(Mechanism::null_stream) : mechanism;
}

// Whether kernels make the launches, so that the ledger counts them.
constexpr bool from_device(Mechanism mechanism)
{
    return mechanism >= Mechanism::null_stream && mechanism <= Mechanism::graph_tail;
}

// Whether it needs features that only CUDA has: graphs, cooperative grids.
constexpr bool cuda_only(Mechanism mechanism)
{
    return mechanism == Mechanism::graph_tail || mechanism == Mechanism::host_graph ||
           mechanism == Mechanism::grid_sync;
}

} // namespace nestbed
