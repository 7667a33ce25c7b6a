#include "cli/run_devices.hpp"

#include "cli/run_options.hpp"
#include "device/backends.hpp"
#include "model/machine.hpp"
#include "run/worker_session.hpp"

namespace nestbed
{

OpenSession opener(const Given& given, const Settings& settings, const StopRequest& stop,
                   const std::function<void(const std::string&)>& note)
{
    if (given.contains("in-process"))
        return open_session;
    return [&settings, &stop, note](BackendKind backend, const SessionOptions& options) {
        return open_worker_session(
            backend, options,
            {.timeout = timeout_of(settings, backend), .retries = retries_of(settings), .note = note, .stop = &stop});
    };
}

RunFacts facts_of_run(Session& session, const Plan& plan, const std::string& run_id, bool untimed)
{
    RunFacts run{.experiment = plan.experiment,
                 .run_id = run_id,
                 .machine = machine_of(session.facts()),
                 .schedule = session.schedule(),
                 .untimed = untimed,
                 .device = session.facts()};
    if (!untimed) {
        run.floor_us = session.null_kernel_us();
        run.timer_step_ns = session.timer_step_ns();
        run.bandwidth = session.bandwidth();
    }
    return run;
}

} // namespace nestbed
