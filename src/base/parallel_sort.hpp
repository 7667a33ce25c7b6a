// Sorting, on all cores of the host.
#pragma once

#include <boost/sort/block_indirect_sort/block_indirect_sort.hpp>

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace nestbed
{

// The copy of an item must not throw.
template <class T>
void sort_on_all_cores(std::vector<T>& items)
{
    const unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    try {
        boost::sort::block_indirect_sort(items.begin(), items.end(), threads);
    } catch (const std::system_error&) { // no more threads are available; those that there were have ended
        std::ranges::sort(items);
    }
}

} // namespace nestbed
