// The form of each cell, and rows with a damaged cell. cli/damaged_log_cli_test.cpp has the commands that read them.
#include "log/row_check.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text_file.hpp"
#include "log/row.hpp"
#include "support/log_support.hpp"
#include "support/support.hpp"

#include <filesystem>
#include <initializer_list>

namespace nestbed
{
namespace
{

void expect_forms(Form form, std::initializer_list<std::string_view> good,
                  std::initializer_list<std::string_view> bad, const char* axis_name = nullptr)
{
    const Axis* const axis = axis_name == nullptr ? nullptr : &axis_named(axis_name);
    for (const std::string_view cell : good)
        EXPECT_TRUE(has_form(form, axis, cell)) << "'" << cell << "': " << form_text(form, axis);
    for (const std::string_view cell : bad)
        EXPECT_FALSE(has_form(form, axis, cell)) << "'" << cell << "': " << form_text(form, axis);
}

TEST(CellForm, IsThatOfItsColumn)
{
    expect_forms(Form::text, {"", "any", "<b>"}, {});
    expect_forms(Form::name, {"any"}, {""});
    expect_forms(Form::status, {"ok", "wrong", "launch_failed", "unsupported", "timeout", "crashed"}, {"", "OK"});
    expect_forms(Form::backend, {"cuda", "cpu"}, {"", "gpu", "auto"});
    expect_forms(Form::whole, {"", "0", "10", "18446744073709551615"}, {"-1", "+1", "1.0", "1e3", "1 ", "x", ":"});
    expect_forms(Form::number, {"", "0", "-0.5", "12.500", "1e-06"}, {"1 ", " 1", "x", "1x", "inf", "nan", "1e999"});
    expect_forms(Form::numbers, {"", "4", "4 0 12.25"}, {"4  0", " 4", "4 ", "4 x", "4,0"});
    expect_forms(Form::axis, {"", "1", "2147483647"}, {"0", "2147483648", "x", "1x1", "99999999999999999999"},
                 "grid");
    expect_forms(Form::axis, {"", "0", "full", "7"}, {"auto", "-1"}, "depth");
    expect_forms(Form::axis, {"", "int32", "float32"}, {"int64", "0"}, "type");
    expect_forms(Form::axis, {"", "16x16", "1024x1"},
                 {"16", "16x", "x16", "0x16", "16x16x1", "2048x1", "832", "8x2000"}, "block-shape");
    expect_forms(Form::axis, {"none", "tail", "null_stream"}, {"", "push"}, "mechanism");
    expect_forms(Form::axis, {"", "18446744073709551615"}, {"-1", "one"}, "seed");
    expect_forms(Form::axis, {"", "any text"}, {}, "graph-file");
    expect_forms(Form::axis, {"", "of_another_program"}, {}, "input");
}

TEST(CellForm, IsSaidInWords)
{
    EXPECT_EQ(form_text(Form::status, nullptr).substr(0, 11), "ok, wrong, ");
    EXPECT_EQ(form_text(Form::axis, &axis_named("grid")), "a whole number from 1 to 2147483647, or nothing");
    EXPECT_EQ(form_text(Form::axis, &axis_named("seed")), "a whole number from 0, or nothing");
    EXPECT_EQ(form_text(Form::axis, &axis_named("block-shape")),
              "two whole numbers from 1 to 1024, such as 8x32, or nothing");
    EXPECT_EQ(form_text(Form::axis, &axis_named("type")), "int32, float32 or nothing");
    EXPECT_EQ(form_text(Form::axis, &axis_named("mechanism")).substr(0, 18), "none, null_stream,");
}

// Empty if the rows are accepted.
std::string refusal(const ParsedLog& log)
{
    try {
        RowCheck check(log);
        for (const LogRow& row : log.rows)
            check.check_once(row);
        return "";
    } catch (const RunError& error) {
        return error.what();
    }
}

std::vector<std::string> row_of_repetition(unsigned repetition)
{
    const Case point{.strategy = "nosync", .elements = 64, .grid = 4, .block = 16};
    return row_of({.experiment = "e", .run_id = "r1", .schedule = "fifo", .empty_kernel_us = 1}, point, repetition,
                  {.wall_us = 12.5, .answer = "100", .reference = "100", .pending_limit = 2048, .wave = 4});
}

TEST(RowCheck, NamesTheCellWithoutItsForm)
{
    const ParsedLog log = log_with("a.csv", columns(), {row_of_repetition(0), row_of_repetition(1)});
    EXPECT_EQ(refusal(log), "");
    for (const auto& [column, text, allowed] : std::vector<std::array<std::string, 3>>{
             {"wall_us", "fast", "a number above 0, or nothing"},
             {"bytes", "1e3", "a whole number from 0, or nothing"},
             {"launches_by_depth", "4 zzz", "numbers separated by blanks, or nothing"},
             {"grid", "0", "a whole number from 1 to 2147483647, or nothing"},
             {"key", "", "a text that is not empty"},
             {"backend", "gpu", "cuda, cpu"}}) {
        ParsedLog damaged = log;
        set_cell(damaged, 1, column, text);
        EXPECT_EQ(refusal(damaged), "a.csv:3: " + column + " is '" + text + "'; allowed: " + allowed);
    }
}

TEST(RowCheck, RefusesARowWithoutItsRepetition)
{
    ParsedLog log = log_with("a.csv", columns(), {row_of_repetition(0), row_of_repetition(1)});
    set_cell(log, 1, "repetition", "");
    EXPECT_EQ(refusal(log), "a.csv:3: repetition is ''; allowed: a whole number from 0");
}

TEST(RowCheck, RefusesARepetitionThatARunHasTwice)
{
    std::vector<std::vector<std::string>> rows{row_of_repetition(0), row_of_repetition(1), row_of_repetition(0)};
    EXPECT_EQ(refusal(log_with("a.csv", columns(), rows)),
              "a.csv:4: repetition 0 of the case is already in a.csv:2; allowed: every row once");
    rows[2].at(1) = "r2"; // another run
    EXPECT_EQ(refusal(log_with("a.csv", columns(), rows)), "");
}

TEST(RowCheck, TakesTheLogsOfTheRepository)
{
    std::size_t logs = 0;
    for (const auto& entry : std::filesystem::directory_iterator(NESTBED_EXPERIMENTS "/../results/h200")) {
        const std::string path = text_name(entry.path().string());
        if (!path.ends_with(".csv"))
            continue;
        const ParsedLog log = parse_log(path, read_text_file(path));
        if (!log.has("wall_us"))
            continue;
        ++logs;
        EXPECT_EQ(refusal(log), "");
    }
    EXPECT_GE(logs, 20U);
}

} // namespace
} // namespace nestbed
