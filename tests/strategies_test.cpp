// Every strategy in the registry, on every backend present, over a battery of shapes.
#include "../src/core/session.hpp"
#include "../src/core/strategy.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

struct Shape {
    const char* name;
    std::uint32_t grid;
    std::uint32_t block;
    std::uint64_t elements; // 0: grid * block
    std::optional<std::uint32_t> depth = std::nullopt;
};

const std::vector<Shape>& battery()
{
    static const std::vector<Shape> shapes{
        {"one_element", 1, 1, 0},
        {"one_element_in_a_block", 1, 64, 1},
        {"one_pair", 1, 2, 0},
        {"smallest_blocks", 17, 1, 0},
        {"pairs", 33, 2, 65},
        {"first_launch", 5, 4, 0},
        {"one_block", 1, 512, 0},
        {"largest_block", 3, 1024, 0},
        {"ragged_end", 7, 64, 7 * 64 - 13},
        {"ragged_by_one", 2, 256, 511},
        {"prime", 31, 32, 977},
        {"empty_blocks", 9, 32, 33},
        {"all_but_one_block_empty", 5, 128, 3},
        {"thousands_of_blocks", 3000, 32, 0},
        {"depth_0", 6, 256, 0, 0},
        {"depth_1", 6, 256, 0, 1},
        {"depth_3_ragged", 6, 256, 1300, 3},
        {"depth_0_of_pairs", 3, 2, 0, 0},
        {"depth_beyond_full", 4, 64, 0, 40},
    };
    return shapes;
}

std::vector<std::string> strategies_of(BackendKind backend)
{
    std::vector<std::string> names;
    for (const Strategy* strategy : Registry::of(backend))
        names.emplace_back(strategy->info().name);
    return names;
}

Case case_of(BackendKind backend, const std::string& strategy, const Shape& shape, ElementType type)
{
    const bool elements = Registry::find(backend, strategy)->info().workload == "reduce";
    return {.strategy = strategy,
            .backend = backend,
            .type = elements ? type : ElementType::none,
            .elements = !elements             ? 0
                        : shape.elements == 0 ? std::uint64_t{shape.grid} * shape.block
                                              : shape.elements,
            .grid = shape.grid,
            .block = shape.block,
            .depth = shape.depth,
            .seed = 42};
}

void expect_ok(Session& session, const Case& point)
{
    const Sample sample = session.sample(point);
    EXPECT_EQ(sample.status, Status::ok) << sample.detail;
    EXPECT_EQ(sample.answer.empty(), false);
    ASSERT_TRUE(sample.wall_us.has_value());
    EXPECT_GT(*sample.wall_us, 0);
    ASSERT_TRUE(sample.launches.has_value());
    const LaunchForm form = Registry::find(point.backend, point.strategy)->launches(point);
    EXPECT_EQ(sample.launches->attempted_by_depth, form.by_depth);
    EXPECT_EQ(sample.launches->max_depth, form.levels());
    EXPECT_EQ(sample.launches->failed, 0U);
}

void run_battery(Session& session, const std::string& strategy)
{
    for (const Shape& shape : battery())
        for (const ElementType type : {ElementType::int32, ElementType::float32}) {
            SCOPED_TRACE(std::string(shape.name) + " " + std::string(name_of(type)));
            expect_ok(session, case_of(session.backend(), strategy, shape, type));
        }
}

class Battery : public testing::TestWithParam<std::string>
{
};

TEST_P(Battery, IsRightOnTheExecutorUnderFifo)
{
    for (const unsigned workers : {1U, 3U})
        run_battery(*open_session(BackendKind::cpu, {.schedule = "fifo", .workers = workers}), GetParam());
}

TEST_P(Battery, IsRightOnTheExecutorUnderEagerAndRandomUnlessItSaysItIsRacy)
{
    if (Registry::find(BackendKind::cpu, GetParam())->info().racy)
        GTEST_SKIP() << GetParam() << " is racy by its own word; races_test.cpp shows it";
    for (const char* schedule : {"eager", "random:1", "random:2", "random:3"}) {
        SCOPED_TRACE(schedule);
        run_battery(*open_session(BackendKind::cpu, {.schedule = schedule}), GetParam());
    }
}

TEST(Executor, RandomHoldsManyLargeBlocksThatWait)
{
    const auto session = open_session(BackendKind::cpu, {.schedule = "random:1"});
    expect_ok(*session, case_of(BackendKind::cpu, "synced", {"", 40, 1024, 0}, ElementType::int32));
}

INSTANTIATE_TEST_SUITE_P(Cpu, Battery, testing::ValuesIn(strategies_of(BackendKind::cpu)),
                         [](const auto& test) { return test.param; });

TEST(ClosedForm, IsTheBooks)
{
    const auto launches = [](const char* strategy, std::uint32_t grid, std::uint32_t block) {
        return Registry::find(BackendKind::cpu, strategy)
            ->launches({.strategy = strategy, .grid = grid, .block = block})
            .total();
    };
    EXPECT_EQ(launches("synced", 2048, 512), 16384U);
    EXPECT_EQ(launches("nosync", 2048, 512), 16384U);
    EXPECT_EQ(launches("reduce2", 2048, 512), 8U);
    EXPECT_EQ(launches("synced", 100, 64), 500U);
    EXPECT_EQ(launches("nosync", 100, 64), 500U);
    EXPECT_EQ(launches("reduce2", 100, 64), 5U);
    EXPECT_EQ(launches("hello", 2, 8), 6U);
    EXPECT_EQ(launches("neighbored", 2048, 512), 0U);
    EXPECT_EQ(launches("host", 2048, 512), 0U);
}

TEST(Executor, AFixedLimitThatIsTooSmallIsLaunchFailedAndNeverATime)
{
    const auto session = open_session(BackendKind::cpu, {});
    Case point = case_of(BackendKind::cpu, "nosync", {"", 100, 64, 0}, ElementType::int32);
    point.pending_limit = 90;
    const Sample sample = session->sample(point);
    EXPECT_EQ(sample.status, Status::launch_failed);
    EXPECT_EQ(sample.pending_limit, 90U);
    EXPECT_FALSE(sample.gpu_us || sample.wall_us);
    // 10 of 100 launches at the first level are refused, and their subtrees never come.
    EXPECT_EQ(sample.launches->attempted, 100U + 4 * 90);
    EXPECT_EQ(sample.launches->failed, 10U);
    EXPECT_NE(sample.detail.find("10 of 460"), std::string::npos) << sample.detail;
    EXPECT_NE(sample.detail.find("cudaErrorLaunchPendingCountExceeded"), std::string::npos) << sample.detail;
}

// ---- on a GPU; skipped, with the reason, where there is none ----

class Gpu : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (const std::string reason = why_not(BackendKind::cuda); !reason.empty())
            GTEST_SKIP() << reason;
        session_ = open_session(BackendKind::cuda, {});
    }
    Sample sample(const Case& point) { return session_->sample(point); }
    Case book(const std::string& strategy) const
    {
        return case_of(BackendKind::cuda, strategy, {"", 2048, 512, 0}, ElementType::int32);
    }
    std::unique_ptr<Session> session_;
};

class GpuBattery : public Gpu, public testing::WithParamInterface<std::string>
{
};

TEST_P(GpuBattery, IsRight)
{
    run_battery(*session_, GetParam());
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuBattery);
INSTANTIATE_TEST_SUITE_P(Cuda, GpuBattery, testing::ValuesIn(strategies_of(BackendKind::cuda)),
                         [](const auto& test) { return test.param; });

TEST_F(Gpu, AutoNeverLetsALaunchBeRefused)
{
    for (const char* strategy : {"nosync", "synced", "reduce2"})
        for (int time = 0; time < 10; ++time)
            expect_ok(*session_, book(strategy));
}

TEST_F(Gpu, AutoHoldsForEveryDepthAndTheLargestBlocks)
{
    for (const char* strategy : {"nosync", "synced", "reduce2"})
        for (std::uint32_t depth = 0; depth <= 10; ++depth) {
            SCOPED_TRACE(std::string(strategy) + " depth " + std::to_string(depth));
            expect_ok(*session_,
                      case_of(BackendKind::cuda, strategy, {"", 1024, 1024, 0, depth}, ElementType::int32));
        }
}

TEST_F(Gpu, AFixedLimitThatIsTooSmallIsLaunchFailedAndNeverATime)
{
    Case point = book("nosync");
    point.pending_limit = 128;
    const Sample failed = sample(point);
    EXPECT_EQ(failed.status, Status::launch_failed);
    EXPECT_EQ(failed.pending_limit, 128U);
    EXPECT_GT(failed.launches->failed, 0U);
    EXPECT_FALSE(failed.gpu_us || failed.wall_us);
    EXPECT_NE(failed.detail.find("cudaErrorLaunchPendingCountExceeded"), std::string::npos) << failed.detail;
    // And the device is none the worse.
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

// An H200 takes 599186 for it, as it says when it is read back; a device that refuses may do so in one row.
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

TEST_F(Gpu, TimesAreAboveTheNullKernel)
{
    const double floor = session_->null_kernel_us();
    EXPECT_GT(floor, 0.5);
    const Sample neighbored = sample(book("neighbored"));
    ASSERT_TRUE(neighbored.gpu_us && neighbored.wall_us);
    EXPECT_GT(*neighbored.gpu_us, floor);
    EXPECT_GT(*neighbored.wall_us, *neighbored.gpu_us / 2);
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
