// `nestbed races` comes to its end: kernels that wait, kernels that never end, and a command that is killed.
#include "base/subprocess.hpp"
#include "support/process_support.hpp"
#include "support/program_support.hpp"
#include "support/support.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace nestbed
{
namespace
{

using namespace std::chrono_literals;
using nlohmann::json;

class RacesEnd : public testing::Test
{
  protected:
    // This program as nestbed, with faults.
    int races(std::vector<std::string> words) const
    {
        words.insert(words.begin(), {"/proc/self/exe", "races", "--grid", "2", "--block", "32"});
        words.front() = std::filesystem::read_symlink("/proc/self/exe").string();
        const ProgramEnd end = run_program(words, {folder.path("out"), folder.path("err")}, 60s);
        EXPECT_EQ(end.signal, 0);
        return end.timed_out ? -1 : end.exit_code;
    }

    ScratchFolder folder;
};

TEST_F(RacesEnd, AThreadThatWaitsForALaterOneLetsItRun)
{
    for (const char* const schedule : {"fifo", "eager", "random:1"}) {
        EXPECT_EQ(races({"--strategy", "fault_waits", "--schedule", schedule, "--timeout", "20"}), 0)
            << schedule << folder.read("err");
        EXPECT_THAT(folder.read("out"), HasSubstr("no races: "));
    }
}

TEST_F(RacesEnd, ACaseThatDoesNotEndIsReportedWithWhatItWaitsFor)
{
    EXPECT_EQ(races({"--strategy", "fault_endless,neighbored", "--timeout", "1"}), 3);
    EXPECT_THAT(folder.read("out"), HasSubstr("no races in what ran: "));
    EXPECT_THAT(
        folder.read("err"),
        AllOf(
            HasSubstr("strategy fault_endless, "),
            HasSubstr("timeout: no end within 1 s; last access: atomic write of memory at tests/faults/endless.cu:"),
            HasSubstr(" (depth 0, block "), HasSubstr("; --timeout S gives a case more time\n")));
    EXPECT_THAT(folder.read("out"), ContainsRegex("\n\nstrategy neighbored, [^:]*\nno races: ")); // the case after it
}

TEST_F(RacesEnd, AlsoAsJson)
{
    EXPECT_EQ(races({"--strategy", "fault_endless", "--timeout", "1", "--json"}), 3);
    const json races = json::parse(folder.read("out"));
    EXPECT_EQ(races["status"], "timeout");
    EXPECT_THAT(std::string(races["detail"]), HasSubstr("no end within 1 s; last access: "));
}

TEST_F(RacesEnd, AnAccessWithoutMemoryIsReportedWithItsPlaceAndThread)
{
    EXPECT_EQ(races({"--strategy", "fault_out_of_bounds,neighbored"}), 3);
    EXPECT_THAT(folder.read("out"), HasSubstr("no races in what ran: 0 accesses of 32 threads in 1 grid\n"));
    EXPECT_THAT(
        folder.read("err"),
        ContainsRegex("strategy fault_out_of_bounds, .*: crashed: write of address 0x[0-9a-f]* at "
                      "tests/faults/out_of_bounds.cu:[0-9]* \\(depth 0, block [01], thread 0\\), where no memory "
                      "is\nnestbed: the run failed, so that there may be more races than those in what ran\n$"));
    EXPECT_THAT(folder.read("out"), ContainsRegex("\n\nstrategy neighbored, [^:]*\nno races: "));
    EXPECT_THAT(folder.read("err"), Not(HasSubstr("`nestbed races`")));
}

TEST_F(RacesEnd, AnAccessWithoutMemoryIsInTheJsonToo)
{
    EXPECT_EQ(races({"--strategy", "fault_out_of_bounds", "--json"}), 3);
    EXPECT_EQ(json::parse(folder.read("out"))["status"], "crashed");
}

// As the C library does where the host has written outside of its memory. The message names the case, and the others are run.
TEST_F(RacesEnd, ACaseThatEndsItsProcessLeavesTheOthers)
{
    EXPECT_EQ(races({"--strategy", "fault_abort,neighbored"}), 3);
    EXPECT_THAT(folder.read("out"), ContainsRegex("strategy neighbored, [^:]*\nno races: "));
    EXPECT_THAT(folder.read("err"), ContainsRegex("nestbed: strategy fault_abort, backend cpu, .*: crashed: signal 6 "
                                                  "\\(Aborted\\); the report of this case is lost\n$"));
}

TEST_F(RacesEnd, ACaseThatEndsItsProcessIsInTheJson)
{
    EXPECT_EQ(races({"--strategy", "fault_abort", "--json"}), 3);
    EXPECT_EQ(json::parse(folder.read("out"))["status"], "crashed");
}

TEST_F(RacesEnd, WhatKernelsPrintIsNotInTheJson)
{
    EXPECT_EQ(races({"--strategy", "fault_prints", "--json"}), 0);
    EXPECT_EQ(json::parse(folder.read("out"))["status"], "ok");
    EXPECT_THAT(folder.read("err"), HasSubstr("a kernel at depth 1 prints\n"));
}

// The program beside nestbed that watches accesses does the work.
TEST_F(RacesEnd, NothingRemainsOfACommandThatIsEnded)
{
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGKILL}) {
        sigset_t none;
        sigemptyset(&none);
        const pid_t command = start_program({nestbed_program(), "races", "--strategy", "barrier", "--grid", "512",
                                             "--block", "1024", "--depth", "full", "--json"},
                                            {0, STDERR_FILENO, STDERR_FILENO}, none);
        std::vector<pid_t> children;
        ASSERT_TRUE(soon([&] { return !(children = children_of(command)).empty(); }));
        ASSERT_TRUE(soon([&] {
            std::error_code ignored;
            return std::filesystem::read_symlink("/proc/" + std::to_string(children[0]) + "/exe", ignored)
                       .filename() == "nestbed_races";
        }));
        EXPECT_FALSE(has_ended(command)) << "the case is too small for this test";
        kill(command, signal);
        EXPECT_EQ(end_of(command).signal, signal);
        EXPECT_TRUE(soon([&] { return !runs(children[0]); })) << "after signal " << signal;
        if (runs(children[0]))
            kill(children[0], SIGKILL);
    }
}

} // namespace
} // namespace nestbed
