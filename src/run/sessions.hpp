// The sessions that a command measures with: one a backend that its settings ask for.
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

// How a session is opened: in this process, or by a worker (worker_session.hpp).
using OpenSession = std::function<std::unique_ptr<Session>(BackendKind, const SessionOptions&)>;

// With `options`, but for what the settings say. Throws UsageError for settings of the sessions that cannot be, and for a backend that
// is not there (chosen_backends).
Sessions open_sessions(const Settings& settings, const WhyNoGpu& why_no_gpu, const OpenSession& open,
                       SessionOptions options = {});

std::map<BackendKind, DeviceFacts> facts_of(const Sessions& sessions);

// What all rows of a session have in common. It measures, unless the run is untimed.
RunFacts facts_of_run(Session& session, const Plan& plan, const std::string& run_id, bool untimed);

} // namespace nestbed
