// Grids without work on the executor: what they launch, and the latencies that they report.
#include "device/backends.hpp"

#include "support/battery.hpp"

#include <map>
#include <string>

namespace nestbed
{
namespace
{

using testing::Ge;

constexpr Shape kSmallLaunch{"", 9, 32, 0, 4};

// Calls check(sample, way) for every way of the strategy that runs here, under every schedule.
template <class Check>
void for_every_run(const char* strategy, Check&& check)
{
    for (const char* schedule : {"fifo", "eager", "random:1"})
        for (const Way& way : ways_of(BackendKind::cpu, [&](const Way& some) {
                 return some.strategy == strategy && !some.needs_cuda();
             })) {
            SCOPED_TRACE(std::string(schedule) + " " + name_of(way));
            const auto session = open_session(BackendKind::cpu, {.schedule = schedule});
            const Case point = case_of(BackendKind::cpu, way, kSmallLaunch, ElementType::none);
            const Sample sample = session->sample(point, 0);
            expect_ok(sample, point);
            check(sample, way);
        }
}

TEST(ChainAndFanout, AChainRunsEveryLevelOnceAndHasALatencyALevel)
{
    for_every_run("chain", [](const Sample& sample, const Way& way) {
        EXPECT_EQ(sample.answer, "10"); // 1 + 2 + 3 + 4
        EXPECT_THAT(sample.latencies_us, SizeIs(4));
        EXPECT_THAT(sample.latencies_us, Each(Ge(0)));
        const std::map<Mechanism, unsigned> by_host{{Mechanism::host, 5},
                                                    {Mechanism::host_read, 5},
                                                    {Mechanism::host_max_levels, 9},
                                                    {Mechanism::host_pdl, 5}};
        EXPECT_EQ(sample.host_launches, by_host.contains(way.mechanism) ? by_host.at(way.mechanism) : 1U);
        if (by_host.contains(way.mechanism)) {
            EXPECT_EQ(sample.host_launches,
                      1 + way.info().workload->host_launches({.mechanism = way.mechanism, .depth = 4}));
        }
    });
}

// 30 runs of one preparation: each must be complete, so what a run changes is restored before the next.
TEST(ChainAndFanout, ASampleOfManyRunsHasTheirTimes)
{
    for (const char* schedule : {"fifo", "eager", "random:1"})
        for (const Way& way : ways_of(
                 BackendKind::cpu, [](const Way& some) { return some.strategy == "chain" && !some.needs_cuda(); })) {
            SCOPED_TRACE(std::string(schedule) + " " + name_of(way));
            const auto session = open_session(BackendKind::cpu, {.schedule = schedule});
            Case point = case_of(BackendKind::cpu, way, kSmallLaunch, ElementType::none);
            point.runs = 30;
            const Sample sample = session->sample(point, 0);
            expect_ok(sample, point);
            EXPECT_EQ(sample.answer, "10");
            EXPECT_THAT(sample.latencies_us, IsEmpty());
            EXPECT_FALSE(sample.gpu_us);
            ASSERT_TRUE(sample.runs);
            const RunTimes& times = *sample.runs;
            EXPECT_EQ(sample.wall_us, times.wall.median);
            for (const Spread& one : {times.wall, times.span, times.next}) {
                EXPECT_GT(one.median, 0);
                EXPECT_LE(one.median, one.p99);
                EXPECT_LE(one.p99, one.p999);
                EXPECT_LE(one.p999, one.worst);
            }
            EXPECT_LE(times.span.median, times.next.median); // the next kernel begins when the levels are done
            EXPECT_LE(times.next.median, times.wall.median);
            EXPECT_GT(times.host_us, 0);
        }
}

TEST(ChainAndFanout, ManyRunsNeedALevel)
{
    const auto session = open_session(BackendKind::cpu, {});
    Case point = case_of(BackendKind::cpu, "chain", {"", 3, 32, 0, 0});
    point.runs = 2;
    const Sample sample = session->sample(point, 0);
    EXPECT_EQ(sample.status, Status::unsupported);
    EXPECT_EQ(sample.detail, "unsupported: a sample of many runs times levels, and this case has none; allowed: "
                             "--depth from 1");
}

TEST(ChainAndFanout, ABusyHostAndThePlaceOfTheThreadChangeNoAnswer)
{
    const auto session = open_session(BackendKind::cpu, {});
    Case point = case_of(BackendKind::cpu, "chain", kSmallLaunch);
    point.host_load = 1;
    point.nice = 5;
    point.pinned = Pinned::yes;
    for (const unsigned runs : {1U, 5U}) {
        point.runs = runs;
        const Sample sample = session->sample(point, 0);
        expect_ok(sample, point);
        EXPECT_EQ(sample.answer, "10");
        EXPECT_EQ(sample.runs.has_value(), runs > 1);
    }
}

// With mechanism host, no kernel makes the call.
TEST(ChainAndFanout, AFanOutRunsEveryChildOnceAndHasALatencyALaunchFromTheDevice)
{
    for_every_run("fanout", [](const Sample& sample, const Way& way) {
        const bool by_host = way.mechanism == Mechanism::host;
        EXPECT_EQ(sample.answer, "45"); // 1 + ... + 9
        EXPECT_THAT(sample.latencies_us, SizeIs(by_host ? 0 : 9));
        EXPECT_THAT(sample.latencies_us, Each(Ge(0)));
        EXPECT_EQ(sample.host_launches, by_host ? 9U : 1U);
    });
}

// A tree of 2 + 4 + 8 + 16 grids below each of 9 blocks, or a chain of 4.
TEST(TreesAndChains, RunEveryGridOnceAndHaveALatencyALaunch)
{
    for (const auto& [strategy, launches] : {std::pair("trees", 270U), std::pair("trees_by_lanes", 270U),
                                             std::pair("chains", 36U), std::pair("chains_synced", 36U)})
        for_every_run(strategy, [&, count = launches](const Sample& sample, const Way& /*way*/) {
            EXPECT_EQ(sample.answer, std::to_string(count * (count + 1) / 2));
            EXPECT_THAT(sample.latencies_us, SizeIs(count));
            EXPECT_THAT(sample.latencies_us, Each(Ge(0)));
        });
}

TEST(TreesAndChains, HaveTheirLevelsIfTheCaseHasNoDepth)
{
    const auto session = open_session(BackendKind::cpu, {});
    for (const auto& [strategy, levels] : {std::pair("trees", 3U), std::pair("trees_by_lanes", 3U),
                                           std::pair("chains", 8U), std::pair("chains_synced", 8U)}) {
        const Case point = case_of(BackendKind::cpu, strategy, {"", 3, 32, 0});
        const Sample sample = session->sample(point, 0);
        expect_ok(sample, point);
        ASSERT_TRUE(sample.launches);
        EXPECT_EQ(sample.launches->max_depth, levels) << strategy;
    }
}

TEST(TreesAndChains, LaunchAtMostOneChildAThreadByLanes)
{
    const auto session = open_session(BackendKind::cpu, {});
    Case point = case_of(BackendKind::cpu, "trees_by_lanes", {"", 3, 4, 0, 2});
    point["fanout"] = 16;
    const Sample sample = session->sample(point, 0);
    expect_ok(sample, point);
    EXPECT_THAT(sample.launches->attempted_by_depth, ElementsAre(12, 48));
}

TEST(TreesAndChains, ARefusedLaunchIsLaunchFailed)
{
    const auto session = open_session(BackendKind::cpu, {});
    for (const char* strategy : {"trees", "trees_by_lanes", "chains"}) {
        Case point = case_of(BackendKind::cpu, strategy, kSmallLaunch);
        point.pending_limit = 5;
        const Sample sample = session->sample(point, 0);
        EXPECT_EQ(sample.status, Status::launch_failed) << strategy;
        EXPECT_THAT(sample.latencies_us, IsEmpty()) << strategy;
    }
}

TEST(ChainAndFanout, AChainWithoutADepthHas1024Levels)
{
    const auto session = open_session(BackendKind::cpu, {});
    const Case point{.strategy = "chain", .type = ElementType::none};
    const Sample sample = session->sample(point, 0);
    expect_ok(sample, point);
    EXPECT_EQ(sample.answer, "524800"); // 1024 * 1025 / 2
    EXPECT_THAT(sample.latencies_us, SizeIs(1024));
}

TEST(ChainAndFanout, AWaveIsARootGrid)
{
    const auto session = open_session(BackendKind::cpu, {});
    Case point = case_of(BackendKind::cpu, "fanout", kSmallLaunch);
    point.wave = 4;
    const Sample sample = session->sample(point, 0);
    expect_ok(sample, point);
    EXPECT_EQ(sample.host_launches, 3U);
    EXPECT_THAT(sample.latencies_us, SizeIs(9));
}

TEST(ChainAndFanout, ARefusedLaunchIsLaunchFailedAndLeavesNoLatencies)
{
    const auto session = open_session(BackendKind::cpu, {});
    Case point = case_of(BackendKind::cpu, "fanout", kSmallLaunch);
    point.pending_limit = 5;
    const Sample sample = session->sample(point, 0);
    EXPECT_EQ(sample.status, Status::launch_failed);
    ASSERT_TRUE(sample.launches);
    EXPECT_EQ(sample.launches->failed, 4U);
    EXPECT_THAT(sample.latencies_us, IsEmpty());
}

TEST(ChainAndFanout, AHostLoopIsALaunchALevel)
{
    const auto session = open_session(BackendKind::cpu, {});
    const auto host_launches = [&](std::optional<std::uint32_t> depth) {
        return session->sample(case_of(BackendKind::cpu, "host_loop", {"", 3, 512, 0, depth}), 0).host_launches;
    };
    EXPECT_EQ(host_launches({}), 9U);
    EXPECT_EQ(host_launches(3), 4U);
    EXPECT_EQ(host_launches(0), 1U);
}

TEST(ChainAndFanout, AChainIsAsLongAsItIsToldTo)
{
    const auto session = open_session(BackendKind::cpu, {});
    const Sample sample = session->sample(
        {.strategy = "chain", .backend = BackendKind::cpu, .type = ElementType::none, .depth = 2000}, 0);
    EXPECT_EQ(sample.status, Status::ok) << sample.detail;
    ASSERT_TRUE(sample.launches);
    EXPECT_EQ(sample.launches->max_depth, 2000U);
    EXPECT_THAT(sample.latencies_us, SizeIs(2000));
}

// A sample consists of two runs. Here launches are refused in the first, in the second or in both.
TEST(ChainAndFanout, ARefusalInEitherRunIsLaunchFailed)
{
    const auto session = open_session(BackendKind::cpu, {.schedule = "random:1"});
    Case point = case_of(BackendKind::cpu, "fanout", {"", 64, 1, 0});
    point.pending_limit = 6;
    unsigned failed = 0;
    for (unsigned run = 0; run < 300; ++run) {
        const Sample sample = session->sample(point, run);
        if (sample.status == Status::ok)
            continue;
        ++failed;
        ASSERT_EQ(sample.status, Status::launch_failed) << sample.detail;
        ASSERT_TRUE(sample.launches);
        EXPECT_GT(sample.launches->failed, 0U);
        EXPECT_THAT(sample.latencies_us, IsEmpty());
    }
    EXPECT_GT(failed, 0U);
    EXPECT_LT(failed, 300U);
}

// ---- launches by lanes ----

std::vector<Way> lanes()
{
    return ways_of(BackendKind::cpu, [](const Way& way) { return way.info().workload->name == "lanes"; });
}

TEST(Lanes, LaunchOneChildEachInOneOrTwoLevels)
{
    ASSERT_EQ(lanes().size(), 4U);
    for (const Way& way : lanes()) {
        SCOPED_TRACE(name_of(way));
        const auto by_depth = [&](std::uint32_t block, std::optional<std::uint32_t> depth) {
            const ExpectedLaunches form =
                Registry::find_anywhere(way.strategy)
                    ->launches({.strategy = way.strategy, .grid = 5, .block = block, .depth = depth});
            EXPECT_EQ(form.root_blocks, 5U);
            return form.by_depth;
        };
        EXPECT_THAT(by_depth(1, 2), ElementsAre(5, 5));
        EXPECT_THAT(by_depth(8, {}), ElementsAre(40));
        EXPECT_THAT(by_depth(8, 2), ElementsAre(40, 320));
        EXPECT_THAT(by_depth(8, 9), ElementsAre(40, 320));
        EXPECT_THAT(by_depth(512, 2), ElementsAre(160, 5120)); // only the first warp launches
    }
}

TEST(Lanes, RunEveryBlockOnceInAnyOrder)
{
    for (const char* schedule : every_schedule())
        for (const Way& way : lanes())
            for (const std::uint32_t block : {1U, 8U, 32U, 64U}) {
                SCOPED_TRACE(std::string(schedule) + " " + name_of(way) + " " + std::to_string(block));
                const auto session = open_session(BackendKind::cpu, {.schedule = schedule});
                const Case point = case_of(BackendKind::cpu, way, {"", 3, block, 0, 2}, ElementType::none);
                const Sample sample = session->sample(point, 0);
                expect_ok(sample, point);
                const std::uint32_t launching = std::min(block, 32U);
                EXPECT_EQ(sample.answer, std::to_string(3 * (1 + launching + launching * launching)));
            }
}

TEST(Lanes, PastAFixedLimitAreRefusedAndEveryAcceptedLaunchRuns)
{
    for (const Way& way : lanes()) {
        SCOPED_TRACE(name_of(way));
        const auto session = open_session(BackendKind::cpu, {});
        Case point = case_of(BackendKind::cpu, way, {"", 40, 8, 0, 2}, ElementType::none);
        point.grid = 40;
        point.pending_limit = 100;
        const Sample sample = session->sample(point, 0);
        EXPECT_EQ(sample.status, Status::launch_failed);
        ASSERT_TRUE(sample.launches);
        EXPECT_GT(sample.launches->failed, 0U);
        EXPECT_EQ(sample.answer, std::to_string(40 + sample.launches->attempted - sample.launches->failed));
        EXPECT_EQ(sample.reference, std::to_string(40 + 40 * 8 + 40 * 8 * 8)); // it is the same in every run
    }
}

} // namespace
} // namespace nestbed
