// The registry of strategies.
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

} // namespace
} // namespace nestbed
