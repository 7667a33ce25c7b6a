// The sessions in which a command measures: one for each backend that its settings ask for.
#pragma once

#include "log/row.hpp"
#include "model/session.hpp"
#include "plan/plan.hpp"
#include "plan/settings.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace nestbed
{

using Sessions = std::map<BackendKind, std::unique_ptr<Session>>;

// Opens a session: in this process, or in a worker (worker_session.hpp).
using OpenSession = std::function<std::unique_ptr<Session>(BackendKind, const SessionOptions&)>;

// Opens sessions with `options`, except for what the settings specify. Throws UsageError for invalid settings of the
// sessions, and for a backend that does not exist here (chosen_backends).
Sessions open_sessions(const Settings& settings, const WhyNoGpu& why_no_gpu, const OpenSession& open,
                       SessionOptions options = {});

std::map<BackendKind, DeviceFacts> facts_of(const Sessions& sessions);

// The facts that all rows of a session share. Measures some of them, unless the run is untimed.
RunFacts facts_of_run(Session& session, const Plan& plan, const std::string& run_id, bool untimed);

} // namespace nestbed
