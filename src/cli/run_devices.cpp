#include "cli/run_devices.hpp"

#include "cli/run_options.hpp"
#include "device/backends.hpp"
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

} // namespace nestbed
