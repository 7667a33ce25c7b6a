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
#include <string_view>
#include <utility>

namespace nestbed
{

using Sessions = std::map<BackendKind, std::unique_ptr<Session>>;
using LocalSessions = std::map<BackendKind, std::unique_ptr<LocalSession>>;

// What takes the samples of a run.
using Samplers = std::map<BackendKind, Sampling*>;
Samplers samplers_of(const Sessions& sessions);

// Opens a session: in this process, or in a worker (worker_session.hpp).
using OpenSession = std::function<std::unique_ptr<Session>(BackendKind, const SessionOptions&)>;

// `options`, except for what the settings specify. Throws UsageError for invalid settings of the sessions.
SessionOptions session_options(const Settings& settings, SessionOptions options);

// Opens sessions as `open` does, an OpenSession or open_session(). Throws UsageError for invalid settings of the
// sessions, and for a backend that does not exist here (chosen_backends).
template <class Open>
auto open_sessions(const Settings& settings, const WhyNoGpu& why_no_gpu, const Open& open,
                   SessionOptions options = {})
{
    options = session_options(settings, std::move(options));
    std::map<BackendKind, decltype(open(BackendKind::cpu, options))> sessions;
    for (const BackendKind backend : chosen_backends(settings, why_no_gpu))
        sessions.emplace(backend, open(backend, options));
    return sessions;
}

template <class S>
std::map<BackendKind, DeviceFacts> facts_of(const std::map<BackendKind, std::unique_ptr<S>>& sessions)
{
    std::map<BackendKind, DeviceFacts> facts;
    for (const auto& [backend, session] : sessions)
        facts.emplace(backend, session->facts());
    return facts;
}

// Throws RunError if the plan has a band for an empty kernel, and it took less or more on a GPU.
void check_floor(const Plan& plan, BackendKind backend, double empty_kernel_us);

// A warning for rows of a GPU that nobody else could measure again, because the program is of no commit; empty otherwise.
std::string changed_tree_warning(const std::map<BackendKind, RunFacts>& runs, std::string_view git);

// The facts that all rows of a session share. Measures some of them, unless the run is untimed. Throws as
// check_floor() does.
RunFacts facts_of_run(Session& session, const Plan& plan, const std::string& run_id, bool untimed);

} // namespace nestbed
