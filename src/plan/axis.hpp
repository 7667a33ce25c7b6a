// The axis grammar: one token for a list of whole numbers.
//
//     axis  = part { "," part }
//     part  = size | first ":" last | first ":" last ":" step | first ":" last ":*" factor | word
//     size  = number [ "k" | "M" | "G" | "^" power ]      each number may be a size; k is 1024, M and G are its powers
//
// `64,256,2048`   `1:8`   `0:100:10`   `1:64k:*2`   `2^20`   and, where a key allows a word, `auto` or `full`.
#pragma once

#include "model/axis_table.hpp"
#include "plan/settings.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// A value and the setting that it comes from, for messages about it. Without a number: the range's word, or no value
// was given.
struct AxisValue {
    std::optional<std::uint64_t> number;
    std::shared_ptr<const Setting> setting; // shared by all its values: a copy each would be ten thousand long lists
};

// All values of an axis, in order and without duplicates. Throws UsageError with the place of the setting, the part
// that is wrong, and what is allowed: at most ten thousand values, including duplicates.
std::vector<AxisValue> parse_axis(const std::vector<Setting>& settings, const AxisRange& range);

// One whole number. Throws UsageError.
std::uint64_t parse_number(const Setting& setting, std::uint64_t least, std::uint64_t most);
// A whole number up to 1,000,000; `default_value` if the key was not given. Throws UsageError.
unsigned count_of(const Settings& settings, std::string_view key, unsigned least, unsigned default_value);
// Whether the key is "on". Allowed are "on" and "off", the default. Throws UsageError.
bool is_on(const Settings& settings, std::string_view key);

} // namespace nestbed
