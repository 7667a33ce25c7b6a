#include "predict/case_time.hpp"

#include "model/strategy.hpp"
#include "predict/roofline_file.hpp"

#include <algorithm>
#include <cstdint>

namespace nestbed
{

namespace
{

// What a unit takes, in us: rough, and the same for all workloads. An item is a key, a point, an edge or a thread.
constexpr double kKernelCall = 15;      // a kernel that the host launches and waits for
constexpr double kItemOnGpu = 2e-5;     // on an H200 that is full
constexpr double kItemOnExecutor = 0.3; // with the barriers that its thread waits at; a Xeon at 2.6 GHz
constexpr double kGridOnExecutor = 1.5; // without its threads
constexpr double kItemOnHost = 3e-3;    // to generate it, or to process it in a reference
constexpr double kByteOnHost = 1e-4;    // read by one core

// An estimate is at most so long. A search of a deep tree would not end.
constexpr double kMaxUs = 1e12;

// The GPU for which the estimates hold.
const DeviceFacts& gpu()
{
    return default_roofline().facts;
}

// The GPU time by the launch model; and what the model leaves out: the time of the host, which submits launches.
double gpu_us(Demand demand)
{
    demand.mechanism = info_of(demand.mechanism).nearest;
    double us = predict(default_roofline(), demand).us;
    if (demand.mechanism == Mechanism::host)
        us = std::max(us, demand.host_launches * parameter_of(default_roofline(), "rate", Mechanism::host));
    if (demand.mechanism == Mechanism::tail && demand.form.per_root_block() && !demand.form.one_by_one)
        us += static_cast<double>(demand.form.total()) / demand.plan.streams *
              parameter_of(default_roofline(), "lane", Mechanism::tail); // one after another
    return us + 2.0 * demand.point.delay_us * demand.form.levels();
}

// Of so many launches that the input decides: levels of a device graph, or launches from one grid.
double data_dependent_us(const StrategyInfo& info, const Case& point, double launches)
{
    constexpr double kMaxLevels = 1e6;
    if (launches < 1)
        return 0;
    Demand demand{.mechanism = mechanism_of(info, point), .point = point};
    demand.point.delay_us = 0;
    if (demand.mechanism == Mechanism::graph_tail) {
        demand.form = ExpectedLaunches::chain_per_grid(static_cast<unsigned>(std::min(launches, kMaxLevels)));
    } else {
        const auto roots = static_cast<std::uint32_t>(std::min<double>(launches, INT32_MAX));
        demand.form = ExpectedLaunches::chain_per_block(roots, 1);
        demand.plan = {.roots = roots, .pending_limit = gpu().default_pending_limit, .wave = roots};
    }
    return gpu_us(demand);
}

// To restore the input and to verify the answer, on the device.
double untimed_on_gpu(double bytes)
{
    constexpr double kBytesPerUsInGb = 1e3;
    return 2 * bytes / (parameter_of(default_roofline(), kCopyBandwidth) * kBytesPerUsInGb);
}

double irregular_sample_us(const StrategyInfo& info, const Case& point)
{
    const bool by_device = from_device(mechanism_of(info, point));
    const Work work = info.workload->work == nullptr ? Work{} : info.workload->work(info, point);
    const double launches = !by_device || (point.depth && *point.depth == 0) ? 0 : work.launches;
    if (point.backend == BackendKind::cpu)
        return kSampleOverheadUs + work.items * kItemOnExecutor + work.rounds * kGridOnExecutor +
               launches * (kGridOnExecutor + point.block * kItemOnExecutor);
    constexpr double kRuns = 2;                                          // held, and not held
    const double rounds = by_device && !info.requests ? 1 : work.rounds; // others wait for the host between rounds
    return kSampleOverheadUs + untimed_on_gpu(static_cast<double>(bytes_moved(info, point))) +
           kRuns * (rounds * kKernelCall + work.items * kItemOnGpu + data_dependent_us(info, point, launches));
}

// Of a sample. What a busy host adds is known only where it waits.
double runs_of(const Case& point)
{
    return std::max(1.0, static_cast<double>(point.runs));
}

double sample_on_gpu(const Strategy& strategy, const Case& point)
{
    const StrategyInfo& info = strategy.info();
    const Demand demand = demand_of(strategy, point, gpu());
    const double runs = info.keeps_timestamps() && point.runs <= 1 ? 2 : 1; // a second, untimed run records them
    // To add a node to a graph takes about as long as a call.
    const double calls = 1 + (demand.mechanism == Mechanism::host_graph ? demand.host_launches : 0);
    return kSampleOverheadUs + calls * kKernelCall + runs * runs_of(point) * gpu_us(demand) +
           (runs_of(point) - 1) * kKernelCall + untimed_on_gpu(demand.bytes) +
           (info.on_host ? demand.bytes * kByteOnHost : 0);
}

double sample_on_executor(const StrategyInfo& info, const Case& point, const ExpectedLaunches& form)
{
    const double threads = info.on_host ? 0 : static_cast<double>(point.grid) * point.block;
    return kSampleOverheadUs +
           runs_of(point) * (threads * kItemOnExecutor + static_cast<double>(form.total()) * kGridOnExecutor) +
           static_cast<double>(bytes_moved(info, point)) * kByteOnHost;
}

} // namespace

double sample_us(const Case& point)
{
    const Strategy& strategy = *Registry::find_anywhere(point.strategy);
    const StrategyInfo& info = strategy.info();
    if (!is_run(point))
        return kSampleOverheadUs;
    if (info.irregular())
        return std::min(kMaxUs, irregular_sample_us(info, point));
    return point.backend == BackendKind::cuda ? sample_on_gpu(strategy, point)
                                              : sample_on_executor(info, point, strategy.launches(point));
}

double input_us(const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    if (info.workload->work != nullptr)
        return std::min(kMaxUs, info.workload->work(info, point).input_items * kItemOnHost);
    return info.drawn() ? static_cast<double>(point.elements) * kItemOnHost : 0;
}

} // namespace nestbed
