// A case as text: as the settings that reproduce it, and as the name of its range in a profiler.
#pragma once

#include "model/case.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestbed
{

// Axes by name with their values, in the order of the help: a run with only these settings has only this case. Axes
// that do not apply to the case's strategy are left out. The strategy must be in a registry.
std::vector<std::pair<std::string, std::string>> settings_of(const Case& point);

// The case's name in logs: 16 hexadecimal digits, a hash of everything that decides what is measured: settings_of()
// and, on the executor, the schedule (version 2). It is the same on every machine, as long as the case has
// the same meaning.
std::string key_of(const Case& point, const std::string& schedule);
// The same for a case of which only settings_text() is known.
std::string key_of(const std::string& settings, const std::string& schedule);

// "strategy=nosync backend=cpu grid=4 ...": settings_of() in one line.
std::string settings_text(const Case& point);
// The values in such a line by the names of their axes.
std::map<std::string, std::string, std::less<>> settings_in(std::string_view text);

// How large its problem is: "1024" elements, or what its workload has instead: "8 queens", "8 time-steps".
std::string size_text(const Case& point);
// "2048 x 512": the sides of its matrix, or the blocks and threads of its grid. If it has only one of both, that one; if it
// has neither, size_text().
std::string shape_text(const Case& point, std::string_view between = " x ");

// "EXPERIMENT:STRATEGY:KEY=VALUE KEY=VALUE ...": the NVTX range around the case's timed region, in the domain
// kRangeDomain. It omits ',', '/', '[', ']', '@', '*', '+', '"' and '\', which have a meaning in ncu --nvtx-include.
inline constexpr const char* kRangeDomain = "nestbed";
std::string range_name(const std::string& experiment, const Case& point);

} // namespace nestbed
