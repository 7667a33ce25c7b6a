// The sessions of the two backends, for whoever opens one.
#pragma once

#include "model/session.hpp"

#include <memory>

namespace nestbed
{

inline namespace on_cpu
{
std::unique_ptr<Session> open_backend(const SessionOptions& options);
}

#ifdef NESTBED_HAS_CUDA
inline namespace on_cuda
{
std::unique_ptr<Session> open_backend(const SessionOptions& options);
} // namespace on_cuda
#endif

} // namespace nestbed
