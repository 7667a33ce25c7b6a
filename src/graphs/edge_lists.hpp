// The lists of a graph, one for each vertex, made on all cores of the host.
//
// Lists are in a row: list v is `starts[v]` to `starts[v + 1] - 1`; the last start is the number of all entries.
#pragma once

#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace nestbed
{

// Calls work(first, end) for ranges of lists that together are all, with about as many entries each, on all cores.
// `work` must not throw.
template <class Work>
void for_lists(const std::vector<std::uint32_t>& starts, const Work& work)
{
    const auto lists = static_cast<std::uint32_t>(starts.size() - 1);
    const auto list_from = [&](std::size_t entry) { // the first list that starts there or later
        return static_cast<std::uint32_t>(std::lower_bound(starts.begin(), starts.end() - 1, entry) - starts.begin());
    };
    for_ranges(starts.back(), [&](std::size_t first, std::size_t end) {
        work(list_from(first), end == starts.back() ? lists : list_from(end));
    });
}

// Makes lists of what each() finds in `items`, in the order in which it finds them, and returns their starts.
// each(first, end, act) calls act(list, entry...) for every entry of the items `first` to end - 1, in order. make_room(entries)
// is called once, then put(place, entry...) for every entry. Every core goes through all items and puts the entries of its own
// lists, so that their order needs no care. There are less than 2^32 entries. each() and put() must not throw.
template <class Each, class MakeRoom, class Put>
std::vector<std::uint32_t> into_lists(std::size_t lists, std::size_t items, const Each& each,
                                      const MakeRoom& make_room, const Put& put)
{
    std::vector<std::uint32_t> starts(lists + 1);
    for_ranges(items, [&](std::size_t first, std::size_t end) {
        each(first, end, [&](std::uint32_t list, const auto&... /*entry*/) {
            std::atomic_ref(starts[std::size_t{list} + 1]).fetch_add(1, std::memory_order_relaxed);
        });
    });
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    make_room(std::size_t{starts.back()});
    std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
    for_lists(starts, [&](std::uint32_t first, std::uint32_t end) {
        each(0, items, [&](std::uint32_t list, const auto&... entry) {
            if (list - first < end - first)
                put(std::size_t{next[list]++}, entry...);
        });
    });
    return starts;
}

} // namespace nestbed
