// Small pieces of text that messages and tables are made of.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// The parts between separators, with white space at their ends cut off. "" gives one empty part.
std::vector<std::string> split(std::string_view text, char separator);

// ", did you mean 'nosync'?" for the nearest of the allowed names (Levenshtein distance at most 2, or a third
// of the longer name, and less than the name's length), otherwise "".
std::string did_you_mean(std::string_view name, std::span<const std::string_view> allowed);

// A pattern of names: '*' stands for any characters, '?' for any one.
bool is_pattern(std::string_view text);
bool matches(const std::string& pattern, std::string_view name);

// Empty for 0: what means nothing.
std::string count_or_empty(std::uint64_t value);

// "0.30 us", "20.7 us", "8.63 ms", "1.20 s": three significant digits, two decimals at most.
std::string format_us(double microseconds);
// "1.50 MiB".
std::string format_bytes(double bytes);

// Words of `text` in lines of at most 80 characters, each with `indent` blanks before it; ends with a line break.
std::string folded(std::string_view text, std::size_t indent);

bool is_utf8(std::string_view text);

// Text of a file that somebody else wrote, for a terminal: each byte of a control character (C0, C1, DEL; not of a line break or a tab),
// or of what is not UTF-8, as \xNN.
std::string printable(std::string_view text);

// "45 s", "12 min", "3.2 h".
std::string duration_text(std::chrono::duration<double> time);

// For an order of cells: numbers by their value, before words.
bool comes_before(const std::string& a, const std::string& b);

} // namespace nestbed
