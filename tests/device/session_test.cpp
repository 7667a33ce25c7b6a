// A session on the executor: it reports the errors of a strategy or a case, and continues.
#include "device/backends.hpp"
#include "model/session.hpp"
#include "model/strategy.hpp"

#include "base/error.hpp"
#include "support/stand_ins.hpp"
#include "support/support.hpp"

namespace nestbed
{
namespace
{

Case sampled_case(const std::string& strategy, std::uint32_t block = 16)
{
    return {.strategy = strategy, .backend = BackendKind::cpu, .elements = 4 * block, .grid = 4, .block = block};
}

TEST(Session, NamesTheStrategyWhoseWorkloadHasNoCode)
{
    static constexpr WorkloadInfo kWithoutCode{.name = "test-workload", .axes = {axis::grid, axis::block}};
    static const StandIn mistyped({.name = "test-mistyped", .workload = &kWithoutCode});
    Registry::add(BackendKind::cpu, mistyped);
    const auto session = open_session(BackendKind::cpu, {});
    EXPECT_EQ(
        text_of<RunError>([&] { static_cast<void>(session->sample(sampled_case("test-mistyped"), 0)); }),
        "backend cpu has no workload 'test-workload', which strategy 'test-mistyped' needs; allowed: one with an "
        "object of type RegisterWorkload");
    EXPECT_EQ(session->sample(sampled_case("neighbored"), 0).status, Status::ok);
}

// Not all of the memory is free, for this program needs some.
TEST(Session, KnowsTheFreeMemory)
{
    const DeviceFacts facts = open_session(BackendKind::cpu, {})->facts();
    EXPECT_GT(facts.free_memory_bytes, 0U);
    EXPECT_LT(facts.free_memory_bytes, facts.memory_bytes);
}

// As on a GPU: the launch is refused, and the session loses nothing.
TEST(Session, GivesACrashedSampleForALaunchThatTheExecutorRefuses)
{
    const auto session = open_session(BackendKind::cpu, {});
    const Sample sample = session->sample(sampled_case("neighbored", 2048), 0);
    EXPECT_EQ(sample.status, Status::crashed);
    EXPECT_EQ(sample.detail.substr(0, sample.detail.find(';')),
              "a grid of 4 x 1 x 1 blocks of 2048 x 1 x 1 threads cannot be launched");
    EXPECT_FALSE(sample.device_lost);
    EXPECT_EQ(session->sample(sampled_case("neighbored"), 0).status, Status::ok);
}

// The example of the articles: 2048 numbers (0, 1, 2 and so on) in blocks of 512.
TEST(Session, SumsTheArticlesNumbers)
{
    const auto session = open_session(BackendKind::cpu, {});
    for (const char* strategy :
         {"shared_neighbored", "shared_interleaved", "naive_tree", "host", "nosync", "barrier"})
        for (const ElementType type : {ElementType::int32, ElementType::float32}) {
            const Case point{.strategy = strategy,
                             .type = type,
                             .elements = 2048,
                             .grid = 4,
                             .block = 512,
                             .input = InputKind("index")};
            const Sample sample = session->sample(point, 0);
            EXPECT_EQ(sample.status, Status::ok) << strategy << sample.detail;
            EXPECT_EQ(sample.answer, "2096128") << strategy;
            EXPECT_EQ(sample.reference, "2096128") << strategy;
        }
}

TEST(Session, SaysWhatInt32DoesNotHold)
{
    const auto session = open_session(BackendKind::cpu, {});
    Case point{
        .strategy = "unroll8_warp", .elements = 1 << 20, .grid = 1024, .block = 1024, .input = InputKind("index")};
    const Sample narrow = session->sample(point, 0);
    EXPECT_EQ(narrow.status, Status::unsupported);
    EXPECT_EQ(
        narrow.detail,
        "unsupported: 8192 elements from 262144 on add up to 2181033984; allowed with int32: at most 2147483647");
    point.type = ElementType::float32;
    EXPECT_EQ(session->sample(point, 0).status, Status::ok);
    point.type = ElementType::int32;
    point.strategy = "naive_tree"; // adds in 64 bits
    EXPECT_EQ(session->sample(point, 0).answer, "549755289600");
}

// A ragged end, blocks without numbers, and several cases in turn on the same input.
TEST(Session, FindsTheGreatestAndTheLeast)
{
    const auto session = open_session(BackendKind::cpu, {.schedule = "random:1"});
    for (const char* strategy : {"neighbored", "interleaved"})
        for (const ElementType type : {ElementType::int32, ElementType::float32})
            for (const std::uint32_t block : {1U, 2U, 64U, 512U}) {
                Case point{.strategy = strategy,
                           .type = type,
                           .elements = block * 3 - block / 3,
                           .grid = 7,
                           .block = block,
                           .input = InputKind("index")};
                const std::vector<std::pair<Operator, std::uint64_t>> expected{
                    {Operator::max, point.elements - 1},
                    {Operator::min, 0},
                    {Operator::sum, point.elements * (point.elements - 1) / 2}};
                for (const auto& [op, answer] : expected) {
                    point.op = op;
                    const Sample sample = session->sample(point, 0);
                    EXPECT_EQ(sample.status, Status::ok) << strategy << " " << sample.detail;
                    EXPECT_EQ(sample.answer, std::to_string(answer)) << strategy << " " << name_of(op);
                }
                point.input = InputKind("random");
                for (const Operator op : {Operator::max, Operator::min}) {
                    point.op = op;
                    EXPECT_EQ(session->sample(point, 0).status, Status::ok) << strategy;
                }
            }
}

} // namespace
} // namespace nestbed
