// A session in a separate process: if it hangs or crashes, the run continues.
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
    std::chrono::milliseconds timeout{}; // for a sample without a sign of life
    // The estimated time of a first sample; not empty: samples may take longer than `timeout` (SampleTimeouts).
    std::function<double(const Case&)> estimate_us{};
    unsigned retries = 0;                           // retries of requests outside a sample after the worker is lost
    std::function<void(const std::string&)> note{}; // receives a text for each retry; may be empty
    const StopRequest* stop = nullptr;              // null: there are no requests to stop
    // Started with kWorkerCommand and the number of this process. It uses the same messages as `nestbed worker`
    // (messages.hpp).
    std::vector<std::string> program{"/proc/self/exe"};
};

// Starts a worker and opens the backend's session there. Device faults become samples: a worker that gives no sign of
// life in time, ends, or loses its device is killed, and the sample has the status `timeout` or `crashed`, the
// reason, and device_lost; renew() then starts another worker. A case that cannot get its memory is `crashed` too. If
// a worker is lost while it opens, measures or probes the device, it is replaced and asked again, up to `retries`
// times. After these retries all members except those that take samples throw RunError. renew() throws RunError if no
// new worker can be started, or if its device is a different one. All members throw Interrupted if a stop was
// requested and the current work does not end soon after (kStopGrace). Throws UsageError and RunError as
// open_session() does.
std::unique_ptr<Session> open_worker_session(BackendKind backend, const SessionOptions& options,
                                             WorkerOptions worker);

} // namespace nestbed
