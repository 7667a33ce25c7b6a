// Powers of two of 32-bit numbers, on the host and in kernels.
//
// Kernels must not call std::bit_width, std::bit_ceil and the like: with 64-bit numbers, nvcc 13.0 compiles them to
// constants without a word (libstdc++ calls __builtin_clzl, which device code does not have). These take no other type.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

namespace nestbed
{

// 1 + the highest bit that is set; 0 for 0.
template <std::same_as<std::uint32_t> T>
constexpr std::uint32_t bit_width(T number)
{
    return static_cast<std::uint32_t>(std::bit_width(number));
}

// The largest power of two that is at most `number`; 0 for 0.
template <std::same_as<std::uint32_t> T>
constexpr std::uint32_t bit_floor(T number)
{
    return std::bit_floor(number);
}

// The least power of two that is at least `number`, which is at most 2^31.
template <std::same_as<std::uint32_t> T>
constexpr std::uint32_t bit_ceil(T number)
{
    return std::bit_ceil(number);
}

} // namespace nestbed
