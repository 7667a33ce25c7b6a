// The sessions of the two backends, for whoever opens one.
#pragma once

#include "../core/session.hpp"

#include <memory>
#include <string>

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
// Why there is no usable GPU, in words; empty if there is one.
std::string why_no_gpu();
} // namespace on_cuda
#endif

} // namespace nestbed
