#include "log/launch_rules.hpp"

#include "model/case.hpp"
#include "model/ledger.hpp"
#include "model/rounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace nestbed
{

namespace
{

// A build without the ledger (kCountsLaunches) does not count launches.
bool is_counted(const RowCells& row)
{
    return row.has_value("launches_attempted"_column) &&
           (row.at("launches_attempted"_column) != "0" || row.has_value("launches_by_depth"_column));
}

template <std::size_t Size>
void check_together(const RowCells& row, const std::array<std::size_t, Size>& columns)
{
    const auto there = std::ranges::find_if(columns, [&](std::size_t column) { return row.has_value(column); });
    if (there == columns.end())
        return;
    for (const std::size_t column : columns)
        if (row.has(column) && !row.has_value(column))
            row.refuse(column, fmt::format("a number, as there is a {}", kColumnForms.at(*there).column));
}

// --- the plan of the root grid ---

void check_waves(const RowCells& row)
{
    check_together(row, std::array{"pending_limit"_column, "limit_bytes"_column, "wave"_column, "waves"_column,
                                   "streams"_column});
    for (const std::size_t column : {"pending_limit"_column, "wave"_column, "waves"_column, "streams"_column})
        if (row.at(column) == "0")
            row.refuse(column, "a whole number from 1");
}

void check_pending_limit(const RowCells& row)
{
    const double asked = row.number("pending_limit_asked"_column); // NaN: auto
    const double limit = row.number("pending_limit"_column);
    if (on_executor(row) ? limit < asked || limit > asked : limit < asked)
        row.refuse("pending_limit"_column,
                   fmt::format("{}{}, the pending_limit_asked", on_executor(row) ? "" : "at least ",
                               row.at("pending_limit_asked"_column)));
    if (on_executor(row) && row.has_value("limit_bytes"_column) && row.at("limit_bytes"_column) != "0")
        row.refuse("limit_bytes"_column, "0, as the backend is cpu");
}

// --- the ledger ---

struct Levels {
    std::size_t count = 0;
    double sum = 0, last = 0;
};

Levels levels_in(std::string_view text)
{
    Levels levels;
    for (const char* at = text.data(); at < text.data() + text.size(); ++at) {
        at = std::from_chars(at, text.data() + text.size(), levels.last).ptr;
        levels.sum += levels.last;
        ++levels.count;
    }
    return levels;
}

void check_ledger(const RowCells& row)
{
    check_together(row, std::array{"launches_attempted"_column, "launches_failed"_column, "max_depth"_column});
    if (row.has_value("launches_by_depth"_column) && row.has("launches_attempted"_column) &&
        !row.has_value("launches_attempted"_column))
        row.refuse("launches_attempted"_column, "a number, as there is a launches_by_depth");
    if (!row.has_value("launches_attempted"_column) || !row.has("launches_by_depth"_column))
        return;
    const Levels levels = levels_in(row.at("launches_by_depth"_column));
    const double attempted = row.number("launches_attempted"_column);
    if (levels.sum != attempted)
        row.refuse("launches_attempted"_column, fmt::format("{:.0f}, the sum of launches_by_depth", levels.sum));
    if (levels.count > 0 && levels.last == 0)
        row.refuse("launches_by_depth"_column, "no 0 at the end");
    if (levels.count > kLedgerLevels)
        row.refuse("launches_by_depth"_column, fmt::format("at most {} levels", kLedgerLevels));
    if (!row.has_value("launches_failed"_column) || !row.has_value("max_depth"_column))
        return;
    const double failed = row.number("launches_failed"_column);
    if (levels.count > 0 && failed > attempted)
        row.refuse("launches_failed"_column, fmt::format("at most {:.0f}, the launches_attempted", attempted));
    const double deepest = row.number("max_depth"_column);
    const auto levels_there = static_cast<double>(levels.count);
    if (failed == 0 || failed == attempted) {
        const double expected = failed == 0 ? levels_there : 0;
        if (deepest != expected)
            row.refuse("max_depth"_column, failed == 0
                                               ? fmt::format("{:.0f}, the levels of launches_by_depth", expected)
                                               : std::string("0, as all launches failed"));
    } else if (deepest > levels_there || (deepest < 1 && levels.count > 0)) {
        row.refuse("max_depth"_column, fmt::format("{} to {}, the levels of launches_by_depth",
                                                   std::min<std::size_t>(1, levels.count), levels.count));
    }
}

void check_requests(const RowCells& row)
{
    check_together(row, std::array{"items_offered"_column, "replaced"_column, "drains"_column, "child_blocks"_column,
                                   "arena_bytes"_column});
    if (!row.has_value("drains"_column) || !is_counted(row) || !row.has_value("launched"_column) ||
        !row.has_value("launches_failed"_column))
        return;
    const double accepted = row.number("launches_attempted"_column) - row.number("launches_failed"_column);
    const double fewest = std::max(0.0, accepted - row.number("drains"_column));
    if (row.number("launched"_column) < fewest || row.number("launched"_column) > accepted)
        row.refuse("launched"_column,
                   fmt::format("{:.0f} to {:.0f}, the accepted launches without drains", fewest, accepted));
}

// Data-dependent launches that were refused are replaced; a tail launch that replaces some is a drain.
void check_replaced(const RowCells& row)
{
    const double attempted = row.number("launches_attempted"_column);
    const double drains = row.number("drains"_column);
    const double replaced = row.number("replaced"_column);
    const double expected = row.number("launches_expected"_column);
    if (attempted - drains != expected)
        row.refuse("launches_attempted"_column,
                   fmt::format("{:.0f}, launches_expected and drains, as the status is ok", expected + drains));
    if (row.number("launched"_column) + replaced != expected)
        row.refuse("launched"_column,
                   fmt::format("{:.0f}, launches_expected without those replaced, as the status is "
                               "ok",
                               expected - replaced));
    if (const double failed = row.number("launches_failed"_column); failed < replaced || failed > replaced + drains)
        row.refuse("launches_failed"_column, fmt::format("{:.0f} to {:.0f}, those replaced and the drains that were "
                                                         "refused, as the status is ok",
                                                         replaced, replaced + drains));
}

void check_launches(const RowCells& row)
{
    if (!is_ok(row))
        return;
    if (is_counted(row) && row.has_value("replaced"_column))
        return check_replaced(row);
    if (is_counted(row) && row.has("launches_expected"_column) &&
        row.at("launches_attempted"_column) != row.at("launches_expected"_column))
        row.refuse("launches_attempted"_column,
                   fmt::format("{}, which are expected, as the status is ok", row.at("launches_expected"_column)));
    if (row.has_value("launches_failed"_column) && row.at("launches_failed"_column) != "0")
        row.refuse("launches_failed"_column, "0, as the status is ok");
}

// --- the answer ---

double number_in(const RowCells& row, std::size_t column)
{
    return row.log().number(row.row(), kColumnForms.at(column).column);
}

void check_relative_error(const RowCells& row)
{
    if (!row.has_value("relative_error"_column))
        return;
    const std::string& status = row.at("status"_column);
    if (status != "ok" && status != "wrong")
        row.refuse("relative_error"_column, fmt::format("nothing, as the status is {}", status));
    if (row.at("answer"_column) == row.at("reference"_column) && row.at("relative_error"_column) == "0")
        return;
    const double answer = number_in(row, "answer"_column);
    const double reference = number_in(row, "reference"_column);
    const double off = std::abs(answer - reference);
    const double share = off == 0 ? 0 : off / std::abs(reference);
    if (const std::string expected = fmt::format("{:.3g}", share); row.at("relative_error"_column) != expected)
        row.refuse("relative_error"_column, fmt::format("{}, of answer {} and reference {}", expected,
                                                        row.at("answer"_column), row.at("reference"_column)));
}

void check_answer(const RowCells& row)
{
    if (!is_ok(row) || !row.has("reference"_column) || row.at("answer"_column) == row.at("reference"_column))
        return;
    const bool near = row.at("type"_column) == name_of(ElementType::float32) &&
                      row.has_value("relative_error"_column) && row.has_value("elements"_column);
    const double bound = near ? loosest_bound(row.number("elements"_column)) : 0;
    if (!near || std::abs(number_in(row, "answer"_column) - number_in(row, "reference"_column)) >
                     bound * number_in(row, "reference"_column))
        row.refuse("answer"_column,
                   fmt::format("{}{}, the reference, as the status is ok", row.at("reference"_column),
                               near ? fmt::format(" within a share of {:.3g}", bound) : ""));
}

// Of a sum, unless several block sums are wrong: their errors can cancel. The judges of other workloads have more to
// compare than the answer.
void check_wrong(const RowCells& row)
{
    if (row.at("status"_column) != "wrong" || !row.has_value("relative_error"_column) ||
        row.at("answer"_column) != row.at("reference"_column) ||
        row.at("detail"_column).find(" block sums are wrong") != std::string::npos)
        return;
    row.refuse("answer"_column, fmt::format("another number than {}, the reference, as the status is wrong",
                                            row.at("reference"_column)));
}

// --- the status ---

void check_detail(const RowCells& row)
{
    if (row.has("detail"_column) && row.has_value("detail"_column) == is_ok(row))
        row.refuse("detail"_column, is_ok(row) ? "nothing, as the status is ok"
                                               : fmt::format("why the status is {}", row.at("status"_column)));
}

void check_failed(const RowCells& row)
{
    if (row.at("status"_column) == "launch_failed" && row.at("launches_failed"_column) == "0" &&
        (!row.has_value("replaced"_column) || row.at("replaced"_column) == "0"))
        row.refuse("launches_failed"_column, "a whole number from 1, as the status is launch_failed");
}

void check_not_run(const RowCells& row)
{
    if (row.at("status"_column) != "unsupported" && row.at("status"_column) != "crashed")
        return;
    for (const std::size_t column : {"answer"_column, "reference"_column, "launches_attempted"_column, "wave"_column,
                                     "host_launches"_column, "work"_column})
        if (row.has_value(column))
            row.refuse(column, fmt::format("nothing, as the status is {}", row.at("status"_column)));
}

void check_schedule(const RowCells& row)
{
    if (!row.has("schedule"_column))
        return;
    if (row.has_value("schedule"_column) != on_executor(row))
        row.refuse("schedule"_column, on_executor(row) ? "that of the executor" : "nothing, as the backend is cuda");
}

constexpr auto kLaunchRules = std::to_array<RowRule>({
    {"schedule", "there is one on the executor, and none on a GPU", check_schedule},
    {"pending_limit, limit_bytes, wave, waves, streams", "all or none; numbers from 1, but for `limit_bytes`",
     check_waves},
    {"pending_limit",
     "`pending_limit_asked` if that is a number; a device may give more. On the executor `limit_bytes` is 0",
     check_pending_limit},
    {"launches_attempted, launches_failed, launches_by_depth, max_depth",
     "attempts are the sum over the depths; `max_depth` is the number of depths, if no launch failed, and at most "
     "that",
     check_ledger},
    {"items_offered, launched, replaced, drains, child_blocks, arena_bytes",
     "all or none; `launched` is attempts without failures and drains", check_requests},
    {"launches_attempted, launches_failed",
     "if the status is `ok`: those expected, and no failure; or failures that were replaced, and drains",
     check_launches},
    {"answer", "the reference if the status is `ok`; of a float32 sum, within its bound", check_answer},
    {"answer", "another number than the reference if a sum is `wrong`, unless several block sums are", check_wrong},
    {"relative_error", "of `answer` and `reference`; empty unless the status is `ok` or `wrong`",
     check_relative_error},
    {"detail", "empty if the status is `ok`, and only then", check_detail},
    {"launches_failed", "not 0 if the status is `launch_failed`", check_failed},
    {"answer, reference, launches_attempted, wave, host_launches, work",
     "empty if the status is `unsupported` or `crashed`", check_not_run},
});

} // namespace

std::span<const RowRule> launch_rules()
{
    return kLaunchRules;
}

} // namespace nestbed
