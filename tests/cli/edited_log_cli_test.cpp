// A row whose cells contradict each other, their case, or their run: one edited cell after another, and every command
// that reads a log.
#include "base/csv.hpp"
#include "base/text_file.hpp"
#include "support/cli_support.hpp"
#include "support/h200_support.hpp"
#include "support/support.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

namespace nestbed
{
namespace
{

struct Edit {
    std::string cells;   // "status=wrong; wall_us="
    std::string refusal; // what every command says of the row
};

class EditedLog : public testing::Test
{
  protected:
    // Changes cells of the last row.
    std::string edited(const std::string& log, const std::string& cells) const
    {
        std::vector<std::vector<std::string>> rows = parse_csv(read_text_file(log));
        std::istringstream in(cells);
        for (std::string column, text; std::getline(in >> std::ws, column, '=');) {
            std::getline(in, text, ';');
            const auto place = std::ranges::find(rows.front(), column);
            EXPECT_NE(place, rows.front().end()) << column;
            rows.back().at(static_cast<std::size_t>(place - rows.front().begin())) = text;
        }
        std::string text;
        for (const std::vector<std::string>& row : rows)
            text += csv_line(row);
        scratch_.write("edited.csv.json", read_text_file(log + ".json"));
        return scratch_.write("edited.csv", text);
    }

    static void expect_refused(const Words& words, const std::string& refusal)
    {
        const Outcome outcome = nestbed(words);
        EXPECT_THAT(outcome.exit_code, testing::AnyOf(1, 2)) << words.front();
        EXPECT_THAT(outcome.err, HasSubstr(refusal)) << words.front();
    }
    static void expect_taken(const Words& words)
    {
        const Outcome outcome = nestbed(words);
        EXPECT_EQ(outcome.exit_code, 0) << words.front() << ": " << outcome.err;
    }

    // `run` are the words that resume the log, if this machine can.
    void expect_each_refused(const std::string& log, const std::vector<Edit>& edits, const Words& run = {}) const
    {
        const auto all_of = [&](const std::string& one) {
            std::vector<Words> commands{{"show", one}, {"check", one}, {"compare", log, one}, {"compare", one, log}};
            if (!run.empty()) { // a log of this version
                commands.push_back({"merge", one, "-o", scratch_.path("merged.csv")});
                commands.push_back(run);
                commands.back().insert(commands.back().end(), {"-o", one});
            }
            return commands;
        };
        for (const Words& words : all_of(edited(log, ""))) {
            const Outcome outcome = nestbed(words);
            EXPECT_THAT(outcome.exit_code, testing::AnyOf(0, 3))
                << words.front() << ": " << outcome.err; // 3: rows are missing
        }
        for (const char* file : {"merged.csv", "merged.csv.json"})
            std::filesystem::remove(scratch_.path(file));
        for (const Edit& edit : edits)
            for (const Words& words : all_of(edited(log, edit.cells)))
                expect_refused(words, edit.refusal);
    }

    ScratchFolder scratch_;
};

TEST_F(EditedLog, OfTheExecutorIsRefusedByEveryCommand)
{
    const std::string log = scratch_.path("log.csv");
    const Words run("run --strategy nosync --backend cpu --grid 4 --block 16 --repeat 3 --warmup 0 --in-process");
    std::vector<std::string> words = run;
    words.insert(words.end(), {"-o", log});
    expect_taken(words);
    const std::string answer = rows_of(log).back().at("answer");
    expect_each_refused(
        log,
        {
            {"wall_us=1.000", "bandwidth_gb_s is '"},
            {"wall_us=", "wall_us is ''; expected: a number above 0, as the status is ok"},
            {"wall_us=fast", "wall_us is 'fast'; allowed: a number from 0, such as 12.5, or nothing"},
            {"bandwidth_gb_s=99.00", "bandwidth_gb_s is '99.00'; expected: "},
            {"bandwidth_gb_s=", "bandwidth_gb_s is ''; expected: "},
            {"bytes=5", "bytes is '5'; expected: 256, of this case"},
            {"gpu_us=7.000", "gpu_us is '7.000'; expected: nothing, as the backend is cpu"},
            {"submit=held", "submit is 'held'; expected: nothing, as there is no gpu_us"},
            {"submit_asked=held", "submit_asked is 'held'; expected: '"},
            {"l2=as_is", "l2 is 'as_is'; expected: '"},
            {"peak_gb_s=5.00", "peak_gb_s is '5.00'; expected: nothing, as there is no bandwidth by gpu_us"},
            {"measured_share=0.5", "measured_share is '0.5'; expected: nothing, as there is no measured_gb_s"},
            {"l2_bytes=7", "l2_bytes is '7'; expected: "},
            {"sm_clock_mhz=7", "sm_clock_mhz is '7'; expected: nothing, as the backend is cpu"},
            {"throttle=no", "throttle is 'no'; expected: nothing, as the backend is cpu"},
            {"max_depth=99", "max_depth is '99'; expected: "},
            {"launches_by_depth=4 4 5", "; expected: 13, the sum of launches_by_depth"},
            {"launches_by_depth=4 4 4 0", "launches_by_depth is '4 4 4 0'; expected: no 0 at the end"},
            {"launches_by_depth=4  8", "launches_by_depth is '4  8'; allowed: whole numbers separated by blanks"},
            {"launches_attempted=+12", "launches_attempted is '+12'; allowed: a whole number from 0, or nothing"},
            {"launches_failed=1", "launches_failed is '1'; expected: 0, as the status is ok"},
            {"launches_failed=", "launches_failed is ''; expected: a number, as there is a launches_attempted"},
            {"launches_expected=13", "launches_expected is '13'; expected: "},
            {"items_offered=5", "replaced is ''; expected: a number, as there is a items_offered"},
            {"waves=7", "waves is '7'; expected: 1, of 4 root blocks in waves of 4"},
            {"wave=3", "waves is '1'; expected: 2, of 4 root blocks in waves of 3"},
            {"wave=5", "wave is '5'; expected: 1 to 4, the root blocks"},
            {"streams=9", "streams is '9'; expected: 1, as in "},
            {"pending_limit=4096", "pending_limit is '4096'; expected: 2048, as in "},
            {"pending_limit=0", "pending_limit is '0'; expected: "},
            {"pending_limit_asked=64", "pending_limit_asked is '64'; expected: 'auto', as in "},
            {"limit_bytes=5", "limit_bytes is '5'; expected: 0, as the backend is cpu"},
            {"limit_bytes=", "limit_bytes is ''; expected: a number, as there is a pending_limit"},
            {"floor_us=9999.000", "floor_us is '9999.000'; expected: '"},
            {"timer_step_ns=77", "timer_step_ns is '77'; expected: '"},
            {"latency_us=1.000", "latency_min_us is ''; expected: a number, as there is a latency_us"},
            {"host_launches=-1", "host_launches is '-1'; allowed: a whole number from 0, or nothing"},
            {"utc=<b>", "utc is '<b>'; allowed: a time such as 2026-11-21T06:40:12Z"},
            {"utc=2026-02-30T06:40:12Z", "utc is '2026-02-30T06:40:12Z'; allowed: a time such as "},
            {"repetition=3.0", "repetition is '3.0'; allowed: a whole number from 0"},
            {"repetition=3", "repetition is 3; allowed: from 0 to 2"},
            {"repetition=02", "repetition is '02'; allowed: a whole number from 0"},
            {"answer=" + answer + "7", "answer is '" + answer + "7'; expected: " + answer + ", the reference"},
            {"reference=" + answer + "7", "reference is '" + answer + "7'; expected: '" + answer + "', as in "},
            {"relative_error=0.1", "relative_error is '0.1'; expected: 0, of answer "},
            {"status=fine", "status is 'fine'; allowed: ok, wrong, "},
            {"status=wrong; wall_us=; prepare_us=; bandwidth_gb_s=; detail=why",
             "answer is '" + answer + "'; expected: another number than " + answer},
            {"status=launch_failed; wall_us=; prepare_us=; bandwidth_gb_s=; relative_error=; detail=why",
             "launches_failed is '0'; expected: a whole number from 1, as the status is launch_failed"},
            {"status=crashed; wall_us=; prepare_us=; bandwidth_gb_s=; relative_error=; detail=why",
             "answer is '" + answer + "'; expected: nothing, as the status is crashed"},
            {"detail=why", "detail is 'why'; expected: nothing, as the status is ok"},
            {"schedule=eager", "schedule is 'eager'; expected: 'fifo', as in "},
            {"schedule=slow", "schedule is 'slow'; allowed: fifo, eager, random:SEED or nothing"},
            {"experiment=other", "experiment is 'other'; expected: 'adhoc', as in "},
            {"git=other", "git is 'other'; expected: '"},
            {"machine=other", "machine is 'other'; expected: '"},
            {"gpu=other", "gpu is 'other'; expected: '"},
            {"driver=other", "driver is 'other'; expected: '"},
            {"run_id=other", "it has no run other"},
            {"backend=cuda", "backend is 'cuda'; expected: one of run "},
            {"strategy=synced", "strategy is 'synced'; expected: 'nosync', as in "},
            {"mechanism=named", "mechanism is 'named'; expected: 'null_stream', as in "},
            {"mechanism=push", "mechanism is 'push'; allowed: none, null_stream, "},
            {"grid=5", "grid is '5'; expected: '4', as in "},
            {"grid=0", "grid is '0'; allowed: a whole number from 1 to 2147483647, or nothing"},
        },
        run);
}

TEST_F(EditedLog, OfAGpuIsRefusedByEveryCommand)
{
    int count = 0;
    const std::string log = part_of_log(scratch_, "best.csv", [&](const std::string&) { return ++count <= 2; });
    const Row row = rows_of(log).back();
    const std::vector<Edit> edits{
        {"gpu_us=1.000", "bandwidth_gb_s is '" + row.at("bandwidth_gb_s") + "'; expected: "},
        {"submit=", "submit is ''; expected: held or open, of gpu_us"},
        {"submit=open; wall_us=1.000", "wall_us is '1.000'; expected: at least " + row.at("gpu_us")},
        {"peak_share=0.9999", "peak_share is '0.9999'; expected: "},
        {"measured_share=0.9999", "measured_share is '0.9999'; expected: "},
        {"measured_gb_s=9.99", "measured_gb_s is '9.99'; expected: "},
        {"peak_gb_s=9.99", "peak_gb_s is '9.99'; expected: '" + row.at("peak_gb_s") + "', as in "},
        {"l2_bytes=5", "l2_bytes is '5'; expected: '" + row.at("l2_bytes") + "', as in "},
        {"floor_us=9.999", "floor_us is '9.999'; expected: '" + row.at("floor_us") + "', as in "},
        {"schedule=fifo", "schedule is 'fifo'; expected: '', as in "},
        {"power_w=much", "power_w is 'much'; allowed: a number from 0, such as 12.5, or nothing"},
        {"utc=<b>", "utc is '<b>'; allowed: a time such as 2026-11-21T06:40:12Z"},
    };
    expect_each_refused(log, edits);
}

TEST_F(EditedLog, IsRefusedWithoutAManifestByThoseThatNeedNone)
{
    const std::string log = scratch_.path("log.csv");
    expect_taken(Words("run --strategy nosync --backend cpu --grid 4 --block 16 --repeat 1 --in-process -o") + log);
    for (const auto& [column, text, refusal] :
         {std::tuple("bytes", "5", "bytes is '5'; expected: 256, of this case"),
          std::tuple("grid", "5", "launches_expected is '12'; expected: 15, of this case"),
          std::tuple("launches_expected", "13", "launches_expected is '13'; expected: "),
          std::tuple("nx", "5", "nx is '5'; expected: '', as the other cells of the case say"),
          std::tuple("mechanism", "host", "mechanism is 'host'; expected: one of strategy nosync"),
          std::tuple("utc", "", "utc is ''; allowed: a time such as ")}) {
        const std::string one = edited(log, std::string(column) + "=" + text);
        std::filesystem::remove(one + ".json");
        for (const Words& words : {Words{"show", one}, {"check", one}, {"compare", log, one}})
            expect_refused(words, refusal);
    }
}

TEST_F(EditedLog, IsNamedRowByRow)
{
    const std::string log = scratch_.path("log.csv");
    expect_taken(Words("run --strategy nosync --backend cpu --grid 4 --block 16 --repeat 14 --in-process -o") + log);
    const Outcome whole = ended(0, {"check", log});
    EXPECT_EQ(whole.out, log + ": 14 of 14 rows are as a run writes them\n");
    EXPECT_EQ(whole.err, "");
    std::vector<std::vector<std::string>> rows = parse_csv(scratch_.read("log.csv"));
    const auto utc = std::ranges::find(rows.front(), "utc") - rows.front().begin();
    std::string text = csv_line(rows.front());
    for (std::size_t row = 1; row < rows.size(); ++row) {
        rows[row].at(static_cast<std::size_t>(utc)) = row <= 2 ? rows[row].at(static_cast<std::size_t>(utc)) : "now";
        text += csv_line(rows[row]);
    }
    scratch_.write("log.csv", text);
    const Outcome found = ended(1, {"check", log});
    EXPECT_EQ(found.out, log + ": 2 of 14 rows are as a run writes them\n");
    EXPECT_THAT(found.err, StartsWith("nestbed: " + log + ":4: utc is 'now'; allowed: a time such as "));
    EXPECT_THAT(found.err, HasSubstr("nestbed: " + log + ": 2 more rows\n"));
    std::filesystem::remove(log + ".json");
    EXPECT_EQ(ended(1, {"check", log}).out, log + ": 2 of 14 rows are as a run writes them\n"
                                                  "  not compared with a manifest: it has none of this version\n");
    EXPECT_EQ(nestbed("check").err, "nestbed: check: no log was given; allowed: nestbed check FILE.csv...\n");
}

} // namespace
} // namespace nestbed
