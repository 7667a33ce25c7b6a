// A case: one point of a sweep. It contains everything that decides what is measured.
#pragma once

#include "model/mechanism.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestbed
{

enum class BackendKind : std::uint8_t { cuda, cpu };
enum class ElementType : std::uint8_t { none, int32, float32 }; // none: the workload has no elements
// How a sample is submitted to the GPU. held: its stream starts when the whole sample is submitted, so that gpu_us
// contains no host time. open: the stream starts at once. none: the sample does not run on a GPU.
enum class Submit : std::uint8_t { none, held, open };
// What the GPU's L2 cache contains when a sample starts. as_is: what was there before. flushed: other data than the
// sample's.
enum class CacheState : std::uint8_t { none, as_is, flushed };

// Whether the thread that submits a sample stays on one core of the host.
enum class Pinned : std::uint8_t { no, yes };

// The input of a workload, by name. Which inputs there are, and what they mean, the workloads say (WorkloadInfo::inputs).
// Without a name: the workload has only one input.
class InputKind
{
  public:
    constexpr InputKind() = default;
    // The name must exist as long as the program: a literal, or text_with() (model/text_numbers.hpp).
    constexpr explicit InputKind(std::string_view name) : name_(name) {}

    constexpr std::string_view name() const { return name_; }
    friend constexpr bool operator==(const InputKind&, const InputKind&) = default;
    friend constexpr auto operator<=>(const InputKind&, const InputKind&) = default; // NOLINT(modernize-use-nullptr)

  private:
    std::string_view name_;
};
inline constexpr InputKind kDefaultInput{"random"}; // keys omit it, and old logs have no column for it
inline constexpr InputKind kFileInput{"file"};      // the workload has a parameter for it: Parameter::file

// How a reduction combines two numbers. none: the workload is not a reduction.
enum class Operator : std::uint8_t { none, sum, max, min };

// Which items share one launch (model/request_oracle.hpp). absent: the strategy makes no data-dependent launches.
enum class Aggregate : std::uint8_t {
    absent,
    none, // one launch per item
    warp,
    block,
    multiblock_2, // groups of so many blocks
    multiblock_4,
    multiblock_8,
    multiblock_16,
    multiblock_64,
    grid,
};

// What happens when more launches are needed than may be pending (model/request_oracle.hpp).
enum class Overflow : std::uint8_t {
    absent,
    waves,      // the root blocks start in waves that stay below the limit
    inline_run, // "inline": the block that was refused runs the child itself
    spill,      // a tail launch runs what was refused
    fail,       // nothing: the row becomes launch_failed
};

// Threads of a block in x and y. 0: the workload or the strategy decides.
struct BlockShape {
    std::uint32_t x = 0;
    std::uint32_t y = 0;

    constexpr std::uint32_t threads() const { return x * y; }
    friend bool operator==(const BlockShape&, const BlockShape&) = default;
    friend auto operator<=>(const BlockShape&, const BlockShape&) = default; // NOLINT(modernize-use-nullptr)
};

// The values of some parameters, by name. Those of 0 count for nothing.
class OwnValues
{
  public:
    using Value = std::pair<std::string_view, std::uint32_t>; // the name must exist as long as the program

    OwnValues() = default;
    OwnValues(std::initializer_list<Value> values)
    {
        for (const auto& [name, value] : values)
            place_of(name) = value;
    }
    std::uint32_t of(std::string_view name) const
    {
        for (const auto& [one, value] : values_)
            if (one == name)
                return value;
        return 0;
    }
    std::uint32_t& place_of(std::string_view name)
    {
        auto place = values_.begin();
        while (place != values_.end() && place->first < name)
            ++place;
        if (place == values_.end() || place->first != name)
            place = values_.insert(place, {name, 0});
        return place->second;
    }
    void set(std::string_view name, std::uint32_t value)
    {
        if (value != of(name))
            place_of(name) = value;
    }

    // NOLINTNEXTLINE(modernize-use-nullptr): its own 0
    friend bool operator==(const OwnValues& one, const OwnValues& other) { return (one <=> other) == 0; }
    friend std::strong_ordering operator<=>(const OwnValues& one, const OwnValues& other)
    {
        const auto skip = [](auto place, auto end) {
            while (place != end && place->second == 0)
                ++place;
            return place;
        };
        auto left = one.values_.begin();
        auto right = other.values_.begin();
        for (;; ++left, ++right) {
            left = skip(left, one.values_.end());
            right = skip(right, other.values_.end());
            if (left == one.values_.end() || right == other.values_.end())
                return (left == one.values_.end() ? 0 : 1) <=> (right == other.values_.end() ? 0 : 1);
            if (const std::strong_ordering order = *left <=> *right; order != 0) // NOLINT(modernize-use-nullptr)
                return order;
        }
    }

  private:
    std::vector<Value> values_; // sorted by name
};

struct Case {
    std::string strategy;
    BackendKind backend = BackendKind::cpu;
    std::optional<Mechanism> mechanism; // empty: the strategy's first mechanism
    ElementType type = ElementType::int32;
    std::uint64_t elements = 0; // 1 to grid * block; fewer than grid * block: a ragged end; matrix: nx * ny
    std::uint32_t grid = 1;     // blocks of the root level; 0: a matrix, where the strategy decides
    std::uint32_t block = 1;    // threads per block at the root level: a power of two; 0 as for grid
    std::uint32_t nx = 0;       // columns of a matrix; 0: the workload has none
    std::uint32_t ny = 0;       // rows
    BlockShape shape;
    std::optional<std::uint32_t> depth;         // maximum number of nested levels; empty: full
    std::optional<std::uint32_t> pending_limit; // launches; empty: auto
    std::optional<std::uint32_t> wave;          // root blocks launched together; empty: auto
    std::optional<std::uint32_t> streams;       // host streams that launch the waves in turn; empty: auto
    std::uint32_t delay_us = 0;                 // delay (us) added to the losing side of the strategy's race
    std::uint32_t graphs = 1;                   // instances made of a device graph; the fastest is used
    std::uint64_t seed = 1;
    Submit submit = Submit::none;
    CacheState l2 = CacheState::none;
    // The host while the sample runs, and how many runs the sample is.
    std::uint32_t runs = 0;      // 0: one
    std::uint32_t host_load = 0; // busy threads per core
    std::uint32_t nice = 0;      // niceness of the thread that submits the sample
    Pinned pinned = Pinned::no;
    InputKind input = kDefaultInput;
    Operator op = Operator::sum;
    // Of irregular recursion; 0 or absent where they do not apply.
    Aggregate aggregate = Aggregate::absent;
    std::uint32_t threshold = 0; // an item that needs fewer threads is processed without a launch
    std::uint32_t coarsen = 0;   // blocks' worth of work per child block
    Overflow overflow = Overflow::absent;
    OwnValues own; // of the workload's own parameters (model/parameter.hpp)
    // Of a program of a user's own (model/user_program.hpp).
    std::string program;   // its path
    std::string arguments; // "{grid} {block}"
    std::string time;      // "time: {us}", a part of what it prints; empty: the time of the whole process

    // The value of a parameter of the workload; 0: it does not apply.
    std::uint32_t operator[](std::string_view parameter) const { return own.of(parameter); }
    std::uint32_t& operator[](std::string_view parameter) { return own.place_of(parameter); }

    friend bool operator==(const Case&, const Case&) = default;
    friend auto operator<=>(const Case&, const Case&) = default; // NOLINT(modernize-use-nullptr): its own 0
};

constexpr std::string_view name_of(BackendKind backend)
{
    return backend == BackendKind::cuda ? "cuda" : "cpu";
}

// Empty for a workload without elements. The cell in the CSV is then empty too.
constexpr std::string_view name_of(ElementType type)
{
    constexpr std::array<std::string_view, 3> kNames{"", "int32", "float32"};
    return kNames.at(static_cast<std::size_t>(type));
}

// Empty for none. The cell in the CSV is then empty too.
constexpr std::string_view name_of(Submit submit)
{
    constexpr std::array<std::string_view, 3> kNames{"", "held", "open"};
    return kNames.at(static_cast<std::size_t>(submit));
}

constexpr std::string_view name_of(CacheState state)
{
    constexpr std::array<std::string_view, 3> kNames{"", "as_is", "flushed"};
    return kNames.at(static_cast<std::size_t>(state));
}

constexpr std::string_view name_of(Pinned pinned)
{
    return pinned == Pinned::yes ? "yes" : "no";
}

constexpr std::string_view name_of(InputKind kind)
{
    return kind.name();
}

constexpr std::string_view name_of(Aggregate aggregate)
{
    constexpr std::array<std::string_view, 10> kNames{"",
                                                      "none",
                                                      "warp",
                                                      "block",
                                                      "multiblock:2",
                                                      "multiblock:4",
                                                      "multiblock:8",
                                                      "multiblock:16",
                                                      "multiblock:64",
                                                      "grid"};
    return kNames.at(static_cast<std::size_t>(aggregate));
}

constexpr std::string_view name_of(Overflow overflow)
{
    constexpr std::array<std::string_view, 5> kNames{"", "waves", "inline", "spill", "fail"};
    return kNames.at(static_cast<std::size_t>(overflow));
}

constexpr std::string_view name_of(Operator op)
{
    constexpr std::array<std::string_view, 4> kNames{"", "sum", "max", "min"};
    return kNames.at(static_cast<std::size_t>(op));
}

// "8x32"; empty if there is no shape.
inline std::string name_of(BlockShape shape)
{
    return shape.threads() == 0 ? "" : std::to_string(shape.x) + "x" + std::to_string(shape.y);
}

} // namespace nestbed
