// The words of the patterns in this folder, and their host part. Each block of the first grid is one instance of a pattern: one thread
// writes a word, another one reads it.
#pragma once

#include "../check.h"

constexpr unsigned kInstances = 4;
constexpr unsigned kThreads = 64;
constexpr unsigned kWordsOfInstance = 3;
constexpr unsigned kFresh = 1; // what a pattern writes; all words are 0 before

// In device memory: kWordsOfInstance words of each instance, and what its reader read.
struct Words {
    unsigned* data = nullptr;
    unsigned* seen = nullptr;
};

inline Words make_words()
{
    unsigned *data, *seen;
    CHECK(cudaMalloc(&data, kInstances * kWordsOfInstance * sizeof(unsigned)));
    CHECK(cudaMalloc(&seen, kInstances * sizeof(unsigned)));
    CHECK(cudaMemset(data, 0, kInstances * kWordsOfInstance * sizeof(unsigned)));
    CHECK(cudaMemset(seen, 0xFF, kInstances * sizeof(unsigned)));
    return {data, seen};
}

// How many instances read what was written.
inline int judge(Words words)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    int fresh = 0;
    for (unsigned instance = 0; instance < kInstances; ++instance)
        fresh += value_of(words.seen + instance) == kFresh ? 1 : 0;
    return verdict(fresh, kInstances);
}
