#include "plan/axes.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

namespace nestbed
{

std::vector<NameValue> names_of(const Settings& settings, std::string_view key,
                                const std::vector<std::string_view>& allowed, std::string_view what)
{
    std::vector<NameValue> names;
    for (const Setting& setting : settings.of(key)) {
        for (const std::string& name : split(setting.value, ',')) {
            if (std::ranges::find(allowed, name) == allowed.end())
                throw UsageError(fmt::format("{}: there is no {} '{}'{}; allowed: {}", setting.place(), what, name,
                                             did_you_mean(name, allowed), fmt::join(allowed, ", ")));
            if (std::ranges::find(names, name, &NameValue::first) == names.end())
                names.emplace_back(name, setting);
        }
    }
    return names;
}

namespace
{

constexpr std::uint64_t kUsualSide = 2048; // of a matrix
constexpr BlockShape kUsualShape{16, 16};

// An axis, or one value without a setting when nothing is said.
std::vector<AxisValue> axis_of(const Settings& settings, std::string_view key, const AxisRange& range,
                               std::optional<std::uint64_t> usual)
{
    std::vector<AxisValue> values = parse_axis(settings.of(key), range);
    if (values.empty())
        values.push_back({usual, std::make_shared<const Setting>(Setting{std::string(key), "", "", 0})});
    return values;
}

// WIDTHxHEIGHT, several by comma.
std::vector<ShapeValue> shapes_of(const Settings& settings)
{
    constexpr unsigned kMostThreads = 1024;
    std::vector<ShapeValue> values;
    for (const Setting& said : settings.of("block-shape")) {
        const auto setting = std::make_shared<const Setting>(said);
        for (const std::string& part : split(said.value, ',')) {
            const auto number = [](std::string_view text) {
                unsigned value = 0;
                const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
                return error == std::errc{} && end == text.data() + text.size() && value <= kMostThreads ? value : 0;
            };
            const std::vector<std::string> sides = split(part, 'x');
            const BlockShape shape =
                sides.size() == 2 ? BlockShape{number(sides[0]), number(sides[1])} : BlockShape{};
            if (shape.threads() == 0 || shape.threads() > kMostThreads)
                throw UsageError(fmt::format("{}: '{}' is no shape of a block; allowed: WIDTHxHEIGHT, at most {} "
                                             "threads in all, several by comma",
                                             said.place(), part, kMostThreads));
            if (std::ranges::find(values, shape, &ShapeValue::shape) == values.end())
                values.push_back({shape, setting});
        }
    }
    if (values.empty())
        values.push_back({kUsualShape, std::make_shared<const Setting>(Setting{"block-shape", "", "", 0})});
    return values;
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
    if (chosen.empty()) {
        std::vector<std::string_view> names{"all"};
        for (const Mechanism mechanism : info.mechanisms)
            names.push_back(name_of(mechanism));
        throw UsageError(fmt::format("{}: {} does not go by it; allowed for {}: {}",
                                     axes.mechanisms.front().second.place(), info.name, info.name,
                                     fmt::join(names, ", ")));
    }
    return chosen;
}

namespace
{
// A sweep of this size is a mistake; it must not take all memory before it is said so.
void check_size(const Axes& axes, std::size_t devices)
{
    constexpr double kMostCases = 1e6;
    std::size_t strategies = 0; // each by each of its mechanisms
    for (const auto& [name, setting] : axes.strategies)
        strategies += mechanisms_of(axes, Registry::find_anywhere(name)->info()).size();
    const std::vector<std::pair<std::string_view, std::size_t>> sizes{{"strategies and mechanisms", strategies},
                                                                      {"types", axes.types.size()},
                                                                      {"grids", axes.grids.size()},
                                                                      {"blocks", axes.blocks.size()},
                                                                      {"elements", axes.elements.size()},
                                                                      {"nx", axes.nx.size()},
                                                                      {"ny", axes.ny.size()},
                                                                      {"block-shapes", axes.shapes.size()},
                                                                      {"depths", axes.depths.size()},
                                                                      {"pending-limits", axes.limits.size()},
                                                                      {"waves", axes.waves.size()},
                                                                      {"streams", axes.streams.size()},
                                                                      {"delays", axes.delays.size()},
                                                                      {"graphs", axes.graphs.size()},
                                                                      {"seeds", axes.seeds.size()}};
    double cases = static_cast<double>(devices);
    std::vector<std::string> factors;
    for (const auto& [what, size] : sizes) {
        cases *= static_cast<double>(size);
        factors.push_back(fmt::format("{} {}", size, what));
    }
    if (cases > kMostCases)
        throw UsageError(fmt::format("the axes multiply to {:.0f} cases: {}; allowed: at most {:.0f}", cases,
                                     fmt::join(factors, ", "), kMostCases));
}

} // namespace

Axes read_axes(const Settings& settings, std::size_t devices)
{
    constexpr std::uint64_t kMostBlocks = 2147483647;
    Axes axes;
    axes.strategies = names_of(settings, "strategy", Registry::names(), "strategy");
    if (axes.strategies.empty())
        throw UsageError(fmt::format("no strategy was named{}; allowed for --strategy: {}", settings.section_text(),
                                     fmt::join(Registry::names(), ", ")));
    std::vector<std::string_view> mechanisms{"all"};
    for (const Mechanism mechanism : kMechanisms)
        if (mechanism != Mechanism::none)
            mechanisms.push_back(name_of(mechanism));
    axes.mechanisms = names_of(settings, "mechanism", mechanisms, "mechanism");
    axes.types = names_of(settings, "type", {"int32", "float32"}, "type");
    if (axes.types.empty())
        axes.types.emplace_back("int32", Setting{});
    axes.elements = axis_of(settings, "elements", {.least = 1, .most = kMostBlocks * 1024}, std::nullopt);
    axes.grids = axis_of(settings, "grid", {.least = 1, .most = kMostBlocks}, std::nullopt);
    axes.blocks = axis_of(settings, "block", {.least = 1, .most = 1024}, std::nullopt);
    // A grid has at most 65535 blocks in y.
    axes.nx = axis_of(settings, "nx", {.least = 1, .most = 65535}, kUsualSide);
    axes.ny = axis_of(settings, "ny", {.least = 1, .most = 65535}, kUsualSide);
    axes.shapes = shapes_of(settings);
    axes.depths = axis_of(settings, "depth", {.least = 0, .most = UINT32_MAX, .word = "full"}, std::nullopt);
    axes.limits = axis_of(settings, "pending-limit", {.least = 1, .most = INT32_MAX, .word = "auto"}, std::nullopt);
    axes.waves = axis_of(settings, "wave", {.least = 1, .most = kMostBlocks, .word = "auto"}, std::nullopt);
    axes.streams = axis_of(settings, "streams", {.least = 1, .most = 64, .word = "auto"}, std::nullopt);
    axes.delays = axis_of(settings, "delay-us", {.least = 0, .most = 1'000'000}, 0);
    axes.graphs = axis_of(settings, "graphs", {.least = 1, .most = 256}, 1);
    axes.seeds = axis_of(settings, "seed", {}, 1);
    for (const AxisValue& block : axes.blocks)
        if (block.number && !std::has_single_bit(*block.number))
            throw UsageError(fmt::format("{}: a block of {} threads cannot be halved down to one; allowed: powers of "
                                         "two from 1 to 1024",
                                         block.setting->place(), *block.number));
    check_size(axes, devices);
    return axes;
}

} // namespace nestbed
