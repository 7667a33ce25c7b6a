// SplitMix64 at any position: pseudorandom numbers that can be computed independently, on the host and in kernels.
#pragma once

#include <cstdint>

namespace nestbed
{

// Number `index` of the sequence that starts from `seed`: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
// Generators" (2014).
constexpr std::uint64_t split_mix(std::uint64_t seed, std::uint64_t index)
{
    std::uint64_t z = seed + (index + 1) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

} // namespace nestbed
