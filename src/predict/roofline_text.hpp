// The text of the model that is built into the program. CMake writes it (roofline_text.cpp.in).
#pragma once

#include <string_view>

namespace nestbed
{

extern const std::string_view kDefaultRoofline;
inline constexpr std::string_view kDefaultRooflineName = "results/h200/model.json";

} // namespace nestbed
