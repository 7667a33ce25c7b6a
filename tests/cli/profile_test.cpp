// What happens to cases that run under a profiler, and to cases that do not.
#include "support/profile_support.hpp"

#include "base/error.hpp"

namespace nestbed
{
namespace
{

using testing::UnorderedElementsAre;

TEST_F(Profile, CountsACaseAndKeepsItsPagesItsLedgerAndItsManifest)
{
    const std::vector<Reconciled> results = profile({hello_case()}, options(ncu()));
    ASSERT_EQ(results.size(), 1U);
    const Reconciled& one = results.front();
    EXPECT_EQ(one.verdict, Verdict::equal) << one.detail;
    EXPECT_EQ(one.nsight, 12U);
    EXPECT_EQ(one.user_blocks(), 4U + 12);
    EXPECT_EQ(one.runtime_blocks(), 2U);
    EXPECT_EQ(one.cell("experiment"), "some");
    EXPECT_THAT(files(), UnorderedElementsAre("001-hello-4x8.csv", "001-hello-4x8.csv.json",
                                              "001-hello-4x8.source.csv", "001-hello-4x8.raw.csv"));
}

// The run under the profiler has no times, and no case is measured before it.
TEST_F(Profile, RunsTheCaseOnceUntimed)
{
    const Reconciled one = profile({hello_case()}, options(ncu())).at(0);
    EXPECT_EQ(one.cell("status"), "ok");
    EXPECT_EQ(one.cell("repetition"), "0");
    for (const char* column : {"gpu_us", "wall_us", "floor_us", "timer_step_ns", "latency_us"})
        EXPECT_EQ(one.cell(column), "") << column;
}

TEST_F(Profile, KeepsReportsWhereAsked)
{
    ProfileOptions how = options(ncu());
    how.keep_reports = true;
    EXPECT_EQ(profile({hello_case()}, how).at(0).verdict, Verdict::equal);
    EXPECT_TRUE(folder.has("out/001-hello-4x8.ncu-rep"));
}

TEST_F(Profile, GoesOnAfterACaseThatFails)
{
    const std::string script = ncu(R"(case "$report" in *001*) echo "==ERROR== first"; echo "==ERROR== last";
    echo "==PROF== no"; exit 9;; esac; "$@" && echo report > "$report")");
    std::vector<std::string> shown;
    const std::vector<Reconciled> results =
        profile_cases({hello_case(3), hello_case(4), hello_case(5)}, options(script), [&](const Progress& progress) {
            shown.push_back(std::to_string(progress.done) + "/" + std::to_string(progress.all));
        });
    ASSERT_EQ(results.size(), 3U);
    EXPECT_EQ(results[0].verdict, Verdict::not_counted);
    EXPECT_EQ(results[0].detail, "last (" + folder.path("out/001-hello-3x8.log") + ")");
    EXPECT_EQ(results[1].verdict, Verdict::equal);
    EXPECT_EQ(results[2].verdict, Verdict::differ);
    EXPECT_EQ(results[2].detail, "closed form 15, ledger 15, Nsight 12");
    EXPECT_THAT(shown, ElementsAre("0/3", "1/3", "2/3"));
}

TEST_F(Profile, SaysWhyACaseWasNotCounted)
{
    EXPECT_EQ(reason(options(ncu("exit 9"))), "ncu ended with exit code 9");
    EXPECT_EQ(reason(options(ncu("kill -SEGV $$"))), "ncu ended with signal 11 (Segmentation fault)");
    EXPECT_EQ(reason(options(ncu("exit 0"))), "nestbed wrote no ledger");
}

TEST_F(Profile, SaysWhyAReportWasNotRead)
{
    EXPECT_EQ(reason(options(ncu(R"("$@")"))), "ncu wrote no report: it profiled no kernel");
}

TEST_F(Profile, SaysWhyAPageWasNotPrinted)
{
    EXPECT_EQ(
        reason(options(ncu(R"("$@" && echo report > "$report")", R"(echo "==ERROR== cannot print $page"; exit 1)"))),
        "cannot print source");
    EXPECT_FALSE(folder.has("out/001-hello-4x8.source.csv"));
}

TEST_F(Profile, SaysWhyAPageWasNotUnderstood)
{
    EXPECT_EQ(reason(options(ncu(R"("$@" && echo report > "$report")", "echo text"))),
              folder.path("out/001-hello-4x8.raw.csv") + ":1: a raw page of ncu has a column \"Kernel Name\"");
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
    const std::string script =
        ncu(R"("$@" --pending-limit 1; code=$?; echo report > "$report"; [ $code = 3 ] && exit 3)");
    const Reconciled one = profile({hello_case()}, options(script)).at(0);
    EXPECT_EQ(one.cell("status"), "launch_failed");
    EXPECT_EQ(one.verdict, Verdict::differ) << one.detail; // fewer launches were attempted
}

TEST_F(Profile, DoesNotRunDeviceGraphs)
{
    Case point{.strategy = "chain", .mechanism = Mechanism::graph_tail, .type = ElementType::none, .seed = 0};
    const Reconciled one = profile({point}, options("/no/ncu")).at(0);
    EXPECT_EQ(one.verdict, Verdict::not_counted);
    EXPECT_EQ(one.detail, "ncu leaves out device-side graph launches");
    EXPECT_THAT(files(), IsEmpty());
}

TEST_F(Profile, EndsWhereTheCountersMayNotBeRead)
{
    const std::string script =
        ncu(R"(echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"; exit 1)");
    EXPECT_THAT(text_of<RunError>([&] {
                    static_cast<void>(profile({hello_case(), hello_case(5)}, options(script)));
                }),
                AllOf(HasSubstr("permission"), HasSubstr("https://developer.nvidia.com/ERR_NVGPUCTRPERM")));
    EXPECT_FALSE(folder.has("out/002-hello-5x8.log"));
}

TEST_F(Profile, OverwritesNothing)
{
    options("");
    const std::vector<std::string> stems = stems_of({hello_case(), hello_case(5)}, folder.path("out"));
    folder.write("out/003-hello-4x8.csv", "another profile's");
    EXPECT_NO_THROW(check_no_file_of(stems));
    const std::string there = folder.write("out/002-hello-5x8.raw.csv", "mine");
    EXPECT_EQ(text_of<UsageError>([&] { check_no_file_of(stems); }),
              there + ": it already exists, and nothing is overwritten; allowed: another --output");
}

} // namespace
} // namespace nestbed
