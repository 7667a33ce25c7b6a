// A case: one point of a sweep, everything that decides what is measured.
#pragma once

#include "model/mechanism.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nestbed
{

enum class BackendKind : std::uint8_t { cuda, cpu };
enum class ElementType : std::uint8_t { none, int32, float32 }; // none: the workload has no elements
// How a sample comes to the GPU. held: its stream starts when all of it is submitted, so that gpu_us has nothing of the host's.
// open: it starts at once. none: not on a GPU.
enum class Submit : std::uint8_t { none, held, open };
// What the GPU's L2 cache holds when a sample starts. as_is: what was there. flushed: other data than the sample's.
enum class CacheState : std::uint8_t { none, as_is, flushed };

// The numbers that are reduced: drawn from the seed, or 0, 1, 2 and so on. none: the workload is no reduction.
enum class InputKind : std::uint8_t { none, random, index };

// What two numbers become in a reduction. none: the workload is none.
enum class Operator : std::uint8_t { none, sum, max, min };

// Threads of a block in x and y. 0: the workload or the strategy has its own.
struct BlockShape {
    std::uint32_t x = 0;
    std::uint32_t y = 0;

    constexpr std::uint32_t threads() const { return x * y; }
    friend bool operator==(const BlockShape&, const BlockShape&) = default;
    friend auto operator<=>(const BlockShape&, const BlockShape&) = default; // NOLINT(modernize-use-nullptr)
};

struct Case {
    std::string strategy;
    BackendKind backend = BackendKind::cpu;
    std::optional<Mechanism> mechanism; // empty: the strategy's first
    ElementType type = ElementType::int32;
    std::uint64_t elements = 0; // 1 to grid * block, the rest being the ragged end; of a matrix nx * ny
    std::uint32_t grid = 1;     // blocks of the root level; 0: a matrix, whose strategy decides
    std::uint32_t block = 1;    // threads a block at the root level: a power of two; 0 likewise
    std::uint32_t nx = 0;       // columns of a matrix; 0: the workload has none
    std::uint32_t ny = 0;       // rows
    BlockShape shape;
    std::optional<std::uint32_t> depth;         // nested levels at most; empty: full
    std::optional<std::uint32_t> pending_limit; // launches; empty: auto
    std::optional<std::uint32_t> wave;          // root blocks launched together; empty: auto
    std::optional<std::uint32_t> streams;       // host streams that the waves go round; empty: auto
    std::uint32_t delay_us = 0;                 // microseconds by which what loses the strategy's race is held up
    std::uint32_t graphs = 1; // instances of a device graph that are made, of which the fastest is used
    std::uint64_t seed = 1;
    Submit submit = Submit::none;
    CacheState l2 = CacheState::none;
    InputKind input = InputKind::random;
    Operator op = Operator::sum;

    friend bool operator==(const Case&, const Case&) = default;
    friend auto operator<=>(const Case&, const Case&) = default; // NOLINT(modernize-use-nullptr): its own 0
};

constexpr std::string_view name_of(BackendKind backend)
{
    return backend == BackendKind::cuda ? "cuda" : "cpu";
}

// Empty for a workload without elements: the CSV's cell is then empty too.
constexpr std::string_view name_of(ElementType type)
{
    constexpr std::array<std::string_view, 3> kNames{"", "int32", "float32"};
    return kNames.at(static_cast<std::size_t>(type));
}

// Empty for none, likewise.
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

constexpr std::string_view name_of(InputKind kind)
{
    constexpr std::array<std::string_view, 3> kNames{"", "random", "index"};
    return kNames.at(static_cast<std::size_t>(kind));
}

constexpr std::string_view name_of(Operator op)
{
    constexpr std::array<std::string_view, 4> kNames{"", "sum", "max", "min"};
    return kNames.at(static_cast<std::size_t>(op));
}

// "8x32"; empty where there is none.
inline std::string name_of(BlockShape shape)
{
    return shape.threads() == 0 ? "" : std::to_string(shape.x) + "x" + std::to_string(shape.y);
}

} // namespace nestbed
