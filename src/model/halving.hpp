// What the threads of a block do while it halves its numbers down to one: by step, how many add, and in how many warps. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace nestbed
{

// Which threads add in a step. A warp in which any does takes part as a whole.
enum class Pairing : std::uint8_t {
    neighbours,           // thread t of 2 * stride: t and t + stride; strides go up (neighbored, shared_neighbored)
    neighbours_by_firsts, // the same pairs, by the first threads of the block (neighbored_less)
    halves,               // thread t < stride: t and t + stride; strides go down (interleaved, shared_interleaved)
};
inline constexpr std::array kPairings{Pairing::neighbours, Pairing::neighbours_by_firsts, Pairing::halves};

// The strategies that pair so.
std::string_view strategies_of(Pairing pairing);

struct HalvingStep {
    std::uint32_t stride = 0;
    std::uint32_t threads = 0; // that add
    std::uint32_t warps = 0;   // with one of them

    friend bool operator==(const HalvingStep&, const HalvingStep&) = default;
};

// Of a block of so many threads, a power of two, which has as many numbers.
std::vector<HalvingStep> halving_steps(Pairing pairing, std::uint32_t block);

} // namespace nestbed
