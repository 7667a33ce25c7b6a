// What the unit tests share: the text of an error that must be thrown, and a temporary folder.
#pragma once

#include "support/matchers.hpp"

#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace nestbed
{

// Returns the text of the Error that call() throws. If anything else happens, the test fails.
template <class Error, class Call>
std::string text_of(Call&& call)
{
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    } catch (const std::exception& error) {
        ADD_FAILURE() << "an error of another type was thrown: " << error.what();
        return {};
    }
    ADD_FAILURE() << "nothing was thrown";
    return {};
}

// Expects lines of at most so many characters.
inline void expect_columns(const std::string& text, std::size_t columns)
{
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        EXPECT_LE(line.size(), columns) << line;
}

// Expects cells of a row: "grid=4 gpu_us=", none of which has a blank.
inline void expect_cells(const std::map<std::string, std::string>& cells, const std::string& expected)
{
    std::istringstream words(expected);
    for (std::string word; words >> word;) {
        const std::string column = word.substr(0, word.find('='));
        EXPECT_EQ(cells.at(column), word.substr(column.size() + 1)) << column;
    }
}

// A folder for the running test only (tests run in parallel). It is removed with all its content.
class ScratchFolder
{
  public:
    ScratchFolder()
    {
        const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
        folder_ = std::filesystem::path(testing::TempDir()) / (std::string("nestbed-") + test.test_suite_name() +
                                                               "-" + test.name() + "-" + std::to_string(getpid()));
        std::filesystem::create_directories(folder_);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::string path(std::string_view name) const { return (folder_ / name).string(); }

    std::string write(std::string_view name, std::string_view text) const
    {
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }

    std::string read(std::string_view name) const
    {
        std::ifstream file(path(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }

    bool has(std::string_view name) const { return std::filesystem::exists(path(name)); }

  private:
    std::filesystem::path folder_;
};

// Of tests that have a folder.
class InFolder : public testing::Test
{
  protected:
    const ScratchFolder folder;
};

} // namespace nestbed
