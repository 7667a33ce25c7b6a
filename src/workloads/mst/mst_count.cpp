#include "workloads/mst/mst_count.hpp"

#include "base/parallel.hpp"
#include "workloads/mst/mst_step.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <numeric>

namespace nestbed
{

BoruvkaRounds::BoruvkaRounds(const MstGraph& graph)
    : graph_(graph), components_(graph.vertices), best_(graph.vertices, kNoMstKey), chosen_(graph.edges(), 0)
{
    std::iota(components_.begin(), components_.end(), 0U);
    parents_ = components_;
}

void BoruvkaRounds::join(const std::vector<std::uint32_t>& live)
{
    for_ranges(live.size(), [&](std::size_t first, std::size_t end_of_range) {
        for (std::size_t at = first; at < end_of_range; ++at)
            for (const std::uint32_t end : {graph_.from[live[at]], graph_.to[live[at]]}) {
                const std::uint64_t key = mst_key(graph_.weights[live[at]], live[at]);
                const std::atomic_ref best(best_[components_[end]]);
                std::uint64_t before = best.load(std::memory_order_relaxed);
                while (key < before && !best.compare_exchange_weak(before, key, std::memory_order_relaxed)) {
                }
            }
    });
    std::vector<std::uint32_t> joined;
    std::mutex mutex;
    for_ranges(live.size(), [&](std::size_t first, std::size_t end_of_range) {
        std::vector<std::uint32_t> own; // no component is joined by two edges
        for (std::size_t at = first; at < end_of_range; ++at) {
            const std::uint32_t edge = live[at];
            const std::uint64_t key = mst_key(graph_.weights[edge], edge);
            for (const auto& [end, other_end] :
                 {std::pair{graph_.from[edge], graph_.to[edge]}, std::pair{graph_.to[edge], graph_.from[edge]}}) {
                const std::uint32_t one = components_[end];
                const std::uint32_t other = components_[other_end];
                if (best_[one] != key)
                    continue;
                chosen_[edge] = 1;
                own.push_back(one);
                parents_[one] = best_[other] == key && one < other ? one : other;
            }
        }
        const std::scoped_lock lock(mutex);
        joined.insert(joined.end(), own.begin(), own.end());
    });
    for (const std::uint32_t one : joined)
        best_[one] = kNoMstKey;
    for (std::uint32_t& component : components_) {
        while (parents_[component] != component) {
            parents_[component] = parents_[parents_[component]];
            component = parents_[component];
        }
    }
}

void BoruvkaRounds::drop_inner(std::vector<std::uint32_t>& live) const
{
    std::vector<std::uint32_t> left;
    std::mutex mutex;
    for_ranges(live.size(), [&](std::size_t first, std::size_t end) {
        std::vector<std::uint32_t> own;
        std::copy_if(
            live.begin() + static_cast<std::ptrdiff_t>(first), live.begin() + static_cast<std::ptrdiff_t>(end),
            std::back_inserter(own),
            [&](std::uint32_t edge) { return components_[graph_.from[edge]] != components_[graph_.to[edge]]; });
        const std::scoped_lock lock(mutex);
        left.insert(left.end(), own.begin(), own.end());
    });
    live = std::move(left);
}

std::vector<std::vector<MstItem>> mst_rounds(const MstGraph& graph, MstForm form)
{
    std::vector<std::uint32_t> degrees(graph.vertices, 0);
    std::vector<std::uint32_t> live(graph.edges());
    std::iota(live.begin(), live.end(), 0U);
    for (const std::uint32_t edge : live) {
        ++degrees[graph.from[edge]];
        ++degrees[graph.to[edge]];
    }
    std::vector<std::vector<MstItem>> rounds;
    BoruvkaRounds forest(graph);
    while (!live.empty()) {
        // Of a vertex with one such edge all edges count; of a component only such edges.
        std::vector<std::uint32_t> counts(graph.vertices, 0);
        for (const std::uint32_t edge : live)
            for (const std::uint32_t end : {graph.from[edge], graph.to[edge]})
                ++counts[form == MstForm::vertices ? end : forest.component(end)];
        std::vector<MstItem>& round = rounds.emplace_back();
        for (std::uint32_t number = 0; number < graph.vertices; ++number)
            if (counts[number] != 0)
                round.push_back({number, form == MstForm::vertices ? degrees[number] : counts[number]});
        forest.join(live);
        forest.drop_inner(live);
    }
    // A vertex is looked at again if it had such an edge in the last round, so that each of these sets follows one round later.
    if (form == MstForm::vertices && !rounds.empty())
        rounds.insert(rounds.begin(), rounds.front());
    return rounds;
}

RequestOracle count_mst_rounds(const Case& point, std::uint32_t vertices,
                               const std::vector<std::vector<MstItem>>& rounds)
{
    return count_rounds(
        point, mst_roots(vertices, point.block), rounds.size(),
        [&](std::size_t round, std::uint32_t block, std::vector<ChildRequest>& requests) {
            const std::uint64_t first = std::uint64_t{block} * point.block;
            const std::vector<MstItem>& items = rounds[round];
            for (auto at = std::ranges::lower_bound(items, first, {}, &MstItem::number);
                 at != items.end() && at->number < first + point.block; ++at)
                requests.push_back({static_cast<std::uint32_t>(at->number - first), at->number, at->edges});
        });
}

std::vector<std::uint32_t> mst_steps(const MstGraph& graph)
{
    const std::uint32_t light = light_weight(graph);
    std::vector<std::uint32_t> steps;
    std::vector<std::uint32_t> live;
    BoruvkaRounds forest(graph);
    for (MstStep step{MstPhase::light, graph.edges(), 0}; step.phase != MstPhase::done;) {
        steps.push_back(step.items);
        if (step.phase == MstPhase::light || step.phase == MstPhase::heavy)
            for (std::uint32_t edge = 0; edge < graph.edges(); ++edge)
                if ((graph.weights[edge] <= light) == (step.phase == MstPhase::light))
                    live.push_back(edge);
        if (step.phase == MstPhase::hook)
            forest.join(live);
        else
            forest.drop_inner(live);
        step = step_after(step, static_cast<std::uint32_t>(live.size()), graph.vertices, graph.edges(),
                          light != UINT32_MAX);
    }
    return steps;
}

RequestOracle count_mst_steps(const Case& point, const std::vector<std::uint32_t>& steps)
{
    const auto wide = static_cast<std::uint64_t>(std::count_if(
        steps.begin() + 1, steps.end(), [&](std::uint32_t items) { return mst_blocks(items, point.block) > 1; }));
    RequestOracle oracle;
    oracle.launches.by_depth.assign(std::min<std::uint64_t>(wide, point.depth.value_or(UINT32_MAX)), 1);
    return oracle;
}

} // namespace nestbed
