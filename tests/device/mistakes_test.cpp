// Common mistakes in a new strategy never go unnoticed. The tests of all strategies (strategies_test.cpp,
// trace_rules_test.cpp) check that a strategy launches only with the mechanism of its case, and that all its grids
// record themselves. These tests show what those checks would find.
#include "support/faults_support.hpp"

namespace nestbed
{
namespace
{

class Mistake : public testing::Test
{
  protected:
    ProgramRun run(const char* command, const char* strategy) const
    {
        std::vector<std::string> arguments{command,  "--backend", "cpu",     "--strategy", strategy,
                                           "--grid", "3",         "--block", "64"};
        if (std::string_view(command) == "run")
            arguments.insert(arguments.end(), {"--repeat", "1", "--warmup", "0", "-o", folder.path("out.csv")});
        return run_with_faults(folder, arguments);
    }
    Row row_of(const char* strategy) const
    {
        const ProgramRun taken = run("run", strategy);
        EXPECT_EQ(taken.end.exit_code, 3) << taken.err;
        const std::vector<Row> rows = rows_of(folder.path("out.csv"));
        EXPECT_EQ(rows.size(), 1U);
        return rows.empty() ? Row{} : rows.front();
    }

    ScratchFolder folder;
};

TEST_F(Mistake, ALaunchByAMechanismThatIsNotTheCasesIsCrashed)
{
    Row row = row_of("fault_other_mechanism");
    EXPECT_EQ(row["status"], "crashed");
    EXPECT_EQ(row["mechanism"], "fire_and_forget");
    EXPECT_THAT(row["detail"],
                HasSubstr("a kernel launched by mechanism null_stream in a case of mechanism fire_and_forget"));
    EXPECT_EQ(row["wall_us"], "");
}

TEST_F(Mistake, AKernelThatForgetsTheLastLevelIsRefusedThere)
{
    Row row = row_of("fault_without_last_level");
    EXPECT_EQ(row["status"], "launch_failed");
    EXPECT_THAT(
        row["detail"],
        HasSubstr("nestbed refused 3 of 6 device launches: they are below level 1, by launches() of the strategy"));
    EXPECT_EQ(row["launches_expected"], "3");
    EXPECT_EQ(row["wall_us"], "");
}

TEST_F(Mistake, AKernelThatForgetsEnterCannotBeTraced)
{
    const ProgramRun traced = run("trace", "fault_without_enter");
    EXPECT_EQ(traced.end.exit_code, 1) << traced.out;
    EXPECT_THAT(traced.err,
                HasSubstr("strategy fault_without_enter: 4 of 4 grids ran and left no mark: a kernel does "
                          "not begin with nest.enter()"));
}

} // namespace
} // namespace nestbed
