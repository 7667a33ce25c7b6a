#include "probe.hpp"

#include "../core/statistics.hpp"
#include "nest.hpp"

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

__global__ void null_kernel() {}

__global__ void probe_chain(Nest nest)
{
    if (!nest.last_level())
        nest.launch<probe_chain>({1, 1});
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
    context.time(1, [&] { host_launch<watch_timer>(context, 0, {1, 1}, smallest.data()); });
    unsigned long long step = 0;
    context.download(std::span(&step, 1), smallest);
    return static_cast<unsigned>(step);
}

double time_null_kernel(Context& context, unsigned runs)
{
    std::vector<double> times;
    for (unsigned run = 0; run < runs + 1; ++run) {
        const Elapsed elapsed = context.time(1, [&] { host_launch<null_kernel>(context, 0, {1, 1}); });
        if (run > 0) // the first one loads the kernel
            times.push_back(elapsed.gpu_us.value_or(elapsed.wall_us));
    }
    return median(times);
}

LaunchCounts run_chain(Context& context, unsigned levels)
{
    auto ledger = context.allocate<Ledger>(1);
    context.fill_bytes(ledger, 0, 1);
    const Nest nest{.ledger = ledger.data(), .max_depth = levels};
    context.time(1, [&] { host_launch<probe_chain>(context, 0, {1, 1}, nest); });
    Ledger counted;
    context.download(std::span(&counted, 1), ledger);
    return counts_of(counted);
}

} // namespace NESTBED_BACKEND
} // namespace nestbed
