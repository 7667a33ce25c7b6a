// Work of the host that is not timed, over its cores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace nestbed
{

// Calls work(first, end) for ranges that together are 0 to count, on all cores, and returns when all are done. Small
// counts stay on the calling thread. `work` must not throw.
template <class Work>
void for_ranges(std::size_t count, Work&& work)
{
    constexpr std::size_t kWorthAThread = 1U << 14;
    const std::size_t threads =
        std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), count / kWorthAThread + 1);
    std::vector<std::jthread> helpers;
    for (std::size_t thread = 1; thread < threads; ++thread)
        helpers.emplace_back(
            [&work, first = count * thread / threads, end = count * (thread + 1) / threads] { work(first, end); });
    work(std::size_t{0}, count / threads);
}

} // namespace nestbed
