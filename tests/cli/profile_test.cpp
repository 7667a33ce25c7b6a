// Cases under a profiler, which is a script: how a run can end, and the tables. tests/cli/profile_cli_test.cpp has the command.
#include "inspect/profile.hpp"

#include "base/csv.hpp"
#include "model/mechanism.hpp"
#include "support/profile_support.hpp"

namespace nestbed
{
namespace
{

using testing::UnorderedElementsAre;

// A log of `nestbed run` with one row.
std::string ledger(const std::string& expected = "12", const std::string& attempted = "12",
                   const std::string& status = "ok")
{
    return csv_line({"strategy", "mechanism", "launches_expected", "launches_attempted", "status", "detail"}) +
           csv_line({"hello", "null_stream", expected, attempted, status, status == "ok" ? "" : "why"});
}

TEST_F(Profile, CountsACaseAndKeepsItsPagesItsLedgerAndItsManifest)
{
    const Profiled one = profile(hello_case(), options(ncu()));
    EXPECT_EQ(one.detail, "");
    EXPECT_EQ(one.nsight->launches, 12U);
    EXPECT_EQ(one.cell("experiment"), "some");
    EXPECT_EQ(one.cell("repetition"), "0"); // nothing is measured before it
    for (const char* column : {"gpu_us", "wall_us", "empty_kernel_us", "timer_step_ns", "latency_us"})
        EXPECT_EQ(one.cell(column), "") << column;
    EXPECT_THAT(files(), UnorderedElementsAre("001-hello-4x8.csv", "001-hello-4x8.csv.json",
                                              "001-hello-4x8.source.csv", "001-hello-4x8.raw.csv"));
}

TEST_F(Profile, KeepsReportsWhereAsked)
{
    ProfileOptions how = options(ncu());
    how.keep_reports = true;
    EXPECT_EQ(profile(hello_case(), how).detail, "");
    EXPECT_TRUE(folder.has("out/001-hello-4x8.ncu-rep"));
}

TEST_F(Profile, SaysWhichCountsDiffer)
{
    EXPECT_EQ(profile(hello_case(5), options(ncu())).detail, "closed form 15, ledger 15, Nsight 12");
}

TEST_F(Profile, SaysWhyACaseWasNotCounted)
{
    const std::string works = R"("$@" && echo report > "$report")";
    for (const auto& [collect, pages, why] :
         {std::tuple{"exit 9", "", "ncu ended with exit code 9"},
          std::tuple{R"(echo "==ERROR== first"; echo "==ERROR== last"; echo "==PROF== no"; exit 9)", "", "last"},
          std::tuple{"kill -SEGV $$", "", "ncu ended with signal 11 (Segmentation fault)"},
          std::tuple{R"("$@"; echo report > "$report"; kill -9 $$)", "", "ncu ended with signal 9 (Killed)"},
          std::tuple{"exit 0", "", "ncu profiled no kernel, or nestbed wrote no ledger"},
          std::tuple{R"("$@")", "", "ncu profiled no kernel, or nestbed wrote no ledger"},
          std::tuple{works.c_str(), R"(echo "==ERROR== cannot print $page"; exit 1)", "cannot print source"},
          std::tuple{works.c_str(), "echo text", "a raw page of ncu has a column \"Kernel Name\""}}) {
        EXPECT_THAT(reason(options(ncu(collect, pages))), EndsWith(why));
        if (std::string_view(pages).starts_with("echo \"==ERROR==")) {
            EXPECT_FALSE(folder.has("out/001-hello-4x8.source.csv"))
                << "whoever reads the folder later would take the message for a page";
        }
        std::filesystem::remove_all(folder.path("out"));
    }
}

TEST_F(Profile, EndsWhatTakesTooLong)
{
    ProfileOptions how = options(ncu("sleep 600"));
    how.timeout = std::chrono::seconds(1);
    EXPECT_EQ(reason(how), "ncu did not end in 1 s");
}

// If a race makes a sum wrong, nestbed exits with 3, and so does ncu. Its launches were counted anyway.
TEST_F(Profile, CountsARunWhoseRowIsNotOk)
{
    folder.write("row", ledger("12", "12", "wrong"));
    const std::string script =
        ncu("cp '" + folder.path("row") + "' \"${report%.ncu-rep}.csv\"; echo report > \"$report\"; exit 3");
    const Profiled one = profile(hello_case(), options(script));
    EXPECT_EQ(one.detail, "");
    EXPECT_EQ(one.cell("status"), "wrong");
}

TEST_F(Profile, DoesNotRunDeviceGraphs)
{
    const Case point{.strategy = "chain", .mechanism = Mechanism::graph_tail, .type = ElementType::none, .seed = 0};
    const Profiled one = profile(point, options("/no/ncu"));
    EXPECT_FALSE(one.nsight);
    EXPECT_EQ(one.detail, "ncu leaves out device-side graph launches");
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Profile, EndsWhereTheCountersMayNotBeRead)
{
    const std::string script =
        ncu(R"(echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"; exit 1)");
    EXPECT_THAT(text_of<NcuUnusable>([&] { static_cast<void>(profile(hello_case(), options(script))); }),
                AllOf(HasSubstr("permission"), HasSubstr("https://developer.nvidia.com/ERR_NVGPUCTRPERM")));
}

// No other case would fare better.
TEST_F(Profile, EndsWhereNcuCannotBeStarted)
{
    EXPECT_THAT(text_of<NcuUnusable>(
                    [&] { static_cast<void>(profile(hello_case(), options(folder.write("ncu", "no program")))); }),
                HasSubstr("ncu could not be started: "));
}

TEST_F(Profile, NamesItsFilesByTheCaseAndOverwritesNone)
{
    const auto stem = [&](std::size_t number, const Case& point) {
        const std::string path = stem_of(folder.path("out"), number, point);
        check_new_stem(path);
        return path.substr(folder.path("out/").size());
    };
    EXPECT_EQ(stem(12, {.strategy = "nosync", .mechanism = Mechanism::named_stream, .grid = 64, .block = 512}),
              "012-nosync-named-64x512");
    EXPECT_EQ(stem(1234, {.strategy = "synced", .grid = 2048, .block = 512}), "1234-synced-2048x512");
    EXPECT_EQ(stem(3, {.strategy = "recursive_transpose",
                       .mechanism = Mechanism::tail,
                       .grid = 0,
                       .block = 0,
                       .nx = 300,
                       .ny = 100}),
              "003-recursive_transpose-tail-300x100");
    options("");
    const std::string there = folder.write("out/002-hello-5x8.raw.csv", "mine");
    EXPECT_EQ(text_of<UsageError>([&] { stem(2, hello_case(5)); }),
              there + ": it already exists, and nothing is overwritten; allowed: another --output");
}

TEST_F(Profile, CollectsOneUntimedRunOfTheCase)
{
    const NcuCommands commands = profile_commands(hello_case(), "some folder/001", options("/opt/ncu"));
    EXPECT_THAT(commands.collect,
                ElementsAre("/opt/ncu", "--clock-control", "none", "--cache-control", "none", "--metrics",
                            "thread_inst_executed,inst_executed,launch__grid_size", "--nvtx", "--nvtx-include",
                            "regex:nestbed@.*/", "--import-source", "no", "--force-overwrite", "--export",
                            "some folder/001.ncu-rep", nestbed_program(), "run", "--experiment", "some", "--strategy",
                            "hello", "--backend", "cpu", "--mechanism", "null_stream", "--grid", "4", "--block", "8",
                            "--repeat", "1", "--warmup", "0", "--untimed", "--in-process", "--output",
                            "some folder/001.csv"));
    EXPECT_THAT(commands.source,
                ElementsAre("/opt/ncu", "--import", "some folder/001.ncu-rep", "--page", "source", "--csv"));
    EXPECT_THAT(commands.raw, ElementsAre("/opt/ncu", "--import", "some folder/001.ncu-rep", "--page", "raw", "--csv",
                                          "--print-units", "base"));
}

// ---- what it wrote ----

class ProfileFolder : public Profile
{
  protected:
    Profiled read(const std::string& row, unsigned launches = 12) const
    {
        folder.write("a.csv", row);
        folder.write("a.source.csv", source_page(launches));
        folder.write("a.raw.csv", kRawPage);
        return read_profile(folder.path("")).at(0);
    }
};

TEST_F(ProfileFolder, IsEqualIfAllThreeCountsAreWhateverTheStatus)
{
    EXPECT_STREQ(read(ledger()).verdict(), "equal");
    EXPECT_STREQ(read(ledger("12", "12", "wrong")).verdict(), "equal");
    EXPECT_EQ(read(ledger("11", "12")).detail, "closed form 11, ledger 12, Nsight 12");
    EXPECT_EQ(read(ledger("12", "11")).detail, "closed form 12, ledger 11, Nsight 12");
    EXPECT_EQ(read(ledger(), 11).detail, "closed form 12, ledger 12, Nsight 11");
    EXPECT_STREQ(read(ledger(), 11).verdict(), "differ");
    EXPECT_EQ(read(ledger("12", "", "unsupported")).detail, "the ledger has no launches: unsupported, why");
    EXPECT_THAT(read("a,b\n1,2\n").detail, EndsWith("a.csv: it has no column strategy"));
    EXPECT_THAT(read(ledger() + "x\r\n").detail, EndsWith("it is not the log of a single run of a single case"));
}

TEST_F(ProfileFolder, HasCasesThatFailed)
{
    read(ledger());
    folder.write("b.csv", ledger());
    folder.write("b.log", "==ERROR== of ncu");
    folder.write("c.log", "==ERROR== at once");
    folder.write("notes.csv", "mine");
    const std::vector<Profiled> cases = read_profile(folder.path(""));
    ASSERT_EQ(cases.size(), 3U);
    EXPECT_EQ(cases[0].detail, "");
    EXPECT_EQ(cases[1].cell("strategy"), "hello");
    EXPECT_THAT(cases[1].detail, HasSubstr("b.raw.csv"));
    EXPECT_THAT(cases[2].detail, EndsWith("c.log: this case wrote no ledger"));
    EXPECT_EQ(text_of<UsageError>([] { static_cast<void>(read_profile("none")); }),
              "none: it has no *.source.csv; allowed: a folder that nestbed profile wrote");
}

TEST(ProfileText, HasTheThreeCountsBesideEachOther)
{
    const auto one = [](const std::string& name, unsigned nsight, const std::string& detail) {
        return Profiled{.name = name,
                        .row = {{"launches_expected", "16384"}, {"launches_attempted", "16384"}, {"status", "ok"}},
                        .nsight = NcuCounts{.launches = nsight},
                        .detail = detail};
    };
    std::vector<Profiled> cases{one("001-synced-2048x512", 16384, ""),
                                one("002-nosync-named-2048x512", 16000, "why")};
    cases.push_back(
        {.name = "003-hello-4x8", .row = {{"launches_expected", "12"}}, .detail = "ncu did not end in 300 s"});
    const std::string text = profile_text(cases);
    expect_columns(text, 80);
    EXPECT_THAT(text, HasSubstr(R"(
case                       expected  ledger  Nsight  difference
001-synced-2048x512           16384   16384   16384           0
002-nosync-named-2048x512     16384   16384   16000        -384
003-hello-4x8                    12

002-nosync-named-2048x512: differ: why
003-hello-4x8: not counted: ncu did not end in 300 s
3 cases: 1 differ, 1 equal, 1 not counted
)"));
}

} // namespace
} // namespace nestbed
