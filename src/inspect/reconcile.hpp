// Compares three counts of the device launches of a case: the closed form, the ledger that the kernels keep, and the
// count of Nsight Compute. Errors are RunError with the file, the line, and what is wrong, unless stated otherwise.
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

// The row of a `nestbed run` log that has exactly one row: cells by column.
using LedgerRow = std::map<std::string, std::string>;
LedgerRow parse_ledger(const std::string& path, std::string_view text);

enum class Verdict : std::uint8_t { equal, differ, not_counted };
std::string_view name_of(Verdict verdict);

struct Reconciled {
    LedgerRow row;
    Verdict verdict = Verdict::equal;
    std::string detail;                  // the counts that differ, or why there is no count; else empty
    std::optional<std::uint64_t> nsight; // device launches
    std::optional<std::uint64_t> kernel_warps;
    std::optional<Counters> counters; // if there is a raw page

    // The cell of a column; empty if the log has no such column.
    std::string cell(const std::string& column) const;
    // Blocks of the root grids and of all grids that descend from them.
    std::optional<std::uint64_t> user_blocks() const;
    // Blocks that the device runtime launches for itself. They have one warp each, so there are as many as there are
    // warps that are not of the kernels. (In all 90 cases of results/h200/reconcile.csv, this number plus the number
    // of blocks in the ledger was the number of ncu.)
    std::optional<std::uint64_t> runtime_blocks() const;
};

// The verdict is equal if all three counts are equal.
Reconciled reconcile(LedgerRow row, const SourcePage& source, const std::optional<Counters>& counters);
// A case that Nsight could not count, with the reason.
Reconciled not_counted(LedgerRow row, const std::string& reason);

// The reason if a kernel launches graphs; ncu itself reports it.
inline constexpr const char* kNoGraphLaunches = "ncu leaves out device-side graph launches";

// Reads the ledger X.csv and the pages beside it: X.source.csv, without which nothing was counted, and X.raw.csv if
// it exists.
Reconciled reconcile_files(const std::string& ledger_path);

// The logs of the cases in a folder that failed before they had a ledger, sorted.
std::vector<std::string> logs_without_ledger(const std::string& path);
// The ledgers of all other cases in a folder, sorted; or the one that `path` names. Throws UsageError if there is
// none, or if a case has pages but no ledger.
std::vector<std::string> ledgers_in(const std::string& path);

// Everything known about a case: the columns, and the cells of one case.
const std::vector<std::string>& reconcile_columns();
std::vector<std::string> reconcile_cells(const Reconciled& one);

} // namespace nestbed
