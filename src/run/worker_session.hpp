// A session in a process of its own: what hangs or crashes there does not take the run with it.
#pragma once

#include "base/stop_request.hpp"
#include "model/session.hpp"
#include "run/patience.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nestbed
{

inline constexpr const char* kWorkerCommand = "worker";

struct WorkerOptions {
    std::chrono::milliseconds timeout{}; // of a sample without a sign of life
    unsigned retries = 0;                // of what is asked while no sample is taken, where the worker is lost in it
    std::function<void(const std::string&)> note{}; // told of each retry, in words; may be empty
    const StopRequest* stop = nullptr;              // null: nobody asks
    // Started with kWorkerCommand and the number of this process. It speaks as `nestbed worker` does (messages.hpp).
    std::vector<std::string> program{"/proc/self/exe"};
};

// Starts a worker and opens the backend's session there. Its samples are never device faults: a worker that gives no sign of life in time,
// ends, or loses its device is killed, and the sample is a `timeout` or `crashed` one with the reason and device_lost; renew() starts
// another one. A case whose memory cannot be had is `crashed` too. A worker that is lost as it opens the device, measures or probes it is
// replaced, and asked again, `retries` times. All members but the samples throw RunError where that does not help, and renew() when no
// worker can be had any more or the new one's device is another; all members throw Interrupted when a stop was asked for and what is in hand does not end soon after (kStopGrace).
// Throws UsageError and RunError as open_session() does.
std::unique_ptr<Session> open_worker_session(BackendKind backend, const SessionOptions& options,
                                             WorkerOptions worker);

} // namespace nestbed
