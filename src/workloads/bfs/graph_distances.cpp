#include "workloads/bfs/graph_distances.hpp"

#include "base/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>

namespace nestbed
{

namespace
{

struct Reached {
    std::uint32_t distance = 0;
    std::uint32_t vertex = 0;
};

// A queue whose entries are taken by rising distance (a radix heap). None may be nearer than the last one that was taken. An entry
// is in the bucket of the highest bit in which its distance differs from the last one, so that it moves at most 32 times.
// Source: Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest path problem", Journal of the ACM 37, 1990.
class RadixHeap
{
  public:
    bool empty() const { return size_ == 0; }

    void push(Reached entry)
    {
        buckets_.at(bucket_of(entry)).push_back(entry);
        ++size_;
    }

    // The nearest entry; there must be one.
    Reached pop()
    {
        if (buckets_[0].empty()) {
            std::vector<Reached> moved;
            std::ranges::find_if(buckets_, [](const auto& bucket) { return !bucket.empty(); })->swap(moved);
            last_ = std::ranges::min(moved, {}, &Reached::distance).distance;
            for (const Reached& entry : moved)
                buckets_.at(bucket_of(entry)).push_back(entry);
        }
        const Reached nearest = buckets_[0].back();
        buckets_[0].pop_back();
        --size_;
        return nearest;
    }

  private:
    std::size_t bucket_of(Reached entry) const
    {
        return static_cast<std::size_t>(std::bit_width(entry.distance ^ last_));
    }

    std::array<std::vector<Reached>, std::numeric_limits<std::uint32_t>::digits + 1> buckets_;
    std::size_t size_ = 0;
    std::uint32_t last_ = 0;
};

} // namespace

// Level by level: the cores share the vertices of a level, and who reaches a vertex first adds it to the next one.
std::vector<std::uint32_t> bfs_distances(const CsrGraph& graph, std::uint32_t source)
{
    std::vector<std::uint32_t> distances(graph.vertices(), kUnreached);
    std::vector<std::uint32_t> now;
    if (graph.vertices() != 0) {
        now.push_back(source);
        distances[source] = 0;
    }
    std::mutex mutex;
    for (std::uint32_t level = 1; !now.empty(); ++level) {
        std::vector<std::uint32_t> after;
        for_ranges(now.size(), [&](std::size_t first, std::size_t end) {
            std::vector<std::uint32_t> found;
            for (std::size_t at = first; at < end; ++at)
                for (std::uint32_t edge = graph.starts[now[at]]; edge < graph.starts[now[at] + 1]; ++edge) {
                    const std::atomic_ref distance(distances[graph.ends[edge]]);
                    std::uint32_t before = distance.load(std::memory_order_relaxed);
                    if (before == kUnreached &&
                        distance.compare_exchange_strong(before, level, std::memory_order_relaxed))
                        found.push_back(graph.ends[edge]);
                }
            const std::scoped_lock lock(mutex);
            after.insert(after.end(), found.begin(), found.end());
        });
        now = std::move(after);
    }
    return distances;
}

std::vector<std::uint32_t> shortest_distances(const CsrGraph& graph, std::uint32_t source)
{
    std::vector<std::uint32_t> distances(graph.vertices(), kUnreached);
    RadixHeap queue;
    std::vector<std::uint32_t> too_far; // by some path; another one may be short enough
    if (graph.vertices() != 0) {
        queue.push({0, source});
        distances[source] = 0;
    }
    while (!queue.empty()) {
        const auto [distance, vertex] = queue.pop();
        if (distance != distances[vertex])
            continue; // a shorter path was found since
        for (std::uint32_t edge = graph.starts[vertex]; edge < graph.starts[vertex + 1]; ++edge) {
            const std::uint64_t longer = std::uint64_t{distance} + graph.weights[edge];
            if (longer >= kUnreached)
                too_far.push_back(graph.ends[edge]);
            else if (longer < distances[graph.ends[edge]]) {
                distances[graph.ends[edge]] = static_cast<std::uint32_t>(longer);
                queue.push({distances[graph.ends[edge]], graph.ends[edge]});
            }
        }
    }
    std::ranges::sort(too_far);
    for (const std::uint32_t vertex : too_far)
        if (distances[vertex] == kUnreached)
            throw std::invalid_argument("the shortest path to vertex " + std::to_string(vertex) +
                                        " is longer than 4294967294; allowed: smaller weights");
    return distances;
}

std::vector<GraphLevel> levels_of(const CsrGraph& graph, const std::vector<std::uint32_t>& distances)
{
    std::vector<GraphLevel> levels;
    for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
        if (distances[vertex] == kUnreached)
            continue;
        if (levels.size() <= distances[vertex])
            levels.resize(std::size_t{distances[vertex]} + 1);
        GraphLevel& level = levels[distances[vertex]];
        const std::uint64_t edges = graph.degree(vertex);
        ++level.vertices;
        level.with_edges += edges == 0 ? 0 : 1;
        level.edges += edges;
        level.max_edges = std::max(level.max_edges, edges);
    }
    return levels;
}

} // namespace nestbed
