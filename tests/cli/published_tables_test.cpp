// The tables of results/h200 that nestbed computes from our logs: whoever computes them again finds the same numbers.
#include "base/subprocess.hpp"
#include "support/cli_support.hpp"
#include "support/h200_support.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <set>

namespace nestbed
{
namespace
{

std::optional<double> number_in(const std::string& cell)
{
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return error == std::errc() && end == cell.data() + cell.size() ? std::optional(value) : std::nullopt;
}

// The same text, or numbers that differ only as compilers round them.
bool is_same(const std::string& one, const std::string& other)
{
    if (one == other)
        return true;
    const std::optional<double> number = number_in(one);
    const std::optional<double> other_number = number_in(other);
    return number && other_number && std::abs(*number - *other_number) <= 1e-4 * std::abs(*other_number);
}

void expect_same(const std::vector<Row>& made, const std::vector<Row>& published, const std::string& what)
{
    ASSERT_EQ(made.size(), published.size()) << what;
    for (std::size_t row = 0; row < made.size(); ++row)
        for (const auto& [column, cell] : made[row])
            ASSERT_TRUE(is_same(cell, published[row].at(column)))
                << what << ", row " << row + 1 << ": " << column << " is " << cell << ", published as "
                << published[row].at(column);
}

// A table of results/h200 by its first column, which names a log.
std::map<std::string, std::vector<Row>> by_log(const std::string& table)
{
    std::map<std::string, std::vector<Row>> found;
    for (Row row : rows_of(h200_path(table))) {
        const std::string log = row.at("log");
        row.erase("log");
        found[log].push_back(std::move(row));
    }
    return found;
}

class PublishedTables : public testing::Test
{
  protected:
    // The rows of the CSV that a command writes.
    std::vector<Row> made_by(std::vector<std::string> words, const std::string& option) const
    {
        const std::string path = scratch_.path("made.csv");
        std::filesystem::remove(path);
        words.insert(words.end(), {option, path});
        const Outcome done = nestbed(words);
        EXPECT_TRUE(done.exit_code == 0 || done.exit_code == 3) << done.err; // 3: a case does not agree
        return rows_of(path);
    }

    void expect_predictions(const std::string& table) const
    {
        for (const auto& [log, rows] : by_log(table)) {
            std::vector<Row> made = made_by({"predict", "--against", h200_path(log + ".csv")}, "--csv");
            std::erase_if(made, [](const Row& row) { return row.at("measured_us").empty(); });
            expect_same(made, rows, table + ": " + log);
        }
    }

    ScratchFolder scratch_;
};

TEST_F(PublishedTables, HaveThePredictionsOfTheModel)
{
    expect_predictions("predicted.csv");
}

TEST_F(PublishedTables, HaveThePredictionsOfDataDependentLaunches)
{
    expect_predictions("predicted_need.csv");
}

TEST_F(PublishedTables, HaveTheChoicesOfTheModel)
{
    for (const auto& [log, rows] : by_log("choices.csv"))
        expect_same(made_by({"predict", "--against", h200_path(log + ".csv")}, "--choices"), rows, log);
}

TEST_F(PublishedTables, HaveWhatNsightComputeCounted)
{
    const std::string tar = find_program("tar");
    if (tar.empty() || find_program("xz").empty())
        GTEST_SKIP() << "this machine has no tar or no xz";
    using namespace std::chrono_literals;
    ASSERT_TRUE(run_program({tar, "-xJf", h200_path("profile.tar.xz"), "-C", scratch_.path("")},
                            {scratch_.path("out"), scratch_.path("error")}, 60s)
                    .good())
        << scratch_.read("error");
    std::set<std::string> folders;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch_.path("profile")))
        if (entry.is_regular_file())
            folders.insert(entry.path().parent_path().string());
    std::vector<std::string> words{"profile"};
    words.insert(words.end(), folders.begin(), folders.end());
    expect_same(made_by(words, "--csv"), rows_of(h200_path("reconcile.csv")), "reconcile.csv");
}

} // namespace
} // namespace nestbed
