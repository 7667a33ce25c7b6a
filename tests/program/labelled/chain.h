// What the chains of programmatic launches share: a run of ten kernels in a stream or as a captured graph, numbers, and the comparison with
// the host's answer. The number of the input is also a delay of what the kernels write, in steps of 10 us.
#pragma once

#include "../cuda/programmatic.h"
#include "labelled.h"

#include <cmath>

constexpr int kSteps = 5; // of two kernels each
constexpr unsigned kWarp = 0xffffffff;

// Numbers of which most are small and a few are not.
inline std::vector<float> uneven(Numbers& numbers, int count, float scale)
{
    std::vector<float> values(count);
    for (float& value : values) {
        const float even = static_cast<float>(numbers(2001) - 1000) / 1000;
        value = scale * even * even * even;
    }
    return values;
}

// `launch(stream, step)` launches the two kernels of a step.
template <class Launch>
void run_steps(bool captured, Launch launch)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    if (captured)
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int step = 0; step < kSteps; ++step)
        launch(stream, step);
    if (captured) {
        cudaGraph_t graph;
        cudaGraphExec_t executable;
        CHECK(cudaStreamEndCapture(stream, &graph));
        CHECK(cudaGraphInstantiate(&executable, graph, 0));
        CHECK(cudaGraphLaunch(executable, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaGraphExecDestroy(executable));
        CHECK(cudaGraphDestroy(graph));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}

inline bool is_close(const std::vector<float>& values, const std::vector<float>& expected)
{
    for (std::size_t i = 0; i < values.size(); ++i)
        if (!(std::fabs(values[i] - expected[i]) <= 1e-4F * (1 + std::fabs(expected[i]))))
            return false;
    return values.size() == expected.size();
}

// The sum of a value over the threads of a warp, for all of them.
__device__ inline float sum_of_warp(float value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(kWarp, value, offset);
    return value;
}
