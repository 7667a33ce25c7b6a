// The errors of the CUDA runtime, by their names and numbers.
#pragma once

// NOLINTBEGIN: these names are CUDA's.
enum cudaError {
    cudaSuccess = 0,
#define NESTBED_ERROR(name, number, text) cudaError##name = number,
#include "error_table.hpp"
#undef NESTBED_ERROR
    cudaErrorApiFailureBase = 10000, // of older toolkits
};
typedef enum cudaError cudaError_t;
// NOLINTEND
