#include "model/case_text.hpp"

#include "base/hash.hpp"
#include "base/text.hpp"
#include "model/axis_table.hpp"
#include "model/user_program.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nestbed
{

namespace
{

// In a text of settings, blanks end a setting. As in a URL: %20.
std::string without_blanks(std::string_view text)
{
    std::string written;
    for (const char one : text)
        written += one == ' ' ? "%20" : one == '%' ? "%25" : std::string(1, one);
    return written;
}
std::string with_blanks(std::string_view written)
{
    std::string text;
    for (std::size_t at = 0; at < written.size(); ++at) {
        const std::string_view code = written.substr(at, 3);
        const bool is_code = code == "%20" || code == "%25";
        text += code == "%20" ? ' ' : written[at];
        at += is_code ? 2 : 0;
    }
    return text;
}

} // namespace

std::vector<std::pair<std::string, std::string>> settings_of(const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    const Mechanism mechanism = mechanism_of(info, point);
    std::vector<std::pair<std::string, std::string>> settings{{"strategy", point.strategy},
                                                              {"backend", std::string(name_of(point.backend))}};
    if (mechanism != Mechanism::none)
        settings.emplace_back("mechanism", name_of(mechanism));
    for (const Axis& axis : plain_axes()) {
        const std::optional<std::uint64_t> value = axis.get(point);
        const bool follows = axis.name == "elements" && info.over_matrix(); // follows from nx and ny
        if (!value || follows || (value == axis.default_value && !axis.always_in_key))
            continue;
        if (std::string text = cell_of(axis, point); !text.empty())
            settings.emplace_back(axis.name, std::move(text));
    }
    return settings;
}

std::string settings_text(const Case& point)
{
    std::string text;
    for (const auto& [key, value] : settings_of(point))
        text.append(text.empty() ? "" : " ")
            .append(key)
            .append("=")
            .append(is_of_program(axis_named(key)) ? without_blanks(value) : value);
    return text;
}

std::string size_text(const Case& point)
{
    for (const Axis& axis : plain_axes())
        if (const std::string cell = axis.size ? cell_of(axis, point) : ""; !cell.empty())
            return axis.own ? cell + " " + std::string(axis.name) : cell;
    return "";
}

std::string shape_text(const Case& point, std::string_view between)
{
    const auto sides = [&](std::uint32_t first, std::uint32_t second) {
        return second == 0 ? fmt::format("{}", first) : fmt::format("{}{}{}", first, between, second);
    };
    return point.nx != 0     ? sides(point.nx, point.ny)
           : point.grid != 0 ? sides(point.grid, point.block)
                             : size_text(point);
}

std::map<std::string, std::string, std::less<>> settings_in(std::string_view text)
{
    std::map<std::string, std::string, std::less<>> settings;
    for (const std::string& one : split(text, ' ')) {
        const std::size_t equals = one.find('=');
        settings[one.substr(0, equals)] = equals == std::string::npos ? "" : with_blanks(one.substr(equals + 1));
    }
    return settings;
}

std::string key_of(const Case& point, const std::string& schedule)
{
    return key_of(settings_text(point), schedule);
}

std::string key_of(const std::string& settings, const std::string& schedule)
{
    constexpr std::size_t kDigits = 16;
    const bool on_cpu = (settings + " ").find(" backend=cpu ") != std::string::npos;
    return sha256_of(settings + (on_cpu ? " schedule=" + schedule : "")).substr(0, kDigits);
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
