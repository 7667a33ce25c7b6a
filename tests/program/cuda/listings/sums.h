// The host part of the three reductions: an array of blocks * threads numbers, one sum of each block.
#pragma once

#include "../check.h"

struct Input {
    int blocks, threads;
    long long sum = 0;      // of all numbers
    int* numbers = nullptr; // in device memory, as `sums`
    int* sums = nullptr;
};

inline Input make_input(int argc, char** argv)
{
    Input input{argc > 1 ? std::atoi(argv[1]) : 4, argc > 2 ? std::atoi(argv[2]) : 64};
    const int count = input.blocks * input.threads;
    int* const host = static_cast<int*>(std::malloc(count * sizeof(int)));
    for (int i = 0; i < count; ++i) {
        host[i] = (37 * i + 11) % 256;
        input.sum += host[i];
    }
    int *numbers, *sums;
    CHECK(cudaMalloc(&numbers, count * sizeof(int)));
    CHECK(cudaMalloc(&sums, input.blocks * sizeof(int)));
    CHECK(cudaMemcpy(numbers, host, count * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(sums, 0, input.blocks * sizeof(int)));
    std::free(host);
    input.numbers = numbers;
    input.sums = sums;
    return input;
}

inline int judge(const Input& input)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    long long sum = 0;
    for (int block = 0; block < input.blocks; ++block)
        sum += value_of(input.sums + block);
    const int code = verdict(sum, input.sum);
    CHECK(cudaFree(input.numbers));
    CHECK(cudaFree(input.sums));
    CHECK(cudaDeviceReset());
    return code;
}
