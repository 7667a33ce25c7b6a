// Types of cuRAND, for headers that name them. A call of a function is an error.
#pragma once

#define CURAND_H_ // by which programs know that the header is there

#include "nestbed/libraries.hpp"

typedef struct curandGenerator_st* curandGenerator_t;
typedef enum {
    CURAND_STATUS_SUCCESS = 0,
    CURAND_STATUS_VERSION_MISMATCH = 100,
    CURAND_STATUS_NOT_INITIALIZED = 101,
    CURAND_STATUS_ALLOCATION_FAILED = 102,
    CURAND_STATUS_TYPE_ERROR = 103,
    CURAND_STATUS_OUT_OF_RANGE = 104,
    CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
    CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
    CURAND_STATUS_LAUNCH_FAILURE = 201,
    CURAND_STATUS_PREEXISTING_FAILURE = 202,
    CURAND_STATUS_INITIALIZATION_FAILED = 203,
    CURAND_STATUS_ARCH_MISMATCH = 204,
    CURAND_STATUS_INTERNAL_ERROR = 999,
} curandStatus_t;
typedef curandStatus_t curandStatus;
typedef enum {
    CURAND_RNG_TEST = 0,
    CURAND_RNG_PSEUDO_DEFAULT = 100,
    CURAND_RNG_PSEUDO_XORWOW = 101,
    CURAND_RNG_PSEUDO_MRG32K3A = 121,
    CURAND_RNG_PSEUDO_MTGP32 = 141,
    CURAND_RNG_PSEUDO_MT19937 = 142,
    CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
    CURAND_RNG_QUASI_DEFAULT = 200,
    CURAND_RNG_QUASI_SOBOL32 = 201,
} curandRngType_t;
typedef curandRngType_t curandRngType;

extern "C" {
NESTBED_UNSUPPORTED_LIBRARY("cuRAND")
curandStatus_t curandCreateGenerator(...), curandCreateGeneratorHost(...), curandDestroyGenerator(...),
    curandSetStream(...), curandSetPseudoRandomGeneratorSeed(...), curandSetGeneratorOffset(...),
    curandSetGeneratorOrdering(...), curandGenerate(...), curandGenerateUniform(...),
    curandGenerateUniformDouble(...), curandGenerateNormal(...), curandGenerateNormalDouble(...),
    curandGenerateLogNormal(...), curandGeneratePoisson(...);
}
