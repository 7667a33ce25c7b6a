// The command `profile`, and a run for a profiler.
#include "device/backends.hpp"
#include "model/session.hpp"
#include "support/cli_support.hpp"
#include "support/profile_support.hpp"

namespace nestbed
{
namespace
{

namespace fs = std::filesystem;

class ProfileCommand : public Profile
{
  protected:
    void SetUp() override
    {
        before_ = fs::current_path();
        fs::create_directory(folder.path("here"));
        fs::current_path(folder.path("here"));
    }
    void TearDown() override { fs::current_path(before_); }

    // Expects exit code 2, a message with these parts, and nothing on the disk.
    static void expect_usage_error(const Words& arguments, const std::vector<std::string>& parts)
    {
        const Outcome outcome = ended(2, arguments);
        for (const std::string& part : parts)
            EXPECT_THAT(outcome.err, HasSubstr(part));
        EXPECT_THAT(outcome.out, IsEmpty());
        EXPECT_TRUE(fs::is_empty("."));
    }

    // A folder with one Nsight profile of `launches` launches.
    std::string profiled(unsigned launches) const
    {
        const ProfileOptions how = options(ncu());
        folder.write("page.source", source_page(launches));
        profile(hello_case(), how);
        return folder.path("out");
    }

  private:
    fs::path before_;
};

TEST_F(ProfileCommand, PrintsAScriptWithoutAGpuAndWithoutNcu)
{
    const PathVariable nothing("/nowhere");
    const Outcome printed = ended(0, {"profile", "--strategy", "chain", "--mechanism", "named,graph_tail", "--grid",
                                      "4", "--block", "32", "--depth", "2", "--print", "-o", "a folder"});
    const bool gpu = why_not(BackendKind::cuda).empty();
    EXPECT_THAT(printed.err, HasSubstr(gpu ? "" : "there is no usable GPU here"));
    EXPECT_THAT(
        printed.out,
        AllOf(
            StartsWith("mkdir -p 'a folder'\nncu --clock-control none"),
            HasSubstr(" --experiment adhoc --strategy chain --backend cuda --mechanism named --grid 4 "
                      "--block 32 --depth 2 --submit held --l2 as_is --repeat 1 --warmup 0 --untimed "
                      "--in-process --output "
                      "'a folder/001-chain-named-4x32.csv'\n"),
            HasSubstr("--page source --csv > 'a folder/001-chain-named-4x32.source.csv'\n"),
            HasSubstr("--print-units base > 'a folder/001-chain-named-4x32.raw.csv'\n"),
            HasSubstr("\n# a folder/002-chain-graph_tail-4x32: not run: ncu leaves out device-side graph launches\n"),
            HasSubstr(" profile 'a folder'\n")));
    EXPECT_TRUE(fs::is_empty("."));
}

TEST_F(ProfileCommand, TakesAFileWithoutWhatItSaysOfTheWholeRun)
{
    folder.write("some.cfg",
                 "title = t\nstrategy = hello\ngrid = 4\nblock = 8\nrepeat = 7\nwarmup = 3\nbackend = cpu\n"
                 "expect = wrong\nworkers = 1\n");
    const Outcome outcome = ended(0, Words("profile") + folder.path("some.cfg") + Words("--block 16 --print"));
    EXPECT_THAT(outcome.out,
                AllOf(StartsWith("mkdir -p results/local/profile-some\n"),
                      HasSubstr("--experiment some --strategy hello --backend cuda --mechanism null_stream "
                                "--grid 4 --block 16 --submit held --l2 as_is --repeat 1 --warmup 0 ")));
}

TEST_F(ProfileCommand, RefusesWhatCannotBe)
{
    expect_usage_error("profile --strategy hello --repeat 3", {"unknown option '--repeat'", "allowed: "});
    expect_usage_error("profile --strategy hello --backend cpu", {"unknown option '--backend'"});
    if (why_not(BackendKind::cuda).empty())
        expect_usage_error("profile", {"no strategy"});
    expect_usage_error("profile none.cfg --print", {"none.cfg: there is no such experiment file"});
    const Outcome timeout = ended(2, "profile --strategy hello --timeout soon --print");
    EXPECT_THAT(timeout.err, HasSubstr("--timeout soon"));
}

TEST_F(ProfileCommand, SaysWhatIsMissing)
{
    if (!why_not(BackendKind::cuda).empty()) {
        const Outcome outcome = nestbed("profile --strategy hello");
        EXPECT_EQ(outcome.exit_code, 1); // profiling could not run; the options are valid
        for (const std::string& part :
             {std::string("no usable GPU here"), why_not(BackendKind::cuda), std::string("allowed: --print")})
            EXPECT_THAT(outcome.err, HasSubstr(part));
        return;
    }
    const std::string text = folder.write("text", "no program");
    expect_usage_error(Words("profile --strategy hello --ncu") + text, {"--ncu " + text, "allowed: the path"});
    const PathVariable nothing("/nowhere");
    expect_usage_error("profile --strategy hello",
                       {"ncu (Nsight Compute) was not found on the PATH; allowed: --ncu PATH, or --print"});
}

TEST_F(ProfileCommand, PrintsTheTableOfAFolderAgain)
{
    const Outcome equal = ended(0, {"profile", profiled(12)});
    EXPECT_THAT(equal.err, IsEmpty());
    EXPECT_THAT(equal.out, AllOf(HasSubstr("1 case: 1 equal"), HasSubstr("001-hello-4x8")));
    folder.write("out/001-hello-4x8.source.csv", source_page(11));
    EXPECT_THAT(ended(3, {"profile", folder.path("out")}).out, HasSubstr("closed form 12, ledger 12, Nsight 11"));
    folder.write("out/001-hello-4x8.source.csv", "text\n");
    EXPECT_THAT(ended(3, {"profile", folder.path("out")}).out,
                HasSubstr("001-hello-4x8.source.csv:1: a source page of ncu begins with"));
    fs::create_directory(folder.path("empty"));
    expect_usage_error({"profile", folder.path("empty")}, {"it has no *.source.csv"});
    expect_usage_error({"profile", folder.path("out"), "--grid", "4"},
                       {"--grid is for experiments; allowed with folders: --csv"});
    EXPECT_THAT(ended(3, {"profile", folder.path("out"), "--csv", "-"}).out, StartsWith("strategy,mechanism,type,"));
    expect_usage_error("profile none other", {"'other' was not expected; allowed: one experiment, or folders"});
}

// What `nestbed profile` wrote on an H200 (tests/data/README.md).
TEST_F(ProfileCommand, WritesACsvOfWhatAGpuGave)
{
    const Outcome outcome = ended(0, "profile " NESTBED_DATA "/h200 --csv table.csv");
    EXPECT_THAT(outcome.out, HasSubstr("6 cases: 6 equal\n"));
    std::vector<std::vector<std::string>> counts;
    for (const Row& row : rows_of("table.csv"))
        counts.push_back({row.at("strategy"), row.at("launches_nsight"), row.at("root_grids")});
    EXPECT_THAT(counts, ElementsAre(std::vector<std::string>{"chain", "64", "1"},
                                    std::vector<std::string>{"mst_components", "43", "25"},
                                    std::vector<std::string>{"neighbored", "0", "1"},
                                    std::vector<std::string>{"nested_best", "1", "1"},
                                    std::vector<std::string>{"nosync", "512", "1"},
                                    std::vector<std::string>{"synced", "512", "5"}));
    EXPECT_THAT(ended(2, "profile " NESTBED_DATA "/h200 --csv table.csv").err,
                HasSubstr("--csv table.csv: it already exists"));
}

// ---- run --experiment --untimed ----

TEST_F(ProfileCommand, RunLeavesTimesOutWhereAsked)
{
    const Outcome outcome = ended(0, "run --backend cpu --strategy nosync,chain --grid 4 --block 16 --depth 2 "
                                     "--repeat 2 --experiment mine --untimed");
    EXPECT_THAT(outcome.out, AllOf(StartsWith("mine\n"), HasSubstr(", untimed\n"), Not(HasSubstr("median")),
                                   Not(HasSubstr("empty kernel")), Not(HasSubstr("latency")), HasSubstr("launches")));
    const std::vector<Row> rows = rows_of("results/local/mine.csv");
    ASSERT_EQ(rows.size(), 4U);
    for (const Row& row : rows) {
        expect_cells(row, "experiment=mine status=ok gpu_us= wall_us= empty_kernel_us= latency_us= latency_min_us= "
                          "latency_max_us= latency_us_by_depth= timer_step_ns= bandwidth_gb_s= measured_gb_s=");
        EXPECT_NE(row.at("launches_attempted"), "");
    }
    const std::string manifest = read_text_file("results/local/mine.csv.json");
    EXPECT_THAT(manifest, AllOf(HasSubstr("\"untimed\": true"), HasSubstr("\"experiment\": \"mine\""),
                                Not(HasSubstr("empty_kernel_us")), Not(HasSubstr("nesting_depth"))));
}

TEST_F(ProfileCommand, RunGoesWithoutRangesWhereAsked)
{
    ended(0, Words("run --strategy nosync --backend cpu --grid 2 --block 8 --no-nvtx -o") + folder.path("plain.csv"));
    EXPECT_THAT(folder.read("plain.csv"), HasSubstr(",ok,"));
}

TEST_F(ProfileCommand, AnExperimentHasAName)
{
    for (const std::string name : {"", "a/b", "..", "."})
        expect_usage_error({"run", "--backend", "cpu", "--strategy", "hello", "--experiment", name},
                           {"--experiment " + name, "it is not a valid name"});
    expect_usage_error("run --backend cpu --strategy hello --experiment a --experiment b",
                       {"--experiment a --experiment b"});
}

} // namespace
} // namespace nestbed
