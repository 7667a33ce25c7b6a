// How the sessions of a run are opened.
#pragma once

#include "base/stop_request.hpp"
#include "cli/arguments.hpp"
#include "plan/settings.hpp"
#include "run/sessions.hpp"

#include <functional>
#include <string>

namespace nestbed
{

// Opens sessions in a worker, or in this process if the user asks for that. `note` receives a text if a worker is
// lost before the first sample.
OpenSession opener(const Given& given, const Settings& settings, const StopRequest& stop,
                   const std::function<void(const std::string&)>& note);

// Loads the modules with the kernels that a run traces on cuda. Throws RunError before it begins if one is not there.
void load_traced(const Plan& plan);

} // namespace nestbed
