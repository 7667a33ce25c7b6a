// Programs that are started and waited for: how they end, and that nothing remains of a program that does not end in
// time.
#include "base/subprocess.hpp"

#include "base/error.hpp"
#include "base/temporary_folder.hpp"
#include "support/environment_support.hpp"
#include "support/process_support.hpp"
#include "support/program_support.hpp"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>

namespace nestbed
{
namespace
{

using namespace std::chrono_literals;

class Subprocess : public testing::Test
{
  protected:
    ProgramEnd run(const std::string& script, std::vector<std::string> arguments = {},
                   std::chrono::milliseconds timeout = 60s, std::chrono::milliseconds grace = 200ms) const
    {
        arguments.insert(arguments.begin(), program(folder, "program", script));
        return run_program(arguments, {folder.path("out"), folder.path("err")}, timeout, grace);
    }

    // Whether the process is gone or will be soon. A script wrote its process id to this file.
    bool gone(std::string_view file) const
    {
        const pid_t process = std::stoi(folder.read(file));
        return soon([&] { return !runs(process); });
    }

    static Child shell(const std::string& script) { return {.arguments = {"/bin/sh", "-c", script}}; }

    ScratchFolder folder;
};

TEST_F(Subprocess, GivesTheExitCode)
{
    EXPECT_TRUE(run("exit 0").good());
    const ProgramEnd end = run("exit 7");
    EXPECT_FALSE(end.good());
    EXPECT_EQ(end.exit_code, 7);
    EXPECT_EQ(end.text(), "exit code 7");
}

TEST_F(Subprocess, GivesTheSignalThatEndedIt)
{
    const ProgramEnd end = run("kill -KILL $$");
    EXPECT_EQ(end.signal, SIGKILL);
    EXPECT_EQ(end.exit_code, 0);
    EXPECT_FALSE(end.timed_out);
    EXPECT_FALSE(end.good());
    EXPECT_EQ(end.text(), "signal 9 (Killed)");
}

TEST_F(Subprocess, KeepsItsOutputsApartOrTogether)
{
    EXPECT_TRUE(run("echo data; echo message >&2").good());
    EXPECT_EQ(folder.read("out"), "data\n");
    EXPECT_EQ(folder.read("err"), "message\n");
    const std::string script = program(folder, "both", "echo first; echo second >&2; echo third");
    for (int time = 0; time < 2; ++time) // the second run appends
        EXPECT_TRUE(run_program({script}, {folder.path("log"), folder.path("log")}, 60s).good());
    EXPECT_EQ(folder.read("log"), "first\nsecond\nthird\nfirst\nsecond\nthird\n");
}

// No shell interprets them.
TEST_F(Subprocess, GetsItsArgumentsAsTheyAre)
{
    EXPECT_TRUE(run("for word in \"$@\"; do echo \"[$word]\"; done", {"a b", "", "$HOME", "'", "*", "x;y"}).good());
    EXPECT_EQ(folder.read("out"), "[a b]\n[]\n[$HOME]\n[']\n[*]\n[x;y]\n");
}

TEST_F(Subprocess, HasNothingToRead)
{
    EXPECT_TRUE(run("! read line").good());
}

TEST_F(Subprocess, IsEndedPastTheTimeoutWithItsChildren)
{
    const auto start = std::chrono::steady_clock::now();
    const ProgramEnd end = run("sh -c 'echo $$ > " + folder.path("child") + "; sleep 600' & sleep 600", {}, 2s);
    EXPECT_TRUE(end.timed_out);
    EXPECT_FALSE(end.good());
    EXPECT_EQ(end.text(), "no end in time");
    EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
    EXPECT_TRUE(gone("child"));
}

TEST_F(Subprocess, MayCleanUpInItsGrace)
{
    const ProgramEnd end = run("trap 'echo cleaned; exit 4' TERM; while :; do sleep 0.05; done", {}, 2s, 20s);
    EXPECT_TRUE(end.timed_out);
    EXPECT_EQ(end.exit_code, 4);
    EXPECT_EQ(folder.read("out"), "cleaned\n");
}

TEST_F(Subprocess, IsKilledWhenItDoesNotEndInItsGrace)
{
    const ProgramEnd end =
        run("trap '' TERM; echo $$ > " + folder.path("own") + "; while :; do sleep 0.05; done", {}, 2s, 200ms);
    EXPECT_TRUE(end.timed_out);
    EXPECT_EQ(end.signal, SIGKILL);
    EXPECT_TRUE(gone("own"));
}

TEST_F(Subprocess, LeavesNothingBehindWhenItEndsByItself)
{
    EXPECT_TRUE(run("sleep 600 & echo $! > " + folder.path("child")).good());
    EXPECT_TRUE(gone("child"));
}

volatile std::sig_atomic_t last_signal = 0;

// Like a Ctrl-C of the user, but the signal goes to this process alone.
TEST_F(Subprocess, IsEndedBeforeAnInterruptComesThrough)
{
    const auto before = std::signal(SIGINT, [](int signal) { last_signal = signal; });
    const std::string text =
        text_of<RunError>([&] { run("echo $$ > " + folder.path("own") + "; kill -INT $PPID; sleep 600", {}, 60s); });
    std::signal(SIGINT, before);
    EXPECT_EQ(last_signal, SIGINT);
    EXPECT_THAT(text, AllOf(StartsWith(folder.path("program")), HasSubstr("was interrupted by signal 2")));
    EXPECT_TRUE(gone("own"));
}

// The signal comes through when the temporary files are gone, and not at all if it is ignored, as under `nohup`.
TEST_F(Subprocess, EndsBeforeAHeldInterruptComesThrough)
{
    last_signal = 0;
    const auto before = std::signal(SIGINT, [](int signal) { last_signal = signal; });
    {
        const HeldSignals signals;
        EXPECT_EQ(text_of<RunError>([&] { run_child(shell("kill -INT $PPID; sleep 60"), signals); }),
                  "/bin/sh was interrupted by signal 2 (Interrupt)");
        EXPECT_EQ(last_signal, 0);
    }
    EXPECT_EQ(last_signal, SIGINT);
    static_cast<void>(std::signal(SIGINT, SIG_IGN));
    EXPECT_TRUE(run_child(shell("kill -INT $PPID; sleep 0.1"), HeldSignals()).good());
    static_cast<void>(std::signal(SIGINT, before));
    EXPECT_EQ(run_child(shell("kill -TERM $$; exit 3"), HeldSignals()).signal, SIGTERM); // held in this process alone
}

TEST_F(Subprocess, HasTheEnvironmentOfThisProcessAndMore)
{
    const EnvironmentVariable inherited("NESTBED_X", "of the parent");
    const EnvironmentVariable kept("NESTBED_Y", "kept");
    Child child = shell("test \"$NESTBED_X, $NESTBED_Y, $NESTBED_Z\" = \"$0\"");
    child.arguments.emplace_back("of the parent, kept, ");
    EXPECT_TRUE(run_child(child, HeldSignals()).good());
    child.environment = {{"NESTBED_X", "new"}, {"NESTBED_Z", "more"}};
    child.arguments.back() = "new, kept, more";
    EXPECT_TRUE(run_child(child, HeldSignals()).good());
}

TEST_F(Subprocess, MayReadItsInput)
{
    const int file = open(folder.write("input", "exit 9\n").c_str(), O_RDONLY | O_CLOEXEC); // NOLINT(*-vararg)
    Child child{.arguments = {"/bin/sh"}, .in = file};
    EXPECT_EQ(run_child(child, HeldSignals()).exit_code, 9);
    close(file);
}

TEST_F(Subprocess, CanBeEndedForItsOutput)
{
    Child child{.arguments = {"/bin/sleep", "20"}, .must_end = [] { return true; }};
    const ProgramEnd end = run_child(child, HeldSignals());
    EXPECT_FALSE(end.timed_out);
    EXPECT_EQ(end.signal, SIGTERM);
}

TEST_F(Subprocess, InTheGroupOfItsParentLeavesWhatItStartedAlone)
{
    const std::string file = folder.path("alive");
    Child child = shell("(sleep 0.1; echo > " + file + ") > /dev/null 2>&1 &");
    child.own_group = false;
    EXPECT_TRUE(run_child(child, HeldSignals()).good());
    EXPECT_TRUE(soon([&] { return std::filesystem::exists(file); }));
}

TEST_F(Subprocess, TellsHowLongItRan)
{
    const auto start = std::chrono::steady_clock::now();
    const ProgramEnd end = run("sleep 0.2");
    EXPECT_GE(end.elapsed, 200ms);
    EXPECT_LE(end.elapsed, std::chrono::steady_clock::now() - start);
}

TEST_F(Subprocess, EndsWithTheProcessThatWaitsForIt)
{
    const pid_t waiting = fork();
    if (waiting == 0) {
        run("echo $$ > " + folder.path("new") + "; mv " + folder.path("new") + " " + folder.path("child") +
                "; sleep 600",
            {}, 600s);
        _exit(0);
    }
    EXPECT_TRUE(soon([&] { return std::filesystem::exists(folder.path("child")); }));
    kill(waiting, SIGKILL);
    EXPECT_EQ(end_of(waiting).signal, SIGKILL);
    EXPECT_TRUE(gone("child"));
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
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        EXPECT_EQ(sigismember(&behind, signal), sigismember(&before, signal)) << signal;
        EXPECT_EQ(sigismember(&held, signal), 1) << signal;
    }
}

TEST(TemporaryFolder, NeedsAFolderForTemporaryFiles)
{
    const EnvironmentVariable nowhere("TMPDIR", "/nowhere");
    EXPECT_THAT(text_of<RunError>([] { const TemporaryFolder folder; }),
                AllOf(HasSubstr("a folder for temporary files could not be created"),
                      EndsWith(": No such file or directory")));
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

TEST_F(Subprocess, ThatCannotBeStartedIsNamedWithTheReason)
{
    const auto start = [&](const std::string& path) {
        return text_of<RunError>([&] {
            static_cast<void>(run_program({path}, {folder.path("out"), folder.path("err")}, 1s));
        });
    };
    const std::string missing = folder.path("missing");
    EXPECT_EQ(start(missing), missing + " could not be started: No such file or directory");
    const std::string text = folder.write("text", "no program");
    EXPECT_EQ(start(text), text + " could not be started: Permission denied");
}

TEST_F(Subprocess, SaysWhichOutputCannotBeOpened)
{
    const std::string script = program(folder, "program", "exit 0");
    EXPECT_EQ(text_of<RunError>([&] {
                  static_cast<void>(run_program({script}, {folder.path("no/out"), folder.path("err")}, 1s));
              }),
              script + ": " + folder.path("no/out") + " could not be opened: No such file or directory");
}

// A server may ignore these signals; a program that it starts must not inherit that.
TEST_F(Subprocess, EndsByABrokenPipeWhateverThisProcessDoes)
{
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    const ProgramEnd end = run("kill -PIPE $$; exit 3");
    static_cast<void>(std::signal(SIGPIPE, before));
    EXPECT_EQ(end.signal, SIGPIPE);
}

TEST_F(Subprocess, IsWaitedForWhereEndsAreIgnored)
{
    static_cast<void>(std::signal(SIGCHLD, SIG_IGN));
    EXPECT_EQ(run("exit 7").exit_code, 7);
    static_cast<void>(std::signal(SIGCHLD, SIG_DFL));
}

TEST_F(Subprocess, LeavesTheSignalsOfThisProcessAsTheyWere)
{
    sigset_t before;
    sigset_t behind;
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &before), 0);
    EXPECT_TRUE(run("exit 0").good());
    ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &behind), 0);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD})
        EXPECT_EQ(sigismember(&behind, signal), sigismember(&before, signal)) << signal;
}

// A program of nohup goes on.
TEST_F(Subprocess, DoesNotEndByASignalThatThisProcessIgnores)
{
    const auto before = std::signal(SIGHUP, SIG_IGN);
    EXPECT_TRUE(run("kill -HUP $PPID; sleep 0.1; echo done").good());
    static_cast<void>(std::signal(SIGHUP, before));
    EXPECT_EQ(folder.read("out"), "done\n");
}

TEST_F(Subprocess, LeavesNoFileOpen)
{
    const auto open_files = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                             std::filesystem::directory_iterator());
    };
    const auto before = open_files();
    EXPECT_TRUE(run("exit 0").good());
    EXPECT_EQ(open_files(), before);
}

TEST_F(Subprocess, ThatEndsInTimeDoesNotWait)
{
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(run("exit 0", {}, 60s, 60s).good());
    EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
}

TEST(FindProgram, LooksOnThePathAndTakesAPathAsItIs)
{
    const ScratchFolder folder;
    const std::string there = program(folder, "ncu", "exit 0");
    const std::string text = folder.write("text", "no program");
    EXPECT_EQ(find_program(there), there);
    EXPECT_EQ(find_program(text), "");
    EXPECT_EQ(find_program(folder.path("missing")), "");
    EXPECT_EQ(find_program(std::filesystem::path(there).parent_path().string()), "");
    EXPECT_EQ(find_program(""), "");
    const PathVariable path("/nowhere::" + std::filesystem::path(there).parent_path().string());
    EXPECT_EQ(find_program("ncu"), there);
    EXPECT_EQ(find_program("text"), "");
    EXPECT_EQ(find_program("sh"), "");
}

} // namespace
} // namespace nestbed
