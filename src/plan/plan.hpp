// The plan: the cases made from settings, checked against the devices before anything runs. Pure.
#pragma once

#include "model/case.hpp"
#include "model/facts.hpp"
#include "model/sample.hpp"
#include "plan/repeats.hpp"
#include "plan/settings.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestbed
{

// Cases that share their input and are measured in interleaved rounds. They differ in strategy, mechanism and launch
// settings.
struct Group {
    std::vector<Case> cases;
};

// How long an empty kernel may take on a GPU at the start of a run, us.
struct EmptyKernelBand {
    double low = 0;
    double high = 0;
};

struct Plan {
    std::string experiment; // the file's stem, or "adhoc"
    std::string title;
    std::vector<std::string> figures; // that the experiment names; empty: those of its workloads
    std::vector<Group> groups;
    std::map<BackendKind, Repeats> repeat;
    std::map<BackendKind, unsigned> warmup;
    bool latency = false;                 // one run of each case is traced to measure it
    unsigned retries = 1;                 // see retries_of()
    std::optional<EmptyKernelBand> floor; // a session outside of it is refused (facts_of_run)
    std::uint64_t order_seed = 1;         // for the order of the rounds: the first seed
    Status expect = Status::ok;           // see expectation.hpp
    bool expect_race = false;             // for `nestbed races`: every case has a race
    std::vector<std::string> unused;      // unused_axes()

    std::size_t case_count() const;
    std::size_t sample_count() const; // timed samples of all cases: the minimum
};

// Says why there is no usable GPU; empty if there is one. It may start the driver, so call it only if the answer
// matters.
using WhyNoGpu = std::function<std::string()>;

// The backends that the settings ask for; `auto` is cuda if there is a usable GPU, else cpu. Throws UsageError with
// the reason for cuda without a usable GPU.
std::vector<BackendKind> chosen_backends(const Settings& settings, const WhyNoGpu& why_no_gpu);

// How often to retry a case, or a set-up, that made its worker fail. Throws UsageError.
unsigned retries_of(const Settings& settings);

// Every case of the product of the axes, backend by backend. A key that does not apply to a strategy (depth for a
// flat one) does not multiply its cases. Any two of elements, grid and block determine the third. Throws UsageError
// that names the setting for anything impossible: an unknown strategy, a block that is not a power of two or exceeds
// the device's limit, more elements than grid * block, more memory than the device has free.
Plan make_plan(const Settings& settings, const std::map<BackendKind, DeviceFacts>& devices);

// Throws UsageError if a case runs a program of the user's own, for a command that has no use for it.
void refuse_programs(const Plan& plan, std::string_view command, std::string_view allowed);

} // namespace nestbed
