// Every strategy in the registry, with each of its mechanisms, on the executor, for all shapes of the battery.
#include "device/backends.hpp"
#include "support/battery.hpp"
#include "support/effort.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

using testing::IsSupersetOf;

bool runs_here(const Way& way)
{
    return !way.needs_cuda();
}
// Late children hide the other races under fifo. That of blobs_wrong is between threads, which start one after another; that of
// litmus_child_write is won by a late child.
bool right_under_fifo(const Way& way)
{
    return runs_here(way) && way.strategy != "blobs_wrong" && way.strategy != "litmus_child_write";
}
bool race_free(const Way& way)
{
    return runs_here(way) && !way.info().racy;
}
// The blocks get tiles of the whole input, whatever grid and block the case has.
bool by_tiles(const Way& way)
{
    return way.strategy == "nested_best" || way.strategy.starts_with("last_block");
}

class Battery : public testing::TestWithParam<Way>
{
};
class RaceFree : public testing::TestWithParam<Way>
{
};
class Tiles : public testing::TestWithParam<Way>
{
};

TEST_P(Battery, IsRightUnderFifo)
{
    for (const unsigned workers : is_thorough() ? std::vector{1U, 3U} : std::vector{3U})
        run_battery(*open_session(BackendKind::cpu, {.schedule = "fifo", .workers = workers}), GetParam());
}

TEST(FewShapes, AreShapesOfTheBatteries)
{
    for (const std::string_view few : kFewShapes) {
        std::size_t found = 0;
        for (const auto* shapes : {&battery(), &matrix_battery(), &line_battery(), &graph_battery()})
            found +=
                std::ranges::count(*shapes, few, [](const Shape& shape) { return std::string_view(shape.name); });
        EXPECT_GT(found, 0U) << few;
    }
}

// A graph whose levels all fit one block would leave most launches of a search without a test.
TEST(GraphBattery, HasALaunchOfEveryFormThatLaunches)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    for (const Way& way : ways_of(BackendKind::cpu, [](const Way& some) {
             return runs_here(some) && some.info().over_graph() && from_device(some.mechanism);
         })) {
        const Case point = case_of(BackendKind::cpu, way, graph_battery().back(), types_of(way).front());
        const Sample sample = session->sample(point, 0);
        expect_ok(sample, point);
        EXPECT_GT(sample.launches->attempted, 0U) << name_of(way);
    }
}

TEST_P(RaceFree, IsRightUnderEager)
{
    run_battery(*open_session(BackendKind::cpu, {.schedule = "eager"}), GetParam());
}

// Every sample draws its own order. Large shapes are slow, so most orders use the small ones.
TEST_P(RaceFree, IsRightInRandomOrders)
{
    const auto wanted = static_cast<std::ptrdiff_t>(random_orders(20, 1000));
    const auto small = [](const Shape& shape) { return shape.threads() <= 512; };
    const auto medium = [](const Shape& shape) { return shape.threads() <= 4096; };
    const std::ptrdiff_t of_small = wanted / std::ranges::count_if(battery_of(GetParam()), small) + 1;
    const auto of_medium = static_cast<std::ptrdiff_t>(random_orders(1, 4));
    const auto of_large = static_cast<std::ptrdiff_t>(random_orders(0, 1));
    const auto session = open_session(BackendKind::cpu, {.schedule = "random:1", .workers = 1});
    std::ptrdiff_t orders = 0;
    for_the_battery(BackendKind::cpu, GetParam(), [&](const Case& point, const Shape& shape) {
        const auto types = static_cast<std::ptrdiff_t>(types_of(GetParam()).size());
        const std::ptrdiff_t own = small(shape) ? (of_small - 1) / types + 1 : medium(shape) ? of_medium : of_large;
        for (unsigned order = 0; order < own && !HasFailure(); ++order, ++orders)
            expect_ok(*session, point, order);
    });
    EXPECT_GE(orders, wanted);
}

TEST_P(Tiles, AreAllSummedOnceHoweverTheyAreHandedOut)
{
    for (const char* schedule : every_schedule())
        for (const unsigned workers : all_or_few(std::vector{1U, 3U}, {1U})) {
            const auto session = open_session(BackendKind::cpu, {.schedule = schedule, .workers = workers});
            const std::vector<std::uint64_t> sizes{16385, 8 * 8192 - 1, 33 * 8192 + 77, 70 * 8192 + 4567};
            for (const std::uint64_t elements : all_or_few(sizes, {16385}))
                for (const ElementType type : types_of(GetParam())) {
                    SCOPED_TRACE(std::string(schedule) + " " + std::to_string(elements));
                    const auto grid = static_cast<std::uint32_t>((elements - 1) / 512 + 1);
                    const Shape shape{"", grid, 512, elements};
                    for (unsigned order = 0; order < (session->schedule() == "random:1" ? all_or_few(10U, 1U) : 1U);
                         ++order)
                        expect_ok(*session, case_of(BackendKind::cpu, GetParam(), shape, type), order);
                }
        }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Battery, testing::ValuesIn(ways_of(BackendKind::cpu, right_under_fifo)), kWayName);
INSTANTIATE_TEST_SUITE_P(Cpu, RaceFree, testing::ValuesIn(ways_of(BackendKind::cpu, race_free)), kWayName);
INSTANTIATE_TEST_SUITE_P(Cpu, Tiles, testing::ValuesIn(ways_of(BackendKind::cpu, by_tiles)), kWayName);

TEST(Wide, FansInOnFourLevels)
{
    const auto session = open_session(BackendKind::cpu, {});
    for (const char* strategy : {"wide_warp", "wide_block"}) {
        const Case point = case_of(BackendKind::cpu, strategy, {"", 32769, 32, 1048577});
        EXPECT_EQ(Registry::find(BackendKind::cpu, strategy)->launches(point).levels(), 4U);
        expect_ok(*session, point);
    }
}

TEST(CudaOnly, IsUnsupportedOnTheExecutorAndNeverRun)
{
    const auto session = open_session(BackendKind::cpu, {});
    std::vector<std::string> names;
    for (const Way& way : ways_of(BackendKind::cpu, [](const Way& some) { return some.needs_cuda(); })) {
        names.push_back(name_of(way));
        SCOPED_TRACE(names.back());
        for (const ElementType type : types_of(way)) {
            const Sample sample = session->sample(case_of(BackendKind::cpu, way, {"", 4, 64}, type), 0);
            EXPECT_EQ(sample.status, Status::unsupported);
            EXPECT_THAT(sample.detail, StartsWith("unsupported:"));
            EXPECT_FALSE(sample.wall_us || sample.gpu_us || sample.launches);
            EXPECT_TRUE(sample.answer.empty());
        }
    }
    EXPECT_THAT(names, IsSupersetOf({"chain_graph_tail", "chain_grid_sync", "chain_host_graph",
                                     "cooperative_grid_sync", "cub_none", "fanout_grid_sync", "fanout_host_graph",
                                     "graph_graph_tail", "graph_host_host_graph"}));
}

TEST(Executor, RandomHoldsManyLargeBlocksThatWait)
{
    const auto session = open_session(BackendKind::cpu, {.schedule = "random:1"});
    expect_ok(*session, case_of(BackendKind::cpu, "synced", {"", 40, 1024, 0}));
}

TEST(Executor, AFixedLimitThatIsTooSmallIsLaunchFailedAndNeverATime)
{
    const auto session = open_session(BackendKind::cpu, {});
    Case point = case_of(BackendKind::cpu, "nosync", {"", 100, 64, 0});
    point.pending_limit = 90;
    const Sample sample = session->sample(point, 0);
    EXPECT_EQ(sample.status, Status::launch_failed);
    EXPECT_EQ(sample.pending_limit, 90U);
    EXPECT_THAT(sample.detail, EndsWith("under a pending-launch limit of 90"));
    EXPECT_FALSE(sample.gpu_us || sample.wall_us);
    // 10 of 100 launches at the first level are refused. The other 90 fill the limit, so their own launches are
    // refused too.
    ASSERT_TRUE(sample.launches);
    EXPECT_EQ(sample.launches->attempted, 100U + 90);
    EXPECT_EQ(sample.launches->failed, 100U);
    EXPECT_NE(sample.detail.find("100 of 190"), std::string::npos) << sample.detail;
    EXPECT_NE(sample.detail.find("under a pending-launch limit of 90"), std::string::npos) << sample.detail;
    EXPECT_NE(sample.detail.find("cudaErrorLaunchPendingCountExceeded"), std::string::npos) << sample.detail;
}

} // namespace
} // namespace nestbed
