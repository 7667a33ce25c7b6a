// The launch ledger: counts of device launches. The kernels that launch increment them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// Number of levels with separate counts. The last one also counts the launches into deeper levels.
inline constexpr unsigned kLedgerLevels = 2048;

// A build without the ledger (NESTBED_LEDGER=OFF) counts only refused launches. It serves to measure the cost of
// counting.
#ifdef NESTBED_NO_LEDGER
inline constexpr bool kCountsLaunches = false;
#else
inline constexpr bool kCountsLaunches = true;
#endif

// The name of device memory that holds nestbed's own records: the ledger, the marks of a traced run. The race detector lets the
// atomics there order nothing, because a kernel must be right without them.
inline constexpr std::string_view kOwnRecords = "nestbed's records";

// Is in device memory and is zeroed before every sample. attempted[d] counts the launches that create grids at depth
// d + 1. (The root grid has depth 0. The host launches it, so it is not counted.)
struct Ledger {
    unsigned long long attempted[kLedgerLevels];
    unsigned long long failed[kLedgerLevels];
    unsigned long long waits_given_up; // parents that stopped waiting for a child at the deadline
    int first_error;                   // the error code of one failed launch, 0 if there was none
};

// A ledger as stored in the log, without trailing zeros.
struct LaunchCounts {
    std::vector<std::uint64_t> attempted_by_depth;
    std::uint64_t attempted = 0;
    std::uint64_t failed = 0;
    std::uint64_t waits_given_up = 0;
    unsigned max_depth = 0; // deepest level at which a launch was accepted
    int first_error = 0;
};

inline LaunchCounts counts_of(const Ledger& ledger)
{
    LaunchCounts counts;
    for (unsigned level = 0; level < kLedgerLevels; ++level) {
        counts.failed += ledger.failed[level];
        if (ledger.attempted[level] == 0)
            continue;
        counts.attempted_by_depth.resize(level + 1);
        counts.attempted_by_depth[level] = ledger.attempted[level];
        counts.attempted += ledger.attempted[level];
        if (ledger.attempted[level] > ledger.failed[level])
            counts.max_depth = level + 1;
    }
    counts.waits_given_up = ledger.waits_given_up;
    counts.first_error = ledger.first_error;
    return counts;
}

} // namespace nestbed
