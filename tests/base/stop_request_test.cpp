// Requests to stop: the first signal is recorded, the second one ends the program.
#include "base/error.hpp"
#include "base/stop_request.hpp"
#include "support/matchers.hpp"

#include <csignal>
#include <poll.h>

namespace nestbed
{
namespace
{

bool can_be_read(int descriptor)
{
    pollfd waited{.fd = descriptor, .events = POLLIN, .revents = 0};
    return poll(&waited, 1, 0) == 1;
}

TEST(StopRequest, RecordsTheFirstSignalAndSaysSo)
{
    for (const int signal : {SIGINT, SIGTERM}) { // a new request knows nothing of the one before
        const StopRequest stop("stopping\n");
        EXPECT_EQ(stop.signal(), 0);
        EXPECT_FALSE(can_be_read(StopRequest::descriptor()));
        testing::internal::CaptureStderr();
        EXPECT_EQ(raise(signal), 0);
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "stopping\n");
        EXPECT_EQ(stop.signal(), signal);
        EXPECT_TRUE(can_be_read(StopRequest::descriptor()));
    }
    EXPECT_EQ(StopRequest::descriptor(), -1);
}

TEST(StopRequest, EndsTheProgramAtTheSecondSignal)
{
    EXPECT_EXIT(
        {
            const StopRequest stop("stopping\n");
            static_cast<void>(raise(SIGINT));
            static_cast<void>(raise(SIGTERM));
        },
        testing::ExitedWithCode(exit_interrupted), "^stopping\n$");
}

// nohup ignores SIGHUP for the programs that it starts.
TEST(StopRequest, LeavesAnIgnoredSignalIgnoredAndRestoresTheHandlers)
{
    const auto before = std::signal(SIGHUP, SIG_IGN);
    {
        const StopRequest stop("");
        EXPECT_EQ(raise(SIGHUP), 0);
        EXPECT_EQ(stop.signal(), 0);
    }
    EXPECT_EQ(std::signal(SIGHUP, before), SIG_IGN);
    static volatile std::sig_atomic_t handled = 0;
    const auto usual = std::signal(SIGTERM, [](int) { handled = 1; });
    {
        const StopRequest stop("");
    }
    EXPECT_EQ(raise(SIGTERM), 0);
    EXPECT_EQ(handled, 1);
    static_cast<void>(std::signal(SIGTERM, usual));
}

TEST(StopRequest, HandlesOneSignalAfterTheOther)
{
    const StopRequest stop("");
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now = {};
        ASSERT_EQ(sigaction(signal, nullptr, &now), 0);
        for (const int other : {SIGINT, SIGTERM, SIGHUP})
            EXPECT_EQ(sigismember(&now.sa_mask, other), 1) << signal << " waits for " << other;
    }
}

TEST(StopRequest, AtOnceEndsTheProgramAtTheFirstSignal)
{
    EXPECT_EXIT(
        {
            const StopRequest stop("stopping\n");
            const std::string said = "nothing to finish\n";
            const StopRequest::AtOnce at_once(said);
            static_cast<void>(raise(SIGTERM));
        },
        testing::ExitedWithCode(exit_interrupted), "^nothing to finish\n$");
    EXPECT_EXIT(
        {
            const StopRequest stop("stopping\n");
            {
                const std::string said = "nothing to finish\n";
                const StopRequest::AtOnce at_once(said);
            }
            static_cast<void>(raise(SIGTERM)); // is recorded again
            _exit(stop.signal() == SIGTERM ? 7 : 1);
        },
        testing::ExitedWithCode(7), "^stopping\n$");
}

} // namespace
} // namespace nestbed
