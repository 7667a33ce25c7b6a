// The workload `search` on the executor: every form on every tree, with every kind of stack.
#include "support/forms_support.hpp"
#include "support/plan_support.hpp"
#include "workloads/search/search_nodes.hpp"

#include <array>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

constexpr std::uint32_t kNever = 65535; // a cutoff below which no tree reaches
constexpr std::array kSearchForms{"search_children", "search_budget",  "search_levels",  "search_queue",
                                  "search_stacks",   "search_surplus", "search_prefixes"};

Case tree(const std::string& strategy, InputKind input, std::uint32_t size, std::uint32_t cutoff = kNever,
          std::uint32_t budget = 4)
{
    Case point = case_of(BackendKind::cpu, strategy, {"", 1, 32, 0});
    point.input = input;
    point[search_size_of(input)] = size;
    point["cutoff"] = cutoff;
    point["budget"] = point["budget"] == 0 ? 0 : budget;
    return point;
}

void expect_found(Session& session, const Case& point, const std::string& answer, unsigned repetition = 0)
{
    SCOPED_TRACE(point.strategy + " " + std::string(name_of(point.input)) + " " + std::to_string(search_size(point)) +
                 " cutoff " + std::to_string(point["cutoff"]) + " budget " + std::to_string(point["budget"]));
    const Sample sample = session.sample(point, repetition);
    ASSERT_EQ(sample.status, Status::ok) << sample.detail;
    EXPECT_EQ(sample.answer, answer);
    EXPECT_GT(*sample.work, 0U);
    if (sample.launches_expected) {
        EXPECT_EQ(sample.launches->attempted, *sample.launches_expected);
    }
}

TEST(SearchForms, FindAllOfEveryTree)
{
    struct Known {
        InputKind input;
        std::uint32_t size;
        const char* answer;
    };
    // One node; two; a path; a small and a deeper tree; queens with no solution and with some.
    const std::vector<Known> small{
        {InputKind("t1"), 1, "1"},     {InputKind("t1"), 5, "944"},     {InputKind("t3"), 1, "2"},
        {InputKind("t3l"), 1, "2"},    {InputKind("t3l"), 28, "489"},   {InputKind("path"), 1, "1"},
        {InputKind("path"), 2, "2"},   {InputKind("path"), 100, "100"}, {InputKind("queens"), 1, "1"},
        {InputKind("queens"), 2, "0"}, {InputKind("queens"), 3, "0"},   {InputKind("queens"), 4, "2"},
        {InputKind("queens"), 5, "10"}};
    std::vector<Known> trees{
        {InputKind("t3"), 7, "6120"}, {InputKind("queens"), 8, "92"}, {InputKind("queens"), 9, "352"}};
    trees.insert(trees.end(), small.begin(), small.end());
    Combinations combinations(2);
    for (const char* schedule : every_schedule()) {
        const auto session = session_of(schedule);
        for (const Known& one : all_or_few(trees, small))
            for (const char* strategy : kSearchForms)
                for (const std::uint32_t cutoff : {1U, 3U, kNever}) {
                    if (!combinations.takes())
                        continue;
                    expect_found(*session, tree(strategy, one.input, one.size, cutoff), one.answer);
                    if (HasFailure())
                        return;
                }
    }
}

// A thread that searches alone has a stack of its own: its first 16 levels are near, the others in chunks, which it takes
// again when its stack shrinks and grows. t3 with 7 children of the root has a subtree of 67 levels.
TEST(SearchForms, SearchDeepSubtreesAlone)
{
    const auto session = session_of("random:2");
    for (const char* strategy : kSearchForms) {
        expect_found(*session, tree(strategy, InputKind("t3"), 7, 1), "6120");
        expect_found(*session, tree(strategy, InputKind("t3"), 7, 20), "6120");
        expect_found(*session, tree(strategy, InputKind("t3l"), 60, 2), "2841");
        expect_found(*session, tree(strategy, InputKind("path"), 500, 1), "500");
    }
    Case point = tree("search_children", InputKind("t3"), 7);
    point.threshold = 9; // no node has so many children
    expect_found(*session, point, "6120");
    point.threshold = 0;
    point.depth = 3;
    expect_found(*session, point, "6120");
    point = tree("search_budget", InputKind("t3"), 7, kNever, 2);
    point.threshold = 20;
    expect_found(*session, point, "6120");
    point.threshold = 0;
    point.depth = 3;
    expect_found(*session, point, "6120");
}

TEST(SearchForms, SearchWithEveryBudgetAndBlock)
{
    const auto session = session_of("random:3");
    for (const char* strategy : {"search_budget", "search_queue", "search_stacks", "search_surplus"})
        for (const std::uint32_t budget : {1U, 2U, 7U, 1000U})
            for (const std::uint32_t block : {32U, 128U, 1024U}) { // more threads than may take an entry
                Case point = tree(strategy, InputKind("t1"), all_or_few(6, 5), kNever, budget);
                point.block = block;
                expect_found(*session, point, all_or_few("3987", "944"));
            }
}

// 1000 nodes at once do not fit the stack of a block: entries stand for several nodes, or the block stops early.
TEST(SearchForms, SearchWithAFullStack)
{
    const auto session = session_of("fifo");
    for (const char* strategy : {"search_budget", "search_queue", "search_stacks", "search_surplus"})
        for (const std::uint32_t block : {256U, 512U}) {
            Case point = tree(strategy, InputKind("t1"), 7, kNever, 1000);
            point.block = block;
            expect_found(*session, point, "16000");
        }
    Case point = tree("search_budget", InputKind("t1"), 7, kNever, 1000);
    point.block = 512;
    EXPECT_GT(*session->sample(point, 0).launches_expected, 0U); // the budget alone would end no search
}

// Several blocks search at once, so that some find no share while others still search, steal from each other, or are
// sent some: by several workers at once, and in random orders.
TEST(SearchForms, SearchByBlocksThatShareWork)
{
    const auto workers = open_session(BackendKind::cpu, {.schedule = "fifo", .workers = 8});
    const auto random = session_of("random:4");
    for (const char* strategy : {"search_queue", "search_stacks", "search_surplus"}) {
        Case point = tree(strategy, InputKind("t1"), 8, kNever, 2);
        point.block = 256;
        for (unsigned repetition = 0; repetition < 10; ++repetition)
            expect_found(*workers, point, "63914", repetition);
        for (unsigned repetition = 0; repetition < 10; ++repetition) {
            expect_found(*random, tree(strategy, InputKind("t1"), 6, kNever, 2), "3987", repetition);
            expect_found(*random, tree(strategy, InputKind("t3"), 7, kNever, 2), "6120", repetition);
        }
    }
}

// The ledger has 2048 levels; the last one counts those below it too.
TEST(SearchForms, SearchMoreLevelsThanTheLedgerHas)
{
    const auto session = session_of("fifo");
    Case point = case_of(BackendKind::cpu, {"search_children", Mechanism::tail}, {"", 1, 32, 0}, ElementType::none);
    point.input = InputKind("path");
    point["tree-levels"] = 0;
    point["path-nodes"] = 2500;
    const Sample sample = session->sample(point, 0);
    ASSERT_EQ(sample.status, Status::ok) << sample.detail;
    EXPECT_EQ(sample.launches->attempted, 2498U);
    EXPECT_EQ(sample.launches->attempted_by_depth.size(), kLedgerLevels);
    EXPECT_EQ(sample.launches->attempted_by_depth.back(), 2498U - (kLedgerLevels - 1));
}

TEST(SearchForms, SayWhatTheyDoNotSupport)
{
    const auto session = session_of("fifo");
    const auto why = [&](const Case& point) { return why_unsupported(*session, point); };
    EXPECT_THAT(why(tree("search_levels", InputKind("path"), 0)),
                HasSubstr("a search with input path has no size; allowed: from 1 on"));
    EXPECT_THAT(why(tree("search_children", InputKind("queens"), 19)),
                HasSubstr("19 queens are too many for queens; allowed: at most 18"));
    EXPECT_THAT(why(tree("search_levels", InputKind("t1"), 14)),
                HasSubstr("14 levels are too many for t1; allowed: at most 13"));
    EXPECT_THAT(why(tree("search_queue", InputKind("t3"), 10001)),
                HasSubstr("10001 children of the root are too many for t3; allowed: at most 10000"));
    EXPECT_THAT(why(tree("search_budget", InputKind("queens"), 16)),
                HasSubstr("more than 67108864 boards have at most 65535 queens; allowed: a smaller cutoff"));
}

// --- plans ---

TEST(SearchPlan, HasTheUsualValuesOfItsInput)
{
    const Plan plan = plan_of("--strategy search_budget --backend cpu --input t1,t3l,queens");
    ASSERT_EQ(plan.case_count(), 3U);
    for (const Case& point : cases_of(plan)) {
        EXPECT_EQ(search_size(point), point.input == InputKind("t1")       ? 11U
                                      : point.input == InputKind("queens") ? 12U
                                                                           : 2000U);
        EXPECT_EQ(point["cutoff"], point.input == InputKind("queens") ? 6U : kNever);
        EXPECT_EQ(point["budget"], 16U);
        EXPECT_EQ(point.block, 32U);
        EXPECT_EQ(point.grid, 0U);
    }
}

TEST(SearchPlan, SaysWhichSizesAreOfOtherInputs)
{
    const auto unused = [](const std::string& more) {
        return plan_of(("--strategy search_children --backend cpu" + more).c_str()).unused;
    };
    EXPECT_THAT(unused(" --queens 8"),
                ElementsAre("--queens 8: it changes nothing, because no chosen input has queens"));
    EXPECT_THAT(unused(" --queens 8 --input t1,queens"), IsEmpty());
    EXPECT_THAT(unused(" --elements 8"), ElementsAre(HasSubstr("no chosen strategy has elements")));
}

TEST(SearchPlan, KeepsWhatIsAskedFor)
{
    const Plan plan = plan_of("--strategy search_children,search_levels --backend cpu --input queens --queens 8 "
                              "--block 64 --cutoff 3 --budget 1,2");
    ASSERT_EQ(plan.case_count(), 2U); // neither has a budget
    for (const Case& point : plan.groups.front().cases) {
        EXPECT_EQ(point["queens"], 8U);
        EXPECT_EQ(point.block, 64U);
        EXPECT_EQ(point["cutoff"], 3U);
        EXPECT_EQ(point["budget"], 0U);
    }
    EXPECT_THAT(refusal("--strategy search_children --input dust"),
                HasSubstr("allowed for search: t1, t3, t3l, path, queens"));
    EXPECT_THAT(refusal("--strategy search_children --cutoff 0"), HasSubstr("cutoff"));
    EXPECT_THAT(refusal("--strategy search_budget --budget 0"), HasSubstr("budget"));
}

} // namespace
} // namespace nestbed
