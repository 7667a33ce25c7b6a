// What a session reports about a lost worker. Shell scripts play the worker and begin as a worker does.
#include "run/messages.hpp"
#include "run/worker_session.hpp"

#include "base/error.hpp"
#include "support/program_support.hpp"
#include "support/support.hpp"

#include <cerrno>
#include <csignal>
#include <string>

namespace nestbed
{
namespace
{

class LostWorker : public testing::Test
{
  protected:
    // A worker that writes its process id into the file `pid`, opens its device, sends `said`, and then runs the
    // script.
    std::unique_ptr<Session> session(const std::string& said, const std::string& script) const
    {
        const std::string opened = line_of({{"answer", Opened{.facts = {.name = "a device"}, .schedule = "fifo"}}});
        const std::string begin =
            "echo $$ > '" + folder.path("pid") + "'; cat '" + folder.write("said", opened + said) + "' >&0; ";
        return open_worker_session(
            BackendKind::cpu, {},
            {.timeout = std::chrono::minutes(1), .program = {program(folder, "worker", begin + script)}});
    }

    ScratchFolder folder;
};

TEST_F(LostWorker, IsASampleThatSaysHowTheWorkerEnded)
{
    const auto by = [&](const std::string& script) { return session("", script)->sample({.strategy = "nosync"}, 0); };
    const Sample sample = by("exit 7");
    EXPECT_EQ(sample.status, Status::crashed);
    EXPECT_EQ(sample.detail, "exit code 7");
    EXPECT_TRUE(sample.device_lost);
    EXPECT_EQ(by("kill -9 $$").detail, "signal 9 (Killed)");
}

// The worker's memory is damaged, so it must not keep the device.
TEST_F(LostWorker, IsEndedWhereItsAnswerIsMalformed)
{
    const auto one = session(line_of({{"answer", "soon"}}), "exec sleep 600");
    EXPECT_THAT(text_of<RunError>([&] { static_cast<void>(one->empty_kernel_us()); }),
                HasSubstr("the worker on cpu was lost while it timed an empty kernel: its answer is malformed"));
    EXPECT_EQ(kill(std::stoi(folder.read("pid")), 0), -1);
    EXPECT_EQ(errno, ESRCH);
}

} // namespace
} // namespace nestbed
