// Data-dependent launches on the executor: the irregular workloads by every aggregation, threshold, coarsening and overflow.
#include "device/backends.hpp"
#include "model/trace.hpp"
#include "support/battery.hpp"
#include "support/plan_support.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{
namespace
{

using testing::AnyOf;
using enum Mechanism;

constexpr std::array kAggregations{Aggregate::none,         Aggregate::warp,         Aggregate::block,
                                   Aggregate::multiblock_2, Aggregate::multiblock_4, Aggregate::multiblock_64,
                                   Aggregate::grid};

std::unique_ptr<LocalSession> local_session_of(const std::string& schedule)
{
    return open_session(BackendKind::cpu, {.schedule = schedule, .workers = 1});
}

bool requests(const Way& way)
{
    return way.info().requests && !way.needs_cuda() && !way.info().racy;
}

bool sorts(const Way& way)
{
    return way.info().workload->name == "sort";
}

bool searches(const Way& way)
{
    return way.info().workload->name == "search";
}

// A search of an input, with several root blocks and several levels above the cutoff where the input has them.
void make_search(Case& point, InputKind input)
{
    point.input = input;
    point["tree-levels"] = input == InputKind("t1") ? 5 : 0;
    point["queens"] = input == InputKind("queens") ? 7 : 0;
    point["path-nodes"] = input == InputKind("path") ? 40 : 0;
    point["root-children"] = input == InputKind("t3") || input == InputKind("t3l") ? 60 : 0;
    point["cutoff"] = 5;
    point["budget"] = point["budget"] == 0 ? 0 : 1;
}

// The last block of an item requests what follows.
bool divides_ranges(const Way& way)
{
    return sorts(way) || way.info().workload->name == "quadtree";
}

// 211 lines in 4 blocks of two warps; an image of odd sides with three levels below its 9 parts; 2111 keys or
// points, in parts of several blocks.
Case usual(const Way& way)
{
    const Shape lines{"", 4, 64, 211};
    const Shape image{.name = "", .nx = 61, .ny = 47};
    const Shape keys{"", 40, 64, 2111};
    Case point = case_of(BackendKind::cpu, way,
                         way.has_matrix()      ? image
                         : divides_ranges(way) ? keys
                                               : lines,
                         types_of(way).front());
    if (sorts(way))
        point["grain"] = 50;
    if (searches(way))
        make_search(point, InputKind("t3l"));
    if (way.info().over_graph()) { // vertices with 1 to 38 edges
        point.input = InputKind("zipf");
        point["edge-factor"] = 8;
    }
    if (way.info().workload->name == "mst") // whose rounds launch again for all vertices
        point.elements = 150;
    if (way.strategy == "triangles_edges") // a child per edge
        point.elements = 30;
    return point;
}

// Which group of blocks launches depends on the order, where the last block of an item requests.
std::vector<Aggregate> aggregations_of(const Way& way)
{
    if (divides_ranges(way))
        return {Aggregate::none, Aggregate::warp, Aggregate::block, Aggregate::grid};
    return {kAggregations.begin(), kAggregations.end()};
}

std::string description_of(const Case& point)
{
    return std::string(name_of(*point.mechanism)) + " " + std::string(name_of(point.aggregate)) + " threshold " +
           std::to_string(point.threshold) + " coarsen " + std::to_string(point.coarsen) + " " +
           std::string(name_of(point.overflow));
}

// Right, with as many launches as the oracle says: launched or replaced.
void expect_by_oracle(const Sample& sample, const Case& point)
{
    ASSERT_EQ(sample.status, Status::ok) << description_of(point) << ": " << sample.detail;
    ASSERT_TRUE(sample.launches && sample.requests && sample.launches_expected && sample.work);
    const LaunchCounts& counts = *sample.launches;
    const RequestSample& requests = *sample.requests;
    EXPECT_EQ(counts.attempted - requests.drains, *sample.launches_expected) << description_of(point);
    EXPECT_EQ(counts.failed, requests.replaced + requests.drains_refused) << description_of(point);
    EXPECT_GE(requests.items, *sample.launches_expected == 0 ? 0U : 1U);
    EXPECT_GE(requests.child_blocks, *sample.launches_expected);
    EXPECT_EQ(sample.answer, sample.reference);
}

class Requesting : public testing::TestWithParam<Way>
{
};

TEST_P(Requesting, IsRightByEveryAggregationThresholdAndCoarsening)
{
    Combinations combinations(3);
    for (const char* schedule : every_schedule()) {
        SCOPED_TRACE(schedule);
        const auto session = local_session_of(schedule);
        Case point = usual(GetParam());
        for (const Aggregate aggregate : aggregations_of(GetParam()))
            for (const std::uint32_t threshold : all_or_few(std::vector{0U, 9U, 20U, 1U << 20}, {9U}))
                for (const std::uint32_t coarsen : all_or_few(std::vector{1U, 3U}, {3U})) {
                    if (!combinations.takes())
                        continue;
                    point.aggregate = aggregate;
                    point.threshold = threshold;
                    point.coarsen = coarsen;
                    const Sample sample = session->sample(point, 0);
                    expect_by_oracle(sample, point);
                    EXPECT_EQ(sample.launches->failed, 0U);
                    if (threshold == 1U << 20) {
                        EXPECT_EQ(sample.launches->attempted, 0U);
                    }
                    if (HasFailure())
                        return;
                }
    }
}

TEST_P(Requesting, IsRightAtEveryDepth)
{
    const auto session = local_session_of(all_or_few("random:1", "fifo"));
    const auto in_turn = local_session_of("fifo");
    Combinations in_random_order(3);
    Case point = usual(GetParam());
    for (const Aggregate aggregate : all_or_few(aggregations_of(GetParam()), {Aggregate::none, Aggregate::grid}))
        for (const std::uint32_t depth : all_or_few(std::vector{0U, 1U, 2U, 20U}, {1U})) {
            point.aggregate = aggregate;
            point.depth = depth;
            const Sample sample = (in_random_order.takes() ? session : in_turn)->sample(point, depth);
            expect_by_oracle(sample, point);
            EXPECT_LE(sample.launches->max_depth, depth);
        }
}

TEST_P(Requesting, IsRightInManyOrders)
{
    const auto session = local_session_of("random:7");
    Case point = usual(GetParam());
    for (const Aggregate aggregate : aggregations_of(GetParam()))
        for (unsigned order = 0; order < random_orders(2, 10) && !HasFailure(); ++order) {
            point.aggregate = aggregate;
            expect_by_oracle(session->sample(point, order), point);
        }
}

TEST_P(Requesting, IsRightInBlocksOfAnySize)
{
    const auto session = local_session_of(is_thorough() ? "random:1" : "fifo");
    Case point = usual(GetParam());
    for (const std::uint32_t block : all_or_few(std::vector{32U, 128U, 1024U}, {128U})) {
        point.block = block;
        if (!GetParam().has_matrix() && point.elements != 0)
            point.grid = static_cast<std::uint32_t>((point.elements - 1) / block + 1);
        for (const Aggregate aggregate :
             all_or_few(std::vector{Aggregate::none, Aggregate::warp, Aggregate::block, Aggregate::grid},
                        {Aggregate::block})) {
            if (block == 1024 && aggregate != Aggregate::grid)
                continue; // seconds
            point.aggregate = aggregate;
            expect_by_oracle(session->sample(point, 0), point);
        }
    }
}

TEST_P(Requesting, OfEveryInputIsRight)
{
    const auto session = local_session_of(all_or_few("random:1", "fifo"));
    const auto in_turn = local_session_of("fifo");
    Combinations in_random_order(2);
    Case point = usual(GetParam());
    for (const InputKind input : GetParam().info().workload->inputs) {
        if (input == InputKind("file"))
            continue; // tests/device/bfs_test.cpp
        point.input = input;
        if (searches(GetParam()))
            make_search(point, input);
        for (const Aggregate aggregate :
             all_or_few(std::vector{Aggregate::none, Aggregate::warp, Aggregate::grid}, {Aggregate::warp})) {
            point.aggregate = aggregate;
            expect_by_oracle((in_random_order.takes() ? session : in_turn)->sample(point, 0), point);
        }
    }
}

// ---- more launches than may be pending ----

class Overflowing : public Requesting
{
};

TEST_P(Overflowing, ReplacesWhatIsRefused)
{
    Combinations combinations(3);
    for (const char* schedule : every_schedule()) {
        const auto session = local_session_of(schedule);
        std::uint64_t replaced = 0;
        std::uint64_t drains = 0;
        const std::size_t orders =
            schedule == std::string_view("random:1") ? random_orders(1, 2) : 1; // others have one
        for (const Overflow overflow : {Overflow::inline_run, Overflow::spill})
            for (const Aggregate aggregate : all_or_few(aggregations_of(GetParam()), {Aggregate::none}))
                for (const std::uint32_t limit : all_or_few(std::vector{1U, 5U}, {5U})) {
                    if (!combinations.takes())
                        continue;
                    for (unsigned order = 0; order < orders; ++order) {
                        Case point = usual(GetParam());
                        point.overflow = overflow;
                        point.aggregate = aggregate;
                        point.pending_limit = limit;
                        const Sample sample = session->sample(point, order);
                        SCOPED_TRACE(std::string(schedule) + " limit " + std::to_string(limit));
                        expect_by_oracle(sample, point);
                        if (HasFailure())
                            return;
                        EXPECT_TRUE(overflow == Overflow::spill || sample.requests->drains == 0);
                        replaced += sample.requests->replaced;
                        drains += sample.requests->drains;
                    }
                }
        if (schedule != std::string("eager")) { // a child that ends at once holds no place
            EXPECT_GT(replaced, 0U) << schedule;
            EXPECT_GT(drains, 0U) << schedule;
        }
    }
}

// Each wave has its own list of what was refused: a drain of an earlier wave is over.
TEST_P(Overflowing, SpillsInEveryWave)
{
    std::uint64_t drains = 0;
    for (const std::string schedule : all_or_few(std::vector{"fifo", "random:1"}, {"fifo"})) {
        const auto session = local_session_of(schedule);
        const std::size_t orders = schedule == "fifo" ? 1 : random_orders(1, 3);
        for (const std::uint32_t limit : all_or_few(std::vector{2U, 4U, 8U}, {4U}))
            for (const std::uint32_t wave : all_or_few(std::vector{1U, 3U}, {3U}))
                for (unsigned order = 0; order < orders; ++order) {
                    Case point = usual(GetParam());
                    point.overflow = Overflow::spill;
                    point.pending_limit = limit;
                    point.wave = wave;
                    point.streams = 2;
                    const Sample sample = session->sample(point, order);
                    SCOPED_TRACE(schedule + " wave " + std::to_string(wave));
                    expect_by_oracle(sample, point);
                    if (HasFailure())
                        return;
                    drains += sample.requests->drains - sample.requests->drains_refused;
                }
    }
    EXPECT_TRUE(drains > 0 || tries_few() ||
                GetParam().strategy != "mandelbrot_naive"); // others leave no room for a drain
}

TEST_P(Overflowing, InWavesRefusesNothing)
{
    if (divides_ranges(GetParam()))
        return; // all root blocks process one item: its launches cannot be divided into waves
    for (const char* schedule : every_schedule()) {
        SCOPED_TRACE(schedule);
        const auto session = local_session_of(schedule);
        Case point = usual(GetParam());
        const std::uint64_t all = *session->sample(point, 0).launches_expected;
        point.pending_limit = static_cast<std::uint32_t>(all / 2);
        if (GetParam().info().over_graph()) // the waves of a round: more than a root block launches, fewer than all
            point.pending_limit = 128;
        ASSERT_GT(all, 20U);
        const Sample sample = session->sample(point, 0);
        expect_by_oracle(sample, point);
        EXPECT_GT(sample.waves, 1U);
        EXPECT_EQ(sample.launches->failed, 0U);
        EXPECT_EQ(sample.requests->replaced, 0U);
    }
}

TEST_P(Overflowing, FailsWhereItIsToldTo)
{
    const auto session = local_session_of("fifo");
    Case point = usual(GetParam());
    point.overflow = Overflow::fail;
    point.pending_limit = 5;
    const Sample sample = session->sample(point, 0);
    EXPECT_EQ(sample.status, Status::launch_failed);
    EXPECT_THAT(sample.detail, HasSubstr("under a pending-launch limit of 5"));
    EXPECT_FALSE(sample.wall_us);
    EXPECT_EQ(sample.requests->replaced, 0U);
}

bool may_overflow(const Way& way)
{
    return requests(way) && way.mechanism != tail;
}

INSTANTIATE_TEST_SUITE_P(Cpu, Requesting, testing::ValuesIn(ways_of(BackendKind::cpu, requests)), kWayName);
INSTANTIATE_TEST_SUITE_P(Cpu, Overflowing, testing::ValuesIn(ways_of(BackendKind::cpu, may_overflow)), kWayName);

// ---- numbers that can be counted by hand ----

Case lines(std::uint64_t elements, std::uint32_t grid, Aggregate aggregate, std::uint32_t threshold = 0)
{
    Case point =
        case_of(BackendKind::cpu, {"bezier_children", fire_and_forget}, {"", grid, 64, elements}, ElementType::none);
    point.aggregate = aggregate;
    point.threshold = threshold;
    return point;
}

TEST(BezierChildren, LaunchOncePerLineWarpBlockAndGroup)
{
    const auto session = local_session_of("fifo");
    const auto launches = [&](Aggregate aggregate) {
        return *session->sample(lines(5 * 64 + 7, 6, aggregate), 0).launches_expected;
    };
    EXPECT_EQ(launches(Aggregate::none), 327U);
    EXPECT_EQ(launches(Aggregate::warp), 11U);
    EXPECT_EQ(launches(Aggregate::block), 6U);
    EXPECT_EQ(launches(Aggregate::multiblock_2), 3U);
    EXPECT_EQ(launches(Aggregate::multiblock_4), 2U);
    EXPECT_EQ(launches(Aggregate::multiblock_64), 1U);
    EXPECT_EQ(launches(Aggregate::grid), 1U);
}

TEST(BezierChildren, OfMoreLinesThanTheUsualLimitAreAllLaunched)
{
    const auto session = local_session_of("fifo");
    const Case point = lines(3000, 47, Aggregate::none);
    const Sample sample = session->sample(point, 0);
    expect_by_oracle(sample, point);
    EXPECT_EQ(sample.launches->attempted, 3000U);
    EXPECT_GE(sample.pending_limit, 3000U);
}

TEST(BezierChildren, LaunchFewerTheHigherTheThreshold)
{
    const auto session = local_session_of("fifo");
    std::uint64_t last = 1000;
    for (const std::uint32_t threshold : {4U, 5U, 10U, 20U, 32U, 33U}) { // lines have 4 to 32 points
        const std::uint64_t launches =
            *session->sample(lines(1000, 16, Aggregate::none, threshold), 0).launches_expected;
        EXPECT_EQ(launches == 1000, threshold == 4);
        EXPECT_LE(launches, last);
        last = launches;
    }
    EXPECT_EQ(last, 0U);
}

TEST(BezierUnordered, IsWrongUnlessChildrenStartLate)
{
    const Case point =
        case_of(BackendKind::cpu, {"bezier_unordered", fire_and_forget}, {"", 2, 64, 128}, ElementType::none);
    EXPECT_EQ(local_session_of("fifo")->sample(point, 0).status, Status::ok);
    EXPECT_EQ(local_session_of("eager")->sample(point, 0).status, Status::wrong);
}

Case image(const char* strategy, std::uint32_t nx, std::uint32_t ny, InputKind input = InputKind("set"))
{
    Case point = case_of(BackendKind::cpu, strategy, {.name = "", .nx = nx, .ny = ny});
    point.input = input;
    return point;
}

TEST(MandelbrotForms, GiveTheSameImage)
{
    for (const char* schedule : every_schedule()) {
        const auto session = local_session_of(schedule);
        for (const auto& [nx, ny] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{{1, 1}, {1, 30}, {61, 47}})
            for (const char* strategy : {"mandelbrot_naive", "mandelbrot_split", "mandelbrot_levels",
                                         "mandelbrot_queue", "mandelbrot_exhaustive"})
                for (const InputKind input : Registry::find_anywhere(strategy)->info().workload->inputs) {
                    SCOPED_TRACE(std::string(schedule) + " " + strategy + " " + std::string(name_of(input)));
                    const Sample sample = session->sample(image(strategy, nx, ny, input), 0);
                    ASSERT_EQ(sample.status, Status::ok) << sample.detail;
                    EXPECT_EQ(sample.answer, std::to_string(nx * ny));
                    EXPECT_TRUE(sample.pixels_off);
                    EXPECT_TRUE(sample.work);
                }
    }
}

TEST(MandelbrotForms, InteriorHasOneFillPerPartAndNothingToDivide)
{
    const auto session = local_session_of("random:1");
    const Sample naive = session->sample(image("mandelbrot_naive", 60, 60, InputKind("interior")), 0);
    EXPECT_EQ(naive.launches_expected, 9U);
    EXPECT_EQ(naive.launches->attempted, 9U);
    EXPECT_EQ(naive.pixels_off, 0U);
    const Sample split = session->sample(image("mandelbrot_split", 60, 60, InputKind("interior")), 0);
    EXPECT_EQ(split.launches->attempted, 0U);
    const Sample levels = session->sample(image("mandelbrot_levels", 60, 60, InputKind("interior")), 0);
    EXPECT_EQ(levels.host_launches, 1U);
}

TEST(MandelbrotForms, WithMorePartsThanPixelsHaveEmptyParts)
{
    const auto session = local_session_of("random:1");
    for (const char* strategy : {"mandelbrot_naive", "mandelbrot_split", "mandelbrot_levels", "mandelbrot_queue"}) {
        Case point = image(strategy, 5, 3);
        point["division"] = 9;
        EXPECT_EQ(session->sample(point, 0).status, Status::ok) << strategy;
    }
}

TEST(MandelbrotForms, OfAQueueHaveRoomForAllRegionsWhateverTheDepth)
{
    Case point = image("mandelbrot_queue", 97, 61);
    point.depth = 0; // means nothing to a strategy without levels
    EXPECT_EQ(local_session_of("random:1")->sample(point, 0).status, Status::ok);
}

// The image of 61 x 47 pixels is one region that is not divided. Its inside has 3 shares; at the larger dwell, as many as a block has threads.
TEST(MandelbrotForms, OfAQueueShareTheRegionsThatTakeLong)
{
    for (const char* schedule : every_schedule())
        for (const std::uint32_t dwell : {512U, 16384U}) {
            SCOPED_TRACE(std::string(schedule) + " " + std::to_string(dwell));
            const auto session = local_session_of(schedule);
            const auto sample_of = [&](const char* strategy) {
                Case point = image(strategy, 61, 47);
                point["division"] = 1;
                point["grain"] = 32;
                point["dwell"] = dwell;
                return session->sample(point, 0);
            };
            const Sample shared = sample_of("mandelbrot_queue");
            const Sample whole = sample_of("mandelbrot_split");
            EXPECT_EQ(shared.status, Status::ok) << shared.detail;
            EXPECT_EQ(shared.pixels_off, whole.pixels_off);
            EXPECT_EQ(shared.work, whole.work);
        }
}

TEST(MandelbrotForms, NeedAThreadPerPart)
{
    Case point = image("mandelbrot_split", 64, 64);
    point["fanout"] = 6; // 36 parts, blocks of 32
    const Sample sample = local_session_of("fifo")->sample(point, 0);
    EXPECT_EQ(sample.status, Status::unsupported);
    EXPECT_THAT(sample.detail, HasSubstr("a block of 32 threads cannot request 6 x 6 parts"));
    point.block = 64;
    EXPECT_EQ(local_session_of("fifo")->sample(point, 0).status, Status::ok);
}

TEST(ChildRequests, OfABlockThatIsTooSmallAreUnsupportedInATraceToo)
{
    Case point = image("mandelbrot_split", 64, 64);
    point["fanout"] = 6;
    const Trace trace = local_session_of("fifo")->trace(point, 0, 100);
    EXPECT_EQ(trace.sample.status, Status::unsupported);
    EXPECT_THAT(trace.sample.detail, HasSubstr("cannot request 6 x 6 parts"));
    EXPECT_THAT(trace.grids, IsEmpty());
}

TEST(ChildRequests, AreTracedGridByGrid)
{
    for (const Way& way : ways_of(BackendKind::cpu, requests)) {
        SCOPED_TRACE(name_of(way));
        const auto session = local_session_of(all_or_few("random:1", "fifo"));
        for (const Aggregate aggregate :
             all_or_few(std::vector{Aggregate::none, Aggregate::block, Aggregate::grid}, {Aggregate::block})) {
            Case point = usual(way);
            point.aggregate = aggregate;
            const Trace trace = session->trace(point, 0, 4096);
            expect_by_oracle(trace.sample, point);
            const bool steps = way.info().workload->name == "refine"; // whose time steps have a root grid each
            EXPECT_THAT(trace.grids,
                        SizeIs((steps ? point["time-steps"] : trace.sample.waves) + *trace.sample.launches_expected));
            EXPECT_EQ(trace.lost + trace.unmarked, 0U);
            for (const TracedGrid& grid : trace.grids) {
                ASSERT_TRUE(grid.begun_ns && grid.ended_ns);
                if (grid.parent != kNoGrid) {
                    EXPECT_EQ(grid.depth, trace.grids.at(grid.parent).depth + 1);
                }
            }
        }
    }
}

// Searches whose rounds launch a root grid in waves.
bool by_rounds(const Way& way)
{
    return way.info().over_graph() && way.strategy.ends_with("_children");
}

// The number of root grids in a trace: one per wave. A search with a queue begins with a queue of one vertex.
std::size_t traced_roots(const Way& way, const Sample& sample)
{
    return way.strategy.ends_with("_queue_children") ? 1 : sample.waves;
}

TEST(ChildRequests, AreTracedInWavesWithTheRootGridsThatRan)
{
    for (const Way& way : ways_of(BackendKind::cpu, by_rounds)) {
        SCOPED_TRACE(name_of(way));
        Case point = usual(way);
        point.wave = 1;
        const Trace trace = local_session_of("fifo")->trace(point, 0, 4096);
        expect_by_oracle(trace.sample, point);
        EXPECT_GT(trace.sample.waves, 1U);
        EXPECT_THAT(trace.grids, SizeIs(traced_roots(way, trace.sample) + *trace.sample.launches_expected));
        for (const TracedGrid& grid : trace.grids)
            EXPECT_TRUE(grid.begun_ns && grid.ended_ns);
    }
}

// ---- what a plan refuses ----

TEST(IrregularPlan, RefusesTheInputOfAnotherWorkload)
{
    EXPECT_EQ(refusal("--strategy bezier_children --input dust"),
              "--input dust: bezier_children has no input 'dust'; allowed for bezier: curves, zipf");
    EXPECT_THAT(refusal("--strategy mandelbrot_split --input zipf"),
                HasSubstr("allowed for mandelbrot: set, interior, exterior, dust"));
    EXPECT_THAT(refusal("--strategy nosync --input set"), HasSubstr("allowed for reduce: random, index"));
}

TEST(IrregularPlan, RefusesBlocksThatAreNoWholeWarps)
{
    EXPECT_EQ(refusal("--strategy bezier_children --block 16"),
              "--block 16: bezier_children needs blocks of whole warps, not 16 threads; allowed: 32 to 1024");
    EXPECT_THAT(refusal("--strategy mandelbrot_exhaustive --block 8"), HasSubstr("whole warps"));
}

TEST(IrregularPlan, HasTheUsualValues)
{
    const Plan plan = plan_of("--strategy mandelbrot_split,bezier_children --backend cpu");
    for (const Case& point : cases_of(plan)) {
        EXPECT_EQ(point.aggregate, Aggregate::none);
        EXPECT_EQ(point.overflow, Overflow::waves);
        EXPECT_EQ(point.coarsen, 1U);
        EXPECT_EQ(point.threshold, 0U);
        EXPECT_EQ(point.input, point.strategy == "mandelbrot_split" ? InputKind("set") : InputKind("curves"));
        EXPECT_EQ(point["division"], point.strategy == "mandelbrot_split" ? 32U : 0U);
    }
}

TEST(IrregularPlan, IsNotMultipliedByWhatMeansNothing)
{
    const Plan flat = plan_of("--strategy bezier_balanced --threshold 0,32 --aggregate none,grid");
    EXPECT_EQ(flat.case_count(), 1U);
    const Plan by_tail = plan_of("--strategy bezier_children --mechanism tail --overflow waves,inline,spill,fail");
    EXPECT_EQ(by_tail.case_count(), 1U);
}

} // namespace
} // namespace nestbed
