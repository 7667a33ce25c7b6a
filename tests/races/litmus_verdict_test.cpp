// What the detector says of each litmus pattern: the verdict of CUDA's rules, in one undelayed run in order fifo.
#include "device/backends.hpp"
#include "support/battery.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

struct Verdict {
    const char* pattern;
    const char* missing; // in the report of the race; nullptr: the rules order the two accesses
};
std::ostream& operator<<(std::ostream& out, const Verdict& verdict)
{
    return out << verdict.pattern;
}

const std::vector<Verdict> kVerdicts{
    {"litmus_own_write", nullptr},
    {"litmus_other_write", "thread 63's write is not ordered before thread 0's launch"},
    {"litmus_other_barrier", nullptr},
    {"litmus_child_write", "the child's write is not ordered before thread 0's read"},
    {"litmus_child_flag", nullptr},
    {"litmus_child_tail", nullptr},
    {"litmus_grandchild_tail", nullptr},
    {"litmus_second_child", nullptr},
    {"litmus_siblings_null", nullptr},
    {"litmus_siblings_forget", "are in no order"},
    {"litmus_siblings_named", "are in no order"},
    {"litmus_counter", "an atomic of data[64] is between them that orders nothing by itself"},
    {"litmus_counter_fence", nullptr},
    {"litmus_constant", nullptr},
    {"litmus_pdl_early", "need not wait for the one before it in its stream"},
    {"litmus_pdl_before", "need not wait for the one before it in its stream"},
    {"litmus_pdl_fence", nullptr},
    {"litmus_pdl_end", "need not wait for the one before it in its stream"},
    {"litmus_pdl_wait", nullptr},
    {"litmus_pdl_between", "and one in each grid that is between them"},
    {"litmus_pdl_between_waits", nullptr},
};

class LitmusVerdict : public testing::TestWithParam<Verdict>
{
};

TEST_P(LitmusVerdict, IsThatOfTheRules)
{
    constexpr std::uint32_t kInstances = 4;
    const auto session = open_session(BackendKind::cpu, {.schedule = "fifo", .workers = 1, .untimed = true});
    const Races races = session->races(case_of(BackendKind::cpu, GetParam().pattern, {"", kInstances, 64}), 0);
    if (GetParam().missing == nullptr) {
        EXPECT_EQ(races.pairs(), 0U);
        return;
    }
    ASSERT_EQ(races.races.size(), 1U);
    EXPECT_EQ(races.pairs(), kInstances) << "one in each instance";
    EXPECT_THAT(races.races.front().memory, HasSubstr("data["));
    EXPECT_THAT(races.races.front().missing, HasSubstr(GetParam().missing));
}

INSTANTIATE_TEST_SUITE_P(Races, LitmusVerdict, testing::ValuesIn(kVerdicts),
                         [](const testing::TestParamInfo<Verdict>& test) { return std::string(test.param.pattern); });

TEST(LitmusVerdicts, AreOfEveryPatternThatRunsOnTheExecutor)
{
    std::vector<std::string> patterns;
    for (const Way& way : ways_of(BackendKind::cpu, [](const Way& some) {
             return some.info().workload->name == "litmus" && !some.needs_cuda();
         }))
        patterns.push_back(way.strategy);
    std::vector<std::string> listed;
    for (const Verdict& verdict : kVerdicts)
        listed.emplace_back(verdict.pattern);
    EXPECT_THAT(patterns, testing::UnorderedElementsAreArray(listed));
}

} // namespace
} // namespace nestbed
