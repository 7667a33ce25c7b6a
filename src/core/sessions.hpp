// The sessions that a command measures with: one a backend that its settings ask for.
#pragma once

#include "session.hpp"
#include "settings.hpp"

#include <functional>
#include <map>
#include <memory>

namespace nestbed
{

using Sessions = std::map<BackendKind, std::unique_ptr<Session>>;

// How a session is opened: in this process, or by a worker (worker_session.hpp).
using OpenSession = std::function<std::unique_ptr<Session>(BackendKind, const SessionOptions&)>;

// With `options`, but for what the settings say. Throws UsageError for settings of the sessions that cannot be, and for a backend that
// is not there.
Sessions open_sessions(const Settings& settings, SessionOptions options = {}, const OpenSession& open = open_session);

std::map<BackendKind, DeviceFacts> facts_of(const Sessions& sessions);

} // namespace nestbed
