// RMS norm, then a matrix-vector product, five times: ten programmatic launches, in a stream or as a captured graph.
#include "chain.h"

constexpr int kWidth = 64;
constexpr int kWarps = 4; // of a block of the product; each computes one row
constexpr float kEpsilon = 1e-5F;

template <Bug bug>
__global__ void rms_norm(const float* gains, const float* x, float* normed, unsigned delay_us)
{
    __shared__ float of_warps[kWidth / 32];
    const int i = static_cast<int>(threadIdx.x);
    const float gain = gains[i];               // of the host
    cudaTriggerProgrammaticLaunchCompletion(); // early, which is right: the product waits
    float value;
    if constexpr (bug == Bug::kEarlyRead)
        value = x[i]; // race in early_read; also race in missing_wait
    cudaGridDependencySynchronize();
    if constexpr (bug != Bug::kEarlyRead)
        value = x[i]; // race in missing_barrier; also race in missing_wait
    const float sum = sum_of_warp(value * value);
    if (i % 32 == 0)
        of_warps[i / 32] = sum;
    __syncthreads();
    float mean = 0;
    for (const float each : of_warps)
        mean += each / kWidth;
    sleep_us(delay_us);
    normed[i] = value * rsqrtf(mean + kEpsilon) * gain; // race in missing_wait, missing_barrier
}

template <Bug bug>
__global__ void product(const float* matrix, const float* normed, float* y, unsigned delay_us)
{
    const int lane = static_cast<int>(threadIdx.x % 32);
    const int row = static_cast<int>(blockIdx.x * kWarps + threadIdx.x / 32);
    float weights[kWidth / 32]; // of the host, so before the wait
    for (int part = 0; part < kWidth / 32; ++part)
        weights[part] = matrix[row * kWidth + part * 32 + lane];
    cudaTriggerProgrammaticLaunchCompletion();
    if constexpr (bug == Bug::kMissingBarrier) {
        if (threadIdx.x == 0)
            cudaGridDependencySynchronize();
    } else if constexpr (bug != Bug::kMissingWait) {
        cudaGridDependencySynchronize();
    }
    float sum = 0;
    for (int part = 0; part < kWidth / 32; ++part)
        sum += weights[part] * normed[part * 32 + lane]; // race in missing_wait, missing_barrier
    sum = sum_of_warp(sum);
    sleep_us(delay_us);
    if (lane == 0)
        y[row] = sum; // race in early_read, missing_barrier; also race in missing_wait
}

std::vector<float> on_the_host(const std::vector<float>& gains, const std::vector<float>& matrix,
                               std::vector<float> x)
{
    for (int step = 0; step < kSteps; ++step) {
        float mean = 0;
        for (const float each : x)
            mean += each * each / kWidth;
        std::vector<float> y(kWidth, 0);
        for (int row = 0; row < kWidth; ++row)
            for (int i = 0; i < kWidth; ++i)
                y[row] += matrix[row * kWidth + i] * x[i] / std::sqrt(mean + kEpsilon) * gains[i];
        x = y;
    }
    return x;
}

template <Bug bug>
bool is_right(bool captured, int seed)
{
    Numbers numbers(seed);
    const unsigned delay_us = 10U * static_cast<unsigned>(seed);
    const std::vector<float> gains = uneven(numbers, kWidth, 2);
    const std::vector<float> matrix = uneven(numbers, kWidth * kWidth, 1);
    const std::vector<float> x = uneven(numbers, kWidth, 3);
    float* const values[2] = {on_device(x), on_device(std::vector<float>(kWidth, 0))};
    float* const normed = on_device(std::vector<float>(kWidth, 0));
    const float* const device_gains = on_device(gains);
    const float* const device_matrix = on_device(matrix);
    run_steps(captured, [&](cudaStream_t stream, int step) {
        launch_early(1, kWidth, stream, rms_norm<bug>, device_gains, values[step % 2], normed, delay_us);
        launch_early(kWidth / kWarps, 32 * kWarps, stream, product<bug>, device_matrix, normed, values[1 - step % 2],
                     delay_us);
    });
    return is_close(on_host(values[kSteps % 2], kWidth), on_the_host(gains, matrix, x));
}

int main(int argc, char** argv)
{
    std::vector<Variant> all;
    for (const bool captured : {false, true})
        add_kernel<Bug::kNone, Bug::kEarlyRead, Bug::kMissingWait, Bug::kMissingBarrier>(
            all, captured ? "rms_norm_graph" : "rms_norm",
            [captured](auto bug, int seed) { return is_right<bug>(captured, seed); });
    return run_variant(argc, argv, all);
}
