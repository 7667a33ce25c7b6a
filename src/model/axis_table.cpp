#include "model/axis_table.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <type_traits>

namespace nestbed
{

namespace
{

// --- members of Case as numbers ---

constexpr unsigned kShapeBits = 32;

template <class T>
std::optional<std::uint64_t> number_of(const T& value)
{
    if constexpr (std::is_same_v<T, std::optional<std::uint32_t>>)
        return value;
    else if constexpr (std::is_same_v<T, BlockShape>)
        return std::uint64_t{value.x} << kShapeBits | value.y;
    else
        return static_cast<std::uint64_t>(value);
}

template <class T>
void set_number(T& value, std::optional<std::uint64_t> number)
{
    if constexpr (std::is_same_v<T, std::optional<std::uint32_t>>)
        value = number ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
    else if constexpr (std::is_same_v<T, BlockShape>)
        value = {static_cast<std::uint32_t>(number.value_or(0) >> kShapeBits),
                 static_cast<std::uint32_t>(number.value_or(0))};
    else
        value = static_cast<T>(number.value_or(0));
}

template <auto Member>
constexpr Axis of(Axis axis)
{
    axis.get = [](const Case& point) { return number_of(point.*Member); };
    axis.set = [](Case& point, std::optional<std::uint64_t> number) { set_number(point.*Member, number); };
    return axis;
}

// --- to which cases an axis means something ---

bool has_elements(const StrategyInfo& info, Mechanism /*mechanism*/)
{
    return info.workload == "reduce" || info.over_matrix();
}

bool has_blocks(const StrategyInfo& info, Mechanism /*mechanism*/)
{
    return !info.over_matrix();
}

bool over_matrix(const StrategyInfo& info, Mechanism /*mechanism*/)
{
    return info.over_matrix();
}

// One level leads to the next.
bool has_levels(const StrategyInfo& info, Mechanism mechanism)
{
    return mechanism != Mechanism::none && info.workload != "fanout";
}

bool by_device(const StrategyInfo& /*info*/, Mechanism mechanism)
{
    return from_device(mechanism);
}

bool has_graphs(const StrategyInfo& /*info*/, Mechanism mechanism)
{
    return mechanism == Mechanism::graph_tail;
}

// --- the table ---

constexpr std::uint64_t kMostBlocks = 2147483647;
constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint64_t kMostSide = 65535; // of a matrix: a grid has at most as many blocks in y
constexpr std::uint64_t kUsualSide = 2048;
constexpr std::uint64_t kUsualShape = std::uint64_t{16} << kShapeBits | 16;
constexpr std::array kTypes{name_of(ElementType::none), name_of(ElementType::int32), name_of(ElementType::float32)};

constexpr std::size_t kChoices = 3; // strategy, backend and mechanism

constexpr std::array kAxes{
    Axis{.name = "strategy",
         .column = "strategy",
         .plural = "strategies",
         .value = "LIST",
         .help = "strategies by comma; `nestbed list` names them"},
    Axis{.name = "backend",
         .column = "backend",
         .plural = "backends",
         .value = "LIST",
         .help = "auto (cuda where there is a GPU), cuda, cpu"},
    Axis{.name = "mechanism",
         .column = "mechanism",
         .plural = "mechanisms",
         .value = "LIST",
         .help = "how grids are launched; `nestbed list` has each strategy's; or all (its first)"},
    of<&Case::type>({.name = "type",
                     .column = "type",
                     .plural = "types",
                     .value = "LIST",
                     .help = "int32, float32",
                     .range = {.least = 1},
                     .usual = static_cast<std::uint64_t>(ElementType::int32),
                     .names = kTypes,
                     .input = true,
                     .usual_is_said = true,
                     .matters = has_elements}),
    of<&Case::grid>({.name = "grid",
                     .column = "grid",
                     .plural = "grids",
                     .value = "AXIS",
                     .help = "blocks of the root grid (2048)",
                     .range = {.least = 1, .most = kMostBlocks},
                     .input = true,
                     .matters = has_blocks}),
    of<&Case::block>({.name = "block",
                      .column = "block",
                      .plural = "blocks",
                      .value = "AXIS",
                      .help = "threads a block, a power of two (512)",
                      .range = {.least = 1, .most = kMostThreads},
                      .input = true,
                      .matters = has_blocks}),
    of<&Case::elements>({.name = "elements",
                         .column = "elements",
                         .plural = "elements",
                         .value = "AXIS",
                         .help = "numbers to reduce (grid x block)",
                         .range = {.least = 1, .most = kMostBlocks * kMostThreads},
                         .input = true,
                         .matters = has_elements}),
    of<&Case::nx>({.name = "nx",
                   .column = "nx",
                   .plural = "nx",
                   .value = "AXIS",
                   .help = "columns of a matrix or an image (2048)",
                   .range = {.least = 1, .most = kMostSide},
                   .usual = kUsualSide,
                   .input = true,
                   .usual_is_said = true,
                   .matters = over_matrix}),
    of<&Case::ny>({.name = "ny",
                   .column = "ny",
                   .plural = "ny",
                   .value = "AXIS",
                   .help = "rows (2048)",
                   .range = {.least = 1, .most = kMostSide},
                   .usual = kUsualSide,
                   .input = true,
                   .usual_is_said = true,
                   .matters = over_matrix}),
    of<&Case::shape>({.name = "block-shape",
                      .column = "block_shape",
                      .plural = "block-shapes",
                      .value = "LIST",
                      .help = "threads a block in x and y, 8x32 (16x16)",
                      .range = {.least = 1, .most = kMostThreads},
                      .usual = kUsualShape,
                      .shape = true,
                      .usual_is_said = true,
                      .matters = [](const StrategyInfo& info, Mechanism /*mechanism*/) { return info.shaped; }}),
    of<&Case::depth>({.name = "depth",
                      .column = "depth",
                      .plural = "depths",
                      .value = "AXIS",
                      .help = "nested levels at most, or full (full)",
                      .range = {.most = UINT32_MAX, .word = "full"},
                      .matters = has_levels}),
    of<&Case::pending_limit>({.name = "pending-limit",
                              .column = "pending_limit_asked",
                              .plural = "pending-limits",
                              .value = "AXIS",
                              .help = "pending launches, or auto: never refused (auto)",
                              .range = {.least = 1, .most = INT32_MAX, .word = "auto"},
                              .in_dry_run = false,
                              .matters = by_device}),
    of<&Case::wave>({.name = "wave",
                     .column = "wave",
                     .plural = "waves",
                     .value = "AXIS",
                     .help = "root blocks launched at once, or auto (auto)",
                     .range = {.least = 1, .most = kMostBlocks, .word = "auto"},
                     .in_dry_run = false,
                     .matters = by_device}),
    of<&Case::streams>({.name = "streams",
                        .column = "streams",
                        .plural = "streams",
                        .value = "AXIS",
                        .help = "host streams that waves go round, or auto (auto)",
                        .range = {.least = 1, .most = 64, .word = "auto"},
                        .in_dry_run = false,
                        .matters = by_device}),
    of<&Case::delay_us>({.name = "delay-us",
                         .column = "delay_us",
                         .plural = "delays",
                         .value = "AXIS",
                         .help = "microseconds by which what loses a race is held up (0)",
                         .range = {.most = 1'000'000},
                         .usual = 0,
                         .in_dry_run = false,
                         .matters = [](const StrategyInfo& info, Mechanism /*mechanism*/) { return info.delayed; }}),
    of<&Case::graphs>({.name = "graphs",
                       .column = "graphs",
                       .plural = "graphs",
                       .value = "AXIS",
                       .help = "instances of a device graph, of which the fastest is used (1)",
                       .range = {.least = 1, .most = 256},
                       .usual = 1,
                       .usual_is_said = true,
                       .in_dry_run = false,
                       .nothing = 1,
                       .matters = has_graphs}),
    of<&Case::seed>({.name = "seed",
                     .column = "seed",
                     .plural = "seeds",
                     .value = "AXIS",
                     .help = "of the input and of the order of the runs (1)",
                     .usual = 1,
                     .input = true,
                     .usual_is_said = true,
                     .in_dry_run = false,
                     .matters = [](const StrategyInfo& info, Mechanism /*mechanism*/) { return info.drawn(); }}),
};

} // namespace

std::span<const Axis> all_axes()
{
    return kAxes;
}

std::span<const Axis> plain_axes()
{
    return all_axes().subspan(kChoices);
}

const std::vector<const Axis*>& plain_axes_in_tables()
{
    static const std::vector<const Axis*> axes = [] {
        std::vector<const Axis*> found;
        for (const Axis& axis : plain_axes())
            found.push_back(&axis);
        const auto elements = std::ranges::find(found, &axis_named("elements"));
        std::rotate(std::ranges::find(found, &axis_named("grid")), elements, elements + 1);
        return found;
    }();
    return axes;
}

const Axis& axis_named(std::string_view name)
{
    const auto found = std::ranges::find(kAxes, name, &Axis::name);
    if (found == kAxes.end())
        throw std::out_of_range("there is no axis " + std::string(name));
    return *found;
}

const Axis* axis_of_column(std::string_view column)
{
    const auto found = std::ranges::find(kAxes, column, &Axis::column);
    return found == kAxes.end() ? nullptr : &*found;
}

std::string text_of(const Axis& axis, std::optional<std::uint64_t> value)
{
    if (!value)
        return std::string(axis.range.word);
    if (*value == 0 && axis.range.least > 0)
        return "";
    if (axis.shape) {
        BlockShape shape;
        set_number(shape, value);
        return name_of(shape);
    }
    return axis.names.empty() ? std::to_string(*value) : std::string(axis.names[*value]);
}

std::string cell_of(const Axis& axis, const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    return axis.matters(info, mechanism_of(info, point)) ? text_of(axis, axis.get(point)) : "";
}

void reset_meaningless(Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    for (const Axis& axis : plain_axes())
        if (!axis.matters(info, *point.mechanism))
            axis.set(point, axis.range.word.empty() ? std::optional(axis.nothing) : std::nullopt);
}

} // namespace nestbed
