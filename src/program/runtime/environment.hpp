// The environment variables of a program that runs on the executor.
#pragma once

#include "model/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nestbed::program
{

struct Environment {
    Schedule schedule;                      // NESTBED_SCHEDULE
    std::optional<unsigned> workers;        // NESTBED_WORKERS; empty: one
    std::optional<unsigned> pending_limit;  // NESTBED_PENDING_LIMIT; empty: what the program sets, at first 2048
    bool tree = false;                      // NESTBED_TREE=1
    std::string trace_file;                 // NESTBED_TRACE; empty: none
    std::string report_file;                // NESTBED_REPORT; empty: none
    std::string suppressions_file;          // NESTBED_SUPPRESSIONS; empty: none
    bool zero_memory = false;               // NESTBED_ZERO_MEMORY=1
    bool strict = false;                    // NESTBED_STRICT=1
    std::optional<std::size_t> stack_bytes; // NESTBED_STACK_BYTES, of each thread
    double watchdog_s = 10;                 // NESTBED_WATCHDOG_S; 0: off
    std::optional<std::vector<std::uint64_t>> preemptions; // NESTBED_PREEMPTIONS: Executor::deviate_only_at()
    std::string preemptions_file;                          // NESTBED_PREEMPTIONS_FILE; empty: none
};

// The value of a variable; nullptr if it is not set.
using Lookup = std::function<const char*(const char* name)>;

// Throws UsageError, which names the variable, its value and the values allowed. An empty value counts as not set.
Environment environment_of(const Lookup& lookup);

// Of this process. A wrong value ends the process before main() with a message and exit code 2.
const Environment& environment();

} // namespace nestbed::program
