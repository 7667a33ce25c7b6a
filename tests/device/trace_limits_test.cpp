// What a trace does not contain: grids beyond its buffer, launches that were refused, strategies without recursion.
#include "device/backends.hpp"
#include "support/battery.hpp"

#include "base/error.hpp"
#include "support/support.hpp"

#include <algorithm>
#include <string>

namespace nestbed
{
namespace
{

constexpr Shape kSmall{"", 4, 16, 0}; // nosync: a root grid and 4 children on each of 3 levels
constexpr std::uint32_t kGrids = 1 + 4 * 3;

void expect_whole(const Trace& trace)
{
    for (std::size_t index = 0; index < trace.grids.size(); ++index) {
        SCOPED_TRACE("grid " + std::to_string(index));
        const TracedGrid& grid = trace.grids[index];
        ASSERT_TRUE(grid.begun_ns && grid.ended_ns);
        EXPECT_EQ(grid.called_ns.has_value(), grid.parent != kNoGrid);
        EXPECT_GE(grid.multiprocessors, 1U);
        if (grid.parent == kNoGrid)
            continue;
        ASSERT_LT(grid.parent, index);
        EXPECT_EQ(grid.depth, trace.grids[grid.parent].depth + 1);
        EXPECT_EQ(2 * grid.threads, trace.grids[grid.parent].threads);
    }
}

TEST(TraceBuffer, AsLargeAsTheTreeHoldsAllOfIt)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    for (const char* strategy : {"nosync", "hello", "tail"}) {
        SCOPED_TRACE(strategy);
        const Case point = case_of(BackendKind::cpu, strategy, kSmall);
        const auto grids =
            static_cast<std::uint32_t>(1 + Registry::find(BackendKind::cpu, strategy)->launches(point).total());
        for (const std::uint32_t room : {grids, grids + 1}) {
            const Trace trace = session->trace(point, 0, room);
            EXPECT_EQ(trace.capacity, room);
            EXPECT_EQ(trace.lost, 0U);
            EXPECT_EQ(trace.grids.size(), grids);
            expect_whole(trace);
        }
    }
}

TEST(TraceBuffer, CountsExactlyTheGridsThatDidNotFitAndThoseThatDidAreWhole)
{
    for (const char* schedule : {"fifo", "random:1"}) {
        SCOPED_TRACE(schedule);
        const auto session = open_session(BackendKind::cpu, {.schedule = schedule, .workers = 1});
        const Case point = case_of(BackendKind::cpu, "barrier", kSmall);
        for (const std::uint32_t room : {1U, 2U, 5U, kGrids - 1}) {
            SCOPED_TRACE(room);
            const Trace trace = session->trace(point, 0, room);
            expect_ok(trace.sample, point);
            EXPECT_EQ(trace.grids.size(), room);
            EXPECT_EQ(trace.lost, kGrids - room);
            EXPECT_EQ(trace.capacity, room);
            expect_whole(trace);
        }
    }
}

// Small grids, far fewer than the buffer has room for: root grids of two blocks, as auto launches tail on a GPU.
TEST(TraceBuffer, HoldsManyRootGridsAndTheirChildren)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    Case point = case_of(BackendKind::cpu, "tail", {"", 2048, 16, 0});
    point.wave = 2;
    const Trace trace = session->trace(point, 0, 65536);
    expect_ok(trace.sample, point);
    EXPECT_EQ(trace.sample.waves, 1024U);
    EXPECT_EQ(trace.lost, 0U);
    EXPECT_EQ(trace.grids.size(), 1024U + 2048 * 3);
    EXPECT_EQ(std::ranges::count_if(trace.grids, [](const TracedGrid& grid) { return !grid.begun_ns; }), 0);
}

TEST(TraceBuffer, OfFewerGridsThanThereAreRootsHoldsTheFirstOfThem)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    Case point = case_of(BackendKind::cpu, "barrier", kSmall);
    point.wave = 1;
    const Trace trace = session->trace(point, 0, 3);
    expect_ok(trace.sample, point);
    ASSERT_EQ(trace.grids.size(), 3U);
    EXPECT_EQ(trace.lost, 4U + 4 * 3 - 3);
    for (const TracedGrid& grid : trace.grids) {
        EXPECT_EQ(grid.parent, kNoGrid);
        EXPECT_EQ(grid.blocks, 1U);
        EXPECT_TRUE(grid.begun_ns && grid.ended_ns);
    }
}

// A grid with more blocks than it has marks of its own, and children beside it.
TEST(TraceBuffer, HoldsGridsOfManyBlocks)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    const Case point = case_of(BackendKind::cpu, "reduce2_tail", {"", 1000, 16, 0});
    const Trace trace = session->trace(point, 0, 4096);
    expect_ok(trace.sample, point);
    EXPECT_EQ(trace.lost, 0U);
    ASSERT_EQ(trace.grids.size(), 4U);
    expect_whole(trace);
    for (std::size_t level = 0; level < 4; ++level) {
        EXPECT_EQ(trace.grids[level].blocks, 1000U);
        if (level > 0) {
            EXPECT_GE(*trace.grids[level].begun_ns, *trace.grids[level - 1].ended_ns);
        }
    }
}

// Grids that need six marks each, where four are expected on average: all grids are kept, but some have no times.
TEST(TraceBuffer, SaysOfHowManyGridsTheTimesDidNotFit)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    const Case point = case_of(BackendKind::cpu, "reduce2_tail", {"", 200, 256, 0});
    const Trace trace = session->trace(point, 0, 100);
    expect_ok(trace.sample, point);
    EXPECT_EQ(trace.lost, 0U);
    ASSERT_EQ(trace.grids.size(), 8U);
    std::uint64_t without = 0;
    for (const TracedGrid& grid : trace.grids)
        without += grid.begun_ns ? 0 : 1;
    EXPECT_EQ(trace.unmarked, without);
    EXPECT_EQ(without, 7U); // the root grid takes 256 of 400 marks, and a child needs 200
}

// ---- refusals ----

TEST(TraceRefusal, IsAGridWithAnErrorThatNeverRan)
{
    for (const char* schedule : {"fifo", "eager", "random:3"}) {
        SCOPED_TRACE(schedule);
        const auto session = open_session(BackendKind::cpu, {.schedule = schedule, .workers = 1});
        for (const std::uint32_t limit : {1U, 2U}) {
            Case point = case_of(BackendKind::cpu, "barrier", kSmall);
            point.pending_limit = limit;
            const Trace trace = session->trace(point, 0, 1000);
            EXPECT_EQ(name_of(trace.sample.status), name_of(Status::launch_failed));
            EXPECT_EQ(trace.sample.pending_limit, limit);
            EXPECT_FALSE(trace.run_us);
            ASSERT_TRUE(trace.sample.launches);
            EXPECT_EQ(trace.lost, 0U);
            EXPECT_EQ(trace.grids.size(), 1 + trace.sample.launches->attempted);
            std::uint64_t refused = 0;
            for (const TracedGrid& grid : trace.grids) {
                if (grid.error == 0) {
                    EXPECT_THAT(grid.error_name, IsEmpty());
                    EXPECT_TRUE(grid.begun_ns && grid.ended_ns);
                    continue;
                }
                ++refused;
                EXPECT_EQ(grid.error, 69);
                EXPECT_EQ(grid.error_name, "cudaErrorLaunchPendingCountExceeded");
                EXPECT_FALSE(grid.begun_ns || grid.ended_ns);
                EXPECT_EQ(grid.multiprocessors, 0U);
                EXPECT_EQ(grid.blocks, 1U);
                const TracedGrid& parent = trace.grids.at(grid.parent);
                EXPECT_EQ(2 * grid.threads, parent.threads);
                EXPECT_GE(grid.called_ns, parent.begun_ns);
                EXPECT_LE(grid.called_ns, parent.ended_ns);
            }
            EXPECT_EQ(refused, trace.sample.launches->failed);
            EXPECT_GE(refused, 1U); // a chain of three does not fit, in any order
        }
    }
}

TEST(TraceRefusal, LeavesTheNextRunAlone)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    const Case point = case_of(BackendKind::cpu, "barrier", kSmall);
    Case refused = point;
    refused.pending_limit = 1;
    EXPECT_EQ(name_of(session->trace(refused, 0, 1000).sample.status), "launch_failed");
    expect_ok(*session, point);
    const Trace trace = session->trace(point, 0, 1000);
    expect_ok(trace.sample, point);
    EXPECT_EQ(trace.grids.size(), kGrids);
}

// ---- nothing to trace ----

TEST(Trace, OfWhatLaunchesNothingFromAKernelIsRefusedByName)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    const auto ways = ways_of(BackendKind::cpu, [](const Way& way) { return !from_device(way.mechanism); });
    EXPECT_GE(ways.size(), 10U);
    for (const Way& way : ways) {
        SCOPED_TRACE(name_of(way));
        const Shape shape =
            way.has_matrix() ? Shape{.name = "", .nx = 64, .ny = 64, .block_shape = {16, 16}} : kSmall;
        const Case point = case_of(BackendKind::cpu, way, shape, types_of(way).front());
        EXPECT_THAT(text_of<UsageError>([&] { session->trace(point, 0, 100); }),
                    AllOf(StartsWith("--strategy " + way.strategy + ":"), HasSubstr("allowed: ")));
    }
}

TEST(Trace, OfAnUnknownStrategyIsRefused)
{
    const auto session = open_session(BackendKind::cpu, {});
    EXPECT_THAT(text_of<UsageError>([&] { session->trace({.strategy = "nosink"}, 0, 100); }), HasSubstr("'nosink'"));
}

TEST(Trace, OfWhatOnlyCudaHasIsUnsupportedAndEmpty)
{
    const auto session = open_session(BackendKind::cpu, {});
    const auto ways =
        ways_of(BackendKind::cpu, [](const Way& way) { return from_device(way.mechanism) && way.needs_cuda(); });
    EXPECT_GE(ways.size(), 13U); // device graphs, and two litmus patterns of pointers
    for (const Way& way : ways) {
        SCOPED_TRACE(name_of(way));
        const Trace trace = session->trace(case_of(BackendKind::cpu, way, kSmall, types_of(way).front()), 0, 100);
        EXPECT_EQ(name_of(trace.sample.status), name_of(Status::unsupported));
        EXPECT_THAT(trace.sample.detail, StartsWith("unsupported:"));
        EXPECT_THAT(trace.grids, IsEmpty());
        EXPECT_EQ(trace.lost, 0U);
    }
}

TEST(Trace, OfARaceThatShowsSaysThatTheAnswerIsWrong)
{
    const auto session = open_session(BackendKind::cpu, {.schedule = "eager"});
    const Trace trace = session->trace(case_of(BackendKind::cpu, "nosync", kSmall), 0, 100);
    EXPECT_EQ(name_of(trace.sample.status), name_of(Status::wrong));
    EXPECT_THAT(trace.sample.detail, HasSubstr("block sums are wrong"));
    EXPECT_NE(trace.sample.answer, trace.sample.reference);
    EXPECT_FALSE(trace.run_us);
    ASSERT_EQ(trace.grids.size(), kGrids);
    ASSERT_TRUE(trace.grids[0].ended_ns && trace.grids[1].ended_ns);
    EXPECT_GT(*trace.grids[0].ended_ns, *trace.grids[1].ended_ns); // the child ended before its parent
}

} // namespace
} // namespace nestbed
