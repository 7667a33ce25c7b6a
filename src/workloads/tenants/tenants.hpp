// What a strategy of the workload `tenants` includes: the job, and the clock by which tenants arrive.
#pragma once

#include "device/workload_backend.hpp"
#include "workloads/tenants/descriptor.hpp"
#include "workloads/tenants/tenant_levels.hpp"

#include <array>
#include <ctime>
#include <utility>
#include <vector>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/launch_waves.hpp"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

// When tenants arrive, on the host's steady clock and on the kernels' timer. Both times begin with start().
class ArrivalClock
{
  public:
    // `offset_ns`: what the kernels' timer is ahead of the host's clock.
    ArrivalClock(std::vector<std::uint64_t> arrivals_ns, unsigned long long offset_ns)
        : arrivals_ns_(std::move(arrivals_ns)), offset_ns_(offset_ns)
    {
    }

    const std::vector<std::uint64_t>& arrivals_ns() const { return arrivals_ns_; }
    static unsigned long long host_ns()
    {
        constexpr unsigned long long kNsPerSecond = 1'000'000'000;
        std::timespec now{};
        clock_gettime(CLOCK_MONOTONIC, &now);
        return static_cast<unsigned long long>(now.tv_sec) * kNsPerSecond +
               static_cast<unsigned long long>(now.tv_nsec);
    }

    // The sample begins: what is timed calls it first. Returns the begin on the kernels' timer.
    unsigned long long start()
    {
        begin_ns_ = host_ns();
        return begin_ns_ + offset_ns_;
    }
    bool has_arrived(std::size_t tenant) const
    {
        return arrivals_ns_[tenant] == 0 || host_ns() - begin_ns_ >= arrivals_ns_[tenant];
    }
    // Waits for a tenant, and so for those before it.
    void wait_for(std::size_t tenant) const
    {
        while (!has_arrived(tenant)) {
        }
    }
    // From its arrival on.
    double latency_us(std::size_t tenant, unsigned long long ended_ns) const
    {
        const auto ns = static_cast<long long>(ended_ns - (begin_ns_ + offset_ns_ + arrivals_ns_[tenant]));
        return static_cast<double>(ns) * 1e-3;
    }

  private:
    std::vector<std::uint64_t> arrivals_ns_;
    unsigned long long offset_ns_;
    unsigned long long begin_ns_ = 0;
};

struct TenantsJob : PreparedRun {
    TenantsTask task;
    const TenantsReference& reference;     // forms may know the tenants, and the sizes of memory
    const unsigned long long* arrivals_ns; // on the device, from the begin
    ArrivalClock& clock;
};

// For kernels that wait for tenants themselves: how many of them arrived until now. By one thread.
struct ArrivalTimes {
    const unsigned long long* arrivals_ns;
    unsigned long long begin_ns; // on the kernels' timer
    unsigned count;

    __device__ bool has_arrived(unsigned tenant) const
    {
        return arrivals_ns[tenant] == 0 || timer_ns() >= begin_ns + arrivals_ns[tenant];
    }
    // Given that those before `first` have.
    __device__ unsigned arrived(unsigned first) const
    {
        while (first < count && has_arrived(first))
            ++first;
        return first;
    }
};

// At the begin of what is timed.
inline ArrivalTimes start_arrivals(const TenantsJob& job)
{
    return {job.arrivals_ns, job.clock.start(), job.task.count};
}

// Blocks of a level of all tenants together, as far as it is known when they arrive; at least one.
inline std::uint32_t blocks_of_tenants(const TenantsJob& job)
{
    std::uint32_t blocks = 0;
    for (const Tenant& tenant : job.reference.tenants)
        blocks += (tenant.width - 1) / job.point.block + 1;
    return blocks;
}

// Device memory of zeros.
inline Buffer<unsigned> zeroed(const TenantsJob& job, std::size_t count, std::string_view name)
{
    Buffer<unsigned> buffer = job.context.allocate<unsigned>(count, name);
    job.context.fill_bytes(buffer, 0, count);
    return buffer;
}

struct TenantsTraits {
    using Job = TenantsJob;
    using Facts = NoFacts;
    static constexpr std::array kWorkloads{&workloads::tenants};
};

} // namespace nestbed::inline NESTBED_BACKEND
