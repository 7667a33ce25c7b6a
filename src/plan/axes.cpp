#include "plan/axes.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/modules.hpp"
#include "model/text_numbers.hpp"
#include "model/user_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>

namespace nestbed
{

namespace
{
constexpr std::string_view kListsParameters = "nestbed help run STRATEGY";

// Whether what a user wrote, a name or a pattern, means this name.
bool means(const std::string& said, std::string_view name)
{
    return is_pattern(said) ? name != "all" && matches(said, name) : name == said;
}
} // namespace

std::vector<NameValue> names_of(const Settings& settings, std::string_view key,
                                const std::vector<std::string_view>& allowed, std::string_view what,
                                std::string_view lists_all, std::span<const std::string_view> suggested)
{
    std::vector<NameValue> names;
    for (const Setting& setting : settings.of(key)) {
        for (const std::string& name : split(setting.value, ',')) {
            std::vector<std::string_view> meant;
            std::ranges::copy_if(allowed, std::back_inserter(meant),
                                 [&](std::string_view one) { return means(name, one); });
            if (meant.empty() && key == "backend" && in_lower_case(name) == "gpu")
                throw UsageError(fmt::format("{}: there is no backend '{}': the GPU's backend is called 'cuda'; "
                                             "allowed: {}",
                                             setting.place(), name, fmt::join(allowed, ", ")));
            if (meant.empty())
                throw UsageError(fmt::format(
                    "{}: {} '{}'{}", setting.place(),
                    is_pattern(name) ? fmt::format("no {} matches", what) : fmt::format("there is no {}", what), name,
                    suggestions(name, suggested.empty() ? std::span(allowed) : suggested, lists_all) +
                        (key == "strategy" ? user_workload_hint(name) : "")));
            for (const std::string_view one : meant)
                if (std::ranges::find(names, one, &NameValue::first) == names.end())
                    names.emplace_back(one, setting);
        }
    }
    return names;
}

namespace
{

// Parses WIDTHxHEIGHT, or several of these separated by commas.
std::vector<AxisValue> shapes_of(const std::vector<Setting>& settings, const Axis& axis)
{
    std::vector<AxisValue> values;
    for (const Setting& said : settings) {
        const auto setting = std::make_shared<const Setting>(said);
        for (const std::string& part : split(said.value, ',')) {
            const auto number = [&](std::string_view text) {
                unsigned value = 0;
                const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
                return error == std::errc{} && end == text.data() + text.size() && value <= axis.range.most ? value
                                                                                                            : 0;
            };
            const std::vector<std::string> sides = split(part, 'x');
            Case point;
            point.shape = sides.size() == 2 ? BlockShape{number(sides[0]), number(sides[1])} : BlockShape{};
            if (point.shape.threads() == 0 || point.shape.threads() > axis.range.most)
                throw UsageError(fmt::format("{}: '{}' is not a block shape; allowed: WIDTHxHEIGHT, at most {} "
                                             "threads in all, separated by commas",
                                             said.place(), part, axis.range.most));
            if (std::ranges::find(values, axis.get(point), &AxisValue::number) == values.end())
                values.push_back({axis.get(point), setting});
        }
    }
    return values;
}

// The inputs of the workloads of these strategies.
std::vector<std::string_view> inputs_of(std::span<const NameValue> strategies)
{
    std::vector<std::string_view> inputs;
    for (const auto& [name, setting] : strategies)
        for (const InputKind input : Registry::find_anywhere(name)->info().workload->inputs)
            if (const std::string_view one = name_of(input); std::ranges::find(inputs, one) == inputs.end())
                inputs.push_back(one);
    return inputs;
}

// Whether each word of the settings means at least one of these names.
bool all_known(const std::vector<std::string_view>& names, const std::vector<Setting>& settings)
{
    return std::ranges::all_of(settings, [&](const Setting& setting) {
        return std::ranges::all_of(split(setting.value, ','), [&](const std::string& name) {
            return std::ranges::any_of(names, [&](std::string_view one) { return means(name, one); });
        });
    });
}

// The values given for the axis, or its default value without a setting.
std::vector<AxisValue> values_of(const Settings& settings, const Axis& axis, std::span<const NameValue> strategies)
{
    std::vector<AxisValue> values;
    if (settings.of(axis.name).empty()) {
        // The names that are allowed are not asked for: those of inputs load all modules.
    } else if (axis.shape) {
        values = shapes_of(settings.of(axis.name), axis);
    } else if (axis.named()) {
        const std::vector<std::string_view> suggested =
            axis.of_workloads ? inputs_of(strategies) : std::vector<std::string_view>{};
        std::vector<std::string_view> allowed = suggested;
        if (const std::vector<Setting>& said = settings.of(axis.name);
            !all_known(allowed, said)) { // it may be of others
            const std::span<const std::string_view> names = names_on(axis);
            allowed.assign(names.begin(), names.end());
        }
        for (const auto& [name, setting] :
             names_of(settings, axis.name, allowed, axis.name, kListsParameters, suggested))
            values.push_back({number_on(axis, name), std::make_shared<const Setting>(setting)});
    } else if (axis.text) {
        for (const Setting& said : settings.of(axis.name))
            for (const std::string& text : axis.has_commas ? std::vector{said.value} : split(said.value, ','))
                values.push_back({number_of_text(text), std::make_shared<const Setting>(said)});
    } else {
        values = parse_axis(settings.of(axis.name), axis.range);
    }
    if (values.empty())
        values.push_back(
            {axis.default_value, std::make_shared<const Setting>(Setting{.key = std::string(axis.name)})});
    return values;
}

} // namespace

namespace
{
[[noreturn]] void refuse_mechanism(const Axes& axes, const StrategyInfo& info)
{
    std::vector<std::string_view> names{"all"};
    for (const Mechanism mechanism : info.mechanisms)
        if (mechanism != Mechanism::none)
            names.push_back(name_of(mechanism));
    throw UsageError(fmt::format("{}: {} does not support it; allowed for {}: {}",
                                 axes.mechanisms.front().second.place(), info.name, info.name,
                                 fmt::join(names, ", ")));
}
} // namespace

std::vector<Mechanism> mechanisms_of(const Axes& axes, const StrategyInfo& info)
{
    if (axes.mechanisms.empty() || info.mechanisms.size() == 1)
        return {info.mechanisms.front()};
    std::vector<Mechanism> chosen;
    for (const Mechanism mechanism : info.mechanisms)
        if (std::ranges::any_of(axes.mechanisms, [&](const auto& asked) {
                return asked.first == "all" || asked.first == name_of(mechanism);
            }))
            chosen.push_back(mechanism);
    if (!chosen.empty())
        return chosen;
    if (std::ranges::none_of(info.mechanisms, from_device))
        return {info.mechanisms.front()};
    refuse_mechanism(axes, info);
}

namespace
{
// The plural for messages, for example "delays" for delay-us.
std::string plural_of(const Axis& axis)
{
    std::string name(axis.name.substr(0, axis.name.find("-us")));
    return name.ends_with('s') || name.size() <= 2 ? name : name + "s";
}

// A sweep above the limit is a mistake. Report it before it uses up all memory.
void check_size(const Axes& axes, std::size_t devices)
{
    constexpr double kMaxCases = 1e6;
    std::size_t strategies = 0; // counted once for each of its mechanisms
    for (const auto& [name, setting] : axes.strategies)
        strategies += mechanisms_of(axes, Registry::find_anywhere(name)->info()).size();
    double cases = static_cast<double>(devices * strategies);
    std::vector<std::string> factors{fmt::format("{} strategies and mechanisms", strategies)};
    for (const Axis& axis : plain_axes()) {
        cases *= static_cast<double>(axes.of(axis).size());
        if (axes.of(axis).size() > 1)
            factors.push_back(fmt::format("{} {}", axes.of(axis).size(), plural_of(axis)));
    }
    if (cases > kMaxCases)
        throw UsageError(fmt::format("the axes multiply to {:.0f} cases: {}; allowed: at most {:.0f}", cases,
                                     fmt::join(factors, ", "), kMaxCases));
}

// At least one strategy here must support one of the mechanisms asked for. (A strategy with several mechanisms must
// support one itself: see mechanisms_of().)
void check_mechanisms(const Axes& axes)
{
    const auto has_asked = [&](const NameValue& strategy) {
        return std::ranges::any_of(axes.mechanisms, [&](const NameValue& asked) {
            return asked.first == "all" ||
                   std::ranges::any_of(Registry::find_anywhere(strategy.first)->info().mechanisms,
                                       [&](Mechanism one) { return name_of(one) == asked.first; });
        });
    };
    if (axes.mechanisms.empty() || std::ranges::any_of(axes.strategies, has_asked))
        return;
    refuse_mechanism(axes, Registry::find_anywhere(axes.strategies.front().first)->info());
}

void check_operators(const Axes& axes)
{
    for (const auto& [name, of_strategy] : axes.strategies)
        for (const AxisValue& op : axes.of("operator")) {
            const StrategyInfo& info = Registry::find_anywhere(name)->info();
            if (!info.has(axis::op) || info.operators || *op.number == std::uint64_t{1})
                continue;
            std::vector<std::string_view> able;
            for (const Strategy* strategy : Registry::all())
                if (strategy->info().operators)
                    able.push_back(strategy->info().name);
            throw UsageError(fmt::format("{}: {} supports only sum; allowed with max and min: {}",
                                         op.setting->place(), info.name, fmt::join(able, ", ")));
        }
}

// Calls check(text) for each text that was given; what it throws gets the place of the setting.
void check_texts(const Axes& axes, std::string_view axis, const std::function<void(const std::string&)>& check)
{
    for (const AxisValue& value : axes.of(axis))
        try {
            if (!value.setting->value.empty())
                check(text_with(*value.number));
        } catch (const RunError& error) {
            throw UsageError(fmt::format("{}: {}", value.setting->place(), error.what()));
        }
}

// Programs of a user's own can be started, and what their arguments name has values.
void check_programs(const Axes& axes)
{
    if (axes.strategies.front().first != program_strategy().info().name)
        return;
    if (const Setting& setting = *axes.of("program").front().setting; setting.value.empty())
        throw UsageError(fmt::format("{}: it is empty; allowed: the path of a program", setting.place()));
    check_texts(axes, "program", check_program);
    check_texts(axes, "time", check_time_text);
    check_texts(axes, "arguments", [&](const std::string& arguments) {
        const AxisSet named = axes_in(arguments);
        for (const Axis& axis : plain_axes())
            if (is_in(named, axis) && axes.of(axis).front().setting->value.empty())
                throw RunError(fmt::format("{{{}}} has no value; allowed: with --{} N", axis.name, axis.name));
    });
}

} // namespace

Axes read_axes(const Settings& settings, std::size_t devices)
{
    Axes axes;
    axes.strategies = names_of(settings, "strategy", Registry::names(), "strategy", kListsStrategies);
    const std::vector<Setting> programs = settings.of("program");
    if (!programs.empty() && !axes.strategies.empty())
        throw UsageError(fmt::format("{}: not with {}; allowed: in another section of a file",
                                     programs.front().place(), axes.strategies.front().second.place()));
    if (!programs.empty())
        axes.strategies.emplace_back(program_strategy().info().name, programs.front());
    if (axes.strategies.empty())
        throw UsageError(fmt::format(
            "no strategy was named{}; allowed: --strategy with a name such as synced, or with several ({} "
            "in all: {}), or --program with a program of your own",
            settings.section_text(), Registry::names().size(), kListsStrategies));
    std::vector<std::string_view> mechanisms{"all"};
    for (const Mechanism mechanism : kMechanisms)
        if (mechanism != Mechanism::none)
            mechanisms.push_back(name_of(mechanism));
    axes.mechanisms = names_of(settings, "mechanism", mechanisms, "mechanism", kListsStrategies);
    for (const Axis& axis : plain_axes())
        axes.plain.push_back(values_of(settings, axis, axes.strategies));
    for (const AxisValue& block : axes.of("block"))
        if (programs.empty() && block.number && !std::has_single_bit(*block.number))
            throw UsageError(fmt::format("{}: a block of {} threads cannot be halved down to one; allowed: powers of "
                                         "two from 1 to 1024",
                                         block.setting->place(), *block.number));
    check_mechanisms(axes);
    check_operators(axes);
    check_programs(axes);
    check_size(axes, devices);
    return axes;
}

namespace
{

// Whether values of a file may be meant for other strategies: those that the command line has replaced, or those of other
// sections.
bool is_for_others(const Setting& axis, const Setting& strategies)
{
    return !axis.file.empty() && (strategies.file.empty() || (axis.section.empty() && !strategies.section.empty()));
}

std::string unused_text(const Axis& axis, const Setting& setting)
{
    constexpr std::size_t kNamed = 5;
    std::vector<std::string_view> having;
    for (const Strategy* strategy : Registry::all())
        if (applies(axis, strategy->info()))
            having.push_back(strategy->info().name);
    const std::size_t more = having.size() - std::min(kNamed, having.size());
    having.resize(having.size() - more);
    const std::string others = having.empty() ? "" : // their modules have not been built
                                   fmt::format("; strategies that have it: {}{}", fmt::join(having, ", "),
                                               more == 0 ? "" : fmt::format(" and {} more", more));
    return fmt::format("{}: it changes nothing, because no chosen strategy has {}{}", setting.place(), axis.name,
                       others);
}

} // namespace

std::vector<std::string> unused_axes(const std::vector<Axes>& parts)
{
    std::vector<std::string> texts;
    for (const Axis& axis : plain_axes()) {
        const Setting* unused = nullptr; // from the command line, which is for all parts
        bool used = axis.id == axis::seed;
        for (const Axes& part : parts) {
            const Setting& setting = *part.of(axis).front().setting;
            const bool has = std::ranges::any_of(part.strategies, [&](const NameValue& strategy) {
                return applies(axis, Registry::find_anywhere(strategy.first)->info());
            });
            used = used || has;
            if (setting.value.empty() || has || is_for_others(setting, part.strategies.front().second))
                continue;
            if (setting.file.empty())
                unused = &setting;
            else if (std::string text = unused_text(axis, setting); std::ranges::find(texts, text) == texts.end())
                texts.push_back(std::move(text));
        }
        if (unused != nullptr && !used)
            texts.push_back(unused_text(axis, *unused));
    }
    return texts;
}

std::vector<std::string> unused_in_cases(const std::vector<Axes>& parts,
                                         const std::function<bool(const Axis&)>& is_in_a_case)
{
    std::vector<std::string> texts;
    for (const Axis& axis : plain_axes()) {
        const bool of_waves = axis.id == axis::wave || axis.id == axis::streams;
        const bool of_input = axis.own && axis.range.least > 0 && axis.names.empty();
        if (is_in_a_case(axis))
            continue;
        for (const Axes& part : parts) {
            const bool of_user = Registry::find_anywhere(part.strategies.front().first)->info().workload->of_user;
            if (!of_waves && !of_input && !of_user)
                continue;
            const std::vector<AxisValue>& values = part.of(axis);
            const auto asked = std::ranges::find_if(
                values, [](const AxisValue& one) { return one.number.has_value() && !one.setting->value.empty(); });
            const bool has = std::ranges::any_of(part.strategies, [&](const NameValue& strategy) {
                return applies(axis, Registry::find_anywhere(strategy.first)->info());
            });
            if (asked == values.end() || !has || is_for_others(*asked->setting, part.strategies.front().second))
                continue;
            texts.push_back(fmt::format("{}: it changes nothing, because {}", asked->setting->place(),
                                        of_waves  ? "no chosen strategy launches its root blocks in waves"
                                        : of_user ? fmt::format("no arguments have {{{}}}", axis.name)
                                                  : fmt::format("no chosen input has {}", axis.name)));
            break;
        }
    }
    return texts;
}

} // namespace nestbed
