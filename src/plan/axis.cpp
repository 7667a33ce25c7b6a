#include "plan/axis.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <unordered_set>
#include <utility>

namespace nestbed
{

namespace
{

constexpr std::size_t kMaxValues = 10'000;

// Multiplies; returns an error if the product is too large.
std::errc multiply(std::uint64_t& value, std::uint64_t factor)
{
    if (factor != 0 && value > UINT64_MAX / factor)
        return std::errc::result_out_of_range;
    value *= factor;
    return {};
}

std::errc raise(std::uint64_t& value, std::string_view power_text)
{
    unsigned power = 0;
    const char* const last = power_text.data() + power_text.size();
    const auto [end, error] = std::from_chars(power_text.data(), last, power);
    if (error != std::errc{} || end != last)
        return end == last && !power_text.empty() ? error : std::errc::invalid_argument;
    const std::uint64_t base = value;
    constexpr unsigned kMaxPower = 64; // for base 2; 0 and 1 do not change with more
    value = 1;
    for (unsigned done = 0; done < std::min(power, kMaxPower); ++done)
        if (multiply(value, base) != std::errc{})
            return std::errc::result_out_of_range;
    return {};
}

// Parses "65536", "64k", "1M", "1G", "2^16". Returns errors as std::from_chars() does.
std::errc parse_whole(std::string_view text, std::uint64_t& value)
{
    constexpr unsigned kKiloBits = 10;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    const std::string_view suffix(end, static_cast<std::size_t>(last - end));
    if (error != std::errc{} || suffix.empty())
        return error;
    if (suffix.front() == '^')
        return raise(value, suffix.substr(1));
    constexpr std::string_view kSuffixes = "kMG";
    const std::size_t place = suffix == "K" ? 0 : kSuffixes.find(suffix);
    return place == std::string_view::npos || suffix.size() != 1
               ? std::errc::invalid_argument
               : multiply(value, std::uint64_t{1} << (kKiloBits * (place + 1)));
}

// What is said of "64kB": a number with letters behind it.
std::string_view suffixes_for(std::string_view text)
{
    const std::size_t behind = text.find_first_not_of("0123456789");
    const bool has_suffix = behind != 0 && behind != std::string_view::npos &&
                            std::isalpha(static_cast<unsigned char>(text[behind])) != 0;
    return has_suffix ? " (suffixes: k, M and G; 64k is 65536)" : "";
}

class AxisParser
{
  public:
    explicit AxisParser(const AxisRange& range) : range_(range) {}

    void parse(const Setting& setting)
    {
        setting_ = std::make_shared<const Setting>(setting);
        for (const std::string& part : split(setting_->value, ',')) {
            if (part.empty())
                refuse("an empty part");
            else if (!range_.word.empty() && part == range_.word)
                add(std::nullopt);
            else
                parse_part(part);
        }
    }

    std::vector<AxisValue> values() && { return std::move(values_); }

  private:
    std::uint64_t number(std::string_view text, std::uint64_t least, std::uint64_t most) const
    {
        std::uint64_t value = 0;
        const std::errc error = parse_whole(text, value);
        if (error == std::errc::result_out_of_range)
            refuse(fmt::format("'{}' is too large", text));
        if (error != std::errc{})
            refuse(text.starts_with('-') ? fmt::format("'{}' is negative", text)
                                         : fmt::format("'{}' is not a whole number{}", text, suffixes_for(text)));
        if (value < least || value > most)
            refuse(fmt::format("{} is {}", value, value < least ? "too small" : "too large"));
        return value;
    }

    [[noreturn]] void refuse(const std::string& why) const
    {
        const std::string most = range_.most == UINT64_MAX ? "" : fmt::format(" to {}", range_.most);
        const std::string word = range_.word.empty() ? "" : fmt::format(" or {}", range_.word);
        throw UsageError(
            fmt::format("{}: {}; allowed: whole numbers from {}{}{}, as N, FIRST:LAST, FIRST:LAST:STEP or "
                        "FIRST:LAST:*FACTOR, separated by commas",
                        setting_->place(), why, range_.least, most, word));
    }

    void add(std::optional<std::uint64_t> number)
    {
        if (++given_ > kMaxValues)
            refuse(fmt::format("more than {} values", kMaxValues));
        if (seen_.insert(number).second)
            values_.push_back({number, setting_});
    }

    void parse_part(const std::string& part)
    {
        const std::vector<std::string> pieces = split(part, ':');
        const std::uint64_t first = number(pieces[0], range_.least, range_.most);
        if (pieces.size() == 1)
            return add(first);
        if (pieces.size() > 3)
            refuse(fmt::format("'{}' has too many colons", part));
        const std::uint64_t last = number(pieces[1], range_.least, range_.most);
        if (last < first)
            refuse(fmt::format("'{}' is empty: {} comes after {}", part, first, last));
        const bool multiply = pieces.size() == 3 && pieces[2].starts_with('*');
        const std::uint64_t step =
            pieces.size() == 2 ? 1 : number(std::string_view(pieces[2]).substr(multiply ? 1 : 0), 0, UINT64_MAX);
        if (multiply ? step < 2 || first == 0 : step == 0)
            refuse(fmt::format("'{}' never ends", part));
        // A sweep above the limit is a mistake. Report it before it uses up all memory.
        if (!multiply && (last - first) / step >= kMaxValues)
            refuse(fmt::format("'{}' has more than {} values", part, kMaxValues));
        for (std::uint64_t value = first;;) {
            add(value);
            if (multiply ? value > last / step : step > last - value)
                return;
            value = multiply ? value * step : value + step;
        }
    }

    const AxisRange& range_;
    std::shared_ptr<const Setting> setting_; // the setting that is being parsed
    std::vector<AxisValue> values_;
    std::unordered_set<std::optional<std::uint64_t>> seen_;
    std::size_t given_ = 0; // number of values given, including duplicates
};

} // namespace

std::vector<AxisValue> parse_axis(const std::vector<Setting>& settings, const AxisRange& range)
{
    AxisParser parser(range);
    for (const Setting& setting : settings)
        parser.parse(setting);
    return std::move(parser).values();
}

std::uint64_t parse_number(const Setting& setting, std::uint64_t least, std::uint64_t most)
{
    std::uint64_t value = 0;
    const std::string& text = setting.value;
    const std::errc error = parse_whole(text, value);
    if (error != std::errc{} || value < least || value > most)
        throw UsageError(fmt::format("{}: '{}' is not a whole number from {} to {}{}", setting.place(), text, least,
                                     most, error == std::errc::invalid_argument ? suffixes_for(text) : ""));
    return value;
}

unsigned count_of(const Settings& settings, std::string_view key, unsigned least, unsigned default_value)
{
    constexpr unsigned kMax = 1'000'000;
    const auto setting = settings.one(key);
    return setting ? static_cast<unsigned>(parse_number(*setting, least, kMax)) : default_value;
}

bool is_on(const Settings& settings, std::string_view key)
{
    const auto setting = settings.one(key);
    if (setting && setting->value != "on" && setting->value != "off")
        throw UsageError(fmt::format("{}: allowed: on, off", setting->place()));
    return setting && setting->value == "on";
}

} // namespace nestbed
