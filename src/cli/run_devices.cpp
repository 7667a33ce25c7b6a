#include "cli/run_devices.hpp"

#include "cli/run_options.hpp"
#include "device/backends.hpp"
#include "predict/case_time.hpp"
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

} // namespace nestbed
