// Which backends this build has, and which of them work on this machine.
#pragma once

#include "model/session.hpp"

#include <memory>
#include <string>

namespace nestbed
{

// Throws UsageError for bad options, and RunError with the reason if there is no usable device.
std::unique_ptr<LocalSession> open_session(BackendKind backend, const SessionOptions& options);

// Returns why the backend cannot be used on this machine; empty if it can.
std::string why_not(BackendKind backend);

// The same for cuda.
std::string why_not_cuda();

// cuda if there is a usable GPU, else cpu.
BackendKind default_backend();

} // namespace nestbed
