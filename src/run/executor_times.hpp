// What every table with times of the executor says above itself.
#pragma once

#include <string_view>

namespace nestbed
{

inline constexpr std::string_view kExecutorTimes = "The executor's times say nothing about those of a GPU.";

} // namespace nestbed
