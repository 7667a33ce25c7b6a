// The table of axes: every entry is complete, and its number is the named member of Case.
#include "model/axis_table.hpp"
#include "model/text_numbers.hpp"

#include "support/support.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace nestbed
{
namespace
{

TEST(AxisTable, HasEveryNameAndColumnOnce)
{
    std::set<std::string_view> names;
    std::set<std::string_view> columns;
    for (const Axis& axis : all_axes()) {
        EXPECT_TRUE(names.insert(axis.name).second) << axis.name;
        EXPECT_TRUE(columns.insert(axis.column).second) << axis.column;
        EXPECT_FALSE(axis.help.empty()) << axis.name;
        EXPECT_EQ(axis.name.find('_'), std::string_view::npos) << axis.name;
        EXPECT_EQ(axis.column.find('-'), std::string_view::npos) << axis.column;
    }
    EXPECT_EQ(&axis_named("depth"), axis_of_column("depth"));
    EXPECT_EQ(axis_of_column("wall_us"), nullptr);
    EXPECT_THROW(axis_named("dept"), std::out_of_range);
}

TEST(AxisTable, EveryPlainAxisIsAMemberOfItsOwn)
{
    for (const Axis& axis : plain_axes()) {
        SCOPED_TRACE(axis.name);
        ASSERT_TRUE(axis.get && axis.set && axis.applies);
        Case point;
        const std::uint64_t value = axis.text ? number_of_text("a graph") : 2;
        axis.set(point, value);
        EXPECT_EQ(axis.get(point), value);
        for (const Axis& other : plain_axes())
            EXPECT_TRUE(&other == &axis || other.get(point) == other.get(Case{})) << other.name;
        axis.set(point, std::nullopt);
        EXPECT_EQ(axis.get(point), axis.range.word.empty() ? std::optional<std::uint64_t>(0) : std::nullopt);
    }
    EXPECT_EQ(plain_axes().size() + 3, all_axes().size());
}

// The table has no list of inputs: it asks the workloads.
TEST(AxisTable, HasTheInputsOfTheWorkloads)
{
    const Axis& axis = axis_named("input");
    EXPECT_TRUE(axis.names.empty());
    for (const WorkloadInfo* workload : Registry::workloads())
        for (const InputKind input : workload->inputs) {
            const std::optional<std::uint64_t> number = number_on(axis, input.name());
            ASSERT_TRUE(number) << input.name();
            EXPECT_EQ(text_of(axis, number), input.name());
            Case point;
            axis.set(point, number);
            EXPECT_EQ(point.input, input);
        }
    EXPECT_FALSE(number_on(axis, "no_input"));
    EXPECT_FALSE(number_on(axis, ""));
    EXPECT_TRUE(std::ranges::is_sorted(names_on(axis)));
    EXPECT_EQ(std::ranges::adjacent_find(names_on(axis)), names_on(axis).end());
    EXPECT_EQ(Case{}.input.name(), text_of(axis, axis.default_value));
    EXPECT_EQ(number_on(axis_named("values"), "uint32"), 1U);
}

TEST(AxisTable, TellsValuesInWords)
{
    EXPECT_EQ(text_of(axis_named("grid"), 512), "512");
    EXPECT_EQ(text_of(axis_named("grid"), 0), ""); // a matrix has no grid
    EXPECT_EQ(text_of(axis_named("depth"), 0), "0");
    EXPECT_EQ(text_of(axis_named("depth"), std::nullopt), "full");
    EXPECT_EQ(text_of(axis_named("type"), 2), "float32");
    EXPECT_EQ(text_of(axis_named("type"), 0), "");
    Case point;
    point.shape = {8, 32};
    EXPECT_EQ(text_of(axis_named("block-shape"), axis_named("block-shape").get(point)), "8x32");
}

std::vector<std::string_view> meaningful_axes(const std::string& strategy, Mechanism mechanism,
                                              BackendKind backend = BackendKind::cpu)
{
    std::vector<std::string_view> names;
    for (const Axis& axis : plain_axes())
        if (axis.applies(Registry::find_anywhere(strategy)->info(), mechanism, backend))
            names.push_back(axis.name);
    return names;
}

TEST(AxisTable, KnowsToWhatAnAxisMeansSomething)
{
    EXPECT_THAT(meaningful_axes("neighbored", Mechanism::none),
                ElementsAre("type", "input", "operator", "grid", "block", "elements", "seed"));
    EXPECT_THAT(meaningful_axes("nosync", Mechanism::tail),
                ElementsAre("type", "input", "operator", "grid", "block", "elements", "depth", "pending-limit",
                            "wave", "streams", "delay-us", "seed"));
    EXPECT_THAT(meaningful_axes("fanout", Mechanism::host), ElementsAre("grid", "block"));
    EXPECT_THAT(meaningful_axes("chains", Mechanism::tail),
                ElementsAre("grid", "block", "depth", "pending-limit", "wave", "streams"));
    EXPECT_THAT(meaningful_axes("trees", Mechanism::tail),
                ElementsAre("grid", "block", "depth", "fanout", "pending-limit", "wave", "streams"));
    EXPECT_THAT(meaningful_axes("litmus_counter", Mechanism::fire_and_forget),
                ElementsAre("grid", "block", "pending-limit", "wave", "streams"));
    EXPECT_THAT(meaningful_axes("litmus_counter", Mechanism::fire_and_forget, BackendKind::cuda),
                ElementsAre("grid", "block", "pending-limit", "wave", "streams", "l2")); // it is never held
    EXPECT_THAT(meaningful_axes("chain", Mechanism::graph_tail),
                ElementsAre("grid", "block", "depth", "pending-limit", "wave", "streams", "graphs", "runs",
                            "host-load", "nice", "pin"));
    EXPECT_THAT(meaningful_axes("naive_row", Mechanism::none),
                ElementsAre("type", "elements", "nx", "ny", "block-shape", "seed"));
    const auto on_gpu = [](const std::string& strategy) {
        return meaningful_axes(strategy, Mechanism::none, BackendKind::cuda);
    };
    EXPECT_THAT(on_gpu("neighbored"),
                ElementsAre("type", "input", "operator", "grid", "block", "elements", "seed", "submit", "l2"));
    EXPECT_THAT(on_gpu("thrust"), ElementsAre("type", "input", "operator", "grid", "block", "elements", "seed",
                                              "l2")); // thrust waits inside, so submit does not apply
    EXPECT_THAT(on_gpu("host"), ElementsAre("type", "input", "operator", "grid", "block", "elements", "seed"));
}

TEST(AxisTable, LeavesWhatMeansNothingAtNothing)
{
    Case point{
        .strategy = "chain", .mechanism = Mechanism::host, .elements = 7, .grid = 3, .block = 4, .nx = 5, .depth = 6};
    point.pending_limit = 8;
    point.graphs = 64;
    point.shape = {8, 8};
    reset_meaningless(point);
    const Case left{.strategy = "chain",
                    .mechanism = Mechanism::host,
                    .type = ElementType::none,
                    .grid = 3,
                    .block = 4,
                    .depth = 6,
                    .graphs = 0,
                    .seed = 0,
                    .input = InputKind(),
                    .op = Operator::none};
    EXPECT_EQ(point, left);
}

// As in experiments/README.md and in `nestbed help run`.
TEST(AxisTable, AllowsTheNumbersOfTheDocumentsAndHasTheirDefaults)
{
    struct Numbers {
        std::string_view axis;
        std::uint64_t least, most;
        std::optional<std::uint64_t> usual;
    };
    constexpr std::uint64_t kBlocks = 2147483647;
    constexpr std::uint64_t kAny = UINT32_MAX;
    for (const Numbers& one : {Numbers{"grid", 1, kBlocks, {}},
                               {"block", 1, 1024, {}},
                               {"elements", 1, kBlocks * 1024, {}},
                               {"nx", 1, 65535, 2048},
                               {"ny", 1, 65535, 2048},
                               {"depth", 0, kAny, {}},
                               {"threshold", 0, kAny, 0},
                               {"coarsen", 1, 65536, 1},
                               {"dwell", 1, 65535, 512},
                               {"division", 1, 1024, 0},
                               {"fanout", 2, 256, 0},
                               {"grain", 1, 65535, 0},
                               {"cutoff", 1, 65535, 0},
                               {"budget", 1, 1'000'000, 16},
                               {"levels", 1, 16, 0},
                               {"edge-factor", 1, 1048576, 16},
                               {"bucket-width", 1, kAny, 64},
                               {"tree-levels", 1, kAny, 11},
                               {"root-children", 1, kAny, 2000},
                               {"path-nodes", 1, kAny, 1000},
                               {"queens", 1, kAny, 12},
                               {"time-steps", 1, kAny, 8},
                               {"cell-work", 1, 65535, 64},
                               {"tenant-count", 1, kAny, 64},
                               {"level-nodes", 1, 65535, 256},
                               {"node-work", 1, 65535, 64},
                               {"arrival-gap-us", 1, kAny, 10},
                               {"leaves", 1, 1024, 128},
                               {"leaf-points", 1, 65535, 20480},
                               {"near-every", 1, 65535, 64},
                               {"points-per-thread", 1, 8, 4},
                               {"iterations", 1, 16, 16},
                               {"pending-limit", 1, INT32_MAX, {}},
                               {"wave", 1, kBlocks, {}},
                               {"streams", 1, 64, {}},
                               {"delay-us", 0, 1'000'000, 0},
                               {"graphs", 1, 256, 1},
                               {"seed", 0, UINT64_MAX, 1},
                               {"runs", 1, 1'000'000, 1},
                               {"host-load", 0, 64, 0},
                               {"nice", 0, 19, 0}}) {
        const Axis& axis = axis_named(one.axis);
        EXPECT_EQ(axis.range.least, one.least) << one.axis;
        EXPECT_EQ(axis.range.most, one.most) << one.axis;
        EXPECT_EQ(axis.default_value, one.usual) << one.axis;
    }
    for (const std::string_view name : {"type", "input", "operator", "aggregate", "overflow", "submit", "l2"}) {
        EXPECT_EQ(axis_named(name).range.least, 1U) << name; // the first name is that of nothing
        EXPECT_EQ(axis_named(name).default_value, 1U) << name;
    }
    EXPECT_THAT(names_on(axis_named("pin")), ElementsAre("no", "yes"));
    EXPECT_EQ(axis_named("pin").default_value, 0U);
}

} // namespace
} // namespace nestbed
