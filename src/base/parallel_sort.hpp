// Sorting, on all cores of the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace nestbed
{

// Sorts first to end - 1 on up to `threads` threads: two halves at the same time, which are then merged.
template <class Iterator>
void sort_halves(Iterator first, Iterator end, unsigned threads)
{
    constexpr std::ptrdiff_t kWorthAThread = 1 << 14;
    if (threads < 2 || end - first < 2 * kWorthAThread) {
        std::sort(first, end);
        return;
    }
    const Iterator middle = first + (end - first) / 2;
    const unsigned half = threads / 2;
    std::jthread helper;
    try {
        helper = std::jthread([&] { sort_halves(first, middle, half); });
    } catch (const std::system_error&) { // no more threads are available
        sort_halves(first, middle, half);
    }
    sort_halves(middle, end, threads - half);
    if (helper.joinable())
        helper.join();
    std::inplace_merge(first, middle, end);
}

// The copy of an item must not throw.
template <class T>
void sort_on_all_cores(std::vector<T>& items)
{
    sort_halves(items.begin(), items.end(), std::max(1U, std::thread::hardware_concurrency()));
}

} // namespace nestbed
