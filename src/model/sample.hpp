// A sample: what one timed repetition of a case gave. One CSV row.
#pragma once

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

struct Sample {
    Status status = Status::ok;
    std::string detail; // why the status is not ok, in words; empty otherwise
    // Times are there only when the status is ok. gpu_us: between two events, empty on the executor and for
    // work that the host does. wall_us: from before the first host call to after the last is complete.
    std::optional<double> gpu_us;
    std::optional<double> wall_us;
    bool held = false;                    // gpu_us is of a held run (Submit); wall_us never is
    std::optional<LaunchCounts> launches; // empty if the case was not run
    // Kernels and graphs that the host launched in the timed region; empty where a library did.
    std::optional<std::uint32_t> host_launches;
    // From a launch call to the first instruction of what it launched, in microseconds: one a level of a chain, one
    // a launch of a fan-out, in the order of the launches. Empty for workloads that keep no timestamps.
    std::vector<double> latencies_us;
    std::vector<float> image; // by rows, of a workload that makes one, when asked for (Session::sample_aloud)
    std::string answer;
    std::string reference;
    std::optional<double> relative_error; // |answer - reference| / |reference|, of a reduction
    std::uint32_t pending_limit = 0;      // as read back from the device
    std::int64_t limit_bytes = 0;         // device memory that this limit takes, over the default one
    std::uint32_t wave = 0;               // root blocks a wave
    std::uint32_t waves = 0;
    std::uint32_t streams = 0;
    GpuState gpu_state;       // right after it
    bool device_lost = false; // the device cannot be used any more in this process
};

// What a command says of a sample that is not ok: "wrong: ...".
inline std::string why_not_ok(const Sample& sample)
{
    const std::string status(name_of(sample.status));
    return sample.detail.starts_with(status + ": ") ? sample.detail : status + ": " + sample.detail;
}

} // namespace nestbed
