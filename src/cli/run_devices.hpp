// The devices of a run: how their sessions are opened, and what is measured of them before the first case.
#pragma once

#include "base/stop_request.hpp"
#include "cli/arguments.hpp"
#include "log/row.hpp"
#include "plan/plan.hpp"
#include "plan/settings.hpp"
#include "run/sessions.hpp"

#include <functional>
#include <string>

namespace nestbed
{

// By a worker, or in this process where that is asked for. `note` is told of a worker that was lost before the first sample.
OpenSession opener(const Given& given, const Settings& settings, const StopRequest& stop,
                   const std::function<void(const std::string&)>& note);

// An untimed run measures nothing.
RunFacts facts_of_run(Session& session, const Plan& plan, const std::string& run_id, bool untimed);

} // namespace nestbed
