// Many recursions on the executor: all forms are right, launch what the oracle counts, and say when each tenant ended.
#include "device/backends.hpp"
#include "support/battery.hpp"

#include <string>
#include <vector>

namespace nestbed
{
namespace
{

Case tenants_case(const std::string& strategy, std::uint32_t tenants = 6)
{
    Case point = case_of(BackendKind::cpu, strategy, {"", 1, 32, 1});
    point["tenant-count"] = tenants;
    return point;
}

std::vector<std::string> forms()
{
    return {"tenants_children", "tenants_blocks", "tenants_queue", "tenants_streams", "tenants_levels"};
}

TEST(TenantsForms, AgreeOnTheNodesAndSayWhenEachTenantEnded)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    std::string nodes;
    for (const std::string& form : forms()) {
        const Sample sample = session->sample(tenants_case(form), 0);
        expect_ok(sample, tenants_case(form));
        EXPECT_TRUE(nodes.empty() || sample.answer == nodes) << form;
        nodes = sample.answer;
        EXPECT_EQ(std::to_string(sample.work.value_or(0)), nodes);
        ASSERT_EQ(sample.latencies_us.size(), 6U) << form;
        for (const double us : sample.latencies_us) {
            EXPECT_GT(us, 0) << form;
            EXPECT_LE(us, *sample.wall_us) << form;
        }
    }
}

TEST(TenantsForms, WaitForTenantsThatArriveLater)
{
    for (const char* schedule : every_schedule()) {
        const auto session = open_session(BackendKind::cpu, {.schedule = schedule, .workers = 1});
        for (const std::string& form : forms()) {
            SCOPED_TRACE(form + " " + schedule);
            Case point = tenants_case(form);
            point.input = InputKind("poisson");
            point["arrival-gap-us"] = 300;
            if (form == "tenants_children")
                point.wave = 1;
            const Sample sample = session->sample(point, 0);
            expect_ok(sample, point);
            EXPECT_GT(*sample.wall_us, 300); // the last arrives after 6 gaps
            for (const double us : sample.latencies_us)
                EXPECT_GT(us, 0); // none ended before it arrived
        }
    }
}

// All launches of a tenant but those of its narrow levels.
TEST(TenantsForms, DoNarrowLevelsWithoutALaunch)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    const auto sample_of = [&](const std::string& form, std::uint32_t threshold) {
        Case point = tenants_case(form);
        point.threshold = threshold;
        Sample sample = session->sample(point, 0);
        expect_ok(sample, point);
        return sample;
    };
    const std::uint64_t all = sample_of("tenants_children", 0).launches->attempted;
    const std::uint64_t some = sample_of("tenants_children", 40).launches->attempted;
    EXPECT_EQ(sample_of("tenants_children", 1000).launches->attempted, 0U);
    EXPECT_GT(all, some);
    EXPECT_GT(some, 0U);
    EXPECT_EQ(sample_of("tenants_streams", 0).host_launches, all + 6); // and the roots
    EXPECT_EQ(sample_of("tenants_streams", 40).host_launches, some + 6);
    EXPECT_EQ(sample_of("tenants_queue", 40).host_launches, 1U);
    EXPECT_EQ(sample_of("tenants_queue", 1000).host_launches, 1U);
    EXPECT_EQ(sample_of("tenants_levels", 0).host_launches, 6U); // the root and the five levels of the deepest
}

TEST(TenantsForms, AreRightWithAnyStreamsAndWaves)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    for (const std::uint32_t streams : {1U, 2U, 16U}) {
        Case host = tenants_case("tenants_streams", 7);
        host.streams = streams;
        const Sample by_host = session->sample(host, 0);
        expect_ok(by_host, host);
        EXPECT_EQ(by_host.streams, streams);
        Case children = tenants_case("tenants_children", 7);
        children.streams = streams;
        children.wave = 2;
        const Sample by_device = session->sample(children, 0);
        expect_ok(by_device, children);
        EXPECT_EQ(by_device.waves, 4U);
    }
}

TEST(TenantsForms, RefuseMoreThanTheyHavePlacesFor)
{
    const auto session = open_session(BackendKind::cpu, {.workers = 1});
    const Sample sample = session->sample(tenants_case("tenants_queue", 513), 0);
    EXPECT_EQ(sample.status, Status::unsupported);
    EXPECT_THAT(sample.detail, HasSubstr("513 tenants; allowed: at most 512"));
}

} // namespace
} // namespace nestbed
