// The command line: what a user types, what the command answers, and what it leaves on the disk.
#include "base/csv.hpp"
#include "cli/commands.hpp"
#include "cli/run_options.hpp"
#include "device/backends.hpp"
#include "log/row.hpp"
#include "model/session.hpp"
#include "model/strategy.hpp"
#include "support/cli_support.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <unistd.h>

namespace nestbed
{
namespace
{

namespace fs = std::filesystem;

class CommandLine : public CommandTest
{
  protected:
    static Words small(const Words& more)
    {
        return Words("run --backend cpu --strategy nosync --grid 4 --block 16") + more;
    }
};

TEST_F(CommandLine, HelpIsPrintedForEveryCommandWithin80Columns)
{
    std::vector<Words> all{"--help", {}, "help", "info -h", "draw hello -h", "help info graph"};
    for (const Command& command : all_commands())
        all.push_back({std::string(command.name), "--help"});
    for (const Words& arguments : all) {
        const Outcome outcome = ended(0, arguments);
        EXPECT_THAT(outcome.out, HasSubstr("nestbed"));
        expect_columns(outcome.out, 80U);
    }
}

TEST_F(CommandLine, TheHelpOfACommandIsTheSameHoweverItIsAskedFor)
{
    for (const Command& command : all_commands()) {
        const std::string name(command.name);
        const std::string help = nestbed({name, "--help"}).out;
        EXPECT_THAT(help, StartsWith("nestbed " + name));
        EXPECT_EQ(nestbed({"help", name}).out, help);
        EXPECT_EQ(nestbed({"--help", name}).out, help);
        EXPECT_THAT(nestbed("help").out, HasSubstr("\n  " + name + " "));
        std::istringstream lines(help);
        std::set<std::string> headings;
        for (std::string line; std::getline(lines, line);)
            EXPECT_TRUE(!line.ends_with(':') || line.starts_with(' ') || headings.insert(line).second)
                << line << " is in the help of " << name << " twice";
    }
    expect_usage_error("help rum", {"there is no command 'rum'", "did you mean 'run'"});
    expect_usage_error("help run sort more", {"'more' was not expected", "nestbed help [COMMAND [NAME]]"});
    expect_usage_error("help list sort", {"'sort' was not expected", "allowed: nestbed help list"});
    expect_usage_error("info more",
                       {"'more' was not expected", "allowed: nestbed info, nestbed info graph, nestbed info warps"});
}

// The core's settings in the help of a command, and a workload's own with that workload.
TEST_F(CommandLine, TheHelpOfAWorkloadOrAStrategySaysWhatItsParametersMean)
{
    const std::string run = nestbed("help run").out;
    EXPECT_THAT(run, AllOf(Not(HasSubstr("--grain AXIS")), Not(HasSubstr("--dwell AXIS")), HasSubstr("--grid AXIS"),
                           HasSubstr("Parameters of some workloads only: --dwell, --division, --fanout, --grain,"),
                           HasSubstr("nestbed help run NAME: what\nthey mean"), HasSubstr("bezier, bfs, blobs")));
    EXPECT_THAT(nestbed("help run sort").out,
                AllOf(StartsWith("sort: sorts keys"), HasSubstr("quick_kway"),
                      ContainsRegex("--grain AXIS .*maximum keys of a part"), HasSubstr("default: 2048"),
                      HasSubstr("one of uniform,"), Not(HasSubstr("--dwell"))));
    EXPECT_THAT(nestbed("help run mandelbrot_split").out,
                AllOf(StartsWith("mandelbrot_split: "), ContainsRegex("--grain AXIS .*longest side of a region"),
                      HasSubstr("default: 32")));
    EXPECT_THAT(nestbed("help predict sssp").out, ContainsRegex("--bucket-width AXIS .*width of the range"));
    EXPECT_THAT(nestbed("help draw mandelbrot").out, ContainsRegex("--grain N .*default: 8"));
    EXPECT_THAT(nestbed("help run reduce").out,
                HasSubstr("the input by name; one of random, index (default: random)"));
    expect_usage_error("help run quick_kwai", {"there is no workload or strategy 'quick_kwai'",
                                               "did you mean 'quick_kway'", "allowed: quick_kway, "});
    for (const WorkloadInfo* workload : Registry::workloads()) {
        expect_columns(nestbed({"help", "run", std::string(workload->name)}).out, 80U);
    }
}

// The help shows the actual defaults of each command, and a command that runs one case takes one value.
TEST_F(CommandLine, TheHelpSaysEachCommandsOwnDefaults)
{
    EXPECT_THAT(nestbed("help run").out,
                AllOf(ContainsRegex("--grid AXIS .*default: 2048"), ContainsRegex("--block AXIS .*default: 512")));
    EXPECT_THAT(nestbed("help draw hello").out,
                AllOf(ContainsRegex("--strategy NAME +hello or hello_synced"),
                      ContainsRegex("--grid N .*default: 1\\)"), ContainsRegex("--block N .*default: 8\\)"),
                      Not(HasSubstr("AXIS"))));
    EXPECT_THAT(nestbed("draw hello --backend cpu").out, HasSubstr("grid 1 block 8"));
    EXPECT_THAT(nestbed("help draw blobs").out,
                AllOf(ContainsRegex("--nx N .*default: 1024"), ContainsRegex("--block-shape WxH .*default: 16x16")));
    EXPECT_THAT(nestbed("draw blobs --backend cpu -o b.png").out, HasSubstr("1024 x 1024 pixels by blobs"));
    EXPECT_THAT(nestbed("help trace").out, AllOf(HasSubstr("--grid N "), HasSubstr("cuda 15, cpu 5")));
    EXPECT_THAT(nestbed("help info warps").out, ContainsRegex("--block N .*default: 512"));
    EXPECT_THAT(nestbed("help races").out,
                AllOf(HasSubstr("where no size is given, they are smaller than\nthose of nestbed run"),
                      ContainsRegex("--grid AXIS .*default: 4\\)"), ContainsRegex("--block AXIS .*default: 64\\)")));
    EXPECT_THAT(nestbed("help test").out, Not(HasSubstr("smallest")));
}

TEST_F(CommandLine, VersionListAndInfoSayWhatTheyAreAskedFor)
{
    EXPECT_THAT(nestbed("--version").out, StartsWith("nestbed 0."));
    const Outcome list = ended(0, "list *");
    for (const char* part :
         {"nosync", "synced", "reduce2", "neighbored", "host", "hello", "hazards: racy", "source: "})
        EXPECT_THAT(list.out, HasSubstr(part));
    EXPECT_THAT(list.out,
                AllOf(HasSubstr("launches: null_stream, named, fire_and_forget\n"), HasSubstr("launches: none\n"),
                      HasSubstr("nosync  (reduce; cuda, cpu; racy)\n"), HasSubstr("cub  (reduce; cuda)\n")));
    const Outcome info = ended(0, "info");
    expect_columns(info.out, 80U);
    for (const char* part :
         {"executor on", "pending launches", "empty kernel", "kernels' timer", "1024 levels ran, none was refused"})
        EXPECT_THAT(info.out, HasSubstr(part));
}

TEST_F(CommandLine, ARunWritesItsRowsItsManifestAndATable)
{
    const Outcome outcome = ended(0, small("--repeat 2 -o out.csv"));
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("nosync"), HasSubstr("launches"), HasSubstr("out.csv")));
    const std::vector<Row> rows = rows_of("out.csv");
    ASSERT_EQ(rows.size(), 2U);
    for (Row row : rows) {
        expect_cells(row, "experiment=adhoc strategy=nosync backend=cpu mechanism=null_stream elements=64 "
                          "depth=full pending_limit_asked=auto pending_limit=2048 waves=1 schedule=fifo "
                          "launches_expected=12 launches_attempted=12");
        EXPECT_EQ(row["launches_by_depth"], "4 4 4");
        expect_cells(row, "max_depth=3 status=ok gpu_us=");
        EXPECT_GT(std::stod(row["wall_us"]), 0);
        EXPECT_EQ(row["answer"], row["reference"]);
    }
    EXPECT_TRUE(fs::exists("out.csv.json"));
}

TEST_F(CommandLine, ASecondRunHasNothingToDoAndSaysTheSame)
{
    const Outcome first = ended(0, small("--repeat 2 -o out.csv"));
    const std::string log = read("out.csv");
    const std::string manifest = read("out.csv.json");
    const Outcome second = ended(0, small("--repeat 2 -o out.csv --resume"));
    EXPECT_EQ(second.err, "nestbed: out.csv already has 2 of 2 samples\n");
    EXPECT_EQ(read("out.csv"), log);
    EXPECT_EQ(read("out.csv.json"), manifest);
    const auto table = [](const std::string& text) { return text.substr(text.find("strategy")); };
    EXPECT_EQ(table(second.out), table(first.out));
}

TEST_F(CommandLine, ARunGoesOnWithWhatIsMissing)
{
    ended(0, small("--repeat 5 -o out.csv"));
    const std::vector<Row> before = rows_of("out.csv");
    const std::string log = read("out.csv");
    // The log without its third row and without the end of its last row.
    std::vector<std::string> lines;
    std::istringstream text(log);
    for (std::string line; std::getline(text, line);)
        lines.push_back(line + "\n");
    ASSERT_EQ(lines.size(), 6U);
    const std::string kept = lines[0] + lines[1] + lines[2] + lines[4];
    write("out.csv", kept + lines[5].substr(0, 100));
    const Outcome outcome = ended(0, small("--repeat 5 -o out.csv"));
    EXPECT_EQ(outcome.err,
              "nestbed: out.csv already has 3 of 5 samples\n"
              "nestbed: out.csv: its last row was incomplete (100 bytes) and was removed; it is measured again\n");
    EXPECT_THAT(read("out.csv"), StartsWith(kept));
    std::vector<std::string> repetitions;
    for (Row row : rows_of("out.csv")) {
        repetitions.push_back(row["repetition"]);
        EXPECT_EQ(row["key"], before[0].at("key"));
    }
    EXPECT_THAT(repetitions, testing::UnorderedElementsAre("0", "1", "2", "3", "4"));
}

TEST_F(CommandLine, AnotherRunAddsRepetitions)
{
    ended(0, small("--repeat 2 -o out.csv"));
    const std::string before = read("out.csv");
    const Outcome outcome = ended(0, small("--repeat 4 -o out.csv --resume"));
    EXPECT_EQ(outcome.err, "nestbed: out.csv already has 2 of 4 samples\n");
    EXPECT_THAT(read("out.csv"), StartsWith(before));
    std::vector<std::string> repetitions;
    std::set<std::string> runs;
    for (Row row : rows_of("out.csv")) {
        repetitions.push_back(row["repetition"]);
        runs.insert(row["run_id"]);
    }
    EXPECT_THAT(repetitions, testing::UnorderedElementsAre("0", "1", "2", "3"));
    EXPECT_THAT(runs, SizeIs(2));
    ended(0, {"show", "out.csv"});
}

TEST_F(CommandLine, ALogOfSomethingElseIsNotGoneOnWith)
{
    ended(0, small("--repeat 2 -o out.csv"));
    const std::string log = read("out.csv");
    const std::string manifest = read("out.csv.json");
    const auto refused = [&](const Words& options, const std::string& why) {
        const Outcome outcome = ended(2, small(options));
        EXPECT_THAT(outcome.err,
                    AllOf(StartsWith("nestbed: --output out.csv: this run cannot resume it: "), HasSubstr(why),
                          HasSubstr("allowed: a log of the same experiment, version, modules and machine")));
        EXPECT_EQ(read("out.csv"), log);
        EXPECT_EQ(read("out.csv.json"), manifest);
    };
    refused("--repeat 3 -o out.csv", "repeat on cpu: 2 there, 3 here");
    refused("--repeat 2 -o out.csv --experiment other", "experiment: adhoc there, other here");
    refused("--repeat 2 -o out.csv --depth 1",
            "cases: 1 there, 1 here; 1 only there, 1 only here; depth: not set there, 1 here;");
    refused("--repeat 2 -o out.csv --workers 1 --schedule eager", "schedule: fifo there, eager here");
    refused("--repeat 2 -o out.csv --untimed", "untimed: no there, yes here");
    fs::remove("out.csv.json");
    expect_usage_error(small("--repeat 2 -o out.csv"),
                       {"out.csv.json: it has no run ", "to which rows of out.csv belong"});
}

// Otherwise rows that were just measured again would be moved aside once more.
TEST(CommandToGoOn, LeavesOutWhatIsDoneOnce)
{
    EXPECT_THAT(resume_command({"a.cfg", "--overwrite", "-o", "a.csv"}), EndsWith(" run a.cfg -o a.csv"));
    EXPECT_THAT(resume_command({"a.cfg", "--retry-failed", "--resume"}), EndsWith(" run a.cfg --resume"));
}

TEST_F(CommandLine, ARunThatHadNoTimeToNoteItsEndIsNotedByTheNext)
{
    ended(0, small("--repeat 2 -o out.csv"));
    auto manifest = nlohmann::json::parse(read("out.csv.json"));
    for (auto& run : manifest["runs"])
        for (const char* key : {"finished_utc", "rows", "log_rows", "surprises", "incidents"})
            run.erase(key);
    write("out.csv.json", manifest.dump());
    ended(0, small("--repeat 2 -o out.csv"));
    const auto noted = nlohmann::json::parse(read("out.csv.json"));
    for (const auto& run : noted.at("runs")) {
        EXPECT_TRUE(run.contains("finished_utc"));
        EXPECT_EQ(run.at("rows"), 2);
        EXPECT_EQ(run.at("log_rows"), 2);
    }
}

TEST_F(CommandLine, AnOldLogIsMovedAsideAndNotOverwritten)
{
    ended(0, small("--repeat 2 -o out.csv"));
    const std::string log = read("out.csv");
    const Outcome outcome = ended(0, small("--repeat 3 -o out.csv --overwrite"));
    EXPECT_EQ(outcome.err, "nestbed: moved out.csv to out.csv.old-1\n");
    EXPECT_EQ(rows_of("out.csv").size(), 3U);
    EXPECT_EQ(read("out.csv.old-1"), log);
    EXPECT_TRUE(fs::exists("out.csv.old-1.json"));
    expect_usage_error(small("--overwrite --resume -o out.csv"), {"--resume: not with --overwrite"});
}

TEST_F(CommandLine, AWorkerAndThisProcessMeasureTheSame)
{
    ended(0, small("--repeat 2 -o worker.csv"));
    ended(0, small("--repeat 2 -o here.csv --in-process"));
    const std::vector<Row> there = rows_of("worker.csv");
    const std::vector<Row> here = rows_of("here.csv");
    ASSERT_EQ(there.size(), here.size());
    for (std::size_t row = 0; row < here.size(); ++row)
        for (const auto& [column, cell] : here[row])
            if (!std::set<std::string>{"run_id", "wall_us", "prepare_us", "empty_kernel_us", "bandwidth_gb_s",
                                       "timer_step_ns", "utc"}
                     .contains(column)) {
                EXPECT_EQ(there[row].at(column), cell) << column;
            }
}

std::vector<std::string> local_logs()
{
    std::vector<std::string> logs;
    for (const auto& entry : std::filesystem::directory_iterator("results/local"))
        if (entry.path().extension() == ".csv")
            logs.push_back(entry.path().string());
    return logs;
}

// A second run with another value is not refused because of the log of the first.
TEST_F(CommandLine, EachRunWithoutAnExperimentHasALogOfItsOwn)
{
    for (const char* block : {"16", "32", "32"}) {
        const Outcome outcome =
            ended(0, Words("run --strategy nosync,neighbored --grid 4 --backend cpu --repeat 1 --block") +
                         std::string(block));
        const std::vector<std::string> logs = local_logs();
        EXPECT_TRUE(std::ranges::any_of(logs, [&](const std::string& log) {
            return outcome.out.find(" rows: " + log + "\n") != std::string::npos;
        })) << outcome.out;
    }
    EXPECT_EQ(local_logs().size(), 3U);
    EXPECT_THAT(local_logs(),
                testing::Each(ContainsRegex("results/local/nosync-neighbored-20[0-9T]+Z-[0-9a-f]+\\.csv")));
    EXPECT_THAT(ended(0, "run --strategy aggregated_* --grid 4 --block 64 --backend cpu --repeat 1").out,
                ContainsRegex("results/local/aggregated-20"));
    for (const char* option : {"--resume", "--retry-failed"})
        expect_usage_error(small({option}), {std::string(option) + ": a run without an experiment has a log of its "
                                                                   "own; allowed: with --output FILE"});
    EXPECT_THAT(resume_command({"--strategy", "nosync"}, "results/local/a.csv"),
                testing::EndsWith(" run --strategy nosync --output results/local/a.csv"));
}

TEST_F(CommandLine, TheCommandLineWinsOverTheFile)
{
    write("some.cfg", "title = A title\nstrategy = nosync\ngrid = 4\nblock = 8,16\nrepeat = 1\nbackend = cpu\n");
    const Outcome outcome = ended(0, "run some.cfg --block 32 --pending_limit 100 -o out.csv");
    EXPECT_THAT(outcome.out, StartsWith("some (changed: block, pending-limit)\n"));
    std::vector<Row> rows = rows_of("out.csv");
    ASSERT_EQ(rows.size(), 1U);
    expect_cells(rows[0], "block=32 pending_limit=100 experiment=some");
}

TEST_F(CommandLine, DryRunPrintsThePlanAndWritesNothing)
{
    const Outcome outcome = ended(0, "run --strategy nosync,neighbored,hello --backend cpu --grid 4,8 --block 16 "
                                     "--depth 0:3 --repeat 5 --warmup 0 --dry-run");
    // nosync and hello at 4 depths, neighbored once, on two grids.
    EXPECT_THAT(outcome.out, HasSubstr("18 cases, 90 timed samples"));
    // Launches: 12 blocks at depths 1 + 2 + 3, twice (nosync, hello), 5 times.
    EXPECT_THAT(outcome.out, HasSubstr("720 device launches"));
    EXPECT_TRUE(fs::is_empty("."));
}

TEST_F(CommandLine, RefusedLaunchesAreRowsWithTheirCountsAndNoTimes)
{
    const Outcome outcome = ended(3, small("--pending-limit 2 --repeat 1 -o out.csv"));
    EXPECT_THAT(outcome.err, HasSubstr("1 rows are not ok"));
    EXPECT_THAT(outcome.out, HasSubstr("1 of 1 launch_failed"));
    Row row = rows_of("out.csv").at(0);
    EXPECT_EQ(row["status"], "launch_failed");
    EXPECT_EQ(row["launches_attempted"], "6"); // 4, of which 2 are refused; then 2 without room
    expect_cells(row, "launches_failed=4 launches_expected=12 wall_us=");
    EXPECT_THAT(row["detail"], HasSubstr("cudaErrorLaunchPendingCountExceeded"));
}

TEST_F(CommandLine, AWrongSumIsARowAndNeverATime)
{
    ended(3, small("--schedule eager --repeat 1 -o out.csv"));
    Row row = rows_of("out.csv").at(0);
    expect_cells(row, "status=wrong schedule=eager wall_us=");
    EXPECT_NE(row["answer"], row["reference"]);
    EXPECT_THAT(row["detail"], HasSubstr("of 4 block sums are wrong"));
}

TEST_F(CommandLine, AnExpectedRaceIsNoFailureAndAnExpectedRaceThatDoesNotShowIs)
{
    const Outcome shown = ended(0, small("--schedule eager --expect wrong --repeat 2 -o eager.csv"));
    EXPECT_THAT(shown.err, IsEmpty());
    EXPECT_THAT(shown.out, HasSubstr("2 of 2 wrong"));
    EXPECT_EQ(rows_of("eager.csv").at(0)["status"], "wrong"); // the row keeps its status
    const Outcome hidden = ended(3, small("--expect wrong --repeat 1 -o fifo.csv"));
    EXPECT_EQ(hidden.err, "nestbed: expect = wrong: no row of nosync has this status\n");
    EXPECT_EQ(rows_of("fifo.csv").at(0)["status"], "ok");
}

TEST_F(CommandLine, ExpectedRefusalsAreNoFailureAndOtherStrategiesMustBeOk)
{
    const Outcome refused = ended(0, small("--pending-limit 2 --expect launch_failed --repeat 1 -o out.csv"));
    EXPECT_THAT(refused.err, IsEmpty());
    const Outcome other = ended(3, small("--pending-limit 2 --expect wrong --repeat 1 -o other.csv"));
    EXPECT_THAT(other.err, AllOf(HasSubstr("nestbed: 1 rows are not as expected; their status and detail say why\n"),
                                 HasSubstr("nestbed: expect = wrong: no row of nosync has this status\n")));
}

TEST_F(CommandLine, AnExpectationThatNothingHereIsProneToIsAFailure)
{
    const Outcome outcome =
        ended(3, "run --backend cpu --strategy neighbored --grid 4 --block 16 --repeat 1 --expect wrong -o out.csv");
    EXPECT_EQ(outcome.err, "nestbed: expect = wrong: no case here is prone to it\n");
}

TEST_F(CommandLine, WhatOnlyCudaHasIsARowThatSaysSo)
{
    const Outcome outcome = ended(3, "run --backend cpu --strategy cub,chain --mechanism tail,graph_tail --grid 1 "
                                     "--block 32 --depth 2 --repeat 1 -o out.csv");
    EXPECT_THAT(outcome.err, HasSubstr("2 rows are not ok"));
    std::map<std::string, std::string> details;
    for (Row row : rows_of("out.csv")) {
        EXPECT_EQ(row["status"], row["mechanism"] == "tail" ? "ok" : "unsupported");
        details[row["strategy"] + " " + row["mechanism"]] = row["detail"];
    }
    EXPECT_EQ(details, (std::map<std::string, std::string>{
                           {"cub none", "unsupported: cub needs features that only CUDA has"},
                           {"chain tail", ""},
                           {"chain graph_tail", "unsupported: backend cpu has no launches by graph_tail"}}));
}

TEST_F(CommandLine, AChainHasALatencyALevelAndLaunchesByWhoMakesThem)
{
    const Outcome outcome = ended(0, "run --backend cpu --strategy chain --mechanism null_stream,host --grid 1 "
                                     "--block 32 --depth 3 --repeat 1 -o out.csv");
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("mechanism"), HasSubstr("latency")));
    std::vector<Row> rows = rows_of("out.csv");
    ASSERT_EQ(rows.size(), 2U);
    for (Row& row : rows) {
        const bool by_host = row["mechanism"] == "host";
        EXPECT_EQ(row["depth"], "3");
        EXPECT_EQ(row["launches_expected"], by_host ? "0" : "3");
        EXPECT_EQ(row["launches_attempted"], by_host ? "0" : "3");
        EXPECT_EQ(row["host_launches"], by_host ? "4" : "1");
        EXPECT_EQ(row["pending_limit_asked"], by_host ? "" : "auto");
        EXPECT_EQ(std::ranges::count(row["latency_us_by_depth"], ' '), 2);
        EXPECT_LE(std::stod(row["latency_min_us"]), std::stod(row["latency_us"]));
        EXPECT_LE(std::stod(row["latency_us"]), std::stod(row["latency_max_us"]));
        EXPECT_EQ(row["relative_error"], "");
        EXPECT_NE(row["timer_step_ns"], "0");
    }
}

TEST_F(CommandLine, TheLogMayGoToStandardOutput)
{
    testing::internal::CaptureStdout();
    const Outcome outcome = nestbed(small("--repeat 1 -o -"));
    const std::string written = testing::internal::GetCapturedStdout();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(written, StartsWith("experiment,run_id,key,strategy"));
    EXPECT_EQ(parse_csv(written).size(), 2U);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr("nosync")); // contains the table
    EXPECT_TRUE(fs::is_empty("."));
}

TEST_F(CommandLine, HelloPrintsTheBooksLines)
{
    const std::map<std::string, std::vector<int>> lines_by_depth{{"1", {8, 4, 2, 1}}, {"2", {16, 8, 4, 2}}};
    for (const auto& [grid, counts] : lines_by_depth) {
        testing::internal::CaptureStdout();
        const Outcome outcome = nestbed({"draw", "hello", "--backend", "cpu", "--grid", grid, "--block", "8"});
        const std::string written = testing::internal::GetCapturedStdout();
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_THAT(outcome.out, StartsWith("Execution Configuration: grid " + grid + " block 8"));
        std::map<std::string, int> lines;
        std::istringstream stream(written);
        for (std::string line; std::getline(stream, line);)
            ++lines[line];
        std::map<std::string, int> expected;
        const int blocks = std::stoi(grid);
        for (int depth = 0; depth < 4; ++depth) {
            for (int thread = 0; thread < 8 >> depth; ++thread)
                for (int block = 0; block < blocks; ++block) // children are always block 0 of their grids
                    ++expected["Recursion=" + std::to_string(depth) + ": Hello World from thread " +
                               std::to_string(thread) + " block " + std::to_string(depth == 0 ? block : 0)];
            if (depth > 0)
                expected["-------> nested execution depth: " + std::to_string(depth)] = blocks;
            EXPECT_EQ(counts[static_cast<std::size_t>(depth)], blocks * (8 >> depth));
        }
        EXPECT_EQ(lines, expected);
    }
}

TEST_F(CommandLine, BlobsDrawsItsImageWithTheBarrierAndShowsWhatIsWrongWithoutIt)
{
    const Words small_image("--backend cpu --nx 70 --ny 50");
    const auto draw = [&](const Words& more) { return nestbed(Words("draw blobs") + more + small_image); };
    const Outcome right = draw({});
    EXPECT_EQ(right.exit_code, 0) << right.err;
    EXPECT_THAT(right.out, AllOf(HasSubstr("blobs.png"), HasSubstr("70 x 50 pixels by blobs, blocks of 16x16")));
    EXPECT_TRUE(fs::exists("blobs.png"));
    const Outcome wrong = draw("--strategy blobs_wrong -o wrong.png");
    EXPECT_EQ(wrong.exit_code, 3);
    EXPECT_THAT(wrong.err, AllOf(HasSubstr("of 3500 numbers are wrong"), HasSubstr("row 0, column 0")));
    EXPECT_TRUE(fs::exists("wrong.png"));
    EXPECT_THAT(draw({}).err, HasSubstr("--output blobs.png: it already exists"));
}

TEST_F(CommandLine, BlobsDrawsOneImage)
{
    expect_usage_error("draw blobs --backend cpu --nx 70,71", {"blobs draws one image, not 2", "allowed:"});
    expect_usage_error("draw blobs --backend cpu --strategy nosync",
                       {"--strategy nosync", "allowed for nestbed draw blobs: blobs, blobs_wrong"});
    expect_usage_error("draw blobs --block-shape 64x32", {"--block-shape 64x32", "1024"});
    EXPECT_FALSE(fs::exists("blobs.png"));
    EXPECT_THAT(nestbed("draw blobs --help").out, HasSubstr("--block-shape"));
}

TEST_F(CommandLine, HelloIsOneCaseOfATypablesize)
{
    expect_usage_error("draw hello --grid 1,2", {"hello prints one case, not 2", "allowed"});
    expect_usage_error("draw hello --grid 4096 --block 1024", {"--grid 4096 --block 1024", "allowed"});
    expect_usage_error("draw hello --strategy nosync", {"--strategy", "allowed: "});
}

// ---- invalid input ----

TEST_F(CommandLine, UnknownNamesGetTheNearest)
{
    expect_usage_error("rum", {"'rum'", "did you mean 'run'?", "allowed: run, ", "in all: nestbed help)"});
    expect_usage_error("run --strateg nosync", {"'--strateg'", "did you mean '--strategy'?", "allowed: "});
    write("bad.cfg", "strategy = nosync\ngird = 4\n");
    expect_usage_error("run bad.cfg", {"bad.cfg:2: unknown key 'gird'", "did you mean 'grid'?"});
}

// Each names what to type instead, and is short.
TEST_F(CommandLine, AnErrorSaysWhatToType)
{
    std::filesystem::create_directory("experiments");
    write("experiments/book.cfg", "strategy = nosync\n");
    const auto of_nosync = [](const Words& more) {
        return Words("run --strategy nosync --backend cpu --dry-run") + more;
    };
    for (const auto& [words, end] : std::vector<std::pair<Words, std::string>>{
             {"run book", "book: there is no such experiment file, did you mean 'experiments/book.cfg'?"},
             {"run book.cfg", "book.cfg: there is no such experiment file, did you mean 'experiments/book.cfg'?"},
             {"run experiments/book",
              "experiments/book: there is no such experiment file, did you mean 'experiments/book.cfg'?"},
             {"run --strategy nosinc", "did you mean 'nosync'?; allowed: nosync, "},
             {"run --strategy nosinc", " in all: nestbed list)"},
             {"run --nosuch", " in all: --help)"},
             {"list nosinc", " in all: nestbed list)"},
             {"show a.csv.json", "a.csv.json: it is a manifest; its log is a.csv"},
             {of_nosync("--grid 2kB"), "(suffixes: k, M and G; 64k is 65536)"},
             {of_nosync("--precision 1"), "from 0.01% to 50%, such as 1%"},
             {of_nosync("--input rundom"),
              "--input rundom: there is no input 'rundom', did you mean 'random'?; allowed: random, index"},
             {"run --strategy quick_kway --backend cpu --input foo",
              "allowed: uniform, sorted, reversed, organ_pipe, equal, few, zipf"}}) {
        expect_usage_error(words, {end});
        EXPECT_LT(nestbed(words).err.size(), 300U);
    }
}

TEST_F(CommandLine, MissingThingsAreSaid)
{
    expect_usage_error("run",
                       {"no strategy was named; allowed: --strategy with a name such as synced, or with several ("});
    expect_usage_error("run none.cfg", {"none.cfg", "no such experiment file"});
    expect_usage_error("run .", {".: it is a folder"});
    expect_usage_error("run a.cfg b.cfg",
                       {"'b.cfg' was not expected", "nestbed run [EXPERIMENT.cfg[:SECTION]] [options]"});
    for (const std::string command : {"races", "test", "cpu"})
        expect_usage_error({command, "none.cu"}, {"nestbed: " + command + ": there is no file none.cu\n"});
    write("my.cu", "");
    for (const std::string command : {"races", "test", "cpu"})
        expect_usage_error({command, "my.cu", "-DA", "100"},
                           {"nestbed: " + command +
                            ": '100' is not a source file, a library or an option; the program's "
                            "arguments stand after --: nestbed " +
                            command + " my.cu -- 100\n"});
    write("other.cpp", "");
    expect_usage_error("races my.cu other.cpp 100", {"nestbed races my.cu other.cpp -- 100\n"});
    expect_usage_error("races my.cu other.cpp --output r.json", {"unknown option '--output'; allowed: "});
    expect_usage_error("races my.cu --report r.json",
                       {"--report runs nothing; allowed: nestbed races --report FILE "});
    expect_usage_error(
        "races my.cu --expect race",
        {"--expect is for the strategies of nestbed, not for a program; allowed: nestbed races --strategy "});
    write("built", "\177ELF and more");
    for (const std::string command : {"run", "tree"})
        expect_usage_error({command, "built"},
                           {"built: it is a built program, not an experiment file; allowed: run it"});
    expect_usage_error("cpu my.cu --pending-limit 10kB",
                       {"--pending-limit 10kB: '10kB' is not a whole number from 0 to "
                        "1073741824 (suffixes: k, M and G; 64k is 65536)"});
    expect_usage_error("list nosync tail", {"'tail' was not expected"});
    expect_usage_error("run --strategy", {"--strategy", "argument"});
    expect_usage_error(small("-o a -o b"), {"--output takes one value"});
}

// The rest of what a plan refuses is in tests/plan.
TEST_F(CommandLine, BadSettingsAreSaidWithWhatIsAllowed)
{
    expect_usage_error(small("--timeout 0"), {"--timeout 0", "from 1 to 86400"});
    expect_usage_error(small("--timeout soon --in-process"), {"--timeout soon"});
    expect_usage_error(small("--retries -1"), {"--retries -1"});
    expect_usage_error(small("--schedule lifo"), {"--schedule lifo", "allowed: fifo, eager, random:SEED"});
    expect_usage_error(small("--workers 0"), {"--workers 0", "from 1 to 12"});
}

TEST_F(CommandLine, AnOutputThatCannotBeWrittenIsFoundOutBeforeAnythingRuns)
{
    expect_usage_error(small("-o no/such/folder.csv"), {"--output no/such/folder.csv", "no folder no/such"});
    fs::create_directory("folder.csv");
    expect_usage_error(small("-o folder.csv"), {"--output folder.csv", "allowed: "});
    write("foreign.csv", "a,b\n1,2\n");
    expect_usage_error(small("-o foreign.csv"), {"--output foreign.csv", "not a log of this version"});
    std::ifstream foreign("foreign.csv");
    std::stringstream kept;
    kept << foreign.rdbuf();
    EXPECT_EQ(kept.str(), "a,b\n1,2\n");
}

TEST_F(CommandLine, AFullDiskIsAnErrorAndNotAUsageError)
{
    if (!fs::exists("/dev/full"))
        GTEST_SKIP() << "this machine has no /dev/full";
    const Outcome outcome = ended(1, small("-o /dev/full"));
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("/dev/full"), HasSubstr("No space left")));
}

TEST_F(CommandLine, ANameThatIsNotUtf8IsRefusedBeforeAnythingRuns)
{
    write("caf\xe9.cfg", "strategy = nosync\nbackend = cpu\n");
    for (const Words& words :
         {Words{"run", "caf\xe9.cfg"}, small({"-o", "caf\xe9.csv"}), small({"--experiment", "caf\xe9"})})
        expect_usage_error(words, {"caf\\xe9", "it is not UTF-8; allowed: names in UTF-8"});
    EXPECT_FALSE(fs::exists("caf\xe9.csv"));
    ended(0, small({"--experiment", "caf\xc3\xa9", "-o", "caf\xc3\xa9.csv"}));
}

TEST_F(CommandLine, AMessageDoesNotCommandTheTerminal)
{
    expect_usage_error(small({"-o", "no\x1b[2J/\xc2\x9b.csv"}), {"no\\x1b[2J/\\xc2\\x9b.csv: there is no folder"});
    write("out.csv", "");
    expect_usage_error({"merge", "evil\x1b[2J.csv", "-o", "new.csv"}, {"evil\\x1b[2J.csv: there is no such file"});
}

TEST_F(CommandLine, AForeignManifestIsNotOverwritten)
{
    write("out.csv.json", "[1, 2]");
    const Outcome outcome = ended(2, small("-o out.csv"));
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("out.csv.json"), HasSubstr("not a manifest")));
    EXPECT_FALSE(fs::exists("out.csv"));
}

TEST_F(CommandLine, AGpuAskedForWhereThereIsNoneIsSaidWithTheReason)
{
    if (why_not(BackendKind::cuda).empty())
        GTEST_SKIP() << "this machine has a GPU";
    expect_usage_error("run --strategy nosync --backend cuda",
                       {"--backend cuda", "no usable GPU", why_not(BackendKind::cuda), "allowed: auto, cpu"});
    write("gpu.cfg", "strategy = nosync\nbackend = cuda\n");
    expect_usage_error("run gpu.cfg", {"gpu.cfg:2: backend = cuda"});
}

TEST_F(CommandLine, RefusesBlocksBelowAWarpForIrregularWorkloads)
{
    const auto refused = [](const Words& options) {
        const Outcome outcome = ended(2, Words("run --strategy bezier_children --backend cpu --dry-run") + options);
        return outcome.err;
    };
    EXPECT_THAT(
        refused("--elements 1000 --grid 100"),
        HasSubstr("--elements 1000: bezier_children needs blocks of whole warps, not 16 threads; allowed: 32"));
    EXPECT_THAT(refused("--block 16"), HasSubstr("--block 16: bezier_children needs blocks of whole warps"));
}

} // namespace
} // namespace nestbed
