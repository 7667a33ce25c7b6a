#include "device/cpu/context.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sys/sysinfo.h>

namespace nestbed::inline on_cpu
{

namespace
{

std::string processor_name()
{
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);)
        if (line.starts_with("model name"))
            return line.substr(line.find(':') + 2);
    return "unknown processor";
}

std::uint64_t available_memory_bytes()
{
    std::ifstream meminfo("/proc/meminfo");
    std::string key;
    std::string unit;
    for (std::uint64_t kib = 0; meminfo >> key >> kib; std::getline(meminfo, unit))
        if (key == "MemAvailable:")
            return kib * 1024;
    return 0;
}

} // namespace

Races Context::watch(const std::function<void()>& work)
{
    if (cpu::observer == nullptr)
        throw RunError(
            "this program does not record the memory accesses of kernels; nestbed_races does; to build it: "
            "experiments/build.sh '' nestbed");
    if (executor_.workers() != 1)
        throw UsageError(
            fmt::format("--workers {}: the race detector uses only one worker; allowed: 1", executor_.workers()));
    return cpu::observer->watch(work);
}

Context::Context(const SessionOptions& options)
    : executor_(parse_schedule(options.schedule), options.workers != 0 ? options.workers : cpu::default_workers()),
      alive_(options.alive)
{
    struct sysinfo info {
    };
    sysinfo(&info);
    facts_.name = processor_name();
    facts_.multiprocessors = executor_.workers();
    facts_.max_threads_per_block = cpu::kMaxThreadsPerBlock;
    facts_.default_pending_limit = executor_.pending_limit();
    facts_.raising_limit_is_free = true;
    facts_.memory_bytes = std::uint64_t{info.totalram} * info.mem_unit;
    facts_.free_memory_bytes = available_memory_bytes();
}

} // namespace nestbed::inline on_cpu
