// A log with a damaged cell, line or header: every command that reads it says where and what is wrong.
#include "base/csv.hpp"
#include "base/text_file.hpp"
#include "support/cli_support.hpp"
#include "support/support.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

class DamagedLog : public testing::Test
{
  protected:
    void SetUp() override { ended(0, run_ + Words{"-o", log_}); }

    // The log with another cell in its last row, line 4.
    std::string with_cell(const std::string& column, const std::string& cell) const
    {
        std::vector<std::vector<std::string>> rows = parse_csv(read_text_file(log_));
        const auto place = std::ranges::find(rows.front(), column);
        EXPECT_NE(place, rows.front().end()) << column;
        rows.back().at(static_cast<std::size_t>(place - rows.front().begin())) = cell;
        std::string text;
        for (const std::vector<std::string>& row : rows)
            text += csv_line(row);
        return text;
    }

    void expect_refused(const std::string& text, const std::string& refusal) const
    {
        const std::string one = scratch_.write("damaged.csv", text);
        scratch_.write("damaged.csv.json", read_text_file(log_ + ".json"));
        for (const Words& words : {Words{"show", one}, Words{"compare", log_, one}, Words{"compare", one, log_},
                                   Words{"merge", one, "-o", scratch_.path("merged.csv")}, run_ + Words{"-o", one}}) {
            const Outcome outcome = nestbed(words);
            EXPECT_THAT(outcome.exit_code, testing::AnyOf(1, 2)) << words.front();
            EXPECT_THAT(outcome.err, HasSubstr(refusal)) << words.front();
        }
        EXPECT_EQ(scratch_.read("damaged.csv"), text);
    }

    ScratchFolder scratch_;
    std::string log_ = scratch_.path("log.csv");
    Words run_ = Words("run --strategy nosync --backend cpu --grid 4 --block 16 --repeat 3 --warmup 0 --in-process");
};

TEST_F(DamagedLog, IsRefusedByEveryCommandThatReadsIt)
{
    for (const auto& [column, cell, allowed] : std::vector<std::array<std::string, 3>>{
             {"wall_us", "fast", "a number above 0, or nothing"},
             {"bytes", "-1", "a whole number from 0, or nothing"},
             {"launches_by_depth", "4  8", "numbers separated by blanks, or nothing"},
             {"status", "fine", "ok, wrong, "},
             {"mechanism", "null", "none, null_stream, "},
             {"grid", "0", "a whole number from 1 to 2147483647, or nothing"}})
        expect_refused(with_cell(column, cell), ":4: " + column + " is '" + cell + "'; allowed: " + allowed);
    const std::string text = read_text_file(log_);
    expect_refused(text.substr(0, text.size() - 2) + ",\r\n", " columns: the row is incomplete");
}

TEST_F(DamagedLog, HasNoRowTwice)
{
    const std::string text = read_text_file(log_);
    const std::string row = text.substr(text.rfind('\n', text.size() - 2) + 1);
    const std::string one = scratch_.write("twice.csv", text + row);
    scratch_.write("twice.csv.json", read_text_file(log_ + ".json"));
    const std::string twice =
        one + ":5: repetition 2 of the case is already in " + one + ":4; allowed: every row once";
    EXPECT_THAT(ended(1, {"show", one}).err, HasSubstr(twice));
    EXPECT_THAT(ended(1, {"compare", log_, one}).err, HasSubstr(twice));
    EXPECT_THAT(ended(1, run_ + Words{"-o", one}).err, HasSubstr(" already has a repetition 2"));
    EXPECT_THAT(ended(2, {"merge", one, "-o", scratch_.path("m.csv")}).err, HasSubstr("duplicate rows: "));
}

TEST_F(DamagedLog, HasTheManifestOfItsRuns)
{
    const std::string one = scratch_.write("other.csv", with_cell("run_id", "other"));
    scratch_.write("other.csv.json", read_text_file(log_ + ".json"));
    EXPECT_THAT(ended(1, {"show", one}).err, HasSubstr("it has no run other"));
}

} // namespace
} // namespace nestbed
