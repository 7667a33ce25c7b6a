// Tests on a GPU. They are skipped, with the reason, if there is none.
#include "base/statistics.hpp"
#include "device/backends.hpp"
#include "model/modules.hpp"
#include "support/battery.hpp"
#include "support/ends_within.hpp"
#include "support/graph_support.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

using testing::Gt;
using testing::Lt;

class Gpu : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (const std::string reason = why_not(BackendKind::cuda); !reason.empty())
            GTEST_SKIP() << reason;
        session_ = open_session(BackendKind::cuda, {});
    }
    Sample sample(const Case& point) { return session_->sample(point, 0); }
    static Case book(const std::string& strategy) { return case_of(BackendKind::cuda, strategy, {"", 2048, 512, 0}); }
    // A race may show, and on some device it will. No other failure is allowed.
    void expect_ok_but_for_a_race(const Case& point, const Way& way)
    {
        const Sample taken = sample(point);
        if (way.info().racy && taken.status == Status::wrong)
            expect_launches(taken, point);
        else if (way.mechanism == Mechanism::cluster_sync && point.grid > 16)
            expect_unsupported(taken, "does not fit on this device; allowed: at most 16 blocks");
        else
            expect_ok(taken, point);
    }
    static void expect_unsupported(const Sample& taken, const char* why)
    {
        EXPECT_EQ(taken.status, Status::unsupported);
        EXPECT_NE(taken.detail.find(why), std::string::npos) << taken.detail;
    }
    // Of 5 runs of 256 blocks of 512 threads: the number of wrong runs when the losing side of the race is delayed.
    unsigned wrong_when_delayed(const Way& way)
    {
        Case point = case_of(BackendKind::cuda, way, {"", 256, 512, 0}, ElementType::int32);
        point.delay_us = 50;
        unsigned wrong = 0;
        for (int run = 0; run < 5; ++run) {
            const Sample taken = sample(point);
            EXPECT_TRUE(taken.status == Status::ok || taken.status == Status::wrong) << taken.detail;
            expect_launches(taken, point);
            wrong += taken.status == Status::wrong ? 1 : 0;
        }
        return wrong;
    }
    std::unique_ptr<LocalSession> session_;
};

class GpuBattery : public Gpu, public testing::WithParamInterface<Way>
{
};

TEST_P(GpuBattery, IsRight)
{
    for_the_battery(BackendKind::cuda, GetParam(),
                    [&](const Case& point, const Shape& /*shape*/) { expect_ok_but_for_a_race(point, GetParam()); });
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuBattery);
INSTANTIATE_TEST_SUITE_P(Cuda, GpuBattery, testing::ValuesIn(ways_of(BackendKind::cuda, any_way)), kWayName);

// Also the forms that only a GPU has: device graphs and cooperative grids.
TEST_F(Gpu, SearchesOfGraphsAreRightOnEveryGraph)
{
    const ScratchFolder folder;
    std::vector<GraphShape> graphs = small_graphs();
    graphs.insert(graphs.end(), large_graphs().begin(), large_graphs().end());
    graphs.push_back(wide_level_of_one_edge());
    for (const char* workload : {"bfs", "sssp"})
        for (const GraphShape& graph : graphs)
            for (const std::string& strategy : graph_strategies(BackendKind::cuda, workload)) {
                SCOPED_TRACE(strategy + " " + graph.name);
                expect_right(*session_, graph_case(strategy, graph, folder, BackendKind::cuda));
            }
}

// In a small graph many more threads wait than the ring of the queue has places.
TEST_F(Gpu, QueuesOfVerticesLoseNone)
{
    for (const char* strategy : {"bfs_queue", "sssp_queue"})
        for (int time = 0; time < 40; ++time) {
            Case point = case_of(BackendKind::cuda, strategy, {"", 8, 512, 4096});
            point.input = time % 2 == 0 ? InputKind("uniform") : InputKind("rmat");
            expect_ok(sample(point), point);
        }
}

// Not those of `lanes`, which launch from every thread: a million launches.
std::vector<Way> ways_that_launch()
{
    return ways_of(BackendKind::cuda, [](const Way& some) {
        return from_device(some.mechanism) && some.info().workload->name != "lanes";
    });
}

class GpuBatteryOfAuto : public GpuBattery
{
};

TEST_P(GpuBatteryOfAuto, NeverLetsALaunchBeRefused)
{
    const Way& way = GetParam();
    const int times = way.mechanism == Mechanism::tail ? 2 : 10; // launches that run one by one take up to 0.2 s
    // Of 20,000 lines, keys (in leaves of 16) or points (in leaves of 5) there are more launches than the default limit, and of
    // a tree of 8 levels too. A million would take seconds.
    const std::string_view workload = way.info().workload->name;
    const bool small =
        workload == "bezier" || workload == "sort" || workload == "quadtree" || way.info().over_graph();
    const Shape shape = way.has_matrix()       ? Shape{.name = "", .nx = 2048, .ny = 2048}
                        : small                ? Shape{"", 40, 512, 20'000}
                        : workload == "search" ? Shape{"", 40, 32, 8}
                                               : Shape{"", 2048, 512};
    const Case point = case_of(BackendKind::cuda, way, shape, types_of(way).front());
    for (int time = 0; time < times; ++time)
        expect_ok_but_for_a_race(point, way);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuBatteryOfAuto);
INSTANTIATE_TEST_SUITE_P(Cuda, GpuBatteryOfAuto, testing::ValuesIn(ways_that_launch()), kWayName);

TEST_F(Gpu, AutoHoldsForEveryDepthAndTheLargestBlocks)
{
    for (const char* strategy : {"nosync", "synced", "reduce2"})
        for (std::uint32_t depth = 0; depth <= 10; ++depth) {
            SCOPED_TRACE(std::string(strategy) + " depth " + std::to_string(depth));
            expect_ok(*session_, case_of(BackendKind::cuda, strategy, {"", 1024, 1024, 0, depth}));
        }
}

TEST_F(Gpu, SumsOfTheWholeInputAreRightPastAMillionElements)
{
    constexpr std::uint64_t kElements = (1 << 20) + 12345;
    constexpr std::uint32_t kGrid = (kElements - 1) / 512 + 1;
    for (const Way& way : ways_of(BackendKind::cuda, [](const Way& some) {
             return some.strategy == "cub" || some.strategy == "nested_best" ||
                    some.strategy.starts_with("last_block") || some.strategy.starts_with("wide");
         }))
        for (const ElementType type : types_of(way)) {
            SCOPED_TRACE(name_of(way) + " " + std::string(name_of(type)));
            expect_ok(*session_, case_of(BackendKind::cuda, way, {"", kGrid, 512, kElements}, type));
        }
}

TEST_F(Gpu, ARaceIsWrongWhenTheLosersAreHeldUpAndABarrierIsNot)
{
    for (const char* strategy : {"nosync", "reduce2", "barrier", "reduce2_tail"})
        for (const Way& way :
             ways_of(BackendKind::cuda, [&](const Way& some) { return some.strategy == strategy; })) {
            SCOPED_TRACE(name_of(way));
            if (way.info().racy)
                EXPECT_GT(wrong_when_delayed(way), 0U);
            else
                EXPECT_EQ(wrong_when_delayed(way), 0U);
        }
}

TEST_F(Gpu, ATraceHasEveryGridInOrder)
{
    // The kernels for traced runs are in modules beside nestbed, of the target traced.
    Modules traced(std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "modules",
                   kTracedModules);
    if (const std::string missing = traced.missing_text(); !missing.empty())
        GTEST_SKIP() << missing;
    // Not those of `lanes`, which launch from every thread.
    for (const Way& way : ways_of(BackendKind::cuda, [](const Way& some) {
             return from_device(some.mechanism) && some.info().workload->name != "lanes";
         })) {
        traced.load_traced(way.strategy);
        const Shape shape = way.has_matrix() ? Shape{.name = "", .nx = 500, .ny = 300} : Shape{"", 40, 256};
        for (const ElementType type : types_of(way)) {
            Case point = case_of(BackendKind::cuda, way, shape, type);
            if (way.strategy == "chain")
                point.depth = 40;
            const std::string name = name_of(way) + " " + std::string(name_of(type));
            SCOPED_TRACE(name);
            const EndsWithin limit(std::chrono::seconds(60), "the trace of " + name);
            const Trace trace = session_->trace(point, 0, 1U << 16);
            if (way.info().racy && trace.sample.status == Status::wrong)
                expect_launches(trace.sample, point);
            else
                expect_ok(trace.sample, point);
            EXPECT_GT(trace.timer_step_ns, 0U);
            const ExpectedLaunches form = expected_launches(trace.sample, point);
            EXPECT_EQ(trace.lost + trace.unmarked, 0U);
            // A search with a queue begins with a queue of one vertex, and has one root grid in its first round.
            const unsigned roots = way.strategy.ends_with("_queue_children") ? 1 : trace.sample.waves;
            ASSERT_EQ(trace.grids.size(), roots + form.total());
            std::vector<std::uint64_t> by_depth(form.levels() + 1);
            for (const TracedGrid& grid : trace.grids) {
                ASSERT_LE(grid.depth, form.levels());
                ++by_depth[grid.depth];
                ASSERT_TRUE(grid.begun_ns && grid.ended_ns);
                EXPECT_LE(*grid.begun_ns, *grid.ended_ns);
                EXPECT_LT(grid.multiprocessor, session_->facts().multiprocessors);
                if (grid.parent == kNoGrid)
                    continue;
                const TracedGrid& parent = trace.grids.at(grid.parent);
                EXPECT_EQ(grid.depth, parent.depth + 1);
                EXPECT_LE(*parent.begun_ns, *grid.called_ns);
                EXPECT_LE(*grid.called_ns, *parent.ended_ns);
                EXPECT_LE(*grid.called_ns, *grid.begun_ns);
                const bool only_tail = way.mechanism == Mechanism::tail && way.info().workload->name != "litmus";
                if (only_tail || way.mechanism == Mechanism::graph_tail) {
                    EXPECT_GE(*grid.begun_ns, *parent.ended_ns);
                }
                if (way.strategy == "synced") {
                    EXPECT_GE(*parent.ended_ns, *grid.begun_ns);
                }
            }
            by_depth.erase(by_depth.begin());
            EXPECT_EQ(by_depth, form.by_depth);
        }
    }
}

TEST_F(Gpu, TheTimerGoesOnInStepsOfAtMostTenMicroseconds)
{
    const unsigned step = session_->timer_step_ns();
    EXPECT_GE(step, 1U);
    EXPECT_LE(step, 10000U);
}

TEST_F(Gpu, ALaunchTakesLessThanAMillisecond)
{
    const Case point{.strategy = "chain",
                     .backend = BackendKind::cuda,
                     .mechanism = Mechanism::fire_and_forget,
                     .type = ElementType::none,
                     .block = 32,
                     .depth = 8};
    expect_ok(*session_, point); // loads the kernel
    const Sample chain = sample(point);
    expect_ok(chain, point);
    EXPECT_THAT(chain.latencies_us, SizeIs(8));
    EXPECT_THAT(chain.latencies_us, Each(AllOf(Gt(0), Lt(1000))));
}

TEST_F(Gpu, AFixedLimitThatIsTooSmallIsLaunchFailedAndNeverATime)
{
    Case point = book("nosync");
    point.pending_limit = 128;
    const Sample failed = sample(point);
    EXPECT_EQ(failed.status, Status::launch_failed);
    EXPECT_EQ(failed.pending_limit, 128U);
    ASSERT_TRUE(failed.launches);
    EXPECT_GT(failed.launches->failed, 0U);
    EXPECT_FALSE(failed.gpu_us || failed.wall_us);
    EXPECT_NE(failed.detail.find("cudaErrorLaunchPendingCountExceeded"), std::string::npos) << failed.detail;
    // The device still works.
    expect_ok(*session_, book("nosync"));
}

TEST_F(Gpu, ThePendingLimitIsReadBack)
{
    Case point = book("nosync");
    point.pending_limit = 65536;
    EXPECT_EQ(sample(point).pending_limit, 65536U);
    EXPECT_EQ(sample(book("nosync")).pending_limit, session_->facts().default_pending_limit);
    EXPECT_EQ(sample(point).pending_limit, 65536U);
    EXPECT_EQ(sample(book("neighbored")).pending_limit, session_->facts().default_pending_limit);
}

// An H200 allows 599186, the value that it returns when read back. A device that refuses the limit may do so in one
// row.
TEST_F(Gpu, AnEnormousLimitDoesNotLoseTheDevice)
{
    Case point = book("nosync");
    point.pending_limit = 2147483647;
    const Sample enormous = sample(point);
    EXPECT_FALSE(enormous.device_lost) << enormous.detail;
    EXPECT_EQ(enormous.status == Status::ok, enormous.gpu_us.has_value()) << enormous.detail;
    expect_ok(*session_, book("nosync"));
}

TEST_F(Gpu, WavesThatWouldWaitForEverAreNotLaunched)
{
    Case point = book("synced");
    point.wave = 33;
    const Sample refused = sample(point);
    EXPECT_EQ(refused.status, Status::unsupported);
    EXPECT_NE(refused.detail.find("wait for ever"), std::string::npos) << refused.detail;
}

// Nine levels below the root, each delayed by half a second: longer than a parent waits for a child without delays.
TEST_F(Gpu, AParentWaitsForAsLongAsItsDescendantsAreDelayed)
{
    Case point = case_of(BackendKind::cuda, "synced", {"", 1, 1024, 0});
    point.delay_us = 500'000;
    expect_ok(*session_, point);
}

TEST_F(Gpu, TimesAreAboveTheEmptyKernel)
{
    const double floor = session_->empty_kernel_us();
    EXPECT_GT(floor, 0.5);
    const Sample neighbored = sample(book("neighbored"));
    ASSERT_TRUE(neighbored.gpu_us && neighbored.wall_us);
    EXPECT_GT(*neighbored.gpu_us, floor);
    EXPECT_GT(*neighbored.wall_us, *neighbored.gpu_us / 2);
}

// The host launches empty kernels. Most of the time of an open sample is the submission by the host.
TEST_F(Gpu, AHeldTimeHasNothingOfTheHosts)
{
    Case chain = case_of(BackendKind::cuda, {"chain", Mechanism::host}, {"", 1, 32, 0}, ElementType::none);
    chain.depth = 64;
    const auto fastest = [&](Submit submit) {
        chain.submit = submit;
        double least = std::numeric_limits<double>::infinity();
        for (int run = 0; run < 10; ++run) {
            const Sample taken = sample(chain);
            expect_ok(taken, chain);
            EXPECT_EQ(taken.held, submit == Submit::held);
            least = std::min(least, taken.gpu_us.value_or(0));
        }
        return least;
    };
    const double open = fastest(Submit::open);
    const double held = fastest(Submit::held);
    EXPECT_GT(held, 0);
    EXPECT_LT(held, 0.9 * open);
}

// A stream takes about a thousand launches. Then the submitting thread waits for the stream, and the gate gives up.
TEST_F(Gpu, MoreThanTheQueueTakesIsNotHeldAndSaysSo)
{
    Case wide = case_of(BackendKind::cuda, {"fanout", Mechanism::host}, {"", 100'000, 32, 0}, ElementType::none);
    for (int run = 0; run < 4; ++run) {
        const auto start = std::chrono::steady_clock::now();
        const Sample taken = sample(wide);
        expect_ok(taken, wide);
        EXPECT_FALSE(taken.held);
        EXPECT_GT(taken.gpu_us.value_or(0), 0);
        if (run >= 2) { // holding is not tried again
            EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(3));
        }
    }
    wide.grid = 100;
    EXPECT_TRUE(sample(wide).held);
}

TEST_F(Gpu, AfterAFlushTheInputComesFromMemory)
{
    Case flat = case_of(BackendKind::cuda, "last_block", {"", 8192, 512, 0}); // 16 MiB, a third of the L2 cache
    std::map<CacheState, std::vector<double>> times;
    for (int run = 0; run < 15; ++run)
        for (const CacheState state : {CacheState::as_is, CacheState::flushed}) {
            flat.l2 = state;
            times[state].push_back(sample(flat).gpu_us.value_or(0));
        }
    EXPECT_GT(median(times[CacheState::flushed]), 1.05 * median(times[CacheState::as_is]));
}

TEST_F(Gpu, TheStateOfTheGpuComesWithASample)
{
    const GpuState state = sample(book("neighbored")).gpu_state;
    if (!state.sm_clock_mhz)
        GTEST_SKIP() << "no NVML";
    EXPECT_THAT(*state.sm_clock_mhz, AllOf(Gt(100U), Lt(5000U)));
    EXPECT_THAT(state.temperature_c.value_or(0), AllOf(Gt(5U), Lt(120U)));
    EXPECT_FALSE(state.throttle.empty());
}

TEST_F(Gpu, NestsDeeperThanTheOldRuntimesLimit)
{
    const DepthProbe probe = session_->probe_depth(512);
    EXPECT_EQ(probe.asked, 512U);
    EXPECT_GT(probe.reached, 24U);
    EXPECT_EQ(probe.error.empty(), probe.reached == probe.asked);
}

} // namespace
} // namespace nestbed
