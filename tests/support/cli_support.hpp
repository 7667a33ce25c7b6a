// A command, as a user types it, and what it answers.
#pragma once

#include "base/csv.hpp"
#include "cli/cli.hpp"

#include <gtest/gtest.h>

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

inline Outcome nestbed(const std::vector<std::string>& arguments)
{
    std::ostringstream out;
    std::ostringstream err;
    const int exit_code = run_command_line(arguments, out, err);
    return {exit_code, out.str(), err.str()};
}

// A line of a CSV, by column.
using Row = std::map<std::string, std::string>;

inline std::vector<Row> rows_of(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    const auto lines = parse_csv(text.str());
    std::vector<Row> rows;
    for (std::size_t line = 1; line < lines.size(); ++line) {
        EXPECT_EQ(lines[line].size(), lines[0].size());
        for (std::size_t column = 0; column < lines[line].size(); ++column)
            rows.resize(line), rows[line - 1][lines[0].at(column)] = lines[line][column];
    }
    return rows;
}

} // namespace nestbed
