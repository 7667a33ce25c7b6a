// The rules of dynamic parallelism, checked in the traces of real strategies: which grid begins when, by mechanism
// and schedule.
#include "device/backends.hpp"
#include "support/battery.hpp"
#include "support/effort.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

constexpr std::uint32_t kRoomForAll = 8192; // grids

// Not data-dependent: these rules take the launches from the closed form (child_forms_test.cpp traces the others).
// litmus_test.cpp has the traces of the others: two patterns launch by two mechanisms each, one is wrong under fifo.
bool launches_here(const Way& way)
{
    static const std::set<std::string> kOthers{"litmus_child_tail", "litmus_grandchild_tail", "litmus_child_write"};
    return from_device(way.mechanism) && !way.needs_cuda() && !way.is_irregular() && !kOthers.contains(way.strategy);
}

std::vector<Shape> shapes_of(const Way& way)
{
    if (way.has_matrix()) // 3 x 3, 2 x 2 and 5 x 3 tiles
        return {{.name = "ragged", .nx = 70, .ny = 130, .block_shape = {16, 16}},
                {.name = "four_tiles", .nx = 64, .ny = 128, .block_shape = {16, 16}},
                {.name = "depth_2", .depth = 2, .nx = 150, .ny = 170, .block_shape = {16, 8}}};
    if (way.strategy == "nested_best")
        return {{"two_tiles", 32, 512, 0}, {"two_tiles_ragged", 33, 512, 16401}};
    if (tries_few()) // these tests compare all pairs of grids
        return {{"ragged", 3, 64, 3 * 64 - 13}, {"depth_2", 3, 64, 0, 2}};
    return {{"small", 4, 16, 0},       {"ragged", 7, 64, 7 * 64 - 13}, {"one_block", 1, 32, 0},
            {"depth_2", 3, 64, 0, 2},  {"fan_in_twice", 33, 32, 1025}, {"depth_0", 3, 32, 0, 0},
            {"many_blocks", 300, 4, 0}};
}

constexpr Shape kThreeAggregates{"", 33, 32, 1025}; // number of root blocks of aggregated_block

ExpectedLaunches form_of(const Way& way, const Case& point)
{
    return Registry::find(BackendKind::cpu, way.strategy)->launches(point);
}
bool has_waves(const Way& way)
{
    return launches_here(way) && !way.has_matrix() &&
           form_of(way, case_of(BackendKind::cpu, way.strategy, kThreeAggregates)).root_blocks > 1;
}
// The strategy uses as many threads as the shape has.
bool has_many_threads(const Way& way)
{
    return launches_here(way) && !way.has_matrix() && way.strategy != "nested_best";
}

// A trace, and which grid is the child of which.
class Family
{
  public:
    explicit Family(const Trace& trace)
        : grids_(trace.grids), children_(trace.grids.size()), complete_ns_(trace.grids.size())
    {
        for (std::size_t grid = grids_.size(); grid-- > 0;) {
            complete_ns_[grid] = std::max(complete_ns_[grid], grids_[grid].ended_ns.value_or(0));
            if (grids_[grid].parent == kNoGrid)
                continue;
            children_[grids_[grid].parent].push_back(grid);
            complete_ns_[grids_[grid].parent] = std::max(complete_ns_[grids_[grid].parent], complete_ns_[grid]);
        }
        for (auto& siblings : children_)
            std::ranges::stable_sort(siblings, {}, [this](std::size_t grid) { return *grids_[grid].called_ns; });
    }

    // In the order of their launch calls.
    const std::vector<std::size_t>& children(std::size_t grid) const { return children_[grid]; }
    // The time when the grid and all its descendants have ended.
    std::uint64_t complete_ns(std::size_t grid) const { return complete_ns_[grid]; }

    // Calls check(parent, earlier, later) for every pair of children of one grid.
    template <class Check>
    void for_siblings(Check&& check) const
    {
        for (std::size_t parent = 0; parent < grids_.size(); ++parent)
            for (std::size_t later = 1; later < children_[parent].size(); ++later)
                for (std::size_t earlier = 0; earlier < later; ++earlier)
                    check(parent, children_[parent][earlier], children_[parent][later]);
    }

  private:
    const std::vector<TracedGrid>& grids_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<std::uint64_t> complete_ns_;
};

// All grids are there, as many per depth as the closed form says, and each is complete.
void expect_all_grids(const Trace& trace, const Case& point)
{
    const ExpectedLaunches form = Registry::find(BackendKind::cpu, point.strategy)->launches(point);
    EXPECT_EQ(trace.lost, 0U);
    EXPECT_EQ(trace.capacity, kRoomForAll);
    ASSERT_EQ(trace.grids.size(), trace.sample.waves + form.total());
    std::vector<std::uint64_t> by_depth(form.levels() + 1);
    std::uint64_t blocks_of_roots = 0;
    for (std::size_t index = 0; index < trace.grids.size(); ++index) {
        const TracedGrid& grid = trace.grids[index];
        SCOPED_TRACE("grid " + std::to_string(index));
        ASSERT_LE(grid.depth, form.levels());
        ++by_depth[grid.depth];
        ASSERT_TRUE(grid.begun_ns && grid.ended_ns);
        EXPECT_GE(*grid.ended_ns, *grid.begun_ns);
        EXPECT_GE(grid.threads, 1U);
        EXPECT_GE(grid.blocks, 1U);
        EXPECT_EQ(grid.error, 0);
        EXPECT_EQ(grid.error_name, "");
        EXPECT_LT(grid.multiprocessor, trace.device.multiprocessors);
        EXPECT_GE(grid.multiprocessors, 1U);
        EXPECT_LE(grid.multiprocessors, std::min(grid.blocks, trace.device.multiprocessors));
        ASSERT_EQ(grid.called_ns.has_value(), grid.parent != kNoGrid); // the host launches root grids
        if (grid.parent == kNoGrid) {
            EXPECT_EQ(grid.depth, 0U);
            blocks_of_roots += grid.blocks;
            continue;
        }
        ASSERT_LT(grid.parent, index);
        EXPECT_EQ(grid.depth, trace.grids[grid.parent].depth + 1);
        EXPECT_GE(*grid.begun_ns, *grid.called_ns);
        EXPECT_GE(*grid.called_ns, *trace.grids[grid.parent].begun_ns);
        EXPECT_LE(*grid.called_ns, *trace.grids[grid.parent].ended_ns);
    }
    EXPECT_EQ(by_depth.front(), trace.sample.waves);
    EXPECT_EQ(std::vector(by_depth.begin() + 1, by_depth.end()), form.by_depth);
    if (form.per_root_block()) {
        EXPECT_EQ(blocks_of_roots, form.root_blocks);
    }
}

// Checks the threads per block, for the strategies named here.
void expect_threads(const Trace& trace, const Case& point)
{
    static const std::set<std::string> kHalved{"synced", "nosync",  "hello",        "barrier",
                                               "tail",   "reduce2", "reduce2_tail", "aggregated_grid"};
    static const std::set<std::string> kKept{"chain",     "trees",         "trees_by_lanes",
                                             "chains",    "chains_synced", "aggregated_block",
                                             "wide_warp", "wide_block",    "nested_best"};
    const Family family(trace);
    for (std::size_t index = 0; index < trace.grids.size(); ++index) {
        const TracedGrid& grid = trace.grids[index];
        if (point.strategy == "recursive_transpose") {
            EXPECT_EQ(grid.threads, family.children(index).empty() ? 256U : 4U);
        }
        if (grid.parent == kNoGrid)
            continue;
        const std::uint32_t parents = trace.grids[grid.parent].threads;
        if (kHalved.contains(point.strategy)) {
            EXPECT_EQ(2 * grid.threads, parents);
        }
        if (kKept.contains(point.strategy)) {
            EXPECT_EQ(grid.threads, parents);
        }
        if (point.strategy == "fanout") {
            EXPECT_EQ(grid.threads, point.block);
        }
    }
}

// What the CUDA programming guide promises for every launch with this way. It must hold under every schedule.
void expect_rules(const Trace& trace, const Way& way)
{
    const std::vector<TracedGrid>& grids = trace.grids;
    const Family family(trace);
    const bool waits = form_of(way, trace.point).parent_waits;
    for (const TracedGrid& grid : grids)
        if (way.mechanism == Mechanism::tail && grid.parent != kNoGrid) {
            EXPECT_GE(*grid.begun_ns, *grids[grid.parent].ended_ns);
        }
    for (std::size_t grid = 0; grid < grids.size(); ++grid)
        if (waits && grids[grid].parent != kNoGrid) {
            EXPECT_LE(family.complete_ns(grid), *grids[grids[grid].parent].ended_ns);
        }
    family.for_siblings([&](std::size_t parent, std::size_t earlier, std::size_t later) {
        const bool in_order = *grids[later].begun_ns >= family.complete_ns(earlier);
        const bool reversed = *grids[earlier].begun_ns >= family.complete_ns(later);
        const bool one_block = grids[parent].blocks == 1; // its calls have one order, the same for all
        if (way.mechanism == Mechanism::null_stream) {
            EXPECT_TRUE(in_order || !one_block) << earlier << " and " << later << " of " << parent;
        }
        if (way.mechanism == Mechanism::tail) { // one stream per grid; its blocks make their calls in any order
            EXPECT_TRUE(in_order || (reversed && !one_block)) << earlier << " and " << later << " of " << parent;
        }
    });
    // Waves of one stream: a root grid waits for everything that the previous one launched.
    for (std::size_t root = 1; root < grids.size() && grids[root].parent == kNoGrid; ++root)
        EXPECT_GE(*grids[root].begun_ns, family.complete_ns(root - 1));
}

// A child waits for every grid that was running when it was called.
void expect_fifo(const Trace& trace)
{
    for (const TracedGrid& child : trace.grids)
        for (const TracedGrid& other : trace.grids) {
            const bool ran = child.called_ns && &other != &child && *other.begun_ns <= *child.called_ns &&
                             *child.called_ns <= *other.ended_ns;
            EXPECT_TRUE(!ran || *child.begun_ns >= *other.ended_ns);
        }
}

// A child and all its descendants are complete before the launch call returns.
void expect_eager(const Trace& trace)
{
    const Family family(trace);
    for (std::size_t grid = 0; grid < trace.grids.size(); ++grid)
        if (trace.grids[grid].parent != kNoGrid) {
            EXPECT_LE(family.complete_ns(grid), *trace.grids[trace.grids[grid].parent].ended_ns);
        }
    family.for_siblings([&](std::size_t /*parent*/, std::size_t earlier, std::size_t later) {
        EXPECT_GE(*trace.grids[later].called_ns, family.complete_ns(earlier));
    });
}

class TraceRules : public testing::TestWithParam<Way>
{
  protected:
    static Trace traced(LocalSession& session, const Case& point, unsigned repetition = 0)
    {
        Trace trace = session.trace(point, repetition, kRoomForAll);
        EXPECT_EQ(trace.point, point);
        EXPECT_EQ(trace.schedule, session.schedule());
        EXPECT_EQ(trace.device.name, session.facts().name);
        EXPECT_GT(trace.timer_step_ns, 0U);
        expect_launches(trace.sample, point);
        const bool right_or_racy =
            trace.sample.status == Status::ok || (trace.sample.status == Status::wrong && GetParam().info().racy);
        EXPECT_TRUE(right_or_racy) << trace.sample.detail;
        if (trace.sample.status == Status::ok) {
            EXPECT_EQ(trace.run_us, trace.sample.wall_us);
        }
        expect_all_grids(trace, point);
        if (!testing::Test::HasFatalFailure() && trace.grids.size() > trace.sample.waves)
            expect_threads(trace, point);
        return trace;
    }

    // Calls check(trace) for all shapes and types, `times` times each.
    template <class Check>
    static std::size_t for_traces(LocalSession& session, unsigned times, Check&& check)
    {
        std::size_t traces = 0;
        for (const Shape& shape : shapes_of(GetParam()))
            for (const ElementType type : types_of(GetParam()))
                for (unsigned time = 0; time < times && !HasFailure(); ++time, ++traces) {
                    SCOPED_TRACE(std::string(shape.name) + " " + std::string(name_of(type)));
                    const Trace trace = traced(session, case_of(BackendKind::cpu, GetParam(), shape, type), time);
                    if (HasFailure())
                        continue;
                    expect_rules(trace, GetParam());
                    check(trace);
                }
        return traces;
    }
    static bool waits()
    {
        return std::string_view(GetParam().strategy).ends_with("synced") ||
               GetParam().strategy == "litmus_child_flag";
    }
};
class TraceOfManyThreads : public TraceRules
{
};
class TraceOfWaves : public TraceRules
{
};

TEST_P(TraceRules, HoldUnderFifoWhereChildrenWaitForWhatRuns)
{
    for (const unsigned workers : {1U, 3U}) {
        const auto session = open_session(BackendKind::cpu, {.schedule = "fifo", .workers = workers});
        for_traces(*session, 1, [&](const Trace& trace) {
            if (!waits())
                expect_fifo(trace);
        });
    }
}

// Enough threads to wake several workers.
TEST_P(TraceOfManyThreads, KeepsTheRulesWhenTheWorkersShareThem)
{
    const auto session = open_session(BackendKind::cpu, {.schedule = "fifo", .workers = 3});
    for (int time = 0; time < 5 && !HasFailure(); ++time) {
        const Shape shape{"", 90, 64, 0};
        const Trace trace =
            traced(*session, case_of(BackendKind::cpu, GetParam(), shape, types_of(GetParam()).front()));
        if (HasFailure())
            return;
        expect_rules(trace, GetParam());
        if (!waits())
            expect_fifo(trace);
    }
}

TEST_P(TraceRules, HoldUnderEagerWhereChildrenRunAtTheirCall)
{
    const auto session = open_session(BackendKind::cpu, {.schedule = "eager"});
    for_traces(*session, 1, [&](const Trace& trace) {
        if (GetParam().mechanism != Mechanism::tail)
            expect_eager(trace);
    });
}

TEST_P(TraceRules, HoldInRandomOrders)
{
    const std::size_t wanted = random_orders(10, 100);
    const std::size_t seeds = random_orders(2, 5);
    const std::size_t cases = shapes_of(GetParam()).size() * types_of(GetParam()).size();
    std::size_t orders = 0;
    for (unsigned seed = 1; seed <= seeds; ++seed) {
        const auto session =
            open_session(BackendKind::cpu, {.schedule = "random:" + std::to_string(seed), .workers = 1});
        orders += for_traces(*session, static_cast<unsigned>((wanted - 1) / (seeds * cases) + 1),
                             [](const Trace& /*trace*/) {});
    }
    EXPECT_TRUE(orders >= wanted || HasFailure()) << orders;
}

TEST_P(TraceOfWaves, KeepsTheRulesInEveryTreeAndBetweenThem)
{
    Case point = case_of(BackendKind::cpu, GetParam(), kThreeAggregates, types_of(GetParam()).front());
    const ExpectedLaunches form = form_of(GetParam(), point);
    for (const char* schedule : {"fifo", "eager", "random:1"}) {
        SCOPED_TRACE(schedule);
        const auto session = open_session(BackendKind::cpu, {.schedule = schedule});
        for (const std::uint32_t wave : {1U, 2U, 5U}) {
            point.wave = wave;
            const Trace trace = traced(*session, point);
            EXPECT_EQ(trace.sample.waves, (form.root_blocks - 1) / wave + 1);
            if (!HasFailure())
                expect_rules(trace, GetParam());
        }
    }
}

TEST_P(TraceRules, SamplesBeforeAndAfterATraceAreAsEver)
{
    const auto session = open_session(BackendKind::cpu, {.schedule = "fifo"});
    for (const Shape& shape : shapes_of(GetParam())) {
        SCOPED_TRACE(shape.name);
        const Case point = case_of(BackendKind::cpu, GetParam(), shape, types_of(GetParam()).front());
        const Sample before = session->sample(point, 0);
        const Trace trace = traced(*session, point);
        const Sample after = session->sample(point, 0);
        for (const Sample* sample : {&before, &trace.sample, &after}) {
            expect_ok(*sample, point);
            EXPECT_EQ(sample->answer, before.answer);
            EXPECT_EQ(sample->host_launches, before.host_launches);
            EXPECT_EQ(sample->pending_limit, before.pending_limit);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cpu, TraceRules, testing::ValuesIn(ways_of(BackendKind::cpu, launches_here)), kWayName);
INSTANTIATE_TEST_SUITE_P(Cpu, TraceOfManyThreads, testing::ValuesIn(ways_of(BackendKind::cpu, has_many_threads)),
                         kWayName);
INSTANTIATE_TEST_SUITE_P(Cpu, TraceOfWaves, testing::ValuesIn(ways_of(BackendKind::cpu, has_waves)), kWayName);

// The schedule random shows which orders the mechanisms leave open, and which they do not.
TEST(TraceOrder, OfSiblingsIsOpenUnlessAStreamOrdersThem)
{
    constexpr Shape kQuadrants{.name = "", .nx = 64, .ny = 128, .block_shape = {16, 16}};
    for (const Way& way : ways_of(BackendKind::cpu, launches_here)) {
        if (way.strategy != "recursive_transpose")
            continue;
        SCOPED_TRACE(name_of(way));
        const auto session = open_session(BackendKind::cpu, {.schedule = "random:1", .workers = 1});
        unsigned overlaps = 0;
        unsigned reversals = 0;
        for (unsigned run = 0; run < 50; ++run) {
            const Trace trace =
                session->trace(case_of(BackendKind::cpu, way, kQuadrants, ElementType::float32), run, kRoomForAll);
            ASSERT_EQ(trace.grids.size(), 5U);
            Family(trace).for_siblings([&](std::size_t /*parent*/, std::size_t earlier, std::size_t later) {
                reversals += *trace.grids[later].begun_ns < *trace.grids[earlier].begun_ns ? 1 : 0;
                overlaps += *trace.grids[later].begun_ns < *trace.grids[earlier].ended_ns &&
                                    *trace.grids[earlier].begun_ns < *trace.grids[later].ended_ns
                                ? 1
                                : 0;
            });
        }
        const bool ordered = way.mechanism == Mechanism::null_stream || way.mechanism == Mechanism::tail;
        EXPECT_EQ(overlaps == 0, ordered) << overlaps;
        EXPECT_EQ(reversals == 0, ordered) << reversals;
    }
}

// If the input of a transpose does not exist yet, kernels create it. The orders drawn for those kernels must not
// affect those of the transpose.
TEST(TraceOrder, OfARepetitionDoesNotDependOnWhatRanBefore)
{
    const Case point =
        case_of(BackendKind::cpu, "recursive_transpose", {.name = "", .nx = 64, .ny = 128, .block_shape = {16, 16}});
    const auto begun = [&](LocalSession& session, unsigned repetition) {
        const Trace trace = session.trace(point, repetition, kRoomForAll);
        std::vector<std::size_t> order(trace.grids.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::sort(order, {}, [&](std::size_t grid) { return trace.grids[grid].begun_ns; });
        return order;
    };
    const auto open = [] { return open_session(BackendKind::cpu, {.schedule = "random:1"}); };
    const auto used = open();
    std::set<std::vector<std::size_t>> orders;
    for (const unsigned repetition : {7U, 2U, 5U, 0U, 3U, 1U, 4U, 6U}) {
        const std::vector<std::size_t> order = begun(*used, repetition);
        EXPECT_EQ(order, begun(*open(), repetition));
        orders.insert(order);
    }
    EXPECT_GT(orders.size(), 2U);
}

} // namespace
} // namespace nestbed
