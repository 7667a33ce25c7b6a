// Functions that open a session on each of the two backends.
#pragma once

#include "model/session.hpp"

#include <memory>

namespace nestbed::inline on_cpu
{
std::unique_ptr<LocalSession> open_backend(const SessionOptions& options);
}

#ifdef NESTBED_HAS_CUDA
namespace nestbed::inline on_cuda
{
std::unique_ptr<LocalSession> open_backend(const SessionOptions& options);
}
#endif
