// Workers on a GPU: each fault of a real device becomes a sample with its reason, and the next worker is fine.
#include "base/error.hpp"
#include "device/backends.hpp"
#include "run/worker_session.hpp"
#include "support/program_support.hpp"

namespace nestbed
{
namespace
{

using namespace std::chrono_literals;

class GpuWorker : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (const std::string reason = why_not(BackendKind::cuda); !reason.empty())
            GTEST_SKIP() << "no usable GPU: " << reason;
    }

    static std::unique_ptr<Session> worker(std::chrono::milliseconds timeout,
                                           std::vector<std::string> program = {this_program()})
    {
        return open_worker_session(BackendKind::cuda, {},
                                   {.timeout = timeout, .stop = nullptr, .program = std::move(program)});
    }
    static Case case_of(const std::string& strategy, std::uint32_t grid)
    {
        return {.strategy = strategy,
                .backend = BackendKind::cuda,
                .elements = grid * 512,
                .grid = grid,
                .block = 512,
                .submit = Submit::held};
    }
    // Two tries, because a device that a fault left unusable would fail the second one at once.
    static void expect_lost(const std::string& strategy, std::uint32_t grid, Status status, const std::string& reason)
    {
        const auto session = worker(4s);
        for (unsigned attempt = 0; attempt < 2; ++attempt) {
            const Sample lost = session->sample(case_of(strategy, grid), 0);
            EXPECT_EQ(lost.status, status);
            EXPECT_THAT(lost.detail, HasSubstr(reason));
            EXPECT_TRUE(lost.device_lost);
            EXPECT_FALSE(lost.gpu_us || lost.wall_us);
            session->renew();
            EXPECT_EQ(session->sample(case_of("barrier", 64), 0).status, Status::ok);
        }
    }
};

TEST_F(GpuWorker, AnEndlessKernelIsATimeout)
{
    expect_lost("fault_endless", 33, Status::timeout, "no sign of life in 4 s");
}

// A GPU can hold 128 resident grids: 33 chains of 8 levels and their waiting parents do not fit, 14 do.
TEST_F(GpuWorker, AWaitThatDeadlocksIsATimeout)
{
    expect_lost("fault_deadlock", 33, Status::timeout, "no sign of life in 4 s");
    EXPECT_EQ(worker(10s)->sample(case_of("fault_deadlock", 14), 0).status, Status::ok);
}

TEST_F(GpuWorker, AWriteOutOfBoundsLosesTheContext)
{
    expect_lost("fault_out_of_bounds", 33, Status::crashed, "cudaErrorIllegalAddress");
}

TEST_F(GpuWorker, ATrapLosesTheContext)
{
    expect_lost("fault_trap", 33, Status::crashed, "cudaErrorLaunchFailure");
}

TEST_F(GpuWorker, AnAbortIsASignal)
{
    expect_lost("fault_abort", 33, Status::crashed, "signal 6 (Aborted)");
}

TEST_F(GpuWorker, ARefusedLaunchLosesNothing)
{
    const Sample refused = worker(10s)->sample(case_of("fault_refused", 33), 0);
    EXPECT_EQ(refused.status, Status::launch_failed);
    EXPECT_THAT(refused.detail, HasSubstr("cudaErrorInvalidConfiguration"));
    EXPECT_FALSE(refused.device_lost);
}

// More launches than the queue of a stream takes: the gate stays closed for half a second per sample.
TEST_F(GpuWorker, ThatIsKilledWhileItHoldsAStreamIsASignalAndTheNextOneIsFine)
{
    const ScratchFolder folder;
    const std::string killed = program(folder, "killed",
                                       "[ -e '" + folder.path("used") + "' ] || { : > '" + folder.path("used") +
                                           "'; (sleep 4; kill -9 $$) & }; exec " + this_program() + " \"$@\"");
    const auto session = worker(20s, {killed});
    Case wide{
        .strategy = "fanout", .backend = BackendKind::cuda, .mechanism = Mechanism::host, .submit = Submit::held};
    wide.type = ElementType::none;
    wide.grid = 100'000;
    wide.block = 32;
    Sample sample;
    for (int time = 0; time < 1000 && !sample.device_lost; ++time) {
        wide.block = 32U << (time % 5); // each block size is held at most twice
        sample = session->sample(wide, 0);
    }
    EXPECT_THAT(sample.detail, HasSubstr("signal 9 (Killed)"));
    session->renew();
    EXPECT_EQ(session->sample(case_of("barrier", 64), 0).status, Status::ok);
}

TEST_F(GpuWorker, WithAGpuThatIsGoneIsAnError)
{
    const ScratchFolder folder;
    const std::string once = program(folder, "once",
                                     "[ ! -e '" + folder.path("used") + "' ] || export CUDA_VISIBLE_DEVICES=; : > '" +
                                         folder.path("used") + "'; exec " + this_program() + " \"$@\"");
    const auto session = worker(60s, {once});
    EXPECT_EQ(session->sample(case_of("barrier", 64), 0).status, Status::ok);
    EXPECT_TRUE(session->sample(case_of("fault_abort", 33), 0).device_lost);
    const std::string error = text_of<RunError>([&] { session->renew(); });
    EXPECT_THAT(error, StartsWith("no new worker could be started on " + session->facts().name + ": "));
    EXPECT_THAT(error, HasSubstr("cudaErrorNoDevice"));
}

} // namespace
} // namespace nestbed
