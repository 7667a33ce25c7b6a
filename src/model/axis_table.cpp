#include "model/axis_table.hpp"

#include "model/case_numbers.hpp"
#include "model/parameter_axis.hpp"
#include "model/user_program.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace nestbed
{

namespace
{

// --- which cases an axis applies to ---

using Applies = bool (*)(const StrategyInfo&, Mechanism, BackendKind);

template <axis::Name Name>
constexpr Applies has =
    [](const StrategyInfo& info, Mechanism /*by*/, BackendKind /*on*/) -> bool { return info.has(Name); };
constexpr Applies has_inputs = [](const StrategyInfo& info, Mechanism /*by*/, BackendKind /*on*/) {
    return !info.workload->inputs.empty();
};
constexpr Applies has_requests = [](const StrategyInfo& info, Mechanism /*by*/, BackendKind /*on*/) {
    return info.requests;
};
constexpr Applies aggregates = [](const StrategyInfo& info, Mechanism by, BackendKind /*on*/) {
    return info.requests && !changes_graphs(by); // a graph has one run per level
};
constexpr Applies may_overflow = [](const StrategyInfo& info, Mechanism by, BackendKind /*on*/) {
    return info.requests && from_device(by) && by != Mechanism::tail && !launches_graphs(by);
};
constexpr Applies has_threshold = [](const StrategyInfo& info, Mechanism /*by*/, BackendKind /*on*/) {
    return info.requests || info.has(axis::threshold);
};
constexpr Applies by_device = [](const StrategyInfo& /*info*/, Mechanism by, BackendKind /*on*/) {
    return from_device(by);
};
constexpr Applies has_streams = [](const StrategyInfo& info, Mechanism by, BackendKind /*on*/) {
    return from_device(by) || info.has(axis::streams);
};
constexpr Applies has_graphs = [](const StrategyInfo& /*info*/, Mechanism by, BackendKind /*on*/) {
    return by == Mechanism::graph_tail;
};
constexpr Applies has_levels = [](const StrategyInfo& info, Mechanism by,
                                  BackendKind /*on*/) { // levels that run one after another
    return (by != Mechanism::none || info.workload->of_user) && info.has(axis::depth);
};
constexpr Applies on_gpu = [](const StrategyInfo& info, Mechanism /*by*/, BackendKind on) {
    return on == BackendKind::cuda && !info.on_host;
};
constexpr Applies can_be_held = [](const StrategyInfo& info, Mechanism by, BackendKind on) {
    return on_gpu(info, by, on) && !info.waits_by(by) && !info.nondeterministic_answer();
};

// --- the table ---

constexpr std::uint64_t kMaxBlocks = 2147483647;
constexpr std::uint64_t kMaxThreads = 1024;
constexpr std::uint64_t kMaxSide = 65535; // of a matrix: a grid has at most this many blocks in y
constexpr std::uint64_t kDefaultShape = std::uint64_t{16} << kShapeBits | 16;
constexpr std::array kSubmits{name_of(Submit::none), name_of(Submit::held), name_of(Submit::open)};
constexpr std::array kCacheStates{name_of(CacheState::none), name_of(CacheState::as_is),
                                  name_of(CacheState::flushed)};
constexpr std::array kTypes{name_of(ElementType::none), name_of(ElementType::int32), name_of(ElementType::float32)};
constexpr std::array kAggregates{name_of(Aggregate::absent),        name_of(Aggregate::none),
                                 name_of(Aggregate::warp),          name_of(Aggregate::block),
                                 name_of(Aggregate::multiblock_2),  name_of(Aggregate::multiblock_4),
                                 name_of(Aggregate::multiblock_8),  name_of(Aggregate::multiblock_16),
                                 name_of(Aggregate::multiblock_64), name_of(Aggregate::grid)};
constexpr std::array kOverflows{name_of(Overflow::absent), name_of(Overflow::waves), name_of(Overflow::inline_run),
                                name_of(Overflow::spill), name_of(Overflow::fail)};
constexpr std::array kPinned{name_of(Pinned::no), name_of(Pinned::yes)};
constexpr std::array kOperators{name_of(Operator::none), name_of(Operator::sum), name_of(Operator::max),
                                name_of(Operator::min)};

// Flags of an axis; see the members of Axis.
constexpr unsigned kInput = 1;
constexpr unsigned kAlwaysInKey = 2;
constexpr unsigned kNotInDryRun = 4;
constexpr unsigned kOwn = 8;
constexpr unsigned kProblem = 16 | kInput;
constexpr unsigned kSize = 32;

template <auto Member>
Axis of(axis::Name id, std::string_view name, std::string_view help, std::string_view default_text, AxisRange range,
        std::optional<std::uint64_t> default_value, Applies applies, unsigned flags = 0,
        std::span<const std::string_view> names = {})
{
    Axis axis{.name = name,
              .column = column_of_name(name),
              .help = std::string(help),
              .default_text = std::string(default_text),
              .range = range,
              .default_value = default_value,
              .names = names};
    axis.shape = std::is_same_v<decltype(Member), BlockShape Case::*>;
    axis.id = id;
    axis.of_workloads = std::is_same_v<decltype(Member), InputKind Case::*>;
    axis.text = axis.of_workloads || std::is_same_v<decltype(Member), std::string Case::*>;
    axis.input = (flags & kInput) != 0;
    axis.always_in_key = (flags & kAlwaysInKey) != 0;
    axis.size = (flags & kSize) != 0;
    axis.own = (flags & kOwn) != 0;
    axis.problem = (flags & kProblem) == kProblem;
    axis.in_dry_run = (flags & kNotInDryRun) == 0;
    axis.get = [](const Case& point) { return number_of(point.*Member); };
    axis.set = [](Case& point, std::optional<std::uint64_t> number) { set_number(point.*Member, number); };
    axis.applies = applies;
    return axis;
}

constexpr std::size_t kChoices = 3; // strategy, backend and mechanism

// All but the parameters of workloads.
std::vector<Axis> general_axes()
{
    constexpr std::optional<std::uint64_t> kNone; // a word replaces it, or it follows from other axes
    const AxisRange side{.least = 1, .most = kMaxSide};
    std::vector<Axis> axes{
        {"strategy", "strategy", "what to run, such as nosync or *_tail; `nestbed list` shows all", ""},
        {"backend", "backend", "cuda, cpu, or auto: cuda where there is a GPU", "auto"},
        {"mechanism", "mechanism", "how grids are launched; `nestbed list` shows what each strategy has",
         "its first"},
        of<&Case::type>(axis::type, "type", "int32 or float32", "int32", {.least = 1}, 1, has<axis::type>,
                        kProblem | kAlwaysInKey, kTypes),
        of<&Case::input>(axis::input, "input", "the input by name", "its first", {.least = 1},
                         number_of_text(std::string(kDefaultInput.name())), has_inputs, kProblem | kNotInDryRun),
        // An operator belongs to the input too, because the right answer depends on it.
        of<&Case::op>(axis::op, "operator", "sum, max or min; few strategies have max and min", "sum", {.least = 1},
                      1, has<axis::op>, kInput | kNotInDryRun, kOperators),
        of<&Case::grid>(axis::grid, "grid", "blocks of the root grid", "2048", {1, kMaxBlocks}, kNone,
                        has<axis::grid>, kInput),
        of<&Case::block>(axis::block, "block", "threads per block, a power of two", "512", {1, kMaxThreads}, kNone,
                         has<axis::block>, kInput),
        of<&Case::elements>(axis::elements, "elements", "elements of the input", "grid x block",
                            {1, kMaxBlocks * kMaxThreads}, kNone, has<axis::elements>, kProblem | kSize),
        of<&Case::nx>(axis::nx, "nx", "columns of a matrix or an image", "2048", side, 2048, has<axis::nx>,
                      kProblem | kAlwaysInKey),
        of<&Case::ny>(axis::ny, "ny", "rows of a matrix or an image", "2048", side, 2048, has<axis::ny>,
                      kProblem | kAlwaysInKey),
        of<&Case::shape>(axis::shape, "block-shape", "threads per block in x and y, such as 8x32", "16x16",
                         {1, kMaxThreads}, kDefaultShape, has<axis::shape>, kAlwaysInKey),
        of<&Case::depth>(axis::depth, "depth", "maximum number of nested levels, or full", "full",
                         {0, UINT32_MAX, "full"}, kNone, has_levels),
        of<&Case::threshold>(axis::threshold, "threshold", "threads that an item must need for a launch", "0",
                             {0, UINT32_MAX}, 0, has_threshold, kAlwaysInKey),
        of<&Case::coarsen>(axis::coarsen, "coarsen", "blocks of work that one child block does", "1", {1, 65536}, 1,
                           has_requests, kAlwaysInKey),
        of<&Case::aggregate>(axis::aggregate, "aggregate",
                             "items that share one launch: those of a warp, a block, some blocks, a grid", "none",
                             {.least = 1}, 1, aggregates, kAlwaysInKey, kAggregates),
        of<&Case::overflow>(axis::overflow, "overflow", "past the pending limit: waves, inline, spill or fail",
                            "waves", {.least = 1}, 1, may_overflow, kAlwaysInKey | kNotInDryRun, kOverflows),
        of<&Case::pending_limit>(
            axis::pending_limit, "pending-limit",
            "limit of pending launches, or auto: high enough for all whose number is known before", "auto",
            {1, INT32_MAX, "auto"}, kNone, by_device, kNotInDryRun),
        of<&Case::wave>(axis::wave, "wave", "root blocks launched at once, or auto", "auto", {1, kMaxBlocks, "auto"},
                        kNone, by_device, kNotInDryRun),
        of<&Case::streams>(axis::streams, "streams", "host streams that launch the waves in turn, or auto", "auto",
                           {1, 64, "auto"}, kNone, has_streams, kNotInDryRun),
        of<&Case::delay_us>(axis::delay, "delay-us", "delay (us) added to the losing side of the race", "0",
                            {0, 1'000'000}, 0, has<axis::delay>, kNotInDryRun),
        of<&Case::graphs>(axis::graphs, "graphs", "instances of a device graph; the fastest is used", "1", {1, 256},
                          1, has_graphs, kAlwaysInKey | kNotInDryRun),
        of<&Case::seed>(axis::seed, "seed", "seed of the input and of the order of the runs", "1", {}, 1,
                        has<axis::seed>, kProblem | kAlwaysInKey | kNotInDryRun),
        of<&Case::submit>(axis::submit, "submit",
                          "held: the GPU starts when the whole sample is submitted; open: it starts at once", "held",
                          {.least = 1}, 1, can_be_held, kAlwaysInKey | kNotInDryRun, kSubmits),
        of<&Case::l2>(axis::l2, "l2", "the L2 cache when a sample starts: as_is or flushed", "as_is", {.least = 1}, 1,
                      on_gpu, kAlwaysInKey | kNotInDryRun, kCacheStates),
        of<&Case::runs>(axis::runs, "runs", "runs of a sample; its times are their median, p99, p99.9 and worst", "1",
                        {1, 1'000'000}, 1, has<axis::runs>, kOwn),
        of<&Case::host_load>(axis::host_load, "host-load", "threads that keep each core of the host busy", "0",
                             {0, 64}, 0, has<axis::host_load>, kOwn | kInput),
        of<&Case::nice>(axis::nice, "nice", "niceness of the thread that submits a sample", "0", {0, 19}, 0,
                        has<axis::nice>, kOwn | kInput),
        of<&Case::pinned>(axis::pin, "pin", "whether the thread that submits a sample stays on one core: no or yes",
                          "no", {}, 0, has<axis::pin>, kOwn | kInput, kPinned),
        of<&Case::program>(axis::program, "program", "a program of your own, in place of a strategy", "", {}, 0,
                           has<axis::program>, kInput),
        of<&Case::arguments>(axis::arguments, "arguments",
                             "its arguments, with {grid}, {block}, {depth} ... for the values of a case", "", {}, 0,
                             has<axis::arguments>, kInput),
        of<&Case::time>(axis::time, "time", "its time by a line that it prints, such as 'time: {us}'",
                        "that of the process", {}, 0, has<axis::time>, kInput | kNotInDryRun),
    };
    for (const axis::Name name : {axis::arguments, axis::time})
        std::ranges::find(axes, name, &Axis::id)->has_commas = true;
    std::ranges::find(axes, axis::time, &Axis::id)->column = "time_line"; // a time itself has other columns
    std::ranges::find(axes, "input", &Axis::name)->hint = "`nestbed help run NAME` lists those of a workload";
    // The columns without _asked contain the value that was set, and how it was chosen.
    for (const std::string_view name : {"pending-limit", "submit"})
        std::ranges::find(axes, name, &Axis::name)->column += "_asked";
    return axes;
}

// --- the parameters of workloads ---

struct Table {
    std::vector<Axis> axes;
    std::vector<const Axis*> in_tables; // plain axes, in the order of columns
};

// Those with one name.
struct Declared {
    std::vector<const Parameter*> of_nestbed, of_users;

    // A user's workload changes nothing for nestbed's own.
    const std::vector<const Parameter*>& deciding() const { return of_nestbed.empty() ? of_users : of_nestbed; }
};

// The current table. Those before it are kept: what has an axis may live longer than the declaration of another one.
struct Tables {
    std::mutex mutex;
    std::map<std::string_view, Declared> declared;
    std::deque<Table> all;
    std::atomic<const Table*> current = nullptr; // null: a parameter was declared since
};
Tables& tables()
{
    static Tables one;
    return one;
}

Table made_table(const Tables& of)
{
    std::vector<Axis> own;
    for (const auto& [name, declared] : of.declared) {
        own.push_back(axis_of(declared.deciding()));
        own.back().of_user = declared.of_nestbed.empty();
    }
    const auto place_of = [&](const Axis& axis) {
        return axis.of_user ? UINT32_MAX
                            : std::ranges::min(of.declared.at(axis.name).of_nestbed, {}, &Parameter::place)->place;
    };
    std::ranges::stable_sort(own, {}, place_of); // by place, then by name
    Table table{.axes = general_axes()};
    table.axes.insert(std::ranges::find(table.axes, axis::pending_limit, &Axis::id),
                      std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
    for (const Axis& axis : std::span(table.axes).subspan(kChoices))
        table.in_tables.push_back(&axis);
    const auto of_name = [&](std::string_view name) {
        return std::ranges::find(table.in_tables, name, [](const Axis* axis) { return axis->name; });
    };
    const auto elements = of_name("elements");
    std::rotate(of_name("grid"), elements, elements + 1);
    return table;
}

const Table& table()
{
    Tables& all = tables();
    if (const Table* const current = all.current.load(std::memory_order_acquire))
        return *current;
    const std::lock_guard lock(all.mutex);
    if (all.current.load(std::memory_order_relaxed) == nullptr)
        all.current.store(&all.all.emplace_back(made_table(all)), std::memory_order_release);
    return *all.current.load(std::memory_order_relaxed);
}

} // namespace

std::string declare_parameter(const Parameter& parameter, bool of_user)
{
    Tables& all = tables();
    const std::lock_guard lock(all.mutex);
    const auto known = all.declared.find(parameter.name);
    const bool is_new = known == all.declared.end();
    const auto has = [&](const std::vector<const Parameter*>& declared) {
        return std::ranges::any_of(declared, [&](const Parameter* one) { return is_same(*one, parameter); });
    };
    if (!is_new && (has(known->second.of_nestbed) || (of_user && has(known->second.of_users)))) // also of its modules
        return "";
    if (const std::string why =
            why_not(parameter, general_axes(), is_new ? nullptr : known->second.deciding().front());
        !why.empty())
        return "parameter '" + std::string(parameter.name) + "': " + why;
    Declared& of_name = all.declared[parameter.name];
    (of_user ? of_name.of_users : of_name.of_nestbed).push_back(&parameter);
    all.current = nullptr;
    return "";
}

DeclaredParameters::DeclaredParameters(std::initializer_list<const Parameter*> parameters)
{
    for (const Parameter* const one : parameters)
        if (const std::string why = declare_parameter(*one, false); !why.empty())
            throw std::logic_error(why);
}

std::span<const Axis> all_axes()
{
    return table().axes;
}

std::span<const Axis> plain_axes()
{
    return all_axes().subspan(kChoices);
}

const std::vector<const Axis*>& plain_axes_in_tables()
{
    return table().in_tables;
}

std::vector<const Axis*> axes_of_plan(std::span<const Case> points)
{
    std::vector<const Axis*> axes;
    std::ranges::copy_if(plain_axes_in_tables(), std::back_inserter(axes), [&](const Axis* axis) {
        return axis->in_dry_run || std::ranges::any_of(points, [&](const Case& point) {
                   const std::string cell = cell_of(*axis, point);
                   return !cell.empty() && cell != text_of(*axis, axis->default_value);
               });
    });
    return axes;
}

const Axis& axis_named(std::string_view name)
{
    const auto found = std::ranges::find(all_axes(), name, &Axis::name);
    if (found == all_axes().end())
        throw std::out_of_range("there is no axis " + std::string(name));
    return *found;
}

const Axis* axis_of_column(std::string_view column)
{
    const auto found = std::ranges::find(all_axes(), column, &Axis::column);
    return found == all_axes().end() ? nullptr : &*found;
}

std::span<const std::string_view> names_on(const Axis& axis)
{
    if (axis.of_workloads)
        return Registry::inputs();
    return axis.names.empty() ? axis.names : axis.names.subspan(axis.range.least);
}

std::optional<std::uint64_t> number_on(const Axis& axis, std::string_view name)
{
    if (axis.of_workloads)
        return Registry::has_input(name) ? std::optional(number_of_text(std::string(name))) : std::nullopt;
    const std::span<const std::string_view> names = names_on(axis);
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
        return std::nullopt;
    return axis.range.least + static_cast<std::uint64_t>(found - names.begin());
}

AxisText text_for(const Axis& axis, const StrategyInfo& info)
{
    if (const Parameter* const own = info.parameter(axis.name))
        return {.help = own->help, .default_text = default_text_of(*own)};
    const WorkloadInfo& workload = *info.workload;
    AxisText text{.help = axis.help, .default_text = axis.default_text};
    if (const auto one = std::ranges::find(workload.meanings, axis.id, &AxisMeaning::name);
        axis.get != nullptr && one != workload.meanings.end()) {
        text.help = one->meaning;
        if (!one->default_text.empty())
            text.default_text = one->default_text;
        else if (one->default_value != 0)
            text.default_text = std::to_string(one->default_value);
    }
    if (axis.get != nullptr && axis.id == axis::input && !workload.inputs.empty())
        text.default_text = name_of(workload.inputs.front());
    return text;
}

std::uint64_t default_of(const Axis& axis, const StrategyInfo& info)
{
    if (axis.id == axis::own) {
        const Parameter* const own = info.parameter(axis.name);
        return own == nullptr ? 0 : own->initial();
    }
    const auto one = std::ranges::find(info.workload->meanings, axis.id, &AxisMeaning::name);
    return one == info.workload->meanings.end() ? 0 : one->default_value;
}

bool is_in(const AxisSet& set, const Axis& axis)
{
    return axis.id == axis::own ? set.find(axis.name) != nullptr : set.has(axis.id);
}

bool applies(const Axis& axis, const StrategyInfo& info)
{
    return std::ranges::any_of(info.mechanisms, [&](Mechanism by) {
        return axis.applies == nullptr || axis.applies(info, by, BackendKind::cuda) ||
               axis.applies(info, by, BackendKind::cpu);
    });
}

bool is_problem(const Axis& axis, const StrategyInfo& info)
{
    if (axis.id == axis::own) {
        const Parameter* const own = info.parameter(axis.name);
        return own != nullptr && own->is_problem();
    }
    const auto one = std::ranges::find(info.workload->meanings, axis.id, &AxisMeaning::name);
    if (axis.get != nullptr && one != info.workload->meanings.end() && one->role != AxisRole::by_default)
        return one->role == AxisRole::problem;
    return info.workload->irregular ? axis.problem : axis.input;
}

std::vector<std::optional<std::uint64_t>> problem_of(const Case& point)
{
    std::vector<std::optional<std::uint64_t>> values{static_cast<std::uint64_t>(point.backend)};
    for (const Axis& axis : plain_axes())
        if (axis.problem || axis.id == axis::grid)
            values.push_back(axis.get(point));
    return values;
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
    if (axis.text)
        return text_with(*value);
    return axis.names.empty() ? std::to_string(*value) : std::string(axis.names[*value]);
}

std::string cell_of(const Axis& axis, const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    const bool is_named = !info.workload->of_user || is_of_program(axis) || is_in(axes_in(point.arguments), axis);
    return is_named && axis.applies(info, mechanism_of(info, point), point.backend) ? text_of(axis, axis.get(point))
                                                                                    : "";
}

void reset_meaningless(Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    for (const Axis& axis : plain_axes())
        if (!axis.applies(info, *point.mechanism, point.backend))
            axis.set(point, axis.range.word.empty() ? std::optional<std::uint64_t>(0) : std::nullopt);
}

} // namespace nestbed
