// The oracles of `mst`: how many launches a form makes. Its rounds are a function of the graph, because no two edges have the
// same key. Pure.
#pragma once

#include "model/request_oracle.hpp"
#include "workloads/mst/mst_graph.hpp"

#include <cstdint>
#include <vector>

namespace nestbed
{

enum class MstForm : std::uint8_t {
    flat,       // no launch from the device
    vertices,   // a child for every vertex that may still have an edge to another component, round by round
    components, // a child for every component that has one
    steps,      // a grid for every step that needs more than one block, but the first (mst_step.hpp)
};

// The rounds of Boruvka on the host. Components have the number of one of their vertices: of two components whose lightest
// edge is the same, the smaller number stays, and every other component takes that of the component to which its lightest
// edge leads.
class BoruvkaRounds
{
  public:
    explicit BoruvkaRounds(const MstGraph& graph);

    // Joins every component with the one to which the lightest of the edges `live` leads, if there is one.
    void join(const std::vector<std::uint32_t>& live);
    // Leaves those of the edges `live` out that lead from a component to itself.
    void drop_inner(std::vector<std::uint32_t>& live) const;

    std::uint32_t component(std::uint32_t vertex) const { return components_[vertex]; }
    // 1 for the edges that joined two components.
    const std::vector<std::uint32_t>& chosen() const { return chosen_; }

  private:
    const MstGraph& graph_;
    std::vector<std::uint32_t> components_, parents_;
    std::vector<std::uint64_t> best_;
    std::vector<std::uint32_t> chosen_;
};

// What requests a child in a round: vertices or components, in the order of their numbers, and their edges.
struct MstItem {
    std::uint32_t number = 0;
    std::uint32_t edges = 0;

    friend bool operator==(const MstItem&, const MstItem&) = default;
};
std::vector<std::vector<MstItem>> mst_rounds(const MstGraph& graph, MstForm form);

// What each step of mst_step.hpp looks at, from the first one on.
std::vector<std::uint32_t> mst_steps(const MstGraph& graph);

RequestOracle count_mst_rounds(const Case& point, std::uint32_t vertices,
                               const std::vector<std::vector<MstItem>>& rounds);
RequestOracle count_mst_steps(const Case& point, const std::vector<std::uint32_t>& steps);

// Blocks of a grid with a thread per vertex.
constexpr std::uint32_t mst_roots(std::uint32_t vertices, std::uint32_t block)
{
    return vertices == 0 ? 1 : (vertices - 1) / block + 1;
}

} // namespace nestbed
