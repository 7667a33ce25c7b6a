// A sample: the result of one timed repetition of a case. One CSV row.
#pragma once

#include "base/statistics.hpp"
#include "model/facts.hpp"
#include "model/ledger.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

enum class Status : std::uint8_t { ok, wrong, launch_failed, count_mismatch, unsupported, timeout, crashed };

inline constexpr std::array kStatuses{
    Status::ok,          Status::wrong,   Status::launch_failed, Status::count_mismatch,
    Status::unsupported, Status::timeout, Status::crashed};

constexpr std::string_view name_of(Status status)
{
    constexpr std::array<std::string_view, kStatuses.size()> kNames{
        "ok", "wrong", "launch_failed", "count_mismatch", "unsupported", "timeout", "crashed"};
    return kNames.at(static_cast<std::size_t>(status));
}

// What a run with data-dependent launches counted (model/request_oracle.hpp).
struct RequestSample {
    std::uint64_t items = 0;    // wanted by a thread
    std::uint64_t replaced = 0; // launches that the device refused, done in another way
    std::uint64_t drains = 0;   // tail launches to do them
    std::uint64_t drains_refused = 0;
    std::uint64_t child_blocks = 0; // of the grids launched, or replaced
    std::uint64_t arena_bytes = 0;  // device memory for the items
    std::uint64_t grids = 0;        // launches that were wanted, where the order of execution decides how many
};

// The times of a sample that is many runs (axis `runs`), in us.
struct RunTimes {
    Spread wall;        // as Sample::wall_us, which is the median
    Spread span;        // on the device's timer: from the first level's begin until the last level's work is done
    Spread next;        // the same until the next kernel begins, which the host launches after the work
    double host_us = 0; // processor time of the submitting thread until it has submitted that kernel; median
};

struct Sample {
    Status status = Status::ok;
    std::string detail; // why the status is not ok; empty if it is
    // Times exist only if the status is ok. gpu_us: between two events; empty on the executor and for work on the
    // host. wall_us: from before the first host call until after the last is complete.
    std::optional<double> gpu_us;
    std::optional<double> wall_us;
    std::optional<RunTimes> runs;
    std::optional<double> prepare_us;     // host time to prepare the strategy before the timed region: its graphs
    bool held = false;                    // gpu_us comes from a held run (Submit); wall_us never does
    std::optional<LaunchCounts> launches; // empty if the case did not run
    // Kernels and graphs that the host launched in the timed region; empty if a library launched them.
    std::optional<std::uint32_t> host_launches;
    // From a launch call to the first instruction of the launched grid, in microseconds: one value per level of a
    // chain, one per launch of a fan-out, in launch order. Empty for workloads without timestamps.
    std::vector<double> latencies_us;
    std::vector<float> image; // by rows; for a workload that draws one, on request (LocalSession::sample_with_output)
    std::optional<std::uint64_t> launches_expected; // of the oracle, if the launches depend on the input
    std::optional<RequestSample> requests;
    std::optional<std::uint64_t> work;       // of an irregular workload, in its own unit
    std::optional<std::uint64_t> pixels_off; // pixels that differ from the exhaustive image
    std::string answer;
    std::string reference;
    std::optional<double> relative_error; // |answer - reference| / |reference|, for a reduction
    std::uint32_t pending_limit = 0;      // as read back from the device
    std::int64_t limit_bytes = 0;         // device memory that this limit takes in addition to the default limit
    std::uint32_t wave = 0;               // root blocks per wave
    std::uint32_t waves = 0;
    std::uint32_t streams = 0;
    GpuState gpu_state;       // right after the sample
    bool device_lost = false; // this process can no longer use the device
};

// How a command describes a sample that is not ok: "wrong: ...".
inline std::string why_not_ok(const Sample& sample)
{
    const std::string status(name_of(sample.status));
    return sample.detail.starts_with(status + ": ") ? sample.detail : status + ": " + sample.detail;
}

} // namespace nestbed
