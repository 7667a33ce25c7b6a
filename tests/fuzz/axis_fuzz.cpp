// The axis grammar. The first byte of the input chooses which values a key allows. Each line after it is one setting
// of the key.
#include "base/error.hpp"
#include "fuzz/property.hpp"
#include "model/strategy.hpp"
#include "plan/axes.hpp"
#include "plan/axis.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <set>

namespace nestbed
{
namespace
{

constexpr std::size_t kMaxValues = 10'000;

// The ranges of the keys, and the limits of the number type. A digit chooses the range with that index.
constexpr std::array kRanges{
    AxisRange{},
    AxisRange{.least = 1, .most = INT32_MAX},
    AxisRange{.least = 1, .most = 1024},
    AxisRange{.least = 0, .most = UINT32_MAX, .word = "full"},
    AxisRange{.least = 1, .most = 64, .word = "auto"},
    AxisRange{.least = 5, .most = 5},
    AxisRange{.least = UINT64_MAX - 9, .most = UINT64_MAX},
    AxisRange{.least = 0, .most = 0, .word = "auto"},
};

constexpr WorkloadInfo kMatrix{.name = "transpose", .axes = {axis::nx, axis::ny}};

class Flat final : public Strategy
{
  public:
    Flat() { Registry::add(BackendKind::cpu, *this); }
    const StrategyInfo& info() const override { return info_; }
    ExpectedLaunches launches(const Case& /*point*/) const override { return ExpectedLaunches::none(); }

  private:
    StrategyInfo info_{.name = "flat", .workload = &kMatrix, .axes = {axis::shape}};
};
const Flat flat;

std::string text_of(const std::vector<AxisValue>& values, const AxisRange& range)
{
    std::string text;
    for (const AxisValue& value : values)
        text += (text.empty() ? "" : ",") + (value.number ? std::to_string(*value.number) : std::string(range.word));
    return text;
}

// Checks a text that is a single range: FIRST:LAST, with a step or a factor.
void check_range(const std::string& text, const std::vector<AxisValue>& values)
{
    const auto number = [&](std::size_t from) {
        std::uint64_t read = 0;
        std::from_chars(text.data() + from, text.data() + text.size(), read);
        return read;
    };
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos || text.find_first_not_of("0123456789:*") != std::string::npos)
        return;
    const std::uint64_t first = number(0);
    const std::uint64_t last = number(colon + 1);
    const std::size_t second = text.find(':', colon + 1);
    const bool multiply = second != std::string::npos && text[second + 1] == '*';
    const std::uint64_t step = second == std::string::npos ? 1 : number(second + (multiply ? 2 : 1));
    require(values.front().number == first, "a range begins with its first", text);
    for (std::size_t index = 1; index < values.size(); ++index) {
        const std::uint64_t before = values[index - 1].number.value();
        const std::uint64_t value = values[index].number.value();
        require(value > before && value <= last, "a range increases up to its last", text);
        require(multiply ? value % before == 0 && value / before == step : value - before == step,
                "a range goes by its step", text);
    }
    const std::uint64_t end = values.back().number.value();
    require(multiply ? end > last / step : last - end < step, "a range ends at its last", text);
}

void check_axis(const std::vector<Setting>& settings, const AxisRange& range)
{
    std::vector<AxisValue> values;
    const std::string refusal = refusal_of<UsageError>([&] { values = parse_axis(settings, range); });
    if (!refusal.empty()) {
        require(std::ranges::any_of(settings,
                                    [&](const Setting& said) { return refusal.starts_with(said.place() + ": "); }),
                "a refusal begins with the place", refusal);
        require(refusal.ends_with("separated by commas"), "a refusal ends with the forms", refusal);
        return;
    }
    require(values.empty() == settings.empty() && values.size() <= kMaxValues, "an axis has its values");
    std::set<std::optional<std::uint64_t>> seen;
    for (const AxisValue& value : values) {
        require(value.number ? *value.number >= range.least && *value.number <= range.most : !range.word.empty(),
                "a value is within what is allowed", value.setting->place());
        require(seen.insert(value.number).second, "no value comes twice", value.setting->place());
    }
    if (values.empty())
        return;
    if (settings.size() == 1)
        check_range(settings.front().value, values);
    if (values.size() <= 100) {
        const std::string text = text_of(values, range);
        require(text_of(parse_axis({{.key = "grid", .value = text}}, range), range) == text,
                "what was read reads the same when it is written", text);
    }
}

void check_number(const Setting& setting, const AxisRange& range)
{
    std::uint64_t number = 0;
    const std::string refusal =
        refusal_of<UsageError>([&] { number = parse_number(setting, range.least, range.most); });
    if (!refusal.empty()) {
        require(refusal.starts_with(setting.place() + ": '" + setting.value + "' is not a whole number from "),
                "a refusal has place and value", refusal);
        return;
    }
    require(number >= range.least && number <= range.most, "a number is within what is allowed", setting.value);
    const std::vector<AxisValue> values = parse_axis({setting}, range);
    require(values.size() == 1 && values[0].number == number, "a number is an axis of one value", setting.value);
}

void check_shapes(const std::vector<std::string>& lines)
{
    Settings settings;
    settings.set("strategy", {"flat"});
    settings.set("block-shape", lines);
    const Axis& axis = axis_named("block-shape");
    std::vector<AxisValue> shapes;
    const std::string refusal = refusal_of<UsageError>([&] { shapes = read_axes(settings, 1).of(axis); });
    if (!refusal.empty()) {
        require(refusal.starts_with("--block-shape ") && refusal.ends_with("separated by commas"),
                "a refusal has place and form", refusal);
        return;
    }
    std::set<std::optional<std::uint64_t>> seen;
    for (const auto& [number, setting] : shapes) {
        Case point;
        axis.set(point, number);
        require(point.shape.x >= 1 && point.shape.y >= 1 && point.shape.x * std::uint64_t{point.shape.y} <= 1024,
                "a block has its threads", setting->place());
        require(seen.insert(number).second, "no shape comes twice", setting->place());
        settings.set("block-shape", {name_of(point.shape)});
        require(read_axes(settings, 1).of(axis).at(0).number == number, "a shape reads as it is written",
                name_of(point.shape));
    }
}

void check(std::string_view text)
{
    if (text.empty())
        return;
    const AxisRange& range = kRanges.at(static_cast<unsigned char>(text.front()) % kRanges.size());
    text.remove_prefix(1);
    std::vector<std::string> lines;
    std::vector<Setting> settings;
    while (!text.empty()) {
        const std::size_t size = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, size));
        std::ranges::replace(lines.back(), '\0', ' '); // neither a file nor an argument can contain it
        settings.push_back({.key = "grid", .value = lines.back()});
        text.remove_prefix(std::min(size + 1, text.size()));
    }
    check_axis(settings, range);
    for (const Setting& setting : settings)
        check_number(setting, range);
    check_shapes(lines);
}

} // namespace
} // namespace nestbed

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    nestbed::check({reinterpret_cast<const char*>(data), size});
    return 0;
}
