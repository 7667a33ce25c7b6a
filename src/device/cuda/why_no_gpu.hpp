// Whether there is a GPU, without a context on it.
#pragma once

#include <string>

namespace nestbed::inline on_cuda
{

// Why there is no usable GPU, in words; empty if there is one.
std::string why_no_gpu();

} // namespace nestbed::inline on_cuda
