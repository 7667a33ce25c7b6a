// The registry of strategies.
#include "base/error.hpp"
#include "model/strategy.hpp"
#include "support/matchers.hpp"
#include "workloads/reduce/descriptor.hpp"

#include <fmt/format.h>

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

  public:
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

TEST(Registry, RefusesNamesThatALogCannotHold)
{
    constexpr const char* kBad[]{"",   "a b", "a\t",   "a,b",     "a\n", "a'", "a\"", "*",
                                 "a?", "ä",   "a\xff", "\x1b[1m", "-a",  "1a", "a/b", "a:b"};
    const auto refuses = [](const Second& strategy, std::string_view what, std::string_view name) {
        EXPECT_THAT(
            [&] { Registry::add(BackendKind::cpu, strategy); },
            ThrowsMessage<std::logic_error>(HasSubstr(fmt::format("'{}' is no name for {}; allowed: ", name, what))));
    };
    Second strategy;
    const std::string long_name(101, 'a');
    strategy.info_.name = long_name;
    refuses(strategy, "a strategy", long_name);
    WorkloadInfo workload = workloads::reduce;
    Second of_workload;
    of_workload.info_ = {.name = "good-Name_1.2", .workload = &workload};
    for (const char* const name : kBad) {
        strategy.info_.name = name;
        refuses(strategy, "a strategy", name);
        workload.name = name;
        refuses(of_workload, "a workload", name);
    }
    workload.name = "good";
    for (const char* const name : {"Large", "a-b", "a.b", "a b"}) {
        const std::array inputs{kDefaultInput, InputKind(name)};
        workload.inputs = inputs;
        refuses(of_workload, "an input", name);
    }
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
