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
