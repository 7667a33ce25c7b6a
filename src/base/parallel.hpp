// Untimed work of the host, on all its cores.
#pragma once

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace nestbed
{

// Calls work(first, end) for ranges that together cover 0 to count, on all cores. Returns when all calls are done.
// Small counts run on the calling thread. `work` must not throw.
template <class Work>
void for_ranges(std::size_t count, Work&& work)
{
    constexpr std::size_t kWorthAThread = 1U << 14;
    const std::size_t threads =
        std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), count / kWorthAThread + 1);
    std::vector<std::jthread> helpers;
    for (std::size_t thread = 1; thread < threads; ++thread) {
        const std::size_t first = count * thread / threads;
        const std::size_t end = count * (thread + 1) / threads;
        try {
            helpers.emplace_back([&work, first, end] { work(first, end); });
        } catch (const std::system_error&) { // no more threads are available
            work(first, end);
        }
    }
    work(std::size_t{0}, count / threads);
}

} // namespace nestbed
