#include "log/logged_case.hpp"

#include "base/error.hpp"
#include "log/cell_form.hpp"
#include "model/axis_table.hpp"
#include "model/case_text.hpp"
#include "model/modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace nestbed
{

namespace
{

// The value in the text of an axis from a log or a manifest.
std::optional<std::uint64_t> value_in(const Axis& axis, std::string_view text, const std::string& place)
{
    std::optional<std::uint64_t> value;
    if (!parse_value(axis, text, value))
        throw RunError(fmt::format("{}: {} is '{}', which no case can have; allowed: {}", place, axis.name, text,
                                   form_text(Form::axis, &axis)));
    return value;
}

void set_word(Case& point, std::string_view name, const std::string& text, const std::string& place)
{
    const auto* const mechanism =
        std::ranges::find_if(kMechanisms, [&](Mechanism one) { return name_of(one) == text; });
    if (name == "strategy") {
        if (Registry::find_anywhere(text) == nullptr)
            throw RunError(
                fmt::format("{}: this nestbed has no strategy '{}'{}", place, text, user_workload_hint(text)));
        point.strategy = text;
    } else if (name == "backend") {
        if (text != "cuda" && text != "cpu")
            throw RunError(fmt::format("{}: backend is '{}'; allowed: cuda, cpu", place, text));
        point.backend = text == "cuda" ? BackendKind::cuda : BackendKind::cpu;
    } else if (mechanism == kMechanisms.end()) {
        throw RunError(fmt::format("{}: there is no mechanism '{}'", place, text));
    } else {
        point.mechanism = *mechanism;
    }
}

} // namespace

Case case_of_row(const ParsedLog& log, const LogRow& row)
{
    const std::string place = fmt::format("{}:{}", log.path, row.line);
    Case point;
    for (const char* word : {"strategy", "backend", "mechanism"})
        set_word(point, word, row.cells[log.column(word)], place);
    for (const Axis& axis : plain_axes()) // a log that is older than an axis lacks its column
        axis.set(point, value_in(axis, log.has(axis.column) ? row.cells[log.column(axis.column)] : "", place));
    return point;
}

Case case_of_settings(const std::string& settings, const std::string& place)
{
    auto said = settings_in(settings);
    Case point;
    for (const char* word : {"strategy", "backend"})
        set_word(point, word, said[word], place);
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    set_word(point, "mechanism",
             said.contains("mechanism") ? said["mechanism"] : std::string(name_of(info.mechanisms.front())), place);
    for (const Axis& axis : plain_axes())
        axis.set(point, said.contains(axis.name) || axis.always_in_key // else the text is older than the axis
                            ? value_in(axis, said[std::string(axis.name)], place)
                            : axis.default_value);
    if (info.over_matrix())
        point.elements = std::uint64_t{point.nx} * point.ny;
    reset_meaningless(point);
    return point;
}

} // namespace nestbed
