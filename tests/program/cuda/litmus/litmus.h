// What the patterns of this folder share. Each block of the first grid is one instance of a pattern: one thread writes a word, another
// one reads it.
#pragma once

#include "../check.h"

constexpr unsigned kInstances = 4;
constexpr unsigned kThreads = 64;
constexpr unsigned kWordsOfInstance = 3;
constexpr unsigned kFresh = 1; // what a pattern writes; all words are 0 before

// The pattern, called by all threads of a block. What its reader read is in `seen`.
__device__ void instance(unsigned* data, unsigned* seen);

__global__ void parent(unsigned* data, unsigned* seen)
{
    instance(data + blockIdx.x * kWordsOfInstance, seen + blockIdx.x);
}

// Prints how many instances read what was written.
int main()
{
    unsigned* const data = zeros<unsigned>(kInstances * kWordsOfInstance);
    unsigned* const seen = memory<unsigned>(kInstances);
    CHECK(cudaMemset(seen, 0xFF, kInstances * sizeof(unsigned)));
#ifdef BEFORE_THE_FIRST_GRID
    BEFORE_THE_FIRST_GRID;
#endif
    parent<<<kInstances, kThreads>>>(data, seen);
    CHECK(cudaGetLastError());
    int fresh = 0;
    for (unsigned instance = 0; instance < kInstances; ++instance)
        fresh += value_of(seen + instance) == kFresh ? 1 : 0;
    return verdict(fresh, kInstances);
}
