// A strategy: one way to do a workload. Its file (nested/ or baseline/) holds the kernels and the entry
// below; the registry is how the tests, the plan and `nestbed list` find it.
#pragma once

#include "model/case.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace nestbed
{

struct StrategyInfo {
    std::string_view name;
    std::string_view workload; // "reduce", "hello", "chain", "fanout", "transpose", "copy" or "blobs"
    std::span<const Mechanism> mechanisms = kOnly<Mechanism::none>; // those it can go by; the first is the default
    std::string_view summary;                                       // what it does, in one line
    std::string_view hazards; // what can go wrong, or why nothing can, in one line
    std::string_view source;  // where it comes from
    bool racy = false;        // its answer depends on the schedule
    bool delayed = false;     // it has a place for the case's delay_us
    bool shaped = false;      // the case's block shape means something
    bool cuda_only = false;   // registered on every backend, runs on CUDA alone
    bool on_host = false;     // the host's processor does it: no GPU
    bool operators = false;   // of a reduction: it takes max and min beside sum
    bool waits = false;       // it waits for the device before all of it is submitted: it cannot be held

    bool has(Mechanism mechanism) const;
    // The workload's input is drawn from the case's seed.
    bool drawn() const { return workload == "reduce" || workload == "transpose" || workload == "copy"; }
    // The workload's kernels note when they were called and begun: its samples have latencies.
    bool keeps_timestamps() const { return workload == "chain" || workload == "fanout"; }
    // The workload is over nx * ny numbers: a matrix, or an image.
    bool over_matrix() const { return workload == "transpose" || workload == "copy" || workload == "blobs"; }
};

// Bytes that a case's workload must read and write at least, once each; 0 where it is not about memory.
std::uint64_t bytes_moved(const StrategyInfo& info, const Case& point);

// What the case goes by: its own mechanism, or the strategy's first.
Mechanism mechanism_of(const StrategyInfo& info, const Case& point);

// The device launches of a case in closed form, and how they hang together.
struct ExpectedLaunches {
    std::vector<std::uint64_t> by_depth; // by_depth[d]: launches that create grids at depth d + 1
    std::uint32_t root_blocks = 0;       // each with a subtree of its own; 0: the root grid has one
    bool parent_waits = false;           // a parent block stays resident until its child is complete
    bool one_by_one = false;             // subtrees of one root grid run one after another (tail launches)

    bool per_root_block() const { return root_blocks != 0; }

    std::uint64_t total() const;
    unsigned levels() const { return static_cast<unsigned>(by_depth.size()); }

    static ExpectedLaunches none() { return {}; }
    // Every root block heads a chain of `levels` grids.
    static ExpectedLaunches chain_per_block(std::uint32_t root_blocks, unsigned levels);
    // The whole root grid heads one chain of `levels` grids.
    static ExpectedLaunches chain_per_grid(unsigned levels);
};

// The exponent of a power of two.
unsigned log2_of(std::uint32_t power_of_two);

// Levels of a chain where the case does not say how many.
inline constexpr std::uint32_t kChainLevels = 1024;

// Levels of a recursion that goes on for `full` levels when nothing stops it, under the case's depth.
unsigned levels_within(const Case& point, unsigned full);

// Levels of a recursion over the whole input that leaves one number of every `fan_in`: launches after the root grid.
unsigned whole_levels(const Case& point, unsigned fan_in);

// Levels of a recursion that halves a block's elements from level to level, down to the last pair.
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
    // Device memory that it takes beside the workload's buffers.
    virtual std::uint64_t scratch_bytes(const Case& /*point*/) const { return 0; }
};

// All strategies of a backend, by name. Entries are added while static objects are made and live for ever.
class Registry
{
  public:
    // Throws std::logic_error, which ends the program at its start, if there is one of that name.
    static void add(BackendKind backend, const Strategy& strategy);
    // Sorted by name; empty where the backend is not built in.
    static std::vector<const Strategy*> of(BackendKind backend);
    // nullptr if the backend has no such strategy.
    static const Strategy* find(BackendKind backend, std::string_view name);
    // Of either backend: what does not depend on it.
    static const Strategy* find_anywhere(std::string_view name);
    // The names on any backend, sorted.
    static std::vector<std::string_view> names();
};

} // namespace nestbed
