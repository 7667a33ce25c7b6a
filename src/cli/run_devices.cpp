#include "cli/run_devices.hpp"

#include "cli/run_options.hpp"
#include "device/backends.hpp"
#include "model/modules.hpp"
#include "predict/case_time.hpp"
#include "run/runner.hpp"
#include "run/worker_session.hpp"

#include <utility>

namespace nestbed
{

OpenSession opener(const Given& given, const Settings& settings, const StopRequest& stop,
                   const std::function<void(const std::string&)>& note)
{
    if (given.contains("in-process"))
        return open_session;
    return [&settings, &stop, note](BackendKind backend, const SessionOptions& options) {
        WorkerOptions worker{
            .timeout = timeout_of(settings, backend), .retries = retries_of(settings), .note = note, .stop = &stop};
        if (!settings.one("timeout"))
            worker.estimate_us = [](const Case& point) { return input_us(point) + sample_us(point); };
        return open_worker_session(backend, options, std::move(worker));
    };
}

void load_traced(const Plan& plan)
{
    for (const Group& group : plan.groups)
        for (const Case& point : group.cases)
            if (modules_in_use() != nullptr && point.backend == BackendKind::cuda && takes_latencies(plan, point))
                modules_in_use()->load_traced(point.strategy);
}

} // namespace nestbed
