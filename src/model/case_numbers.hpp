// The members of a case as numbers: how the table of axes reads and sets them.
#pragma once

#include "model/case.hpp"
#include "model/text_numbers.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace nestbed
{

constexpr unsigned kShapeBits = 32; // a shape is x * 2^32 + y

template <class T>
std::optional<std::uint64_t> number_of(const T& value)
{
    if constexpr (std::is_same_v<T, std::optional<std::uint32_t>>)
        return value;
    else if constexpr (std::is_same_v<T, BlockShape>)
        return std::uint64_t{value.x} << kShapeBits | value.y;
    else if constexpr (std::is_same_v<T, std::string>)
        return number_of_text(value);
    else if constexpr (std::is_same_v<T, InputKind>)
        return number_of_text(std::string(value.name()));
    else
        return static_cast<std::uint64_t>(value);
}

inline BlockShape shape_of(std::uint64_t number)
{
    return {static_cast<std::uint32_t>(number >> kShapeBits), static_cast<std::uint32_t>(number)};
}

template <class T>
void set_number(T& value, std::optional<std::uint64_t> number)
{
    if constexpr (std::is_same_v<T, std::optional<std::uint32_t>>)
        value = number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
    else if constexpr (std::is_same_v<T, BlockShape>)
        value = shape_of(number.value_or(0));
    else if constexpr (std::is_same_v<T, std::string>)
        value = text_with(number.value_or(0));
    else if constexpr (std::is_same_v<T, InputKind>)
        value = InputKind(text_with(number.value_or(0)));
    else
        value = static_cast<T>(number.value_or(0));
}

} // namespace nestbed
