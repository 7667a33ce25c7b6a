// What `nestbed test` compares and shrinks.
#include "program/orders/orders.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text_file.hpp"
#include "support/support.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestbed::program
{

namespace
{

Outcome printed(const std::string& output, int exit_code = 0)
{
    return {.end = {.exit_code = exit_code}, .output = output};
}

TEST(Orders, TheFirstDifferenceIsSaid)
{
    const auto difference = [](const Outcome& one, const Outcome& other) {
        return difference_of(one, other, "fifo", {}).value_or("none");
    };
    EXPECT_EQ(difference(printed("a\nb\n"), printed("a\nb\n")), "none");
    EXPECT_EQ(difference(printed("a\nc\n"), printed("a\nb\nd\n")), "line 2 is 'c', by fifo 'b'");
    EXPECT_EQ(difference(printed("a\n"), printed("a\nb\n")), "the output ends before line 2, which is 'b' by fifo");
    EXPECT_EQ(difference(printed("a\nb"), printed("a\n")), "line 2 is 'b', and by fifo the output ends before it");
    EXPECT_EQ(difference(printed("a\n", 1), printed("a\n")), "exit code 1, by fifo exit code 0");
    EXPECT_EQ(difference({.end = {.timed_out = true}}, printed("")), "no end in time, by fifo exit code 0");
    EXPECT_EQ(difference({.too_much_output = true}, printed("")), "the program printed too much and was ended");
    EXPECT_THAT(difference(printed(std::string(500, 'x')), printed("\x1b")), HasSubstr("x…', by fifo '\\x1b'"));
}

TEST(Orders, WhatWentWrongOnTheDeviceIsSaid)
{
    const auto problems = [](const std::string& json, const std::string& messages = "") {
        return problems_of(parse_json(json), messages);
    };
    const std::string ran = R"({"kernel":"k","from_host":1,"from_device":0,"in_graphs":0,"refused":0})";
    const std::string refused = R"({"kernel":"c","from_host":0,"from_device":30,"in_graphs":0,"refused":9,)"
                                R"("first_error":"LaunchPendingCountExceeded","place":"my.cu:4"})";
    EXPECT_THAT(problems(R"({"failed":[],"kernels":[)" + ran + R"(],"suspect":false})"), IsEmpty());
    EXPECT_THAT(problems_of(Json(), "nestbed: x\n"), IsEmpty());
    const std::vector<Problem> some = problems(R"({"failed":[],"kernels":[)" + ran + "," + refused + "]}");
    EXPECT_THAT(some, ElementsAre(Problem{"launches of kernel c were refused (cudaErrorLaunchPendingCountExceeded)",
                                          "9 of 30, the first at my.cu:4"}));
    const std::vector<Problem> all = problems(
        R"({"kernels":[{"kernel":"k","from_host":2,"refused":2,"first_error":"InvalidValue","place":"my.cu:7"}]})");
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].what, "no kernel ran");
    const std::vector<Problem> failed =
        problems(R"({"failed":[{"kernel":"k","place":"my.cu:18","error":"LaunchFailure","text":"deadlock"}]})");
    EXPECT_THAT(failed, ElementsAre(Problem{"kernel k, launched at my.cu:18, failed", "deadlock"}));
    EXPECT_THAT(problems(R"({"suspect":true})", "my text\nnestbed: out of bounds\nnestbed: more\n"),
                ElementsAre(Problem{"the executor reports an error", "out of bounds"}));
    EXPECT_THAT(problems_text({{"fifo", some}, {"eager", failed}, {"random:1", failed}}),
                ElementsAre("in 1 of 3 orders (fifo): " + some[0].what + ": 9 of 30, the first at my.cu:4",
                            "in 2 of 3 orders (eager, random:1): kernel k, launched at my.cu:18, failed: deadlock"));
    EXPECT_THAT(problems_text({{"fifo", failed}, {"eager", failed}}),
                ElementsAre("in all 2 orders: kernel k, launched at my.cu:18, failed: deadlock"));

    const auto difference = [](const Outcome& one, const Outcome& other) {
        return difference_of(one, other, "fifo", {}).value_or("none");
    };
    const Outcome good = printed("a\n");
    const Outcome bad{.end = {}, .output = "b\n", .problems = some, .is_suspect = true};
    const Outcome seen{.end = {}, .output = "a\n", .problems = some};
    EXPECT_EQ(difference(bad, good), some[0].what + ", not by fifo");
    EXPECT_EQ(difference(good, bad), "by fifo, but not here, " + some[0].what);
    EXPECT_EQ(difference(seen, good), "none");
}

TEST(Orders, LinesThatChangeByThemselvesAreNotCompared)
{
    const std::string first = "sum 5\ntime 1 ms\n";
    const std::set<std::size_t> unstable = unstable_lines(first, "sum 5\ntime 2 ms\n");
    EXPECT_THAT(unstable, ElementsAre(1));
    EXPECT_FALSE(difference_of(printed("sum 5\ntime 3 ms\n"), printed(first), "fifo", unstable));
    EXPECT_TRUE(difference_of(printed("sum 6\ntime 3 ms\n"), printed(first), "fifo", unstable));
    EXPECT_THAT(unstable_lines("a\n", "a\nb\n"), IsEmpty());
}

TEST(Orders, DecisionsAreWrittenAsTheExecutorReadsThem)
{
    EXPECT_EQ(text_of({}), "none");
    EXPECT_EQ(text_of({{3, 3}, {7, 17}}), "3,7-17");
}

TEST(Orders, PreemptionsAreReadFromTheFile)
{
    const ScratchFolder folder;
    const std::string path = folder.path("file");
    std::ofstream(path) << "3 at my.cu:5\n17 block 2 in place of block 1\n18\n";
    const std::vector<Preemption> read = read_preemptions(path);
    ASSERT_EQ(read.size(), 3U);
    EXPECT_EQ(read[0].decision, 3U);
    EXPECT_EQ(read[1].text, "block 2 in place of block 1");
    EXPECT_EQ(read[2].text, "");
    std::ofstream(path) << "x\n";
    EXPECT_THROW(read_preemptions(path), RunError);
}

// A program that fails if all `needed` decisions are preemptions, of `count` in all.
struct Imagined {
    std::vector<std::uint64_t> needed;
    std::uint64_t count;
    std::size_t runs = 0;

    std::vector<Preemption> all() const
    {
        std::vector<Preemption> preemptions;
        for (std::uint64_t decision = 0; decision < count; ++decision)
            preemptions.push_back({decision, fmt::format("at {}", decision)});
        return preemptions;
    }
    RestrictedRun run(const std::vector<Decisions>& allowed)
    {
        ++runs;
        const auto is_allowed = [&](std::uint64_t decision) {
            return std::ranges::any_of(
                allowed, [&](const Decisions& one) { return one.first <= decision && decision <= one.last; });
        };
        RestrictedRun result{.fails = std::ranges::all_of(needed, is_allowed)};
        for (const Decisions& one : allowed)
            for (std::uint64_t decision = one.first; decision <= one.last; ++decision)
                result.taken.push_back({decision, fmt::format("at {}", decision)});
        return result;
    }
    std::optional<Shrunk> shrunk(std::size_t max_runs = 1000)
    {
        return shrink(
            all(), [&](const std::vector<Decisions>& allowed) { return run(allowed); },
            [&] { return runs < max_runs; });
    }
};

std::vector<std::uint64_t> decisions_of(const Shrunk& shrunk)
{
    std::vector<std::uint64_t> decisions;
    for (const Preemption& one : shrunk.preemptions)
        decisions.push_back(one.decision);
    return decisions;
}

TEST(Orders, OnlyThePreemptionsThatMatterRemain)
{
    const std::vector<std::vector<std::uint64_t>> cases{
        {0}, {19'999}, {15'000}, {3, 17}, {0, 19'999}, {10, 20, 30, 17'777}, {41, 42, 43}};
    for (const std::vector<std::uint64_t>& needed : cases) {
        Imagined program{.needed = needed, .count = 20'000};
        const auto shrunk = program.shrunk();
        ASSERT_TRUE(shrunk);
        EXPECT_EQ(decisions_of(*shrunk), needed);
        EXPECT_TRUE(shrunk->smallest);
        EXPECT_EQ(shrunk->runs, program.runs);
        EXPECT_LE(program.runs, 300U);
        EXPECT_EQ(shrunk->preemptions.front().text, fmt::format("at {}", needed.front()));
    }
}

TEST(Orders, ALimitOfRunsStopsTheSearch)
{
    Imagined program{.needed = {10, 500, 990}, .count = 1000};
    const auto shrunk = program.shrunk(8);
    ASSERT_TRUE(shrunk);
    EXPECT_FALSE(shrunk->smallest);
    EXPECT_LE(program.runs, 9U);
    const std::vector<std::uint64_t> left = decisions_of(*shrunk);
    for (const std::uint64_t needed : program.needed)
        EXPECT_NE(std::ranges::find(left, needed), left.end());
}

TEST(Orders, AResultThatNeedsNoPreemptionOrDoesNotComeAgain)
{
    Imagined none{.needed = {}, .count = 50};
    EXPECT_THAT(none.shrunk()->preemptions, IsEmpty());
    Imagined never{.needed = {77}, .count = 50};
    EXPECT_FALSE(never.shrunk());
}

TEST(Orders, LinesAreSortedWhereTheirOrderDoesNotCount)
{
    EXPECT_EQ(sorted_lines("b\na\n\nc"), "\na\nb\nc\n");
    EXPECT_EQ(sorted_lines(""), "");
}

TEST(Orders, ALineIsShownUpToItsHundredthCharacter)
{
    const auto difference = [](std::size_t size) {
        return difference_of(printed(std::string(size, 'x')), printed("y"), "fifo", {}).value_or("none");
    };
    EXPECT_EQ(difference(100), "line 1 is '" + std::string(100, 'x') + "', by fifo 'y'");
    EXPECT_EQ(difference(101), "line 1 is '" + std::string(100, 'x') + "…', by fifo 'y'");
}

} // namespace

} // namespace nestbed::program
