// Which backends are built in, and which of them this machine can use.
#pragma once

#include "model/session.hpp"

#include <memory>
#include <string>

namespace nestbed
{

// Throws UsageError for bad options; with a reason, in words, when there is no usable device.
std::unique_ptr<Session> open_session(BackendKind backend, const SessionOptions& options);

// Why the backend cannot be used here, in words; empty if it can.
std::string why_not(BackendKind backend);

// The same of cuda.
std::string why_not_cuda();

// cuda where there is a usable GPU, else cpu.
BackendKind default_backend();

} // namespace nestbed
