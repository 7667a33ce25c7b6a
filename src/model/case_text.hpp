// A case in words: as the settings that give it again, and as the name of its range in a profiler.
#pragma once

#include "model/case.hpp"

#include <string>
#include <utility>
#include <vector>

namespace nestbed
{

// Axes by name with their values, in the order of the help: a run with these settings alone has this case alone.
// What means nothing to the case's strategy is not among them. The strategy must be in a registry.
std::vector<std::pair<std::string, std::string>> settings_of(const Case& point);

// The case's name in logs: 16 hexadecimal digits, a hash of everything that decides what is measured: settings_of() and, on the executor,
// the schedule. The same in every version and on every machine, as long as the case means the same.
std::string key_of(const Case& point, const std::string& schedule);
// The same of a case that is known by its settings_text() alone.
std::string key_of(const std::string& settings, const std::string& schedule);

// "strategy=nosync backend=cpu grid=4 ...": settings_of() in a line.
std::string settings_text(const Case& point);

// "EXPERIMENT:STRATEGY:KEY=VALUE KEY=VALUE ...": the NVTX range round the case's timed region, in the domain kRangeDomain.
// Without ',', '/', '[', ']', '@', '*', '+', '"' and '\', which mean something to ncu --nvtx-include.
inline constexpr const char* kRangeDomain = "nestbed";
std::string range_name(const std::string& experiment, const Case& point);

} // namespace nestbed
