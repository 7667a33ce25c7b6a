#include "model/case_text.hpp"

#include "base/hash.hpp"
#include "model/strategy.hpp"

#include <algorithm>
#include <string_view>

namespace nestbed
{

std::vector<std::pair<std::string, std::string>> settings_of(const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    const Mechanism mechanism = mechanism_of(info, point);
    std::vector<std::pair<std::string, std::string>> settings{{"strategy", point.strategy},
                                                              {"backend", std::string(name_of(point.backend))}};
    const auto add = [&](std::string_view key, std::string_view value) { settings.emplace_back(key, value); };
    const auto add_number = [&](std::string_view key, std::uint64_t number) { add(key, std::to_string(number)); };
    const auto add_given = [&](std::string_view key, const std::optional<std::uint32_t>& number) {
        if (number)
            add_number(key, *number);
    };
    if (mechanism != Mechanism::none)
        add("mechanism", name_of(mechanism));
    if (point.type != ElementType::none)
        add("type", name_of(point.type));
    if (info.over_matrix()) {
        add_number("nx", point.nx);
        add_number("ny", point.ny);
        if (point.shape.threads() != 0)
            add("block-shape", name_of(point.shape));
    } else {
        add_number("grid", point.grid);
        add_number("block", point.block);
        if (point.elements != 0)
            add_number("elements", point.elements);
    }
    if (has_levels(info, mechanism))
        add_given("depth", point.depth);
    if (from_device(mechanism)) {
        add_given("pending-limit", point.pending_limit);
        add_given("wave", point.wave);
        add_given("streams", point.streams);
    }
    if (info.delayed && point.delay_us != 0)
        add_number("delay-us", point.delay_us);
    if (mechanism == Mechanism::graph_tail)
        add_number("graphs", point.graphs);
    if (info.drawn())
        add_number("seed", point.seed);
    return settings;
}

std::string settings_text(const Case& point)
{
    std::string text;
    for (const auto& [key, value] : settings_of(point))
        text.append(text.empty() ? "" : " ").append(key).append("=").append(value);
    return text;
}

std::string key_of(const Case& point, const std::string& schedule)
{
    constexpr std::size_t kDigits = 16;
    const std::string how = point.backend == BackendKind::cpu ? " schedule=" + schedule : "";
    return sha256_of(settings_text(point) + how).substr(0, kDigits);
}

std::string range_name(const std::string& experiment, const Case& point)
{
    std::string name = experiment + ":" + point.strategy + ":";
    for (const auto& [key, value] : settings_of(point)) {
        if (key == "strategy" || key == "backend")
            continue;
        if (name.back() != ':')
            name += ' ';
        name.append(key).append("=").append(value);
    }
    constexpr std::string_view kSpecial = ",/[]@*+\"\\";
    std::ranges::replace_if(
        name, [&](char c) { return kSpecial.find(c) != std::string_view::npos; }, '_');
    return name;
}

} // namespace nestbed
