// A strategy: one way to do a workload. Its file (in nested/ or baseline/) contains its kernels and its entry, a
// StrategyInfo. The tests, the plan and `nestbed list` find it in the registry.
#pragma once

#include "model/workload.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

struct StrategyInfo {
    std::string_view name;
    const WorkloadInfo* workload = nullptr;                         // the descriptor of its workload
    std::span<const Mechanism> mechanisms = kOnly<Mechanism::none>; // supported; the first is the default
    std::string_view summary;                                       // what it does, in one line
    std::string_view hazards; // what can go wrong, or why nothing can, in one line
    std::string_view source;  // the origin of the strategy
    AxisSet axes{};           // that it has in addition to those of its workload
    bool racy = false;        // it has a race: its answer depends on the schedule
    bool cuda_only = false;   // registered on every backend, but runs only on CUDA
    bool on_host = false;     // runs on the host's processor, not on a GPU
    bool operators = false;   // a reduction that supports max and min as well as sum
    bool requests = false;    // data-dependent launches (model/request_oracle.hpp): its launches depend on the input
    bool per_vertex = false;  // a search of a graph with a thread for each of its vertices in every round
    bool hangs = false;       // may hang the device when launches pass the pending limit
    bool by_order = false; // its launches depend on the order of execution: the ledger must equal the items requested
    bool is_reference = false; // figures divide the times of its workload by its own: the library's way
    bool waits = false;        // see waits_by()

    bool has(Mechanism mechanism) const;
    // Whether it waits for the device before all work is submitted, so that it cannot be held.
    constexpr bool waits_by(Mechanism mechanism) const
    {
        return host_waits(mechanism) || (waits && !has_bound(mechanism));
    }
    // Whether the axis applies, as far as strategy and workload decide it; see Axis::applies.
    constexpr bool has(axis::Name one) const { return axes.has(one) || workload->axes.has(one); }
    constexpr bool has(const Parameter& one) const { return parameter(one.name) != nullptr; }
    // Its parameter, or its workload's, with this name; null if there is none.
    constexpr const Parameter* parameter(std::string_view one) const
    {
        const Parameter* const own = axes.find(one);
        return own != nullptr ? own : workload->axes.find(one);
    }
    bool drawn() const { return workload->drawn(); }
    bool keeps_timestamps() const { return workload->keeps_timestamps; }
    bool nondeterministic_answer() const { return workload->nondeterministic_answer; }
    bool over_matrix() const { return workload->over_matrix(); }
    bool over_graph() const { return workload->over_graph(); }
    bool irregular() const { return workload->irregular; }
};

// Bytes that a case's workload must at least read and write; 0 if it does not measure memory.
std::uint64_t bytes_moved(const StrategyInfo& info, const Case& point);

// The mechanism of the case; if the case has none, the strategy's first.
Mechanism mechanism_of(const StrategyInfo& info, const Case& point);

// The device launches of a case, and how they depend on each other: in closed form, or by the oracle of an irregular
// workload (model/request_oracle.hpp).
struct ExpectedLaunches {
    std::vector<std::uint64_t> by_depth; // by_depth[d]: launches that create grids at depth d + 1
    std::uint32_t root_blocks = 0;       // each has its own subtree; 0: one subtree for the whole root grid
    bool parent_waits = false;           // a parent block stays resident until its child is complete
    bool one_by_one = false;             // the subtrees of one root grid run one at a time (tail launches)
    bool by_last_block = false;          // the last block of a grid launches the next level, after the grid's work
    bool by_lanes = false;               // the children of a block are launched by a thread each, not all by one
    std::uint32_t root_threads = 0;      // of a root block; 0: as many as the case's block
    // Of one chain for the whole grid: blocks of each grid per multiprocessor, however large the input is; 0: Case::grid.
    std::uint32_t blocks_per_multiprocessor = 0;
    std::uint32_t fan_in = 1; // of the same: each level has so many times fewer blocks than the level before
    bool by_input = false;    // the counts depend on the input: only the session knows them
    bool by_order =
        false; // and on the order of execution: the run itself says how many it requested (RequestSample::grids)
    bool measured = false; // unknown: a run says how many there were, and any number is right
    // By an oracle: launches below each root block. (One with items of several root blocks counts for the last of them.)
    std::vector<std::uint64_t> by_root;
    std::uint32_t recursions = 1; // that follow each other, such as time steps; each has its share of by_root

    bool per_root_block() const { return root_blocks != 0; }
    // Launches of a root block and of what it launches.
    std::uint64_t per_block() const { return per_root_block() ? (total() + root_blocks - 1) / root_blocks : total(); }

    std::uint64_t total() const;
    unsigned levels() const { return static_cast<unsigned>(by_depth.size()); }

    static ExpectedLaunches none() { return {}; }
    static ExpectedLaunches of_input() { return {.by_input = true}; }
    static ExpectedLaunches of_order() { return {.by_input = true, .by_order = true}; }
    // Not known before the run; at most so many levels.
    static ExpectedLaunches unknown(unsigned levels);
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

// Where the strategies are that the registry does not have yet (model/modules.hpp).
class StrategySource
{
  public:
    StrategySource() = default;
    StrategySource(const StrategySource&) = delete;
    StrategySource& operator=(const StrategySource&) = delete;
    virtual ~StrategySource() = default;

    // Of all strategies, loaded or not. What they refer to lives as long as the source.
    virtual std::vector<std::string_view> names() const = 0;
    // Adds the strategy to the registry, if the source has it. Throws RunError if it has, and cannot load it.
    virtual void load(std::string_view name) = 0;
    // Adds all that can be loaded.
    virtual void load_all() = 0;
    // Adds its twin for traced runs (Registry::traced), if the source has the strategy. Throws as load().
    virtual void load_traced(std::string_view name) = 0;
};

// All strategies of a backend, by name. Entries are added during static initialization, of the program or of a module
// that is loaded, and are never removed. Threads may use it at the same time.
class Registry
{
  public:
    // Throws std::logic_error, which ends the program at its start, if the name is already taken. While a source loads, it
    // only notes that: clash() says which name it was.
    static void add(BackendKind backend, const Strategy& strategy);
    // The same of the twin of a strategy of CUDA: with its kernels for traced runs, which the strategy does not have.
    static void add_traced(const Strategy& twin);
    // What these noted last, once; empty if nothing.
    static std::string clash();
    // From now on, what is not there is taken from the source. It lives as long as the program.
    static void set_source(StrategySource& source);
    // Sorted by name; empty if this build does not include the backend. Loads all.
    static std::vector<const Strategy*> of(BackendKind backend);
    // Returns nullptr if the backend has no such strategy. Loads it if it is not there.
    static const Strategy* find(BackendKind backend, std::string_view name);
    // The twin of a strategy of CUDA. Loads it if it is not there; throws RunError if that cannot be done.
    static const Strategy& traced(std::string_view name);
    // Searches both backends: for properties that do not depend on the backend.
    static const Strategy* find_anywhere(std::string_view name);
    // Those of all backends, by name; of a strategy of both, cuda's. Loads all.
    static std::vector<const Strategy*> all();
    // The workloads of the strategies on all backends, by name. Loads all.
    static std::vector<const WorkloadInfo*> workloads();
    // The names of their inputs (WorkloadInfo::inputs), sorted. Loads all.
    static const std::vector<std::string_view>& inputs();
    // Whether a workload has an input with this name. Loads all if none of those that are loaded has it.
    static bool has_input(std::string_view name);
    // The names on all backends, sorted. Loads none.
    static std::vector<std::string_view> names();
};

} // namespace nestbed
