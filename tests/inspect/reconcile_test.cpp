// Compares Nsight Compute's count of device launches with the closed form and the ledger.
#include "inspect/reconcile.hpp"
#include "inspect/reconcile_tables.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "support/page_support.hpp"
#include "support/support.hpp"

#include <filesystem>
#include <tuple>

namespace nestbed
{
namespace
{

std::string replaced(std::string text, const std::string& what, const std::string& with)
{
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

// ---- the ledger ----

std::string ledger(const std::string& expected = "192", const std::string& attempted = "192",
                   const std::string& status = "ok")
{
    return csv_line({"strategy", "mechanism", "type", "elements", "grid", "block", "nx", "ny", "depth",
                     "launches_expected", "launches_attempted", "status", "detail", "gpu", "driver", "git"}) +
           csv_line({"nosync", "null_stream", "int32", "512", "64", "8", "", "", "full", expected, attempted, status,
                     status == "ok" ? "" : "why", "NVIDIA H200", "13.0", "abc"});
}

LedgerRow row_of_ledger(const std::string& text)
{
    return parse_ledger("x.csv", text);
}

std::string why_not_ledger(const std::string& text)
{
    return text_of<RunError>([&] { static_cast<void>(row_of_ledger(text)); });
}

TEST(LedgerRow, IsByColumn)
{
    const LedgerRow row = row_of_ledger(ledger());
    EXPECT_EQ(row.at("strategy"), "nosync");
    EXPECT_EQ(row.at("launches_attempted"), "192");
    EXPECT_EQ(row.at("gpu"), "NVIDIA H200");
}

TEST(LedgerRow, SaysWhatIsWrongAndWhere)
{
    EXPECT_EQ(why_not_ledger(""), "x.csv: it is empty");
    EXPECT_EQ(why_not_ledger("a,b\n1,2\n"), "x.csv:1: a log of nestbed run has a column strategy");
    EXPECT_EQ(why_not_ledger(replaced(ledger(), "launches_attempted", "launches")),
              "x.csv:1: a log of nestbed run has a column launches_attempted");
    EXPECT_EQ(why_not_ledger(ledger() + ledger().substr(ledger().find('\n') + 1)),
              "x.csv:3: the log has 2 rows; allowed: one, of a single run of a single case");
    EXPECT_EQ(why_not_ledger(ledger().substr(0, ledger().find('\n') + 1)),
              "x.csv:1: the log has 0 rows; allowed: one, of a single run of a single case");
    EXPECT_EQ(why_not_ledger(replaced(ledger(), ",13.0,abc", "")), "x.csv:2: 14 cells under 16 columns");
    EXPECT_EQ(why_not_ledger(ledger("many")), "x.csv:2: launches_expected = 'many' is not a number");
    EXPECT_EQ(why_not_ledger(ledger("192", "-1")), "x.csv:2: launches_attempted = '-1' is not a number");
    EXPECT_EQ(why_not_ledger(ledger("")), "x.csv:2: launches_expected is empty");
    EXPECT_THAT(why_not_ledger("strategy,\"mech"), AllOf(StartsWith("x.csv: byte"), HasSubstr("may be cut off")));
}

// ---- the verdict ----

TEST(Verdict, IsEqualIfAllThreeAre)
{
    const Reconciled one = reconcile(row_of_ledger(ledger()), SourcePage{192}, std::nullopt);
    EXPECT_EQ(one.verdict, Verdict::equal);
    EXPECT_EQ(one.detail, "");
}

TEST(Verdict, DiffersByEachOfThem)
{
    for (const auto& [expected, attempted, nsight] :
         {std::tuple{"191", "192", 192U}, std::tuple{"192", "191", 192U}, std::tuple{"192", "192", 191U}}) {
        const Reconciled one =
            reconcile(row_of_ledger(ledger(expected, attempted)), SourcePage{nsight}, std::nullopt);
        EXPECT_EQ(one.verdict, Verdict::differ);
        EXPECT_EQ(one.detail, std::string("closed form ") + expected + ", ledger " + attempted + ", Nsight " +
                                  std::to_string(nsight));
    }
}

// The counts are equal or not, whatever the status of the answer.
TEST(Verdict, IsNotAboutTheStatus)
{
    EXPECT_EQ(reconcile(row_of_ledger(ledger("192", "192", "wrong")), SourcePage{192}, std::nullopt).verdict,
              Verdict::equal);
}

TEST(Verdict, IsNoneWhereNothingWasCounted)
{
    const Reconciled unsupported =
        reconcile(row_of_ledger(ledger("192", "", "unsupported")), SourcePage{}, std::nullopt);
    EXPECT_EQ(unsupported.verdict, Verdict::not_counted);
    EXPECT_EQ(unsupported.detail, "the ledger has no launches: unsupported, why");
    const Reconciled graph =
        reconcile(row_of_ledger(replaced(ledger(), ",null_stream,", ",graph_tail,")), SourcePage{}, std::nullopt);
    EXPECT_EQ(graph.verdict, Verdict::not_counted);
    EXPECT_EQ(graph.detail, "ncu leaves out device-side graph launches");
}

TEST(Reconciled, TellsBlocksOfTheUserFromTheRuntimesByTheirWarps)
{
    const Counters counters{.root_grids = 1, .blocks = 293, .warps = 549};
    const Reconciled one =
        reconcile(row_of_ledger(ledger()), SourcePage{.launches = 192, .kernel_warps = 512}, counters);
    EXPECT_EQ(one.user_blocks(), 256U);
    EXPECT_EQ(one.runtime_blocks(), 37U);
    const Reconciled old = reconcile(row_of_ledger(ledger()), SourcePage{192}, counters);
    EXPECT_FALSE(old.user_blocks() || old.runtime_blocks());
    const Reconciled without =
        reconcile(row_of_ledger(ledger()), SourcePage{.launches = 192, .kernel_warps = 512}, std::nullopt);
    EXPECT_FALSE(without.user_blocks() || without.runtime_blocks());
}

TEST(Reconciled, HasACellAColumn)
{
    const Counters counters{.root_grids = 1,
                            .blocks = 293,
                            .warps = 300,
                            .occupancy_percent = 1.65135,
                            .dram_read_bytes = 35328,
                            .dram_write_bytes = 175104,
                            .duration_us = 117.952};
    const Reconciled one = reconcile(row_of_ledger(ledger("192", "192", "wrong")),
                                     SourcePage{.launches = 191, .kernel_warps = 263}, counters);
    EXPECT_THAT(reconcile_columns(),
                ElementsAre("strategy", "mechanism", "type", "elements", "grid", "block", "nx", "ny", "depth",
                            "input", "threshold", "coarsen", "aggregate", "status", "launches_expected",
                            "launches_attempted", "launches_nsight", "verdict", "detail", "root_grids", "blocks_user",
                            "blocks_runtime", "blocks_launched", "warps_launched", "achieved_occupancy_percent",
                            "dram_read_bytes", "dram_write_bytes", "duration_us", "gpu", "driver", "git"));
    EXPECT_THAT(reconcile_cells(one),
                ElementsAre("nosync", "null_stream", "int32", "512", "64", "8", "", "", "full", "", "", "", "",
                            "wrong", "192", "192", "191", "differ", "closed form 192, ledger 192, Nsight 191", "1",
                            "256", "37", "293", "300", "1.651", "35328", "175104", "117.952", "NVIDIA H200", "13.0",
                            "abc"));
    const Reconciled none = not_counted(row_of_ledger(ledger()), "a reason");
    EXPECT_EQ(reconcile_cells(none).at(16), "");
    EXPECT_EQ(reconcile_cells(none).at(17), "not counted");
}

// ---- files and tables ----

TEST(ReconcileFiles, AreFoundBesideEachOther)
{
    const ScratchFolder folder;
    for (const std::string stem : {"b", "a"}) {
        folder.write(stem + ".csv", ledger("293", "293"));
        folder.write(stem + ".source.csv", data("nested.source.csv"));
        folder.write(stem + ".raw.csv", data("nested.raw.csv"));
    }
    folder.write("notes.csv", "mine");
    const std::string here = folder.path("");
    const std::vector<std::string> ledgers = ledgers_in(std::filesystem::path(here).parent_path().string());
    ASSERT_THAT(ledgers, ElementsAre(folder.path("a.csv"), folder.path("b.csv")));
    EXPECT_THAT(ledgers_in(folder.path("b.csv")), ElementsAre(folder.path("b.csv")));
    const Reconciled one = reconcile_files(ledgers.front());
    EXPECT_EQ(one.verdict, Verdict::equal) << one.detail;
    EXPECT_EQ(one.nsight, 293U);
    EXPECT_EQ(one.counters->root_grids, 4U);
}

// Most of its kernels launch nothing, and one is in an unnamed namespace.
TEST(ReconcileFiles, OfACaseWithSeveralKernelsOfTheHostAreCounted)
{
    const Reconciled one = reconcile_files(NESTBED_DATA "/h200/mst_components-forget-2048x64.csv");
    EXPECT_EQ(one.verdict, Verdict::equal) << one.detail;
    EXPECT_EQ(one.nsight, 43U);
    EXPECT_EQ(one.counters->root_grids, 25U);
}

TEST(ReconcileFiles, ThatAreMissingAreNamed)
{
    const ScratchFolder folder;
    const std::string here = std::filesystem::path(folder.path("x")).parent_path().string();
    const auto why = [](const std::string& path) {
        return text_of<UsageError>([&] { static_cast<void>(ledgers_in(path)); });
    };
    const std::string allowed = "; allowed: a folder that nestbed profile wrote, or one of its ledgers, X.csv beside "
                                "X.source.csv";
    EXPECT_EQ(why(here), here + ": it has no *.source.csv" + allowed);
    EXPECT_EQ(why(folder.path("none")), folder.path("none") + ": it is neither a folder nor a ledger" + allowed);
    EXPECT_EQ(why(folder.path("a.csv")), folder.path("a.csv") + ": there is no " + folder.path("a.csv") + allowed);
    folder.write("b.source.csv", section("a()"));
    EXPECT_EQ(why(here), here + ": there is no " + folder.path("b.csv") + allowed);
}

// What `profile` writes for cases that failed: a log file, with or without a ledger.
TEST(ReconcileFiles, OfCasesThatFailedAreNotCountedAndNotLost)
{
    const ScratchFolder folder;
    const std::string here = std::filesystem::path(folder.path("x")).parent_path().string();
    folder.write("a.csv", ledger());
    folder.write("a.log", "==ERROR== of ncu");
    folder.write("b.log", "==ERROR== at once");
    EXPECT_THAT(ledgers_in(here), ElementsAre(folder.path("a.csv")));
    EXPECT_THAT(logs_without_ledger(here), ElementsAre(folder.path("b.log")));
    const Reconciled one = reconcile_files(folder.path("a.csv"));
    EXPECT_EQ(one.verdict, Verdict::not_counted);
    EXPECT_EQ(one.detail, "there is no " + folder.path("a.source.csv"));
}

std::vector<Reconciled> some_cases()
{
    const Counters counters{.root_grids = 22,
                            .blocks = 20293,
                            .warps = 20300,
                            .occupancy_percent = 12.65135,
                            .dram_read_bytes = 35'328'000,
                            .dram_write_bytes = 175'104'000,
                            .duration_us = 117.952};
    std::vector<Reconciled> cases;
    for (const auto& [strategy, mechanism] :
         {std::pair{"aggregated_block", "fire_and_forget"}, std::pair{"nosync", "named"},
          std::pair{"chain", "null_stream"}, std::pair{"recursive_transpose", "fire_and_forget"},
          std::pair{"recursive_transpose", "tail"}}) {
        LedgerRow row = row_of_ledger(ledger("16384", "16384"));
        row["strategy"] = strategy;
        row["mechanism"] = mechanism;
        cases.push_back(reconcile(row, SourcePage{.launches = 16384, .kernel_warps = 16384}, counters));
    }
    return cases;
}

TEST(ReconcileText, SetsTheThreeCountsBesideEachOtherByWorkload)
{
    std::vector<Reconciled> cases = some_cases();
    const std::string equal = reconcile_text(cases);
    expect_columns(equal, 80);
    EXPECT_THAT(equal, AllOf(HasSubstr("workload reduce, type int32, grid 64, block 8, depth full, verdict equal"),
                             HasSubstr("5  tail "), HasSubstr("5 cases: 5 equal\n"), HasSubstr("12.7%"),
                             HasSubstr("not the case's time")));
    cases[1].row["grid"] = "65536";
    cases.push_back(reconcile(cases[1].row, SourcePage{16000}, std::nullopt));
    cases.push_back(not_counted(cases[1].row, "ncu did not end in 300 s (folder/007.log)"));
    const std::string mixed = reconcile_text(cases);
    expect_columns(mixed, 80);
    EXPECT_THAT(mixed, AllOf(HasSubstr("7 cases: 5 equal, 1 differ, 1 not counted\n"),
                             HasSubstr("# 6 differ: closed form 16384, ledger 16384, Nsight 16000\n"),
                             HasSubstr("# 7 not counted: ncu did not end in 300 s (folder/007.log)\n")));
}

// The type of the numbers is more useful than the status, because the verdict shows the status too.
TEST(ReconcileText, LeavesTheStatusOutBeforeTheTypeWhereItIsTooWide)
{
    std::vector<Reconciled> cases = some_cases();
    cases.resize(2);
    cases[0].row["mechanism"] = "tail";
    cases[1].row["elements"] = "524288";
    cases[1].row["type"] = "float32";
    cases[1].row["status"] = "timeout";
    cases[1].row["grid"] = "65536";
    EXPECT_THAT(reconcile_text(cases), HasSubstr("(without status: the table would be wider than 80 columns)"));
}

TEST(ReconcileText, LeavesADRAMCellEmptyWhereOneOfTheCountersIsMissing)
{
    for (const bool read : {true, false}) {
        Counters counters{.root_grids = 1, .blocks = 4, .warps = 4};
        (read ? counters.dram_read_bytes : counters.dram_write_bytes) = 4096;
        const std::string text =
            reconcile_text({reconcile(row_of_ledger(ledger()), SourcePage{.launches = 192}, counters)});
        EXPECT_THAT(text, AllOf(HasSubstr("DRAM"), Not(HasSubstr("KiB"))));
    }
}

TEST(ReconcileText, HasNoSecondTableWithoutRawPages)
{
    const std::string text = reconcile_text({reconcile(row_of_ledger(ledger()), SourcePage{192}, std::nullopt)});
    EXPECT_THAT(text, AllOf(HasSubstr("1 case: 1 equal\n"), Not(HasSubstr("DRAM"))));
}

} // namespace
} // namespace nestbed
