// Two logs, A (before) and B (after), case by case: the ratio of the medians B / A, and whether that is a change.
//
// The 95 % interval of a ratio is a percentile bootstrap of two independent samples (Efron and Tibshirani, "An Introduction to
// the Bootstrap", chapters 8 and 13); times are told apart where it leaves out 1. Where nothing has changed that happens by chance
// in 5 % of the cases at most, if both sides have kFewestSamples or more (with 4 it is 7 %, and 2 to 4 % from 5 to 30: simulated).
// No interval is widened for there being many cases; chance_findings() says how many to expect instead. And an interval is of what
// differs within a run: what differs from run to run (clocks, another device) is in none, and is what a tolerance is for.
//
// Answers: a case that was always right and is not so now fails, by a single row. One that was wrong at times already, as a race
// is, fails where it is right less often than chance allows: one-sided 2.5 % of Fisher's exact test.
#pragma once

#include "base/statistics.hpp"
#include "log/parsed_log.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// missing: A alone has the case; added: B alone. untimed: right in both, and one clock has no time for every row that is right.
// no_times: right in one log at most, or neither log has times; no change of the answers.
enum class Change : std::uint8_t { fails, missing, slower, untimed, same, faster, fixed, too_few, no_times, added };
constexpr std::array<Change, 10> kChanges{Change::fails,    Change::missing, Change::slower, Change::untimed,
                                          Change::same,     Change::faster,  Change::fixed,  Change::too_few,
                                          Change::no_times, Change::added};
std::string_view name_of(Change change);

// A case in one log.
struct CaseSide {
    std::size_t rows = 0, ok = 0;
    std::string status;              // of the first row that is not ok, else of the first
    std::optional<double> median_us; // of the rows that are ok
    std::string submit;              // how these times were taken, of a GPU's: "held", or "open" where a row is
    std::size_t not_ok() const { return rows - ok; }
};

struct ComparedCase {
    std::vector<std::string> cells; // under Comparison::columns; empty where it means nothing
    std::string key;                // where rows are told apart by it
    std::string clock; // "gpu" where every row that is ok has gpu_us, in both logs; else "wall"; empty: no times
    CaseSide before, after;
    std::optional<double> ratio; // after / before
    std::optional<Interval> interval;
    Change change = Change::no_times;
};

struct Comparison {
    bool by_key = false;               // rows are told apart by `key`, otherwise by `columns`
    std::vector<std::string> columns;  // what says which case it is, in both logs
    std::vector<std::string> left_out; // what would, says something in one log, and is no column of the other
    std::vector<ComparedCase> cases;   // by their cells, numbers by value
};

// `experiment` tells cases apart where a log has several; `gpu` where one has several of a backend. The same logs give the same
// intervals. Throws RunError that names the file, and the line, for what is no log or no number, for a row whose cells do not agree
// (RowCheck), and for one that stands twice: a repetition of a case in one run, by its key or else by all cells (a log without the
// column `repetition` does not say). UsageError where no case is in both.
Comparison compare_logs(const ParsedLog& before, const ParsedLog& after);

// Too few samples for a test, and the median of B is above that of A by more than the tolerance.
bool is_suspect(const ComparedCase& one, double tolerance);
// Slower past a tolerance (0.05: 5 %), or suspected of it; failing, untimed or missing.
bool is_regression(const ComparedCase& one, double tolerance);

// Cases whose times were tested: faster, same or slower.
std::size_t tested_cases(const Comparison& comparison);
// How many of them chance alone would be expected to tell apart.
double chance_findings(const Comparison& comparison);

} // namespace nestbed
