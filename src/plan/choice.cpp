#include "plan/choice.hpp"

#include "base/error.hpp"
#include "model/text_numbers.hpp"
#include "plan/plan_description.hpp"

#include <fmt/format.h>

#include <bit>
#include <initializer_list>

namespace nestbed
{

namespace
{

constexpr std::uint32_t kDefaultGrid = 2048; // as in the book
constexpr std::uint32_t kDefaultBlock = 512;

// The setting with which a message about a shape begins: the first of these that the user gave, or else `default_place`.
std::string place_of(const Choice& choice, std::initializer_list<std::string_view> axes,
                     std::string_view default_place)
{
    for (const std::string_view axis : axes)
        if (const Setting& setting = *choice.of(axis).setting; !setting.value.empty())
            return setting.place();
    return std::string(default_place);
}

} // namespace

std::vector<const Axis*> axes_of_loops(bool input)
{
    std::vector<const Axis*> axes;
    for (const Axis* axis : plain_axes_in_tables())
        if (axis->input == input)
            axes.push_back(axis);
    if (const auto grid = std::ranges::find(axes, &axis_named("grid")); grid != axes.end())
        std::iter_swap(grid, std::ranges::find(axes, &axis_named("block")));
    return axes;
}

void complete_shape(Choice& choice)
{
    Case& point = choice.point;
    const AxisValue& elements = choice.of("elements");
    const AxisValue& grid = choice.of("grid");
    const AxisValue& block = choice.of("block");
    if (elements.number && grid.number && !block.number) {
        const std::uint64_t needed = std::bit_ceil((*elements.number - 1) / *grid.number + 1);
        if (needed > 1024)
            throw UsageError(
                fmt::format("{}: {} elements need blocks of {} threads; allowed: at most {} with {} blocks",
                            elements.setting->place(), *elements.number, needed, *grid.number * 1024, *grid.number));
        point.block = static_cast<std::uint32_t>(needed);
    } else if (!block.number) {
        point.block = kDefaultBlock;
    }
    if (elements.number && !grid.number) {
        const std::uint64_t needed = (*elements.number - 1) / point.block + 1;
        if (needed > 2147483647)
            throw UsageError(fmt::format("{}: {} elements need {} blocks of {}; allowed: at most 2147483647 blocks",
                                         elements.setting->place(), *elements.number, needed, point.block));
        point.grid = static_cast<std::uint32_t>(needed);
    } else if (!grid.number) {
        point.grid = kDefaultGrid;
    }
    const std::uint64_t capacity = std::uint64_t{point.grid} * point.block;
    point.elements = elements.number.value_or(capacity);
    if (point.elements > capacity)
        throw UsageError(fmt::format("{}: {} elements do not fit {} blocks of {}; allowed: at most {}",
                                     elements.setting->place(), point.elements, point.grid, point.block, capacity));
}

void check_shape(const Choice& choice, const DeviceFacts& facts)
{
    const Case& point = choice.point;
    if (point.block > facts.max_threads_per_block)
        throw UsageError(fmt::format("{}: {} has blocks of at most {} threads, not {}",
                                     place_of(choice, {"block", "elements", "grid"}, "--block"), facts.name,
                                     facts.max_threads_per_block, point.block));
    if (point.grid > facts.max_grid)
        throw UsageError(fmt::format("{}: {} has grids of at most {} blocks, not {}",
                                     place_of(choice, {"grid", "elements", "block"}, "--grid"), facts.name,
                                     facts.max_grid, point.grid));
}

void check_block_shapes(const Axes& axes, const DeviceFacts& facts)
{
    const Axis& axis = axis_named("block-shape");
    for (const AxisValue& value : axes.of(axis)) {
        Case point;
        axis.set(point, value.number);
        if (point.shape.threads() > facts.max_threads_per_block)
            throw UsageError(fmt::format("{}: {} has blocks of at most {} threads, not {}", value.setting->place(),
                                         facts.name, facts.max_threads_per_block, point.shape.threads()));
    }
}

std::string refusal_of(const Case& point, const Choice& choice, const DeviceFacts& facts)
{
    const std::string why = why_too_large(point, facts);
    return why.empty() ? ""
                       : fmt::format("{}: {}",
                                     point.nx != 0 ? place_of(choice, {"nx", "ny"}, "--nx")
                                                   : place_of(choice, {"elements", "grid", "block"}, "--grid"),
                                     why);
}

void check_irregular(const Axes& axes, const StrategyInfo& info)
{
    const std::span<const InputKind> inputs = info.workload->inputs;
    for (const AxisValue& value : axes.of("input"))
        if (const InputKind input(text_with(value.number.value_or(0)));
            !inputs.empty() && !value.setting->value.empty() && std::ranges::find(inputs, input) == inputs.end()) {
            std::vector<std::string_view> names;
            for (const InputKind one : inputs)
                names.push_back(name_of(one));
            throw UsageError(fmt::format("{}: {} has no input '{}'; allowed for {}: {}", value.setting->place(),
                                         info.name, name_of(input), info.workload->name, fmt::join(names, ", ")));
        }
    const auto parameters = info.workload->axes.parameters();
    const auto file = std::ranges::find_if(parameters, &Parameter::file);
    if (file == parameters.end())
        return;
    const AxisValue& input_file = axes.of((*file)->name).front();
    const bool named = input_file.number.value_or(0) != 0;
    const auto& asked = axes.of("input");
    const auto of_file = std::ranges::find_if(
        asked, [](const AxisValue& value) { return text_with(value.number.value_or(0)) == kFileInput.name(); });
    if (of_file != asked.end() && !named)
        throw UsageError(
            fmt::format("{}: no file is named; allowed: with --{} PATH", of_file->setting->place(), (*file)->name));
    if (of_file == asked.end() && named)
        throw UsageError(fmt::format("{}: {} requires --input file", input_file.setting->place(), (*file)->name));
}

void check_warps(const Case& point, const Choice& choice)
{
    constexpr std::uint32_t kWarp = 32;
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    if (info.irregular() && point.block < kWarp)
        throw UsageError(fmt::format("{}: {} needs blocks of whole warps, not {} threads; allowed: 32 to 1024",
                                     place_of(choice, {"block", "elements", "grid"}, "--block"), info.name,
                                     point.block));
}

} // namespace nestbed
