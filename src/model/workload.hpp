// The descriptor of a workload: what plan, log, help, estimates and tables must know of it. Each workload has one, in
// its folder of src/workloads. Nothing else asks which workload a strategy belongs to by its name.
#pragma once

#include "model/case.hpp"
#include "model/parameter.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

struct StrategyInfo;
struct ExpectedLaunches;
struct Picture;

// The axes that only some cases have; in the order of the table (axis_table.hpp).
namespace axis
{
enum Name : std::uint8_t {
    type,
    input,
    op,
    grid,
    block,
    elements,
    nx,
    ny,
    shape,
    depth,
    threshold,
    coarsen,
    aggregate,
    overflow,
    pending_limit,
    wave,
    streams,
    delay,
    graphs,
    seed,
    submit,
    l2,
    runs,
    host_load,
    nice,
    pin,
    program,
    arguments,
    time,
    own, // a parameter of a workload
};
} // namespace axis

// Axes, and parameters that a workload declares.
class AxisSet
{
  public:
    struct Item {
        constexpr Item(axis::Name one) : name(one) {} // NOLINT(google-explicit-constructor)
        constexpr Item(const Parameter& one)
            : name(axis::own), parameter(&one) {} // NOLINT(google-explicit-constructor)
        Item(Parameter&&) = delete;

        axis::Name name;
        const Parameter* parameter = nullptr;
    };

    constexpr AxisSet() = default;
    constexpr AxisSet(std::initializer_list<Item> items)
    {
        for (const Item& item : items)
            add(item);
    }
    constexpr void add(Item item)
    {
        if (item.name != axis::own) { // not by the pointer: GCC 12's sanitizers take no address for a constant there
            bits_ |= std::uint64_t{1} << item.name;
        } else if (const Parameter* const known = find(item.parameter->name); known == nullptr) {
            if (count_ == kMaxParameters)
                throw std::length_error("a workload has more than 16 parameters");
            parameters_[count_++] = item.parameter;
        } else if (known != item.parameter) {
            throw std::invalid_argument("two parameters of a workload have the same name");
        }
    }
    constexpr bool has(axis::Name name) const { return (bits_ >> name & 1) != 0; }
    constexpr bool has(const Parameter& parameter) const { return find(parameter.name) != nullptr; }
    // Null if no parameter of the set has the name.
    constexpr const Parameter* find(std::string_view name) const
    {
        for (const Parameter* const one : parameters())
            if (one->name == name)
                return one;
        return nullptr;
    }
    constexpr std::span<const Parameter* const> parameters() const { return {parameters_.data(), count_}; }

  private:
    static constexpr std::size_t kMaxParameters = 16;

    std::uint64_t bits_ = 0;
    std::array<const Parameter*, kMaxParameters> parameters_{};
    std::size_t count_ = 0;
};

// What an axis that is not its own means for this workload, for its help.
struct AxisMeaning {
    axis::Name name;
    std::string_view meaning;
    std::uint64_t default_value = 0;    // of a case that has none; 0: that of the axis
    std::string_view default_text = {}; // as help shows it; empty: the value
    AxisRole role = AxisRole::by_default;
};

// Which parameter of the launch model, and which measured bandwidth, the flat kernels of a workload stand for.
enum class Calibrates : std::uint8_t { nothing, read, copy };

// What the user asked for, where a workload has a default of its own.
struct Asked {
    bool elements = false;
    bool block = false;
};

// How much work a case is, roughly, as far as its parameters tell: in units, not in time. The time of a unit is in
// predict/case_time.cpp, once for all workloads; a run corrects it by what it measures (run/time_left.hpp).
struct Work {
    double input_items = 0; // that the host generates, sorts or follows, once for all cases with this input
    double items = 0;       // that a sample processes: keys, points, edges, threads of a round
    double rounds = 1;      // kernels, one after another
    double launches = 0;    // from the device, as far as the input decides them
};

// A graph, and the levels of a breadth-first search from where the workload starts.
struct GraphFacts {
    struct Level {
        std::uint64_t vertices = 0;
        std::uint64_t edges = 0; // that leave them
    };
    std::uint64_t edges = 0;
    std::vector<Level> levels{};
};

struct WorkloadInfo {
    std::string_view name;
    std::string_view summary; // what it computes, in one line
    AxisSet axes; // that all its strategies have, also parameters of its own; StrategyInfo::axes has those of some
    std::span<const InputKind> inputs = {}; // values of `input`; the first is the default; empty: there is no choice
    std::span<const AxisMeaning> meanings = {};
    std::span<const std::string_view> figures = {}; // that suit it (experiments/figures.py), in the order of drawing
    bool irregular = false;                         // its work depends on the input
    bool of_user = false;          // a user's own program (model/user_program.hpp): grid and block are numbers for it
    bool keeps_timestamps = false; // kernels record when they were called and began: its samples have latencies
    bool nondeterministic_answer = false; // a run counts what may happen or not: it is never run twice to time it
    bool siblings = false;                // its launches do not follow each other: many latencies on one level
    bool grid_per_level = false; // each level of a recursion over the whole input has a grid like the root grid
    bool has_ratio = false;      // tables divide its times by those of its fastest flat form
    std::string_view why_unpredictable = {}; // why the launch model does not describe it; empty: it may
    std::uint64_t max_launches = UINT64_MAX; // of a case
    Calibrates calibrates = Calibrates::nothing;
    // Bytes that a case must at least read and write. Null: it does not measure memory.
    std::uint64_t (*bytes_moved)(const Case&) = nullptr;
    // Memory of a case, without the scratch memory of its strategy: the device's; on the executor also the host's.
    std::uint64_t (*memory_bytes)(const StrategyInfo&, const Case&, const ExpectedLaunches&) = nullptr;
    // Launches after the first if the host makes them. Null: one per level that halves a block.
    std::uint32_t (*host_launches)(const Case&) = nullptr;
    // Sets what was not asked for and depends on other values, and what does not apply with them.
    void (*complete)(Case&, const Asked&) = nullptr;
    // Null: its threads, launches and bytes are known before it runs.
    Work (*work)(const StrategyInfo&, const Case&) = nullptr;
    // Of a workload over a graph: about the graph of a case. Throws RunError, or std::invalid_argument if it is too large.
    GraphFacts (*graph_facts)(const Case&) = nullptr;
    const Picture* picture = nullptr; // the command that shows one case; null: it has none

    // Whether it has nx * ny numbers: a matrix or an image.
    constexpr bool over_matrix() const { return axes.has(axis::nx) && !of_user; }
    // Whether its input is a graph.
    constexpr bool over_graph() const
    {
        for (const Parameter* const one : axes.parameters())
            if (one->file)
                return true;
        return false;
    }
    // Whether its input is drawn from the case's seed.
    constexpr bool drawn() const { return axes.has(axis::seed); }
};

} // namespace nestbed
