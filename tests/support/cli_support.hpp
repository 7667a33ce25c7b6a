// A command, as a user types it, and what it answers.
#pragma once

#include "base/csv.hpp"
#include "base/text_file.hpp"
#include "cli/cli.hpp"
#include "support/support.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace nestbed
{

struct Outcome {
    int exit_code = 0;
    std::string out, err;
};

// Words of a command line: {"run", path}, or "run --grid 4" as a user types them, where no word has a blank.
struct Words : std::vector<std::string> {
    using std::vector<std::string>::vector;
    Words() = default;
    // NOLINTBEGIN(google-explicit-constructor)
    Words(const std::vector<std::string>& words) : vector(words) {}
    Words(const char* text)
    {
        std::istringstream in(text);
        for (std::string word; in >> word;)
            push_back(word);
    }
    // NOLINTEND(google-explicit-constructor)
};

inline Outcome nestbed(const Words& arguments)
{
    std::ostringstream out;
    std::ostringstream err;
    const int exit_code = run_command_line(arguments, out, err);
    return {exit_code, out.str(), err.str()};
}

// What a command answers that must end with this exit code.
inline Outcome ended(int exit_code, const Words& arguments)
{
    Outcome outcome = nestbed(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    return outcome;
}

inline Words operator+(Words words, const Words& more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}
inline Words operator+(Words words, const std::string& word)
{
    words.push_back(word);
    return words;
}

// Every test runs in its own empty folder.
class CommandTest : public testing::Test
{
  protected:
    void SetUp() override { std::filesystem::current_path(folder_.path("")); }
    void TearDown() override { std::filesystem::current_path(before_); }

    std::string write(const std::string& name, const std::string& text) const
    {
        folder_.write(name, text);
        return name;
    }
    std::string read(const std::string& name) const { return folder_.read(name); }
    static std::ptrdiff_t files() { return std::distance(std::filesystem::recursive_directory_iterator("."), {}); }

    // Expects exit code 2, a message with all these parts, no other output, and nothing new on the disk.
    static void expect_usage_error(const Words& arguments, const std::vector<std::string>& parts)
    {
        const auto before = files();
        const Outcome outcome = nestbed(arguments);
        EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
        EXPECT_THAT(outcome.err, StartsWith("nestbed: "));
        for (const std::string& part : parts)
            EXPECT_THAT(outcome.err, HasSubstr(part));
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(files(), before);
    }

    ScratchFolder folder_; // NOLINT(cppcoreguidelines-non-private-member-variables-in-classes)

  private:
    std::filesystem::path before_ = std::filesystem::current_path();
};

// A line of a CSV, by column.
using Row = std::map<std::string, std::string>;

inline std::vector<Row> rows_of(const std::filesystem::path& path)
{
    const auto lines = parse_csv(read_text_file(path.string()));
    std::vector<Row> rows;
    for (std::size_t line = 1; line < lines.size(); ++line) {
        EXPECT_EQ(lines[line].size(), lines[0].size());
        for (std::size_t column = 0; column < lines[line].size(); ++column)
            rows.resize(line), rows[line - 1][lines[0].at(column)] = lines[line][column];
    }
    return rows;
}

} // namespace nestbed
