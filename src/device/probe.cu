#include "device/probe.hpp"

#include "base/statistics.hpp"
#include "device/nest.hpp"
#include "device/parts/flat_sum.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

__global__ void empty_kernel() {}

__global__ void probe_chain(NestBy<Mechanism::null_stream, false> nest)
{
    if (!nest.last_level())
        launch<probe_chain>(nest, {1, 1});
}

__global__ void watch_timer(unsigned long long* smallest)
{
    constexpr unsigned kSteps = 256;
    unsigned long long least = ~0ULL;
    unsigned long long before = timer_ns();
    for (unsigned step = 0; step < kSteps;) {
        const unsigned long long now = timer_ns();
        if (now == before)
            continue;
        least = now - before < least ? now - before : least;
        before = now;
        ++step;
    }
    *smallest = least;
}

unsigned smallest_timer_step_ns(Context& context)
{
    auto smallest = context.allocate<unsigned long long>(1);
    context.time(1, [&] { host_launch<watch_timer>(context, {1, 1}, smallest.data()); });
    unsigned long long step = 0;
    context.download(std::span(&step, 1), smallest);
    return static_cast<unsigned>(step);
}

double time_empty_kernel(Context& context, unsigned runs)
{
    std::vector<double> times;
    for (unsigned run = 0; run < runs + 1; ++run) {
        const Elapsed elapsed = context.time(1,
                                             [&] {
                                                 host_launch<empty_kernel>(context, {1, 1});
                                             },
                                             {.held = run > 0});
        if (run > 0) // the first launch loads the kernel
            times.push_back(elapsed.gpu_us.value_or(elapsed.wall_us));
    }
    return median(times);
}

#ifdef __CUDACC__

__global__ void __launch_bounds__(kFlatThreads, kFlatBound)
    read_all(const __grid_constant__ FlatJob<std::int32_t> job)
{
    finish_flat(sum_of_runs(job, true), blockIdx.x, job);
}

namespace
{
// One byte per nanosecond is 1 GB/s.
template <class Work>
double median_gb_s(Context& context, double bytes, Work&& work)
{
    constexpr unsigned kRuns = 11;
    std::vector<double> rates;
    for (unsigned run = 0; run < kRuns + 1; ++run) {
        const Elapsed elapsed = context.time(1, work, {.held = run > 0});
        if (run > 0) // the first launch loads the kernel
            rates.push_back(bytes / (*elapsed.gpu_us * 1000));
    }
    return median(rates);
}
} // namespace

// The read bandwidth is that of the fastest reduction in nestbed. The copy bandwidth is that of cudaMemcpyAsync().
MeasuredBandwidth measure_bandwidth(Context& context)
{
    constexpr std::uint64_t kEnough = std::uint64_t{8} << 30;
    const std::uint64_t bytes = std::min(kEnough, context.facts().free_memory_bytes / 4);
    const std::uint64_t elements = bytes / sizeof(std::int32_t);
    auto from = context.allocate<std::int32_t>(elements);
    constexpr unsigned char kByte = 0x5A;
    constexpr std::int64_t kElement = 0x5A5A5A5A;
    context.fill_bytes(from, kByte, elements);
    auto to = context.allocate<std::int32_t>(elements);
    auto total = context.allocate<std::int64_t>(1);
    const std::uint32_t grid = kFlatResident * context.facts().multiprocessors;
    const FlatScratch<std::int32_t> scratch(context, grid);
    const auto job = flat_job<std::int32_t>(from.data(), elements, kFlatLoads, grid, grid, total.data(), scratch);
    const auto size = static_cast<double>(elements * sizeof(std::int32_t));
    const double read_gb_s = median_gb_s(context, size, [&] {
        host_launch<read_all>(context, {grid, kFlatThreads}, job);
    });
    std::int64_t sum = 0;
    context.download(std::span(&sum, 1), total);
    if (sum != kElement * static_cast<std::int64_t>(elements))
        throw RunError("the device's memory was read wrong: " + std::to_string(elements) + " numbers of " +
                       std::to_string(kElement) + " add up to " + std::to_string(sum));
    return {.read_gb_s = read_gb_s, .copy_gb_s = median_gb_s(context, 2 * size, [&] {
                                        check(cudaMemcpyAsync(to.data(), from.data(), elements * sizeof(std::int32_t),
                                                              cudaMemcpyDeviceToDevice, context.stream(0)));
                                    })};
}

#else

MeasuredBandwidth measure_bandwidth(Context& /*context*/)
{
    return {};
}

#endif

LaunchCounts run_chain(Context& context, unsigned levels)
{
    auto ledger = context.allocate<Ledger>(1);
    context.fill_bytes(ledger, 0, 1);
    const NestBy<Mechanism::null_stream, false> nest{{.ledger = ledger.data(), .max_depth = levels}};
    context.time(1, [&] { host_launch<probe_chain>(context, {1, 1}, nest); });
    Ledger counted;
    context.download(std::span(&counted, 1), ledger);
    return counts_of(counted);
}

} // namespace nestbed::inline NESTBED_BACKEND
