// Attention of one query over keys in parts, then the parts combined into the next query, five times: ten programmatic launches, in a
// stream or as a captured graph.
#include "chain.h"

constexpr int kWidth = 32; // of a query, a key and a value
constexpr int kParts = 4;
constexpr int kKeys = 16; // of a part

// What a part leaves: the largest score, the sum of the weights relative to it, and the weighted sum of the values.
struct Part {
    float largest;
    float weight;
    float values[kWidth];
};

template <Bug bug>
__global__ void attend(const float* keys, const float* values, const float* query, Part* parts, unsigned delay_us)
{
    const int lane = static_cast<int>(threadIdx.x);
    const int first = static_cast<int>(blockIdx.x) * kKeys;
    Part& part = parts[blockIdx.x];
    if constexpr (bug == Bug::kEarlyWrite)
        part.values[lane] = 0; // race in early_write
    cudaTriggerProgrammaticLaunchCompletion();
    if constexpr (bug != Bug::kMissingWait)
        cudaGridDependencySynchronize();
    const float mine = query[lane]; // race in missing_wait
    float largest = -INFINITY;
    float weight = 0;
    float sum = 0;
    for (int key = first; key < first + kKeys; ++key) {
        const float score = sum_of_warp(mine * keys[key * kWidth + lane]);
        const float next = fmaxf(largest, score);
        const float scale = expf(largest - next);
        const float own = expf(score - next);
        weight = weight * scale + own;
        sum = sum * scale + own * values[key * kWidth + lane];
        largest = next;
    }
    sleep_us(delay_us);
    part.values[lane] = sum; // race in early_read; also race in missing_wait, early_write
    if (lane == 0) {
        part.largest = largest; // race in early_read; also race in missing_wait
        part.weight = weight;   // also race in missing_wait, early_read
    }
}

template <Bug bug>
__global__ void combine(const Part* parts, float* query, unsigned delay_us)
{
    const int lane = static_cast<int>(threadIdx.x);
    cudaTriggerProgrammaticLaunchCompletion();
    if constexpr (bug != Bug::kEarlyRead)
        cudaGridDependencySynchronize();
    float largest = -INFINITY;
    for (int part = 0; part < kParts; ++part)
        largest = fmaxf(largest, parts[part].largest); // also race in early_read, missing_wait, early_write
    float weight = 0;
    float sum = 0;
    for (int part = 0; part < kParts; ++part) {
        const float scale = expf(parts[part].largest - largest); // also race in early_read, missing_wait, early_write
        weight += scale * parts[part].weight;                    // also race in early_read, missing_wait, early_write
        sum += scale * parts[part].values[lane]; // race in early_read, early_write; also race in missing_wait
    }
    if constexpr (bug == Bug::kEarlyRead)
        cudaGridDependencySynchronize();
    sleep_us(delay_us);
    query[lane] = sum / weight; // race in missing_wait
}

std::vector<float> on_the_host(const std::vector<float>& keys, const std::vector<float>& values,
                               std::vector<float> query)
{
    for (int step = 0; step < kSteps; ++step) {
        double weight = 0;
        std::vector<double> sum(kWidth, 0);
        for (int key = 0; key < kParts * kKeys; ++key) {
            double score = 0;
            for (int i = 0; i < kWidth; ++i)
                score += query[i] * keys[key * kWidth + i];
            weight += std::exp(score);
            for (int i = 0; i < kWidth; ++i)
                sum[i] += std::exp(score) * values[key * kWidth + i];
        }
        for (int i = 0; i < kWidth; ++i)
            query[i] = static_cast<float>(sum[i] / weight);
    }
    return query;
}

template <Bug bug>
bool is_right(bool captured, int seed)
{
    Numbers numbers(seed);
    const unsigned delay_us = 10U * static_cast<unsigned>(seed);
    const std::vector<float> keys = uneven(numbers, kParts * kKeys * kWidth, 1);
    const std::vector<float> values = uneven(numbers, kParts * kKeys * kWidth, 2);
    const std::vector<float> query = uneven(numbers, kWidth, 2);
    const float* const device_keys = on_device(keys);
    const float* const device_values = on_device(values);
    float* const device_query = on_device(query);
    Part* const parts = on_device(std::vector<Part>(kParts, Part{}));
    run_steps(captured, [&](cudaStream_t stream, int) {
        launch_early(kParts, kWidth, stream, attend<bug>, device_keys, device_values, device_query, parts, delay_us);
        launch_early(1, kWidth, stream, combine<bug>, parts, device_query, delay_us);
    });
    return is_close(on_host(device_query, kWidth), on_the_host(keys, values, query));
}

int main(int argc, char** argv)
{
    std::vector<Variant> all;
    for (const bool captured : {false, true})
        add_kernel<Bug::kNone, Bug::kMissingWait, Bug::kEarlyRead, Bug::kEarlyWrite>(
            all, captured ? "attention_graph" : "attention",
            [captured](auto bug, int seed) { return is_right<bug>(captured, seed); });
    return run_variant(argc, argv, all);
}
