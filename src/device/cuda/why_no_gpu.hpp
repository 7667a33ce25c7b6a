// Tests whether there is a GPU, without creating a CUDA context.
#pragma once

#include <string>

namespace nestbed::inline on_cuda
{

// Returns why there is no usable GPU; empty if there is one.
std::string why_no_gpu();

} // namespace nestbed::inline on_cuda
