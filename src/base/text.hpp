// Small text functions for messages and tables.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// Splits a text at the separators and removes white space at the ends of each part. "" gives one empty part.
std::vector<std::string> split(std::string_view text, char separator);

// The lines of a text as they are, without their line breaks. The text must outlive them.
std::vector<std::string_view> split_lines(std::string_view text);

// ", did you mean 'nosync'?" for the nearest of the allowed names (Levenshtein distance at most 2 or a third of the
// longer name, and less than the name's length), otherwise "".
std::string did_you_mean(std::string_view name, std::span<const std::string_view> allowed);

// The end of an error about an unknown name: did_you_mean(), and what is allowed. Of more than eight names only the five
// nearest, and `lists_all`, which prints them all: "; allowed: nosync, synced, ... (125 in all: nestbed list)".
std::string suggestions(std::string_view name, std::span<const std::string_view> allowed, std::string_view lists_all);

// A pattern of names: '*' matches any characters, '?' any one character.
bool is_pattern(std::string_view text);
bool matches(const std::string& pattern, std::string_view name);

// Empty for 0, which means that the count does not apply.
std::string count_or_empty(std::uint64_t value);

// "0.30 us", "20.7 us", "8.63 ms", "1.20 s": three significant digits, at most two decimals.
std::string format_us(double microseconds);
// "1.50 MiB".
std::string format_bytes(double bytes);

// Breaks `text` into lines of at most 80 characters, each indented by `indent` blanks. Ends with a line break.
std::string folded(std::string_view text, std::size_t indent);

bool is_utf8(std::string_view text);

// Text from another author's file, made safe for a terminal: each byte of a control character (C0, C1, DEL; not a
// line break or a tab) and each byte that is not valid UTF-8 becomes \xNN.
std::string printable(std::string_view text);

// A message of which each line is short enough to be read: of a line with a value of thousands of bytes, the middle is left out.
std::string shortened(std::string_view message);

// "45 s", "12 min", "3.2 h".
std::string duration_text(std::chrono::duration<double> time);

// The order of cells when sorted: numbers come before words and are compared by value.
bool comes_before(const std::string& a, const std::string& b);

// A to Z become a to z.
std::string in_lower_case(std::string_view text);

} // namespace nestbed
