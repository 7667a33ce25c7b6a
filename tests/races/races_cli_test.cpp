// `nestbed races`: what a user types and what the command answers.
#include "support/cli_support.hpp"
#include "support/program_support.hpp"
#include "support/support.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

using nlohmann::json;
using testing::MatchesRegex;

TEST(RacesCommand, PrintsEveryKindOfRaceAndCountsThem)
{
    const Outcome outcome = ended(3, "races --strategy nosync --grid 4 --block 64");
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_THAT(outcome.out, HasSubstr("race: write and read of in[1] (4 bytes)\n"
                                       "  write  nested/reduce/nosync.cu:"));
    EXPECT_THAT(outcome.out, HasSubstr("  depth 1, block 0, thread 1\n"
                                       "         launched at nested/reduce/nosync.cu:"));
    EXPECT_THAT(outcome.out, HasSubstr("missing: thread 1's write is not ordered before thread 0's launch"));
    EXPECT_THAT(outcome.out, HasSubstr("\n3 kinds of races, 564 pairs: 776 accesses of 504 threads in 21 grids\n"));
}

TEST(RacesCommand, SaysSoWhereThereAreNone)
{
    const Outcome outcome = ended(0, "races --strategy barrier,synced");
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("strategy barrier, backend cpu, mechanism fire_and_forget, type int32, grid 4"),
                      HasSubstr("no races: 836 accesses of 504 threads in 21 grids\n"), Not(HasSubstr("race:"))));
}

TEST(RacesCommand, AGridFollowsTheElementsThatAreGiven)
{
    const Outcome outcome = ended(0, "races --strategy barrier --elements 500 --block 32");
    EXPECT_THAT(outcome.out, ContainsRegex("grid 16,[ \n]block 32,"));
    ended(0, "races --strategy quick_simple --elements 500 --block 32");
}

TEST(RacesCommand, WritesOneObjectPerCaseAsJson)
{
    const Outcome outcome = ended(3, "races --strategy nosync --grid 4 --block 64 --json");
    const json races = json::parse(outcome.out);
    EXPECT_EQ(races["case"]["strategy"], "nosync");
    EXPECT_EQ(races["status"], "ok") << "in order fifo the race is not seen in the answer";
    EXPECT_EQ(races["pairs"], 564);
    ASSERT_EQ(races["races"].size(), 3U);
    const json& race = races["races"][0];
    EXPECT_EQ(race["memory"], "in[1]");
    EXPECT_EQ(race["first"]["kind"], "write");
    EXPECT_EQ(race["second"]["depth"], 1);
    EXPECT_THAT(std::string(race["second"]["launched_by"]["place"]), MatchesRegex("nested/reduce/nosync.cu:[0-9]+"));
    EXPECT_THAT(std::string(race["first"]["places"][0]), MatchesRegex("nested/reduce/nosync.cu:[0-9]+"));
}

TEST(RacesCommand, ExpectsARaceWhereItIsTold)
{
    ended(0, "races --strategy nosync,reduce2 --expect race");
    ended(3, "races --strategy nosync,barrier --expect race");
    const ScratchFolder folder;
    const std::string file = folder.write("racy.cfg", "strategy = nosync\nblock = 32, 64\nexpect = race\n");
    ended(0, {"races", file});
    ended(3, {"races", file, "--expect", "ok"});
}

TEST(RacesCommand, SaysThatARunFailed)
{
    const Words limited("races --strategy barrier --pending-limit 2");
    const Outcome outcome = ended(3, limited);
    EXPECT_THAT(outcome.out, HasSubstr("no races in what ran: "));
    EXPECT_THAT(outcome.err,
                AllOf(HasSubstr("launch_failed: "), HasSubstr("; the run failed, so that there may be more")));
    std::vector<std::string> words = limited;
    words.insert(words.end(), {"--expect", "race"});
    ended(3, words);
    words = limited;
    words.push_back("--json");
    const json races = json::parse(nestbed(words).out);
    EXPECT_EQ(races["status"], "launch_failed");
    EXPECT_THAT(std::string(races["detail"]), HasSubstr("launch"));
}

TEST(RacesCommand, SaysThatAnAnswerIsWrongWithoutARace)
{
    for (const std::string expect : {"ok", "race"}) {
        const Outcome outcome = ended(3, Words("races --strategy shifted_answer_neighbored --expect") + expect);
        EXPECT_THAT(outcome.out, HasSubstr("no races: "));
        EXPECT_THAT(outcome.err, AllOf(HasSubstr("wrong: "), HasSubstr("; the answer is wrong without a race")));
    }
}

TEST(RacesCommand, SaysWhatItCannotRun)
{
    const Outcome outcome = ended(0, "races --strategy graph,barrier");
    EXPECT_THAT(outcome.err, HasSubstr("graph needs features that only CUDA has"));
    const Outcome expected = ended(3, "races --strategy graph,nosync --expect race");
    EXPECT_THAT(expected.err, HasSubstr("; the case did not run, and a race was expected"));
    const Outcome large = ended(3, "races --strategy barrier --grid 65536 --block 512");
    EXPECT_THAT(large.err, HasSubstr("needs more than 2048 MB for the accesses of this run, and has looked at the "
                                     "first part of it alone; use a smaller case (of a "
                                     "strategy: --grid, --block"));
    ended(2, "races --strategy barrier --backend cuda");
    ended(2, "races");
}

// The program nestbed does not watch accesses itself. It calls the program beside it that does.
int exit_code_of(const std::string& command, std::string& text)
{
    FILE* const pipe = popen((command + " 2>&1").c_str(), "r"); // NOLINT(cert-env33-c): from this test
    text.clear();
    for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe))
        text += static_cast<char>(letter);
    return WEXITSTATUS(pclose(pipe));
}

TEST(RacesCommand, OfTheProgramItselfCallsTheOneBesideItThatWatches)
{
    std::string text;
    EXPECT_EQ(exit_code_of(nestbed_program() + " races --strategy reduce2", text), 3);
    EXPECT_THAT(text, HasSubstr("kinds of races"));
    EXPECT_EQ(exit_code_of(nestbed_program() + " races --strategy tail", text), 0);
}

TEST(RacesCommand, SaysHowToMakeThatProgramWhereItIsNot)
{
    const ScratchFolder folder;
    std::filesystem::copy(nestbed_program(), folder.path("nestbed"));
    std::string text;
    EXPECT_EQ(exit_code_of("env -u COLUMNS " + folder.path("nestbed") + " races --strategy tail", text), 1);
    EXPECT_THAT(text, AllOf(HasSubstr("nestbed_races does not exist"), HasSubstr("CXX=g++"),
                            HasSubstr("experiments/build.sh '' nestbed")));
}

} // namespace
} // namespace nestbed
