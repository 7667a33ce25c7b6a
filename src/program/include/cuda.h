// The driver API: its version and types, and maps of tensors. The rewriter rejects calls of its other functions.
#pragma once

#include "nestbed/program.hpp"
#include "nestbed/program/tensor_maps.hpp"

// NOLINTBEGIN: these names are CUDA's.
#define CUDA_VERSION 13000
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;

// The numbers are those of the runtime API.
inline CUresult cuGetErrorName(CUresult error, const char** name)
{
    *name = cudaGetErrorName((cudaError_t)error);
    return CUDA_SUCCESS;
}
inline CUresult cuGetErrorString(CUresult error, const char** text)
{
    *text = cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}

// A call of one of these does not compile.
#define NESTBED_NO_DRIVER(name)                                                                                      \
    template <class... Arguments>                                                                                    \
    CUresult name(Arguments...)                                                                                      \
    {                                                                                                                \
        static_assert(sizeof...(Arguments) > 1000,                                                                   \
                      #name "(): nestbed's executor does not support the driver API; use the runtime API");          \
        return CUDA_ERROR_UNKNOWN;                                                                                   \
    }
NESTBED_NO_DRIVER(cuInit)
NESTBED_NO_DRIVER(cuDeviceGet)
NESTBED_NO_DRIVER(cuDeviceGetCount)
NESTBED_NO_DRIVER(cuDeviceGetName)
NESTBED_NO_DRIVER(cuDeviceGetAttribute)
NESTBED_NO_DRIVER(cuDeviceComputeCapability)
NESTBED_NO_DRIVER(cuDeviceTotalMem)
NESTBED_NO_DRIVER(cuDriverGetVersion)
NESTBED_NO_DRIVER(cuCtxCreate)
NESTBED_NO_DRIVER(cuCtxDestroy)
NESTBED_NO_DRIVER(cuCtxSynchronize)
NESTBED_NO_DRIVER(cuCtxSetCurrent)
NESTBED_NO_DRIVER(cuDevicePrimaryCtxRetain)
NESTBED_NO_DRIVER(cuModuleLoad)
NESTBED_NO_DRIVER(cuModuleLoadData)
NESTBED_NO_DRIVER(cuModuleLoadDataEx)
NESTBED_NO_DRIVER(cuModuleGetFunction)
NESTBED_NO_DRIVER(cuModuleUnload)
NESTBED_NO_DRIVER(cuLaunchKernel)
NESTBED_NO_DRIVER(cuMemAlloc)
NESTBED_NO_DRIVER(cuMemFree)
NESTBED_NO_DRIVER(cuMemcpyHtoD)
NESTBED_NO_DRIVER(cuMemcpyDtoH)
NESTBED_NO_DRIVER(cuMemsetD8)
NESTBED_NO_DRIVER(cuMemsetD32)
NESTBED_NO_DRIVER(cuPointerGetAttribute)
#undef NESTBED_NO_DRIVER
// NOLINTEND
