#include "program/runtime/environment.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <unistd.h>

namespace nestbed::program
{

namespace
{

[[noreturn]] void reject(const char* variable, std::string_view value, std::string_view allowed)
{
    throw UsageError(fmt::format("{}='{}'; allowed: {}", variable, value, allowed));
}

class Variables
{
  public:
    explicit Variables(const Lookup& lookup) : lookup_(lookup) {}

    std::string text(const char* variable) const
    {
        const char* const value = lookup_(variable);
        return value == nullptr ? "" : value;
    }
    bool flag(const char* variable) const
    {
        const std::string value = text(variable);
        if (!value.empty() && value != "0" && value != "1")
            reject(variable, value, "0, 1");
        return value == "1";
    }
    template <class Number>
    std::optional<Number> number(const char* variable, Number least, Number most) const
    {
        const std::string value = text(variable);
        if (value.empty())
            return {};
        Number result{};
        const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
        if (error != std::errc{} || end != value.data() + value.size() || result < least || result > most)
            reject(variable, value,
                   fmt::format("a {}number from {} to {}", std::is_integral_v<Number> ? "whole " : "", least, most));
        return result;
    }

  private:
    const Lookup& lookup_;
};

Schedule schedule_of(const Variables& variables)
{
    constexpr const char* kName = "NESTBED_SCHEDULE";
    const std::string value = variables.text(kName);
    if (value.empty())
        return {};
    try {
        return parse_schedule(value == "random" ? "random:1" : value);
    } catch (const UsageError&) {
        reject(kName, value, "fifo, eager, random, random:SEED (SEED a whole number)");
    }
}

// "none", or numbers and ranges: "3,17-20".
std::optional<std::vector<std::uint64_t>> preemptions_of(const Variables& variables)
{
    constexpr const char* kName = "NESTBED_PREEMPTIONS";
    constexpr const char* kAllowed = "none, or whole numbers and ranges of them, such as 3,17-20";
    constexpr std::uint64_t kMaximum = 100'000'000;
    const std::string value = variables.text(kName);
    if (value.empty())
        return {};
    std::vector<std::uint64_t> decisions;
    if (value == "none")
        return decisions;
    for (const std::string& part : split(value, ',')) {
        std::uint64_t first = 0;
        const char* const end = part.data() + part.size();
        std::from_chars_result read = std::from_chars(part.data(), end, first);
        std::uint64_t last = first;
        if (read.ec == std::errc{} && read.ptr != end && *read.ptr == '-')
            read = std::from_chars(read.ptr + 1, end, last);
        if (read.ec != std::errc{} || read.ptr != end || last < first || last - first >= kMaximum)
            reject(kName, value, kAllowed);
        for (std::uint64_t decision = first; decision <= last; ++decision)
            decisions.push_back(decision);
    }
    return decisions;
}

} // namespace

Environment environment_of(const Lookup& lookup)
{
    constexpr unsigned kMaxPending = 1U << 30U;
    constexpr std::size_t kMinStackBytes = 16 * 1024;
    constexpr std::size_t kMaxStackBytes = std::size_t{1} << 30U;
    constexpr double kMaxSeconds = 1e6;
    const Variables variables(lookup);
    Environment result;
    result.schedule = schedule_of(variables);
    result.workers = variables.number<unsigned>("NESTBED_WORKERS", 1, kMaxWorkers);
    result.pending_limit = variables.number<unsigned>("NESTBED_PENDING_LIMIT", 0, kMaxPending);
    result.tree = variables.flag("NESTBED_TREE");
    result.trace_file = variables.text("NESTBED_TRACE");
    result.report_file = variables.text("NESTBED_REPORT");
    result.suppressions_file = variables.text("NESTBED_SUPPRESSIONS");
    result.zero_memory = variables.flag("NESTBED_ZERO_MEMORY");
    result.strict = variables.flag("NESTBED_STRICT");
    result.stack_bytes = variables.number<std::size_t>("NESTBED_STACK_BYTES", kMinStackBytes, kMaxStackBytes);
    result.watchdog_s = variables.number<double>("NESTBED_WATCHDOG_S", 0, kMaxSeconds).value_or(result.watchdog_s);
    result.preemptions = preemptions_of(variables);
    result.preemptions_file = variables.text("NESTBED_PREEMPTIONS_FILE");
    if (result.schedule.order != Schedule::Order::random)
        for (const char* const name : {"NESTBED_PREEMPTIONS", "NESTBED_PREEMPTIONS_FILE"})
            if (const std::string value = variables.text(name); !value.empty())
                throw UsageError(fmt::format("{}='{}' requires NESTBED_SCHEDULE=random:SEED", name, value));
    return result;
}

const Environment& environment()
{
    // Never destroyed: it is needed after the destructors of the program.
    static const Environment& of_process = *new Environment([] {
        try {
            return environment_of([](const char* name) -> const char* { return std::getenv(name); });
        } catch (const UsageError& error) {
            static_cast<void>(std::fprintf(stderr, "nestbed: %s\n", error.what()));
            _exit(exit_usage);
        }
    }());
    return of_process;
}

} // namespace nestbed::program
