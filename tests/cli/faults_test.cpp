// The faults, in the test program run as nestbed: which programs have them, and the faults that a run survives in its
// own process. The tests of the supervisor cover the faults that end their process.
#include "device/backends.hpp"
#include "model/strategy.hpp"
#include "support/faults_support.hpp"

#include <fmt/format.h>

namespace nestbed
{
namespace
{

using testing::Contains;

class Faults : public testing::Test
{
  protected:
    // Runs one case on the executor.
    ProgramRun run(const std::string& strategy, std::string_view log) const
    {
        return run_with_faults(folder, {"run", "--backend", "cpu", "--strategy", strategy, "--grid", "3", "--block",
                                        "64", "--repeat", "1", "--warmup", "0", "-o", folder.path(log)});
    }
    Row only_row(std::string_view log) const
    {
        const std::vector<Row> rows = rows_of(folder.path(log));
        EXPECT_EQ(rows.size(), 1U);
        return rows.empty() ? Row{} : rows.front();
    }

    ScratchFolder folder;
};

TEST_F(Faults, AreListedByTheTestProgramAlone)
{
    const ProgramRun faulty = run_with_faults(folder, {"list", "*"});
    EXPECT_TRUE(faulty.end.good()) << faulty.err;
    const ProgramRun real = run_of(folder, {nestbed_program(), "list", "*"});
    EXPECT_TRUE(real.end.good()) << real.err;
    for (const char* fault : {"fault_abort", "fault_deadlock", "fault_endless", "fault_once", "fault_out_of_bounds",
                              "fault_prints", "fault_refused", "fault_trap", "fault_waits"})
        EXPECT_THAT(faulty.out, HasSubstr(std::string("\n") + fault + "  (reduce; cuda, cpu)\n"));
    EXPECT_THAT(faulty.out, HasSubstr("\nneighbored  (reduce; cuda, cpu)\n"));
    EXPECT_THAT(real.out, HasSubstr("\nneighbored  (reduce; cuda, cpu)\n"));
    EXPECT_THAT(real.out, Not(HasSubstr("fault_")));
}

TEST_F(Faults, AreNotAmongTheStrategiesOfTheTests)
{
    EXPECT_THAT(Registry::names(), Contains("neighbored"));
    EXPECT_THAT(Registry::names(), Each(Not(StartsWith("fault_"))));
}

TEST_F(Faults, OfRefusedLaunchesAreARowThatSaysSo)
{
    const ProgramRun taken = run("fault_refused", "out.csv");
    EXPECT_EQ(taken.end.exit_code, 3) << taken.err;
    Row refused = only_row("out.csv");
    EXPECT_EQ(refused["status"], "launch_failed");
    EXPECT_THAT(refused["detail"], HasSubstr("3 of 3 device launches failed with cudaErrorInvalidConfiguration"));
    EXPECT_EQ(refused["launches_expected"], "3");
    EXPECT_EQ(refused["launches_attempted"], "3");
    EXPECT_EQ(refused["launches_failed"], "3");
    EXPECT_EQ(refused["wall_us"], "");
}

TEST_F(Faults, OfTheFirstTimeAreGoneTheSecondTime)
{
    const EnvironmentVariable file("NESTBED_FAULT_FILE", folder.path("was_here"));
    EXPECT_FALSE(folder.has("was_here"));
    static_cast<void>(run("fault_once", "first.csv"));
    EXPECT_TRUE(folder.has("was_here"));
    const ProgramRun second = run("fault_once", "second.csv");
    EXPECT_EQ(second.end.exit_code, 0) << second.err;
    EXPECT_EQ(only_row("second.csv")["status"], "ok");
}

// The commands that print data to standard output and run kernels in their own process.
TEST_F(Faults, WhatKernelsPrintIsNotInTheDataOnStandardOutput)
{
    const std::vector<Words> commands{"run --repeat 1 --warmup 0 --in-process -o -", "run --repeat 1 --warmup 0 -o -",
                                      "tree", "trace -o -"};
    std::vector<const char*> backends{"cpu"};
    if (why_not(BackendKind::cuda).empty())
        backends.push_back("cuda");
    for (const char* const backend : backends)
        for (const Words& command : commands) {
            SCOPED_TRACE(fmt::format("{} {}", backend, fmt::join(command, " ")));
            const ProgramRun taken =
                run_with_faults(folder, command + Words("--strategy fault_prints --grid 2 --block 64 --backend") +
                                            std::string(backend));
            EXPECT_TRUE(taken.end.good()) << taken.err;
            EXPECT_THAT(taken.out, Not(HasSubstr("prints\n")));
            EXPECT_THAT(taken.out, HasSubstr("fault_prints"));
            EXPECT_THAT(taken.err, AllOf(HasSubstr("a kernel at depth 0 prints\n"), HasSubstr("depth 1 prints\n")));
        }
}

} // namespace
} // namespace nestbed
