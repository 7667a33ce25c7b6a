// Iterative closest point on the executor: all forms give the same sums, and launch what can be counted.
#include "device/backends.hpp"
#include "support/battery.hpp"

#include <string>

namespace nestbed
{
namespace
{

using enum Mechanism;

Case icp_case(const std::string& strategy, Mechanism mechanism)
{
    Case point = case_of(BackendKind::cpu, {strategy, mechanism}, {"", 12, 64, 0}, ElementType::none);
    point["leaf-points"] = 400;
    point["iterations"] = 16;
    return point;
}

TEST(IcpForms, MakeTwoGridsPerIteration)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    const Sample by_host = session->sample(icp_case("icp_levels", host), 0);
    ASSERT_EQ(by_host.status, Status::ok) << by_host.detail;
    ASSERT_GE(*by_host.host_launches, 4U); // at least two iterations
    for (const Mechanism mechanism : {tail, fire_and_forget, null_stream, named_stream}) {
        const Case point = icp_case("icp_launches", mechanism);
        const Sample sample = session->sample(point, 0);
        expect_ok(sample, point);
        EXPECT_EQ(sample.launches->attempted, *by_host.host_launches - 1) << name_of(mechanism);
        EXPECT_EQ(sample.host_launches, 1U);
        EXPECT_EQ(sample.answer, by_host.answer);
        EXPECT_EQ(sample.work, by_host.work);
    }
    const Sample direct = session->sample(icp_case("icp_direct", host), 0);
    EXPECT_EQ(*direct.host_launches, *by_host.host_launches / 2);
    EXPECT_EQ(direct.answer, by_host.answer);
}

TEST(IcpForms, SubmitAsManyIterationsAsThereMayBe)
{
    for (const char* schedule : every_schedule()) {
        const auto session = open_session(BackendKind::cpu, {.schedule = schedule, .workers = 1});
        for (const char* strategy : {"icp_levels", "icp_direct"})
            for (const Mechanism mechanism : {host_max_levels, host_graph_max_levels, host_graph_pdl_max_levels})
                for (const char* input : {"waves", "bumps"}) {
                    SCOPED_TRACE(std::string(schedule) + " " + strategy + " " + std::string(name_of(mechanism)));
                    Case point = icp_case(strategy, mechanism);
                    point.input = InputKind(input);
                    const Sample sample = session->sample(point, 0);
                    expect_ok(sample, point);
                    const unsigned grids = 16 * (std::string(strategy) == "icp_levels" ? 2 : 1);
                    EXPECT_EQ(sample.host_launches, mechanism == host_max_levels ? grids : 1U);
                }
    }
}

TEST(IcpForms, RefuseALeafThatDoesNotFitSharedMemory)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    Case point = icp_case("icp_launches", tail);
    point["leaves"] = 1;
    point["leaf-points"] = 40000;
    const Sample sample = session->sample(point, 0);
    EXPECT_EQ(sample.status, Status::unsupported);
    EXPECT_THAT(sample.detail, HasSubstr("allowed: at most 28672, which fit the shared memory of a block"));
    point["leaves"] = 3;
    EXPECT_THAT(session->sample(point, 0).detail, HasSubstr("--leaves 3; allowed: a power of two"));
}

} // namespace
} // namespace nestbed
