// Compares two logs, A (before) and B (after), case by case: the ratio of the medians B / A, and whether it is a
// change.
//
// The 95 % interval of a ratio is a percentile bootstrap of two independent samples (Efron and Tibshirani, "An
// Introduction to the Bootstrap", chapters 8 and 13). The times are different if the interval does not contain 1. If
// nothing has changed, this happens by chance in at most 5 % of the cases, provided that both sides have
// kFewestSamples or more (simulated: 7 % with 4 samples, 2 to 4 % with 5 to 30). No interval is widened because there
// are many cases; chance_findings() says how many false positives to expect instead. An interval covers only
// differences within a run. It does not cover differences between runs (clocks, another device): the tolerance is for
// those.
//
// Answers: a case that was always right fails if a single row is not right now. A case that was wrong at times
// already, such as a race, fails if it is right less often than chance allows: one-sided 2.5 % of Fisher's exact
// test.
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

// missing: only A has the case. added: only B has it. untimed: right in both logs, but no clock has a time for every
// row that is right. no_times: right in at most one log, or neither log has times, and the answers did not change.
enum class Change : std::uint8_t { fails, missing, slower, untimed, same, faster, fixed, too_few, no_times, added };
constexpr std::array<Change, 10> kChanges{Change::fails,    Change::missing, Change::slower, Change::untimed,
                                          Change::same,     Change::faster,  Change::fixed,  Change::too_few,
                                          Change::no_times, Change::added};
std::string_view name_of(Change change);

// A case in one log.
struct CaseSide {
    std::size_t rows = 0, ok = 0;
    std::string status;              // of the first row that is not ok, else of the first row
    std::optional<double> median_us; // of the rows that are ok
    std::string submit;              // how the GPU times were taken: "held", or "open" if any row is; else empty
    std::size_t not_ok() const { return rows - ok; }
};

struct ComparedCase {
    std::vector<std::string> cells; // the values of Comparison::columns; empty where a column does not apply
    std::string key;                // if the key identifies the case
    std::string clock;              // "gpu" if every ok row of both logs has gpu_us; else "wall"; empty: no times
    CaseSide before, after;
    std::optional<double> ratio; // after / before
    std::optional<Interval> interval;
    Change change = Change::no_times;
};

struct Comparison {
    bool by_key = false;               // `key` identifies a case, otherwise `columns` do
    std::vector<std::string> columns;  // columns that describe a case, in both logs
    std::vector<std::string> left_out; // such columns with values in one log that the other log does not have
    std::vector<ComparedCase> cases;   // sorted by their cells, numbers by value
};

// `experiment` distinguishes cases if a log has several experiments; `gpu` does if a log has several GPUs of one
// backend. The same logs give the same intervals. Throws RunError with the file and the line if a file is not a log,
// a cell does not have its form, or a run has a repetition of a case twice (RowCheck). Throws UsageError if no case is
// in both logs.
Comparison compare_logs(const ParsedLog& before, const ParsedLog& after);

// There are too few samples for a test, and the median of B is above that of A by more than the tolerance.
bool is_suspect(const ComparedCase& one, double tolerance);
// Slower by more than the tolerance (0.05: 5 %), or suspected of it; or failing, untimed or missing.
bool is_regression(const ComparedCase& one, double tolerance);

// Number of cases whose times were tested: faster, same or slower.
std::size_t tested_cases(const Comparison& comparison);
// How many of them are expected to be reported as different by chance alone.
double chance_findings(const Comparison& comparison);

} // namespace nestbed
