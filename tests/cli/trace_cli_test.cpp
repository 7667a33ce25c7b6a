// `nestbed trace` and `nestbed tree`: what a user types, what the command answers, and what it leaves on the disk.
#include "support/cli_support.hpp"
#include "support/support.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

namespace fs = std::filesystem;
using nlohmann::json;

// A root grid of 4 blocks, and 4 children on each of 3 levels.
Words small(const std::string& command, const Words& more = {}, const std::string& strategy = "barrier")
{
    return Words{command, "--backend", "cpu", "--strategy", strategy, "--grid", "4", "--block", "16"} + more;
}

class TraceCommand : public CommandTest
{
  protected:
    json file(const std::string& name = "trace.json") const { return json::parse(read(name)); }
};

TEST_F(TraceCommand, WritesAFileThatSaysWhatWasTraced)
{
    const Words arguments = small("trace", "--type float32 --seed 9 -o out.json");
    const Outcome outcome = ended(0, arguments);
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("strategy barrier"), HasSubstr("type float32"),
                                   HasSubstr("kernels' timer in steps of"), HasSubstr("\n13 grids, "),
                                   HasSubstr("\nThe executor's times say nothing about those of a GPU.\n"),
                                   HasSubstr("out.json: open it in ui.perfetto.dev"), Not(HasSubstr("did not fit"))));
    EXPECT_EQ(files(), 1); // and no .partial file
    const json data = file("out.json").at("otherData");
    Words command{"nestbed"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(data.at("command"), command);
    EXPECT_EQ(data.at("case").at("strategy"), "barrier");
    EXPECT_EQ(data.at("case").at("backend"), "cpu");
    EXPECT_EQ(data.at("case").at("mechanism"), "fire_and_forget");
    EXPECT_EQ(data.at("case").at("type"), "float32");
    EXPECT_EQ(data.at("case").at("seed"), "9");
    EXPECT_EQ(data.at("status"), "ok");
    EXPECT_EQ(data.at("schedule"), "fifo");
    EXPECT_EQ(data.at("grids"), 13);
    EXPECT_EQ(data.at("grids_lost"), 0);
    EXPECT_EQ(data.at("grids_at_most"), 65536);
    const json events = file("out.json").at("traceEvents");
    EXPECT_EQ(std::ranges::count_if(events, [](const json& event) { return event.at("ph") == "s"; }), 12);
    EXPECT_EQ(std::ranges::count_if(events, [](const json& event) { return event.at("ph") == "X"; }), 13 + 12);
}

TEST_F(TraceCommand, MeasuresWhatTracingCostsFiveTimesOrAsOftenAsAsked)
{
    const auto runs = [&](const Words& more, const std::string& said) {
        fs::remove("trace.json");
        const Outcome outcome = ended(0, small("trace", more));
        EXPECT_THAT(outcome.out, ContainsRegex(" with tracing, .* without: [+-][0-9.]+ % \\(medians of " + said));
        const json data = file().at("otherData");
        EXPECT_EQ(data.at("tracing").at("untraced_us").size(), data.at("tracing").at("traced_us").size());
        // The file shows the run with the median time; with an even number of runs, the shorter of the two middle
        // ones.
        std::vector<double> times = data.at("tracing").at("traced_us");
        std::ranges::sort(times);
        EXPECT_EQ(data.at("run_us"), times[(times.size() - 1) / 2]);
        return times.size();
    };
    EXPECT_EQ(runs({}, "5\\)"), 5U);
    EXPECT_EQ(runs("--repeat 2", "2\\)"), 2U);
}

TEST_F(TraceCommand, GoesToTraceJsonAndNeverOverAFileThatIsThere)
{
    ended(0, small("trace"));
    EXPECT_EQ(file().at("otherData").at("grids"), 13);
    expect_usage_error(small("trace"),
                       {"--output trace.json: it already exists", "allowed: a new file, or --overwrite"});
    write("trace.json", "old");
    ended(0, small("trace", "--overwrite"));
    EXPECT_EQ(file().is_object(), true);
    folder_.write("notes.txt", "mine");
    expect_usage_error(small("trace", "-o notes.txt"), {"--output notes.txt: it already exists"});
    EXPECT_EQ(folder_.read("notes.txt"), "mine");
    fs::create_directory("folder");
    expect_usage_error(small("trace", "-o folder"), {"--output folder: it is a folder"});
}

TEST_F(TraceCommand, LeavesNothingWhereItsFileCannotBe)
{
    expect_usage_error(small("trace", "-o missing/out.json"),
                       {"--output missing/out.json: there is no folder missing", "a folder that can be written to"});
    folder_.write("notes.txt", "mine");
    expect_usage_error(small("trace", "-o notes.txt/out.json"),
                       {"--output notes.txt/out.json: there is no folder notes.txt"});
    // No user can make files there: root learns it when the file is opened, others before the run.
    const Outcome refused = nestbed(small("trace", "-o /proc/out.json"));
    EXPECT_EQ(refused.exit_code, geteuid() == 0 ? 1 : 2);
    EXPECT_THAT(refused.err, HasSubstr(geteuid() == 0 ? "/proc/out.json: the trace could not be written: "
                                                      : "--output /proc/out.json: Permission denied; allowed: "));
    expect_usage_error(small("trace", "-o a -o b"), {"--output takes one value"});
    expect_usage_error(small("trace", {"-o", ""}), {"--output"});
}

TEST_F(TraceCommand, IsAboutOneCase)
{
    for (const char* command : {"trace", "tree"}) {
        SCOPED_TRACE(command);
        const std::string about = std::string(command) + " is about one case, not ";
        expect_usage_error({command, "--backend", "cpu", "--strategy", "nosync,tail"}, {about + "2", "allowed: "});
        expect_usage_error(small(command, "--depth 0:2"), {about + "3"});
        expect_usage_error({command, "--backend", "cpu"}, {"no strategy was named"});
        expect_usage_error({command, "a.cfg", "b.cfg"}, {"'b.cfg' was not expected"});
        expect_usage_error({command, "none.cfg"}, {"no such experiment file"});
        expect_usage_error(small(command, "--grid 0"), {"--grid 0"});
    }
    expect_usage_error(small("tree", "-o out.json"), {"unknown option '-o'"}); // it prints to standard output
}

TEST_F(TraceCommand, TakesARoomOfWholeGrids)
{
    for (const char* command : {"trace", "tree"})
        for (const char* grids : {"0", "-1", "junk", "1.5", "", "16777217", "99999999999999999999"}) {
            SCOPED_TRACE(std::string(command) + " " + grids);
            expect_usage_error(small(command, {"--grids", grids}), {"--grids"});
        }
    expect_usage_error(small("tree", "--grids 2 --grids 3"), {"--grids takes one value"});
}

TEST_F(TraceCommand, SaysHowManyGridsDidNotFit)
{
    const Outcome traced = ended(0, small("trace", "--grids 9 --repeat 1"));
    EXPECT_THAT(traced.out,
                AllOf(HasSubstr("\n9 grids, "),
                      HasSubstr("\n4 more grids did not fit in the trace; allowed: --grids up to 1048576\n")));
    EXPECT_EQ(file().at("otherData").at("grids"), 9);
    EXPECT_EQ(file().at("otherData").at("grids_lost"), 4);
    EXPECT_EQ(file().at("otherData").at("grids_at_most"), 9);
    const Outcome drawn = ended(0, small("tree", "--grids 5 --repeat 1"));
    EXPECT_THAT(drawn.out, HasSubstr("\n8 more grids did not fit in the trace"));
    EXPECT_THAT(nestbed(small("tree", "--grids 13")).out, Not(HasSubstr("did not fit")));
}

TEST_F(TraceCommand, TreePrintsTheLevelsAndWritesNothing)
{
    const Outcome outcome = ended(0, small("tree"));
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_EQ(files(), 0);
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("strategy barrier"), HasSubstr("\n13 grids, "), HasSubstr("medians of 5"),
                      HasSubstr("\ndepth  grids  blocks  threads  "), ContainsRegex("\n0 +1 +4 +8 +[0-9.]+ .s\n"),
                      ContainsRegex("\n 1 +4 +1 +4 +[0-9.]+ .s +[0-9.]+ .s +[0-9.]+ .s\n"),
                      ContainsRegex("\n  2 +4 +1 +2 +[0-9.]+ .s"), ContainsRegex("\n   3 +4 +1 +1 +[0-9.]+ .s"),
                      HasSubstr("\n(latency: from the launch to the child's first instruction, median; at most:"),
                      Not(HasSubstr("refused"))));
    expect_columns(outcome.out, 80U);
}

TEST_F(TraceCommand, ReadsAnExperimentOfOneCaseAndTheCommandLineWins)
{
    folder_.write("one.cfg", "title = One\nstrategy = hello\nbackend = cpu\ngrid = 3\nblock = 8\n"
                             "schedule = random:4\nrepeat = 1\n");
    ended(0, "trace one.cfg --block 4");
    const json data = file().at("otherData");
    EXPECT_EQ(data.at("case").at("strategy"), "hello");
    EXPECT_EQ(data.at("case").at("block"), "4");
    EXPECT_EQ(data.at("schedule"), "random:4");
    EXPECT_EQ(data.at("grids"), 1 + 3 * 2);
    EXPECT_EQ(data.at("tracing").at("traced_us").size(), 1U);
    EXPECT_THAT(nestbed("tree one.cfg").out, AllOf(HasSubstr("strategy hello"), HasSubstr("\n10 grids, ")));
}

TEST_F(TraceCommand, RefusesWhatLaunchesNothingFromAKernel)
{
    for (const char* command : {"trace", "tree"})
        for (const char* strategy : {"host", "last_block", "neighbored", "copy_row"}) {
            SCOPED_TRACE(strategy);
            expect_usage_error({command, "--backend", "cpu", "--strategy", strategy, "--repeat", "1"},
                               {std::string("--strategy ") + strategy + ": it launches nothing from a kernel",
                                "allowed: a strategy"});
        }
    expect_usage_error(small("tree", "--mechanism host --depth 3", "chain"), {"--strategy chain: "});
}

TEST_F(TraceCommand, SaysWhyThereIsNothingOfWhatOnlyCudaHas)
{
    for (const char* command : {"trace", "tree"}) {
        const Outcome outcome = ended(3, small(command, "--mechanism graph_tail --depth 3", "chain"));
        EXPECT_EQ(outcome.err, "nestbed: unsupported: backend cpu has no launches by graph_tail\n");
        EXPECT_THAT(outcome.out, IsEmpty());
    }
    EXPECT_EQ(files(), 0);
}

TEST_F(TraceCommand, ShowsRefusedLaunchesAndExitsWithThree)
{
    const Outcome traced = ended(3, small("trace", "--pending-limit 2"));
    EXPECT_THAT(traced.err, StartsWith("nestbed: launch_failed: 4 of 6 device launches failed with "
                                       "cudaErrorLaunchPendingCountExceeded"));
    EXPECT_THAT(traced.out, AllOf(HasSubstr("trace.json: open it"), Not(HasSubstr("with tracing"))));
    const json written = file();
    EXPECT_EQ(written.at("otherData").at("status"), "launch_failed");
    EXPECT_EQ(written.at("otherData").at("grids"), 7);
    EXPECT_EQ(written.at("otherData").at("grids_refused"), 4);
    EXPECT_FALSE(written.at("otherData").contains("tracing"));
    EXPECT_EQ(
        std::ranges::count_if(written.at("traceEvents"), [](const json& event) { return event.at("ph") == "i"; }), 4);
    const Outcome drawn = ended(3, small("tree", "--pending-limit 2"));
    EXPECT_THAT(drawn.err, StartsWith("nestbed: launch_failed: "));
    EXPECT_THAT(drawn.out, AllOf(ContainsRegex("\ndepth +grids +blocks +threads +refused "),
                                 ContainsRegex("\n 1 +4 +1 +4 +2 +[0-9]"), ContainsRegex("\n  2 +2 +1 +2 +2\n")));
}

TEST_F(TraceCommand, ShowsTheRunOfAWrongAnswerAndExitsWithThree)
{
    const Outcome outcome = ended(3, small("trace", "--schedule eager", "nosync"));
    EXPECT_THAT(outcome.err, AllOf(StartsWith("nestbed: wrong: "), HasSubstr("of 4 block sums are wrong")));
    EXPECT_EQ(file().at("otherData").at("status"), "wrong");
    EXPECT_EQ(file().at("otherData").at("grids"), 13);
}

TEST_F(TraceCommand, HelpHasItsOptionsWithin80Columns)
{
    for (const char* command : {"trace", "tree"}) {
        const Outcome outcome = ended(0, {command, "--help"});
        EXPECT_THAT(outcome.out, AllOf(StartsWith(std::string("nestbed ") + command), HasSubstr("--grids N"),
                                       HasSubstr("--strategy"), HasSubstr("65536")));
        EXPECT_EQ(outcome.out.find("--output") != std::string::npos, std::string(command) == "trace");
        expect_columns(outcome.out, 80U);
        EXPECT_THAT(nestbed("--help").out, HasSubstr(std::string("\n  ") + command + " "));
    }
    EXPECT_EQ(files(), 0);
}

} // namespace
} // namespace nestbed
