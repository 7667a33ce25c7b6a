// A strategy: one way to do a workload. Its file (in nested/ or baseline/) contains its kernels and its entry, a
// StrategyInfo. The tests, the plan and `nestbed list` find it in the registry.
#pragma once

#include "model/case.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace nestbed
{

struct StrategyInfo {
    std::string_view name;
    std::string_view workload; // such as "reduce"; see the workloads in src/device/workloads
    std::span<const Mechanism> mechanisms = kOnly<Mechanism::none>; // supported; the first is the default
    std::string_view summary;                                       // what it does, in one line
    std::string_view hazards; // what can go wrong, or why nothing can, in one line
    std::string_view source;  // the origin of the strategy
    bool racy = false;        // it has a race: its answer depends on the schedule
    bool delayed = false;     // it supports Case::delay_us
    bool shaped = false;      // it supports Case::shape
    bool cuda_only = false;   // registered on every backend, but runs only on CUDA
    bool on_host = false;     // runs on the host's processor, not on a GPU
    bool operators = false;   // a reduction that supports max and min as well as sum
    bool offers = false;      // launches by need (model/offers.hpp): its launches depend on the input
    bool grain = false;       // a sort that has Case::grain
    bool fanout = false;      // a sort or a tree of empty grids that has Case::fanout
    bool delta = false;       // a shortest path that has Case::delta
    bool cutoff = false;      // a search that has Case::cutoff
    bool budget = false;      // a search that has Case::budget
    bool per_vertex = false;  // a search of a graph with a thread for each of its vertices in every round
    bool hangs = false;       // may hang the device when launches pass the pending limit
    bool threshold = false;   // launches by need, item by item: it has Case::threshold, but no groups
    bool by_order = false; // its launches depend on the order of execution: the ledger must equal the items offered
    bool waits = false;    // waits for the device before all work is submitted, so it cannot be held

    bool has(Mechanism mechanism) const;
    // Whether the workload's input is drawn from the case's seed.
    bool drawn() const { return is_in({"reduce", "transpose", "copy", "bezier", "sort", "quadtree", "bfs", "sssp"}); }
    // Whether the workload's kernels record when they were called and when they began: its samples have latencies.
    bool keeps_timestamps() const { return workload == "chain" || workload == "fanout"; }
    // A run of the workload counts what may happen or not. It is never run twice to time it, and a count of 0 is a finding too.
    bool counts_chances() const { return workload == "litmus"; }
    // Whether the workload has nx * ny numbers: a matrix or an image.
    bool over_matrix() const { return is_in({"transpose", "copy", "blobs", "mandelbrot"}); }
    // Whether the input is a graph.
    bool over_graph() const { return is_in({"bfs", "sssp"}); }
    // Whether the work depends on the input.
    bool irregular() const { return is_in({"bezier", "mandelbrot", "sort", "quadtree", "bfs", "sssp", "search"}); }

  private:
    bool is_in(std::initializer_list<std::string_view> workloads) const
    {
        for (const std::string_view one : workloads)
            if (one == workload)
                return true;
        return false;
    }
};

// Bytes that a case's workload must at least read and write; 0 if it does not measure memory.
std::uint64_t bytes_moved(const StrategyInfo& info, const Case& point);

// The mechanism of the case; if the case has none, the strategy's first.
Mechanism mechanism_of(const StrategyInfo& info, const Case& point);

// The values of `input` that the workload has; the first is the default. Empty: there is no choice.
std::vector<InputKind> inputs_of(const StrategyInfo& info);

// The device launches of a case, and how they depend on each other: in closed form, or by the oracle of an irregular
// workload (model/offers.hpp).
struct ExpectedLaunches {
    std::vector<std::uint64_t> by_depth; // by_depth[d]: launches that create grids at depth d + 1
    std::uint32_t root_blocks = 0;       // each has its own subtree; 0: one subtree for the whole root grid
    bool parent_waits = false;           // a parent block stays resident until its child is complete
    bool one_by_one = false;             // the subtrees of one root grid run one at a time (tail launches)
    bool by_last_block = false;          // the last block of a grid launches the next level, after the grid's work
    std::uint32_t root_threads = 0;      // of a root block; 0: as many as the case's block
    // Of one chain for the whole grid: blocks of each grid per multiprocessor, however large the input is; 0: Case::grid.
    std::uint32_t blocks_per_multiprocessor = 0;
    std::uint32_t fan_in = 1; // of the same: each level has so many times fewer blocks than the level before
    bool by_input = false;    // the counts depend on the input: only the session knows them
    bool by_order =
        false; // and on the order of execution: the run itself says how many it wanted (OfferSample::grids)
    // By an oracle: launches below each root block. (One with items of several root blocks counts for the last of them.)
    std::vector<std::uint64_t> by_root;

    bool per_root_block() const { return root_blocks != 0; }
    // Launches of a root block and of what it launches.
    std::uint64_t per_block() const { return per_root_block() ? (total() + root_blocks - 1) / root_blocks : total(); }

    std::uint64_t total() const;
    unsigned levels() const { return static_cast<unsigned>(by_depth.size()); }

    static ExpectedLaunches none() { return {}; }
    static ExpectedLaunches of_input() { return {.by_input = true}; }
    static ExpectedLaunches of_order() { return {.by_input = true, .by_order = true}; }
    // Every root block starts a chain of `levels` grids.
    static ExpectedLaunches chain_per_block(std::uint32_t root_blocks, unsigned levels);
    // The root grid as a whole starts one chain of `levels` grids.
    static ExpectedLaunches chain_per_grid(unsigned levels);
};

// The exponent of a power of two.
unsigned log2_of(std::uint32_t power_of_two);

// Levels of a chain if the case does not set a depth.
inline constexpr std::uint32_t kChainLevels = 1024;

// Levels of a recursion that has `full` levels if the case's depth does not limit it.
unsigned levels_within(const Case& point, unsigned full);

// Levels of a recursion over the whole input in which each level replaces `fan_in` numbers by one: the number of
// launches after the root grid.
unsigned whole_levels(const Case& point, unsigned fan_in);

// Levels of a recursion in which each level halves the elements of a block, down to the last pair.
unsigned halving_levels(const Case& point);

class Strategy
{
  public:
    Strategy() = default;
    Strategy(const Strategy&) = delete;
    Strategy& operator=(const Strategy&) = delete;
    virtual ~Strategy() = default;

    virtual const StrategyInfo& info() const = 0;
    virtual ExpectedLaunches launches(const Case& point) const = 0;
    // Device memory that it needs in addition to the workload's buffers.
    virtual std::uint64_t scratch_bytes(const Case& /*point*/) const { return 0; }
};

// All strategies of a backend, by name. Entries are added during static initialization and are never removed.
class Registry
{
  public:
    // Throws std::logic_error, which ends the program at its start, if the name is already taken.
    static void add(BackendKind backend, const Strategy& strategy);
    // Sorted by name; empty if this build does not include the backend.
    static std::vector<const Strategy*> of(BackendKind backend);
    // Returns nullptr if the backend has no such strategy.
    static const Strategy* find(BackendKind backend, std::string_view name);
    // Searches both backends: for properties that do not depend on the backend.
    static const Strategy* find_anywhere(std::string_view name);
    // The names on all backends, sorted.
    static std::vector<std::string_view> names();
};

} // namespace nestbed
