// `nestbed show` prints the table of a log again. `nestbed list` takes patterns. Experiments have patterns, sizes and
// sections.
#include "log/row.hpp"
#include "model/strategy.hpp"
#include "support/cli_support.hpp"
#include "support/program_support.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>

namespace nestbed
{
namespace
{

namespace fs = std::filesystem;

class ShowCommand : public CommandTest
{
  protected:
    // Returns the table that a run prints of its log.
    static std::string table_of_run()
    {
        const Outcome run =
            nestbed({"run", "--backend", "cpu", "--strategy", "nosync,neighbored,reduce2", "--grid", "4", "--block",
                     "16,32", "--wave", "auto,2", "--repeat", "6", "-o", "log.csv", "--title", "A question"});
        EXPECT_THAT(run.out, HasSubstr("\n\n48 rows: log.csv\n")) << run.err;
        return run.out.substr(0, run.out.find("\n48 rows:"));
    }
};

TEST_F(ShowCommand, PrintsTheTableThatTheRunPrinted)
{
    const std::string table = table_of_run();
    const Outcome shown = ended(0, "show log.csv");
    EXPECT_EQ(shown.out, table);
    EXPECT_EQ(nestbed("show log.csv log.csv").out, table + "\n" + table);
    // Without the manifest the table comes from the rows alone: it has no title, and shows the waves that were
    // launched.
    fs::remove("log.csv.json");
    EXPECT_THAT(nestbed("show log.csv").out, AllOf(StartsWith("adhoc\n"), ContainsRegex("nosync +16 ")));
}

TEST_F(ShowCommand, WritesDataForScripts)
{
    table_of_run();
    write("shown.csv", nestbed("show log.csv --csv").out);
    const std::vector<Row> rows = rows_of("shown.csv");
    ASSERT_EQ(rows.size(), 8U);
    const auto json = nlohmann::json::parse(nestbed("show log.csv --json").out);
    ASSERT_EQ(json.size(), rows.size());
    expect_cells(rows[0], "strategy=nosync n=6 block=16 status=ok");
    EXPECT_EQ(json[0]["strategy"], "nosync");
    EXPECT_EQ(json[0]["block"], 16);
    EXPECT_EQ(json[0]["wave"], "auto");
    EXPECT_EQ(json[1]["wave"], 2);
    EXPECT_EQ(json[0]["median_us"], std::stod(rows[0].at("median_us")));
    EXPECT_LE(json[0]["low_us"], json[0]["median_us"]);
    EXPECT_EQ(json[0]["nx"], nullptr);
    EXPECT_THAT(nestbed("show log.csv --markdown").out,
                AllOf(StartsWith("**A question**\n"), HasSubstr("\n| strategy | "), HasSubstr("| --- | "),
                      ContainsRegex("\n\\| nosync \\|.*\\| ok \\|\n")));
}

TEST_F(ShowCommand, SaysWhatItCannotShow)
{
    table_of_run();
    expect_usage_error("show", {"no log was given; allowed: nestbed show FILE.csv..."});
    expect_usage_error("show log.csv --json --csv", {"exclude each other"});
    fs::create_directory("folder");
    expect_usage_error("show folder", {"folder: it is a folder"});
    ended(1, "show none.csv");
    const std::string whole = read("log.csv");
    write("part.csv", whole + "adhoc,2026");
    const Outcome part = ended(0, "show part.csv");
    EXPECT_THAT(part.err, HasSubstr("part.csv: the last row is not complete and is left out"));
    EXPECT_THAT(part.out, HasSubstr("nosync"));
    write("header.csv", whole.substr(0, whole.find('\n') + 1));
    EXPECT_THAT(nestbed("show header.csv").out, HasSubstr("header.csv: it has no rows"));
}

TEST_F(ShowCommand, ShowsLogsWithFewColumns)
{
    write("old.csv", "strategy,backend,mechanism,type,elements,grid,block,status,gpu_us,wall_us\n"
                     "nosync,cuda,null_stream,int32,64,4,16,ok,20,30\n"
                     "nosync,cuda,null_stream,int32,64,4,16,wrong,,\n"
                     "neighbored,cuda,none,int32,64,4,16,ok,10,20\n");
    const Outcome shown = ended(0, "show old.csv");
    EXPECT_THAT(shown.out, AllOf(ContainsRegex("neighbored +10.0 us .*1.00  ok"),
                                 ContainsRegex("nosync +20.0 us .*2.00  1 of 2 wrong")));
}

// The first table of someone without a GPU.
TEST_F(ShowCommand, ShowsOurTimesOfAGpuBesideThoseOfTheExecutor)
{
    const std::string ours = NESTBED_EXPERIMENTS "/../results/h200/book.csv";
    const Words words = Words("run --strategy neighbored,reduce2 --grid 2048 --block 512 --backend cpu --repeat 1 "
                              "-o a.csv --reference") +
                        ours;
    const auto has_them =
        AllOf(HasSubstr("\nThe executor's times say nothing about those of a GPU.\n"),
              ContainsRegex("H200: times from[ \n]"), ContainsRegex("neighbored .* 18.5 us +1.00  ok\n"),
              ContainsRegex("reduce2 .* 98.8 us +5.35  ok"), Not(HasSubstr("bar")));
    const Outcome run = nestbed(words);
    EXPECT_THAT(run.out, has_them) << run.err;
    EXPECT_THAT(nestbed(Words("show a.csv --reference") + ours).out, has_them);
    EXPECT_THAT(nestbed("show a.csv").out, AllOf(Not(HasSubstr("H200")), Not(HasSubstr("ratio"))));
    expect_usage_error(Words("show a.csv --reference") + ours + Words{"--reference", ours},
                       {"--reference takes one value"});
}

TEST_F(ShowCommand, ListsStrategiesByPattern)
{
    const std::string all = nestbed("list *").out;
    const std::string tails = nestbed("list *_tail").out;
    EXPECT_THAT(tails, AllOf(HasSubstr("_tail  ("), Not(HasSubstr("nosync  ("))));
    EXPECT_LT(tails.size(), all.size());
    EXPECT_THAT(nestbed("list nosync").out, StartsWith("nosync  (reduce; cuda, cpu"));
    expect_usage_error("list nosinc", {"no strategy matches 'nosinc', did you mean 'nosync'?"});
}

// One screen of names; the rest by workload.
TEST_F(ShowCommand, ListsAllStrategiesByWorkloadOnOneScreen)
{
    const std::string all = nestbed("list").out;
    EXPECT_LE(std::ranges::count(all, '\n'), 60) << all;
    expect_columns(all, 80);
    EXPECT_THAT(all, AllOf(ContainsRegex("\nreduce +aggregated_block, "), ContainsRegex(" nosync\\*,"),
                           ContainsRegex("\nsort +quick_binary, "), HasSubstr("\n* declared racy: "),
                           Not(HasSubstr("hazards"))));
    const std::string sort = nestbed("list sort").out;
    EXPECT_THAT(sort, AllOf(StartsWith("sort: "), HasSubstr("\nquick_kway  (sort; cuda, cpu)\n"),
                            HasSubstr("\n    hazards: "), Not(HasSubstr("nosync  ("))));
    for (const WorkloadInfo* workload : Registry::workloads())
        expect_columns(nestbed({"list", std::string(workload->name)}).out, 80);
}

TEST_F(ShowCommand, ListsStrategiesAsTablesInMarkdown)
{
    const std::string sort = nestbed("list sort --markdown").out;
    EXPECT_THAT(
        sort,
        AllOf(StartsWith(
                  "| launches from the device | what it does | mechanisms |\n|---|---|---|\n| **sort**: `quick_"),
              HasSubstr("\n| `quick_kway` | quicksort into many parts"), HasSubstr(" | device |\n"),
              HasSubstr("| `sort_graph` | a graph of one level of quick_kway that runs again | graph |\n"),
              ContainsRegex("`quick_sample` [^\n]*; \\*\\*race\\*\\* [|] `fire_and_forget`, "),
              HasSubstr("\n\n| flat | what it does | mechanisms |\n")));
    EXPECT_THAT(nestbed("list litmus --markdown").out, StartsWith("| patterns of memory visibility | "));
    expect_usage_error("list --json --markdown", {"list: --json and --markdown exclude each other; allowed: one"});
}

nlohmann::json entry(const nlohmann::json& list, const std::string& name)
{
    const auto found = std::ranges::find_if(list, [&](const auto& one) { return one["name"] == name; });
    return found == list.end() ? nlohmann::json() : *found;
}

TEST_F(ShowCommand, ListsAllTablesAsJson)
{
    const auto json = nlohmann::json::parse(nestbed("list --json").out);
    const auto nosync = entry(json["strategies"], "nosync");
    EXPECT_EQ(nosync["workload"], "reduce");
    EXPECT_EQ(nosync["mechanisms"][0], "null_stream");
    EXPECT_TRUE(nosync["racy"]);
    EXPECT_FALSE(nosync["is_reference"]);
    EXPECT_TRUE(entry(json["strategies"], "quick_kway")["data_dependent"]);
    const auto sort = entry(json["workloads"], "sort");
    EXPECT_TRUE(sort["irregular"]);
    EXPECT_EQ(sort["inputs"][0], "uniform");
    EXPECT_THAT(sort["figures"].get<std::vector<std::string>>(), testing::Contains("depths"));
    const auto grain =
        std::ranges::find_if(sort["parameters"], [](const auto& one) { return one["axis"] == "grain"; });
    ASSERT_NE(grain, sort["parameters"].end());
    EXPECT_EQ((*grain)["meaning"], "maximum keys of a part that one block sorts");
    EXPECT_EQ((*grain)["default"], "2048");
    EXPECT_FALSE(entry(json["workloads"], "reduce")["irregular"]);
    EXPECT_EQ(entry(json["axes"], "delay-us")["column"], "delay_us");
    EXPECT_EQ(entry(json["axes"], "depth")["word"], "full");
    EXPECT_EQ(entry(json["axes"], "submit")["values"], (std::vector<std::string>{"held", "open"}));
    EXPECT_TRUE(entry(json["mechanisms"], "tail")["from_device"]);
    EXPECT_FALSE(entry(json["mechanisms"], "host")["from_device"]);
    EXPECT_EQ(entry(json["mechanisms"], "graph_while")["decided_by"], "a kernel, through a graph");
    EXPECT_EQ(entry(json["mechanisms"], "graph_while")["decider"], "kernel_by_graph");
    EXPECT_EQ(entry(json["mechanisms"], "host_max_levels")["decider"], "kernel_up_to_bound");
    for (const auto& mechanism : json["mechanisms"])
        EXPECT_EQ(mechanism["words"] == "", mechanism["name"] == "none") << mechanism["name"];
    // Every column of a row, with what it holds, in its order.
    std::vector<std::string> names;
    for (const auto& column : json["columns"]) {
        names.push_back(column["name"]);
        EXPECT_NE(column["what"], "") << column["name"];
    }
    EXPECT_EQ(names, columns());
    EXPECT_TRUE(entry(json["columns"], "grid")["number"]);
    EXPECT_FALSE(entry(json["columns"], "depth")["number"]); // full
    EXPECT_TRUE(entry(json["columns"], "depth")["axis"]);
    EXPECT_EQ(entry(json["columns"], "launches_by_depth")["form"], "numbers");
    // A pattern leaves out strategies alone.
    const auto tails = nlohmann::json::parse(nestbed("list *_tail --json").out);
    EXPECT_LT(tails["strategies"].size(), json["strategies"].size());
    EXPECT_EQ(tails["columns"], json["columns"]);
}

// What its launches are made for follows from what is known of a strategy. Figures have a colour for each family.
TEST_F(ShowCommand, ListsTheFamilyOfEachStrategy)
{
    const auto json = nlohmann::json::parse(nestbed("list --json").out);
    const std::map<std::string, std::vector<std::string>> families{
        {"one child per block", {"synced", "nosync", "barrier", "tail", "aggregated_block"}},
        {"one child per level", {"reduce2", "reduce2_tail", "aggregated_grid"}},
        {"children share the whole input", {"wide_warp", "wide_block", "nested_best"}},
        {"levels started by the host or a barrier", {"host_loop", "sort_levels", "bfs_frontier", "search_levels"}},
        {"no recursion",
         {"last_block", "host", "copy_row", "blobs", "bezier_balanced", "bfs_queue", "last_block_rdc"}},
        {"other recursions", {"hello", "recursive_transpose", "chain", "trees", "lanes_at_once"}},
        {"patterns of memory visibility", {"litmus_own_write", "litmus_counter"}},
        {"data-dependent launches", {"bezier_children", "quick_simple", "search_budget", "bfs_tail"}}};
    for (const auto& [family, names] : families)
        for (const std::string& name : names)
            EXPECT_EQ(entry(json["strategies"], name)["family"], family) << name;
}

TEST_F(ShowCommand, ExperimentsTakePatternsSizesAndOneSection)
{
    const auto plan = [](const Words& words) {
        return ended(0, Words("run") + words + Words("--backend cpu --dry-run")).out;
    };
    write("a.cfg", "strategy = neighbored*\ngrid = 1k\nblock = 2^5\n[one]\n[two of it]\ngrid = 1:4k:*4\n");
    EXPECT_THAT(plan("a.cfg:one"),
                AllOf(HasSubstr("grid 1024, block 32"), HasSubstr("neighbored "), HasSubstr("neighbored_less ")));
    EXPECT_THAT(plan({"a.cfg:two of it"}), AllOf(HasSubstr(" 4096 "), Not(HasSubstr("grid 1024"))));
    EXPECT_THAT(plan("--strategy nosync --elements 1M"), HasSubstr("elements 1048576"));
    // Not the curves of another workload.
    EXPECT_THAT(plan("--strategy quadtree_children --input c* --elements 1k --block 32"), HasSubstr("\n2 cases,"));
    expect_usage_error("run a.cfg:three", {"a.cfg: there is no section [three]; allowed: one, two of it"});
    expect_usage_error("run --strategy *_tial", {"--strategy *_tial: no strategy matches '*_tial'"});
    fs::create_directory("folder.cfg");
    expect_usage_error("run folder.cfg", {"folder.cfg: it is a folder"});
    // A section has its own log, not that of the file.
    ended(0, {"run", "a.cfg:two of it", "--backend", "cpu", "--grid", "2", "--repeat", "1"});
    EXPECT_TRUE(fs::exists("results/local/a-two_of_it.csv"));
}

TEST_F(ShowCommand, ATitleThatAnOverrideMakesUntrueIsNotPrinted)
{
    write("b.cfg",
          "title = Blocks of 16 threads\nstrategy = nosync\ngrid = 2\nblock = 16\nrepeat = 1\nbackend = cpu\n");
    EXPECT_THAT(nestbed("run b.cfg -o 1.csv").out, StartsWith("Blocks of 16 threads\n"));
    EXPECT_THAT(nestbed("run b.cfg -o 2.csv --block 16 --warmup 0").out, StartsWith("Blocks of 16 threads\n"));
    EXPECT_THAT(nestbed("run b.cfg -o 3.csv --block 32 --depth 1").out, StartsWith("b (changed: block, depth)\n"));
    EXPECT_THAT(nestbed("show 3.csv").out, StartsWith("b (changed: block, depth)\n"));
    EXPECT_THAT(nestbed("run b.cfg -o 4.csv --block 32 --title Mine").out, StartsWith("Mine\n"));
}

TEST_F(ShowCommand, ADryRunSaysWhatWillBeUnsupported)
{
    const Outcome plan =
        nestbed("run --backend cpu --strategy chain,neighbored,cub --mechanism tail,host_graph --grid 2 --dry-run");
    EXPECT_THAT(
        plan.out,
        AllOf(ContainsRegex("chain +host_graph .* unsupported\n    backend cpu has no launches by host_graph"),
              ContainsRegex("chain +tail [^\n]*[0-9]\n"), HasSubstr("2 of them will be `unsupported`"),
              HasSubstr("cub does not run on backend cpu")))
        << plan.err;
    EXPECT_THAT(nestbed("run --backend cpu --strategy neighbored --dry-run").out, Not(HasSubstr("unsupported")));
}

TEST_F(ShowCommand, AFolderIsCalledAFolder)
{
    fs::create_directory("folder");
    const Words small("--strategy hello --grid 1 --block 2 --backend cpu");
    for (const Words& words : {Words("run -o folder") + small, Words("trace -o folder") + small,
                               Words("compare folder folder"), Words("merge folder -o merged.csv")}) {
        const Outcome outcome = nestbed(words);
        EXPECT_NE(outcome.exit_code, 0);
        EXPECT_THAT(outcome.err, AllOf(HasSubstr("folder: it is a folder"), Not(HasSubstr("Is a directory"))));
    }
}

TEST_F(ShowCommand, ATraceCanGoToStandardOutput)
{
    const Outcome traced = ended(0, "trace --strategy nosync --grid 2 --block 16 --backend cpu --repeat 1 -o -");
    EXPECT_TRUE(nlohmann::json::parse(traced.out).contains("traceEvents"));
    EXPECT_FALSE(fs::exists("-"));
}

TEST_F(ShowCommand, CompletesACommandLine)
{
    write("completion.bash", R"(
nestbed() { ")" + nestbed_program() +
                                 R"(" "$@"; }
. ")" NESTBED_EXPERIMENTS R"(/../src/cli/completion.bash"
COMP_WORDS=(nestbed sh); COMP_CWORD=1; _nestbed; echo "${COMPREPLY[@]}"
COMP_WORDS=(nestbed run --retry); COMP_CWORD=2; _nestbed; echo "${COMPREPLY[@]}"
COMP_WORDS=(nestbed run --strategy nosync,reduce2_); COMP_CWORD=3; _nestbed; echo "${COMPREPLY[@]}"
COMP_WORDS=(nestbed draw blobs --block); COMP_CWORD=3; _nestbed; echo "${COMPREPLY[@]}"
COMP_WORDS=(nestbed run so); COMP_CWORD=2; _nestbed; echo "${COMPREPLY[@]}"
)");
    EXPECT_EQ(std::system("bash -u completion.bash > said.txt"), 0);
    EXPECT_EQ(read("said.txt"), "show\n--retry-failed\nnosync,reduce2_tail\n--block-shape\n\n");
}

} // namespace
} // namespace nestbed
