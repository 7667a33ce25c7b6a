// Sweeps of a program of a user's own: `nestbed run --program`.
#include "support/cli_support.hpp"
#include "support/environment_support.hpp"
#include "support/process_support.hpp"
#include "support/program_support.hpp"

#include <set>

namespace nestbed
{
namespace
{

class RunProgram : public CommandTest
{
  protected:
    RunProgram() : one(program(folder, "one", script("1"))), two(program(folder, "two", script("2"))) {}

    static std::string script(const std::string& factor)
    {
        return R"(echo "{\"kernels\":[{\"kernel\":\"k\",\"from_host\":1,\"from_device\":$(($1 * )" + factor +
               R"()),\"refused\":0,\"deepest\":1}],\"backend\":\"cpu\"}" > "$NESTBED_REPORT"; echo "at $2, it took $1 us")";
    }
    Words run(const std::string& more) const
    {
        return Words{"run",    "--program",   one + "," + two, "--arguments", "{grid} {block},x",
                     "--time", "took {us} us"} +
               Words(("--backend cpu --warmup 0 --repeat 2 -o log.csv " + more).c_str());
    }

    ScratchFolder folder;
    const std::string one;
    const std::string two;
};

TEST_F(RunProgram, SweepsItsArguments)
{
    const Outcome outcome = ended(0, run("--grid 1:4:*2 --block 96,100"));
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("arguments {grid} {block},x"), HasSubstr("96"), Not(HasSubstr("depth"))));
    const std::vector<Row> rows = rows_of("log.csv");
    ASSERT_EQ(rows.size(), 2U * 3 * 2 * 2);
    for (const Row& row : rows) {
        EXPECT_EQ(row.at("status"), "ok") << row.at("detail");
        EXPECT_EQ(std::stod(row.at("wall_us")), std::stod(row.at("grid")));
        EXPECT_EQ(std::stoul(row.at("launches_attempted")),
                  std::stoul(row.at("grid")) * (row.at("program") == two ? 2 : 1));
        EXPECT_EQ(row.at("strategy"), "program");
        for (const char* other : {"elements", "depth", "nx", "dwell"})
            EXPECT_EQ(row.at(other), "") << other;
    }
}

TEST_F(RunProgram, ContinuesItsLogUntilTheProgramIsBuiltAgain)
{
    const Words words = run("--grid 2 --block 32");
    ended(0, words);
    EXPECT_THAT(ended(0, words).err, HasSubstr("log.csv already has 4 of 4 samples"));
    EXPECT_EQ(rows_of("log.csv").size(), 4U);
    EXPECT_EQ(ended(0, {"show", "log.csv"}).err, "");
    EXPECT_EQ(ended(0, {"compare", "log.csv", "log.csv"}).err, "");
    program(folder, "two", script("3"));
    EXPECT_THAT(ended(2, words).err, HasSubstr(two));
}

TEST_F(RunProgram, GetsArgumentsThatLookLikeOptions)
{
    const std::string shows = program(folder, "shows", "echo $1 = $2 >&2; exit 1");
    for (const auto& [arguments, got] :
         {std::pair{"--depth_x={elements} {nx}", "--depth_x=7 = 9"}, {"-5 {elements}{nx}", "-5 = 79"}}) {
        ended(3, {"run", "--program", shows, "--arguments", arguments, "--elements", "7", "--nx", "9", "--repeat",
                  "1", "--backend", "cpu", "--overwrite", "-o", "log.csv"});
        EXPECT_THAT(rows_of("log.csv").at(0).at("detail"), EndsWith(got));
    }
}

TEST_F(RunProgram, IsASectionOfAnExperiment)
{
    write(
        "mine.cfg",
        "repeat = 1\nwarmup = 0\nbackend = cpu\n[hello]\nstrategy = hello\ngrid = 1\nblock = 32\n[mine]\nprogram = " +
            one + "\narguments = {depth} \"a, b\"\ndepth = 0:2\n");
    ended(0, "run mine.cfg -o log.csv");
    const std::vector<Row> rows = rows_of("log.csv");
    ASSERT_EQ(rows.size(), 4U);
    std::set<std::string> depths;
    for (const Row& row : rows)
        if (row.at("arguments") == "{depth} \"a, b\"")
            depths.insert(row.at("depth"));
    EXPECT_EQ(depths, (std::set<std::string>{"0", "1", "2"}));
}

TEST_F(RunProgram, IsEndedInTimeWithAllThatItStarted)
{
    const std::string hangs =
        program(folder, "hangs", "sleep 600 & echo $! > " + folder.path("child") + "; sleep 600");
    std::filesystem::create_directory(folder.path("temporary"));
    const EnvironmentVariable temporary("TMPDIR", folder.path("temporary"));
    ended(3, Words{"run", "--program", hangs} +
                 Words("--timeout 1 --retries 0 --backend cpu --warmup 0 --repeat 1 -o log.csv"));
    EXPECT_EQ(rows_of("log.csv").at(0).at("status"), "timeout");
    const pid_t child = std::stoi(folder.read("child"));
    EXPECT_TRUE(soon([&] { return !runs(child); }));
    const std::string leaves = program(folder, "leaves", "sleep 600 & echo $! > " + folder.path("child"));
    ended(0, Words{"run", "--program", leaves} + Words("--backend cpu --warmup 0 --repeat 1 --overwrite -o log.csv"));
    EXPECT_TRUE(soon([&] { return !runs(std::stoi(folder.read("child"))); }));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path("temporary")));
}

TEST_F(RunProgram, IsForNoOtherCommand)
{
    write("mine.cfg", "backend = cpu\nprogram = " + one + "\narguments = 1\n");
    for (const char* command : {"races mine.cfg --in-process", "trace mine.cfg", "profile mine.cfg --print"})
        EXPECT_EQ(nestbed(command).exit_code, 2) << command;
}

TEST_F(RunProgram, SaysWhatIsWrongWithWhatItIsGiven)
{
    expect_usage_error({"run", "--program", "./none"}, {"--program ./none: there is no such file; allowed: "});
    expect_usage_error({"run", "--program", one, "--strategy", "hello"},
                       {"--program", "not with --strategy hello; allowed: "});
    expect_usage_error({"run", "--program", one, "--arguments", "{grid}"},
                       {"--arguments {grid}: {grid} has no value; allowed: with --grid N"});
    expect_usage_error({"run", "--program", one, "--arguments", "{gird}"},
                       {"there is no parameter {gird}; allowed: {grid}"});
    expect_usage_error({"run", "--program", one, "--time", "took us"}, {"--time took us: ", "{us}"});
    expect_usage_error({"run", "--program", ""}, {"it is empty; allowed: "});
    ended(0, {"run", "--program", "true", "--arguments", "", "--backend", "cpu", "--repeat", "1", "-o", "empty.csv"});
    EXPECT_THAT(ended(0, run("--grid 1 --block 32 --elements 5")).err,
                HasSubstr("--elements 5: it changes nothing, because no arguments have {elements}"));
}

} // namespace
} // namespace nestbed
