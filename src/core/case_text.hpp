// A case in words: as the settings that give it again, and as the name of its range in a profiler.
#pragma once

#include "case.hpp"

#include <string>
#include <utility>
#include <vector>

namespace nestbed
{

// Keys of all_keys() with their values, in the order of the help: a run with these settings alone has this case alone.
// What means nothing to the case's strategy is not among them. The strategy must be in a registry.
std::vector<std::pair<std::string, std::string>> settings_of(const Case& point);

// "EXPERIMENT:STRATEGY:KEY=VALUE KEY=VALUE ...": the NVTX range round the case's timed region, in the domain kRangeDomain.
// Without ',', '/', '[', ']', '@', '*', '+', '"' and '\', which mean something to ncu --nvtx-include.
inline constexpr const char* kRangeDomain = "nestbed";
std::string range_name(const std::string& experiment, const Case& point);

} // namespace nestbed
