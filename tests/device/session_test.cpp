// A session on the executor: what a strategy or a case does wrong is said, and the session goes on.
#include "device/backends.hpp"
#include "model/session.hpp"
#include "model/strategy.hpp"

#include "base/error.hpp"
#include "support/stand_ins.hpp"
#include "support/support.hpp"

#include <gtest/gtest.h>

namespace nestbed
{
namespace
{

Case case_of(const std::string& strategy, std::uint32_t block = 16)
{
    return {.strategy = strategy, .backend = BackendKind::cpu, .elements = 4 * block, .grid = 4, .block = block};
}

TEST(Session, NamesTheStrategyWhoseEntryHasAWorkloadThatIsNotThere)
{
    static const StandIn mistyped({.name = "test-mistyped", .workload = "reduse"});
    Registry::add(BackendKind::cpu, mistyped);
    const auto session = open_session(BackendKind::cpu, {});
    EXPECT_EQ(
        text_of<RunError>([&] { static_cast<void>(session->sample(case_of("test-mistyped"), 0)); }),
        "the entry of strategy 'test-mistyped' names a workload 'reduse' that is not there; allowed: blobs, chain, "
        "copy, fanout, hello, reduce, transpose");
    EXPECT_EQ(session->sample(case_of("neighbored"), 0).status, Status::ok);
}

// As on a GPU: the launch is refused, and nothing is lost.
TEST(Session, GivesACrashedSampleForALaunchThatTheExecutorRefuses)
{
    const auto session = open_session(BackendKind::cpu, {});
    const Sample sample = session->sample(case_of("neighbored", 2048), 0);
    EXPECT_EQ(sample.status, Status::crashed);
    EXPECT_EQ(sample.detail.substr(0, sample.detail.find(';')),
              "a grid of 4 x 1 x 1 blocks of 2048 x 1 x 1 threads cannot be launched");
    EXPECT_FALSE(sample.device_lost);
    EXPECT_EQ(session->sample(case_of("neighbored"), 0).status, Status::ok);
}

} // namespace
} // namespace nestbed
