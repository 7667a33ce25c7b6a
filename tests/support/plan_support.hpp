// Plans made by hand for the tests: settings as on a command line, and devices that do not exist.
#pragma once

#include "base/error.hpp"
#include "plan/cost.hpp"
#include "plan/plan.hpp"
#include "support/support.hpp"

#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace nestbed
{

// Settings: {{"grid", "1,512"}}, or "--grid 1,512" as on a command line.
struct Said : std::vector<std::pair<std::string, std::string>> {
    using std::vector<std::pair<std::string, std::string>>::vector;
    Said() = default;
    // NOLINTBEGIN(google-explicit-constructor)
    Said(const std::vector<std::pair<std::string, std::string>>& settings) : vector(settings) {}
    Said(const char* words)
    {
        std::istringstream in(words);
        for (std::string key, value; in >> key >> value;)
            emplace_back(key.substr(2), value);
    }
    // NOLINTEND(google-explicit-constructor)
};
using Devices = std::map<BackendKind, DeviceFacts>;

inline constexpr std::uint64_t kGiB = 1024ULL * 1024 * 1024;

// Estimates that need no launch model.
inline constexpr CaseTimes kByThreads{
    .sample_us = [](const Case& point) { return static_cast<double>(point.grid) * point.block; },
    .input_us = [](const Case& point) { return static_cast<double>(point.elements) / 10; }};

inline Devices cpu_alone()
{
    return {
        {BackendKind::cpu,
         {.name = "Model 1", .multiprocessors = 2, .raising_limit_is_free = true, .free_memory_bytes = 16 * kGiB}}};
}

inline Devices both()
{
    Devices devices = cpu_alone();
    devices[BackendKind::cuda] = {.name = "NVIDIA H200",
                                  .multiprocessors = 132,
                                  .max_threads_per_multiprocessor = 2048,
                                  .max_blocks_per_multiprocessor = 32,
                                  .resident_grids = 128,
                                  .free_memory_bytes = 139 * kGiB};
    return devices;
}

inline Settings settings_of(const Said& said)
{
    std::map<std::string, std::vector<std::string>> values;
    for (const auto& [key, value] : said)
        values[key].push_back(value);
    Settings settings;
    for (const auto& [key, all] : values)
        settings.set(key, all);
    return settings;
}

// Of an experiment file with this text.
inline Settings settings_in(std::string_view text, const std::string& file = "one.cfg")
{
    Settings settings;
    settings.read_text(text, file);
    return settings;
}

inline Plan plan_of(const Said& said, const Devices& devices = cpu_alone())
{
    return make_plan(settings_of(said), devices);
}

inline std::vector<Case> cases_of(const Plan& plan)
{
    std::vector<Case> cases;
    for (const Group& group : plan.groups)
        cases.insert(cases.end(), group.cases.begin(), group.cases.end());
    return cases;
}

inline std::vector<Case> planned_cases(const Said& said, const Devices& devices = cpu_alone())
{
    return cases_of(plan_of(said, devices));
}

inline std::string refusal(const Said& said, const Devices& devices = cpu_alone())
{
    return text_of<UsageError>([&] { static_cast<void>(plan_of(said, devices)); });
}

} // namespace nestbed
