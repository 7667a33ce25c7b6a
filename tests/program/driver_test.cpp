// What `nestbed test` compares and shrinks, and how programs of a user are run.
#include "base/error.hpp"
#include "base/text_file.hpp"
#include "program/build/child.hpp"
#include "program/build/orders.hpp"
#include "program/build/precompiled.hpp"
#include "support/environment_support.hpp"
#include "support/support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <thread>
#include <unistd.h>

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
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "file").string();
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

TEST(Child, EndsAsTheProgramDoes)
{
    const HeldSignals signals;
    EXPECT_EQ(run_child({.arguments = {"/bin/sh", "-c", "exit 7"}, .environment = {}}, signals).exit_code, 7);
    EXPECT_EQ(run_child({.arguments = {"/bin/sh", "-c", "kill -9 $$"}, .environment = {}}, signals).signal, SIGKILL);
    EXPECT_EQ(
        run_child({.arguments = {"/bin/sh", "-c", "exit $NESTBED_X"}, .environment = {{"NESTBED_X", "5"}}}, signals)
            .exit_code,
        5);
}

TEST(Child, IsEndedWithItsGroupWhenItsTimeIsOver)
{
    const HeldSignals signals;
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "alive").string();
    const auto start = std::chrono::steady_clock::now();
    const std::string script = fmt::format("trap '' TERM; (trap '' TERM; sleep 20; echo > {}) & sleep 20", file);
    const ProgramEnd end = run_child(
        {.arguments = {"/bin/sh", "-c", script}, .environment = {}, .timeout = std::chrono::milliseconds(100)},
        signals);
    EXPECT_TRUE(end.timed_out);
    EXPECT_FALSE(end.good());
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
}

TEST(Child, CanBeEndedForItsOutput)
{
    const HeldSignals signals;
    bool asked = false;
    const ProgramEnd end = run_child(
        {.arguments = {"/bin/sleep", "20"}, .environment = {}, .must_end = [&] { return asked = true; }}, signals);
    EXPECT_TRUE(asked);
    EXPECT_FALSE(end.timed_out);
    EXPECT_EQ(end.signal, SIGTERM);
}

// What a script does as a child, with its output.
struct ScriptEnd {
    ProgramEnd end;
    std::string output;
};

ScriptEnd run_script(const std::string& script, const std::map<std::string, std::string>& environment = {},
                     bool own_group = true)
{
    const HeldSignals signals;
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "output").string();
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600); // NOLINT(*-vararg)
    const ProgramEnd end = run_child({.arguments = {"/bin/sh", "-c", script},
                                      .environment = environment,
                                      .out = file,
                                      .error = file,
                                      .own_group = own_group},
                                     signals);
    close(file);
    return {end, read_text_file(path)};
}

TEST(Child, HasTheFilesAndTheEnvironmentThatItIsGiven)
{
    EXPECT_EQ(run_script("echo out; echo error >&2").output, "out\nerror\n");
    const EnvironmentVariable inherited("NESTBED_X", "of the parent");
    const EnvironmentVariable kept("NESTBED_Y", "kept");
    EXPECT_EQ(run_script("echo $NESTBED_X, $NESTBED_Y").output, "of the parent, kept\n");
    EXPECT_EQ(run_script("env | grep '^NESTBED_[XYZ]=' | sort", {{"NESTBED_X", "new"}, {"NESTBED_Z", "more"}}).output,
              "NESTBED_X=new\nNESTBED_Y=kept\nNESTBED_Z=more\n");
}

TEST(Child, MayReadItsInput)
{
    const HeldSignals signals;
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "input").string();
    std::ofstream(path) << "exit 9\n";
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC); // NOLINT(*-vararg)
    EXPECT_EQ(run_child({.arguments = {"/bin/sh"}, .environment = {}, .in = file}, signals).exit_code, 9);
    close(file);
}

TEST(Child, ThatCannotBeStartedSaysSo)
{
    const HeldSignals signals;
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_child({.arguments = {"/nowhere/program"}, .environment = {}}, signals).exit_code, 127);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "nestbed: /nowhere/program: could not be started\n");
}

TEST(Child, HasTheSignalsOfAProgramThatAUserStarts)
{
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(run_script("kill -PIPE $$; exit 3").end.signal, SIGPIPE);
    static_cast<void>(std::signal(SIGPIPE, before));
    EXPECT_EQ(run_script("kill -TERM $$; exit 3").end.signal, SIGTERM); // held in this process alone
}

TEST(Child, LeavesNothingOfItsGroupBehind)
{
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "alive").string();
    EXPECT_TRUE(run_script("(sleep 1; echo > " + file + ") > /dev/null 2>&1 &").end.good());
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_TRUE(run_script("(sleep 0.1; echo > " + file + ") > /dev/null 2>&1 &", {}, false).end.good());
    for (int time = 0; time < 500 && !std::filesystem::exists(file); ++time)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(std::filesystem::exists(file)); // it has the group of its parent
}

TEST(Child, ThatMustEndMayCleanUpFirst)
{
    const HeldSignals signals;
    const ProgramEnd end =
        run_child({.arguments = {"/bin/sh", "-c", "trap 'exit 4' TERM; while :; do sleep 0.05; done"},
                   .environment = {},
                   .timeout = std::chrono::seconds(2)},
                  signals);
    EXPECT_TRUE(end.timed_out);
    EXPECT_EQ(end.exit_code, 4);
    EXPECT_EQ(end.signal, 0);
}

volatile std::sig_atomic_t last_signal = 0;

// The signal comes through when the temporary files are gone.
TEST(Child, EndsBeforeAnInterruptComesThrough)
{
    last_signal = 0;
    const auto before = std::signal(SIGINT, [](int signal) { last_signal = signal; });
    {
        const HeldSignals signals;
        EXPECT_EQ(
            nestbed::text_of<RunError>([&] {
                run_child({.arguments = {"/bin/sh", "-c", "kill -INT $PPID; sleep 60"}, .environment = {}}, signals);
            }),
            "/bin/sh was interrupted by signal 2 (Interrupt)");
        EXPECT_EQ(last_signal, 0);
    }
    EXPECT_EQ(last_signal, SIGINT);
    static_cast<void>(std::signal(SIGINT, SIG_IGN));
    EXPECT_TRUE(run_script("kill -INT $PPID; sleep 0.1").end.good()); // ignored here, as of `nohup`
    static_cast<void>(std::signal(SIGINT, before));
}

TEST(HeldSignals, AreRestored)
{
    sigset_t before;
    sigset_t held;
    sigset_t behind;
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    {
        const HeldSignals signals;
        pthread_sigmask(SIG_SETMASK, nullptr, &held);
    }
    pthread_sigmask(SIG_SETMASK, nullptr, &behind);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
        EXPECT_EQ(sigismember(&behind, signal), sigismember(&before, signal)) << signal;
        EXPECT_EQ(sigismember(&held, signal), 1) << signal;
    }
}

TEST(TemporaryFolder, NeedsAFolderForTemporaryFiles)
{
    const EnvironmentVariable nowhere("TMPDIR", "/nowhere");
    EXPECT_THAT(nestbed::text_of<RunError>([] { const TemporaryFolder folder; }),
                AllOf(HasSubstr("a folder for temporary files could not be created"),
                      EndsWith(": No such file or directory")));
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

TEST(TemporaryFolder, IsRemovedWithItsContent)
{
    std::filesystem::path path;
    {
        const TemporaryFolder folder;
        path = folder.path();
        std::filesystem::create_directories(path / "a/b");
        std::ofstream(path / "a/b/c") << "x";
    }
    EXPECT_FALSE(path.empty());
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Precompiled, AMakefileDoesNotDependOnTheCache)
{
    const TemporaryFolder folder;
    const std::string rule = (folder.path() / "my.d").string();
    std::ofstream(rule)
        << "my.o: my.cu \\\n /c/nestbed_cuda.hpp.gch /c/nestbed_cuda.hpp \\\n my.h\n/c/nestbed_cuda.hpp:\n";
    remove_header_from_rule(rule, "/c/nestbed_cuda.hpp");
    const std::string text = read_text_file(rule);
    EXPECT_THAT(text, HasSubstr("my.o: my.cu"));
    EXPECT_THAT(text, HasSubstr("my.h"));
    EXPECT_THAT(text, Not(HasSubstr("nestbed_cuda")));
    EXPECT_THAT(text, Not(HasSubstr("\n:")));
}

} // namespace

} // namespace nestbed::program
