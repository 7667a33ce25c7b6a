// The registry of strategies.
#include "base/error.hpp"
#include "model/strategy.hpp"
#include "support/matchers.hpp"
#include "workloads/reduce/descriptor.hpp"

#include <stdexcept>

namespace nestbed
{
namespace
{

using testing::ThrowsMessage;

class Second final : public Strategy
{
    const StrategyInfo& info() const override { return info_; }
    ExpectedLaunches launches(const Case& /*point*/) const override { return {}; }

    StrategyInfo info_{.name = "nosync", .workload = &workloads::reduce};
};

TEST(Registry, RefusesASecondStrategyOfTheSameName)
{
    const Strategy* const first = Registry::find(BackendKind::cpu, "nosync");
    const Second second;
    EXPECT_THAT([&] { Registry::add(BackendKind::cpu, second); },
                ThrowsMessage<std::logic_error>(HasSubstr("two strategies of backend cpu are named 'nosync'")));
    EXPECT_EQ(Registry::find(BackendKind::cpu, "nosync"), first);
}

TEST(Registry, HasTwinsForTracedRunsApart)
{
    EXPECT_THAT(
        [] { Registry::traced("nosync"); },
        ThrowsMessage<RunError>(HasSubstr("strategy nosync: this program has no kernels of it for traced runs")));
    const Strategy* const first = Registry::find(BackendKind::cuda, "nosync");
    static const Second twin; // stays in the registry
    Registry::add_traced(twin);
    EXPECT_EQ(&Registry::traced("nosync"), &twin);
    EXPECT_EQ(Registry::find(BackendKind::cuda, "nosync"), first);
    EXPECT_THAT([] { Registry::add_traced(twin); },
                ThrowsMessage<std::logic_error>(HasSubstr("two strategies for traced runs are named 'nosync'")));
}

} // namespace
} // namespace nestbed
