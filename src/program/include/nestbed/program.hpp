// What nvcc gives a CUDA file without an include, for a program that runs on nestbed's executor: the language and the
// CUDA runtime. C++17 and later. cuda_runtime.h includes it; it is also the precompiled header of such programs.
#pragma once

#include "program/atomics.hpp"
#include "program/builtins.hpp"
#include "program/errors.hpp"
#include "program/graph_api.hpp"
#include "program/integers.hpp"
#include "program/intrinsics.hpp"
#include "program/kernel_heap.hpp"
#include "program/launch.hpp"
#include "program/memory_api.hpp"
#include "program/print.hpp"
#include "program/ptx_bulk.hpp"
#include "program/runtime_api.hpp"
#include "program/textures.hpp"
#include "program/types.hpp"
#include "program/warps.hpp"
#ifndef NESTBED_OF_LIBRARY
#include "program/ptx_matrices.hpp"
#endif
