// Numbers that stand for texts, so that an axis of texts is an axis of numbers like the others.
#pragma once

#include <cstdint>
#include <string>

namespace nestbed
{

// The number of a text in this process: 0 for an empty one. Processes must exchange the text.
std::uint64_t number_of_text(const std::string& text);
// The text, which exists as long as the program. Throws std::out_of_range if none has the number.
const std::string& text_with(std::uint64_t number);

} // namespace nestbed
