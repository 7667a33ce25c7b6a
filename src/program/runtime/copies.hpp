// Copies and sets that nodes of graphs make.
#pragma once

#include "program/include/nestbed/program/graph_api.hpp"

namespace nestbed::program
{

cudaError_t put_copy(const char* function, const cudaMemcpy3DParms& of, cudaStream_t stream, const void* place);
cudaError_t put_fill(const char* function, const cudaMemsetParams& of, cudaStream_t stream, const void* place);

} // namespace nestbed::program
