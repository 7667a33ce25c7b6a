// The plan: settings turned into cases, checked against the devices before anything runs. Pure.
#pragma once

#include "model/case.hpp"
#include "model/facts.hpp"
#include "model/sample.hpp"
#include "plan/repeats.hpp"
#include "plan/settings.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace nestbed
{

// Cases that share their input and are measured in interleaved rounds: they differ in strategy, mechanism and launch
// settings.
struct Group {
    std::vector<Case> cases;
};

struct Plan {
    std::string experiment; // the file's stem, or "adhoc"
    std::string title;
    std::vector<Group> groups;
    std::map<BackendKind, Repeats> repeat;
    std::map<BackendKind, unsigned> warmup;
    bool latency = false;         // a run of each case is traced for it
    unsigned retries = 1;         // see retries_of()
    std::uint64_t order_seed = 1; // of the rounds: the first seed
    Status expect = Status::ok;   // see expectation.hpp
    bool expect_race = false;     // every case has a race: `nestbed races`

    std::size_t case_count() const;
    std::size_t sample_count() const; // timed samples, all cases: at least
};

// Says why there is no usable GPU; empty if there is one. It may start the driver, so it is called only where the answer matters.
using WhyNoGpu = std::function<std::string()>;

// The backends that the settings ask for; `auto` is cuda where there is a usable GPU, else cpu. Throws UsageError for cuda where there
// is none, with the reason.
std::vector<BackendKind> chosen_backends(const Settings& settings, const WhyNoGpu& why_no_gpu);

// How often a case, or a set-up, that takes its worker down is tried again. Throws UsageError.
unsigned retries_of(const Settings& settings);

// Every case of the axes' product, backend by backend. A key that means nothing to a strategy (depth to a
// flat one) does not multiply its cases. Of elements, grid and block any two give the third. Throws
// UsageError that names the setting for what cannot be: an unknown strategy, a block that is no power of two
// or over the device's limit, more elements than grid * block, more memory than the device has free.
Plan make_plan(const Settings& settings, const std::map<BackendKind, DeviceFacts>& devices);

} // namespace nestbed
