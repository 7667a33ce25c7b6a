// What the threads of a block do while the block reduces its numbers to one by halving: for each step, how many
// threads add, and in how many warps. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace nestbed
{

// Which threads add in a step. If any thread of a warp adds, the whole warp takes part.
enum class Pairing : std::uint8_t {
    neighbours,           // thread t of 2 * stride: t and t + stride; stride grows (neighbored, shared_neighbored)
    neighbours_by_firsts, // the same pairs, added by the first threads of the block (neighbored_less)
    halves,               // thread t < stride: t and t + stride; stride shrinks (interleaved, shared_interleaved)
};
inline constexpr std::array kPairings{Pairing::neighbours, Pairing::neighbours_by_firsts, Pairing::halves};

// The strategies that use this pairing.
std::string_view strategies_of(Pairing pairing);

struct HalvingStep {
    std::uint32_t stride = 0;
    std::uint32_t threads = 0; // threads that add
    std::uint32_t warps = 0;   // warps with at least one such thread

    friend bool operator==(const HalvingStep&, const HalvingStep&) = default;
};

// For a block of this many threads, a power of two, with as many numbers.
std::vector<HalvingStep> halving_steps(Pairing pairing, std::uint32_t block);

} // namespace nestbed
