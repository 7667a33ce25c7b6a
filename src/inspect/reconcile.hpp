// Three counts of the device launches of a case beside each other: the closed form, the ledger that the kernels keep, and
// Nsight Compute's. Errors are RunError with the file, the line, and what is wrong, unless said otherwise.
#pragma once

#include "inspect/ncu_pages.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// The row of a log of `nestbed run` that has one: cells by column.
using LedgerRow = std::map<std::string, std::string>;
LedgerRow parse_ledger(const std::string& path, std::string_view text);

enum class Verdict : std::uint8_t { equal, differ, not_counted };
std::string_view name_of(Verdict verdict);

struct Reconciled {
    LedgerRow row;
    Verdict verdict = Verdict::equal;
    std::string detail;                  // the counts that differ, or why nothing was counted; else empty
    std::optional<std::uint64_t> nsight; // device launches
    std::optional<std::uint64_t> kernel_warps;
    std::optional<Counters> counters; // where there is a raw page

    // The cell of a column; empty where the log has none.
    std::string cell(const std::string& column) const;
    // Of the root grids and of all grids that descend from them.
    std::optional<std::uint64_t> user_blocks() const;
    // What the device runtime launches for itself: blocks of one warp, so as many as there are warps that are not the kernels'
    // (in all 90 cases of results/h200/reconcile.csv that number and the ledger's blocks added up to ncu's).
    std::optional<std::uint64_t> runtime_blocks() const;
};

// Equal if all three are.
Reconciled reconcile(LedgerRow row, const SourcePage& source, const std::optional<Counters>& counters);
// A case that Nsight could not count, with the reason.
Reconciled not_counted(LedgerRow row, const std::string& reason);

// ncu says so of graphs that a kernel launches.
inline constexpr const char* kNoGraphLaunches = "ncu leaves out device-side graph launches";

// Reads X.csv, the ledger, and beside it X.source.csv, without which nothing was counted, and, if it is there, X.raw.csv.
Reconciled reconcile_files(const std::string& ledger_path);

// The logs of a folder whose cases failed before they had a ledger, sorted.
std::vector<std::string> logs_without_ledger(const std::string& path);
// The ledgers of all other cases of a folder, sorted; or the one that is named. Throws UsageError where there is none, and for pages
// of a case without its ledger.
std::vector<std::string> ledgers_in(const std::string& path);

// All that is known of a case: columns, and its cells.
const std::vector<std::string>& reconcile_columns();
std::vector<std::string> reconcile_cells(const Reconciled& one);

} // namespace nestbed
