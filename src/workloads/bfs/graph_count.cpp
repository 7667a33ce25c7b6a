#include "workloads/bfs/graph_count.hpp"

#include <algorithm>

namespace nestbed
{

namespace
{

// One root grid per round, with a thread per vertex.
RequestOracle count_vertices(const Case& point, const CsrGraph& graph,
                             const std::vector<std::vector<std::uint32_t>>& rounds)
{
    return count_rounds(point, graph_roots(graph.vertices(), point.block), rounds.size(),
                        [&](std::size_t number, std::uint32_t block, std::vector<ChildRequest>& requests) {
                            const std::uint64_t first = std::uint64_t{block} * point.block;
                            const std::vector<std::uint32_t>& round = rounds[number];
                            for (auto at = std::ranges::lower_bound(round, first);
                                 at != round.end() && *at < first + point.block; ++at)
                                requests.push_back({static_cast<std::uint32_t>(*at - first), *at, graph.degree(*at)});
                        });
}

// The threads of every step. Plans the steps as the kernels do.
std::vector<std::uint32_t> threads_of_steps(const CsrGraph& graph, const std::vector<GraphLevel>& levels,
                                            bool first_by_grid)
{
    std::vector<std::uint32_t> threads;
    StepMode mode = StepMode::top_down;
    std::uint64_t unexplored = graph.edges();
    for (std::size_t at = 0; at < levels.size(); ++at) {
        const GraphLevel& level = levels[at];
        const bool fits = level.vertices <= kSmallVertices && level.edges <= kSmallEdges;
        if (at == 0) { // the host starts it
            mode = first_by_grid || !fits ? StepMode::top_down : StepMode::small;
            unexplored -= level.edges;
            threads.push_back(mode == StepMode::small ? 1 : threads_for(static_cast<std::uint32_t>(level.edges)));
            continue;
        }
        if (level.with_edges == 0)
            break;
        if (mode == StepMode::small && fits)
            continue; // in the block of the level before
        unexplored -= level.edges;
        const LevelStep step =
            step_of_level(mode, static_cast<std::uint32_t>(level.with_edges), static_cast<std::uint32_t>(level.edges),
                          static_cast<std::uint32_t>(unexplored), graph.vertices(), true, true);
        mode = step.mode;
        threads.push_back(step.threads);
    }
    return threads;
}

// One launch for every step after the first that needs more than one block. If the blocks wait for each other: only where the
// step before it needed one.
std::uint64_t count_wide(const std::vector<std::uint32_t>& threads, std::uint32_t block, bool waiting)
{
    std::uint64_t launches = 0;
    for (std::size_t step = 1; step < threads.size(); ++step) {
        const bool wide = blocks_of_step(threads[step], block) > 1;
        launches += wide && (!waiting || blocks_of_step(threads[step - 1], block) == 1) ? 1 : 0;
    }
    return launches;
}

} // namespace

std::uint32_t graph_roots(std::uint32_t vertices, std::uint32_t block)
{
    return vertices == 0 ? 1 : (vertices - 1) / block + 1;
}

std::vector<std::vector<std::uint32_t>> rounds_of(const CsrGraph& graph, std::uint32_t source, bool weighted)
{
    std::vector<std::vector<std::uint32_t>> rounds;
    std::vector<std::uint32_t> before(graph.vertices(), kUnreached);
    if (before.empty())
        return rounds;
    before[source] = 0;
    std::vector<std::uint32_t> now{source};
    while (!now.empty()) {
        std::erase_if(now, [&](std::uint32_t vertex) { return graph.degree(vertex) == 0; });
        if (now.empty())
            break;
        std::ranges::sort(now);
        rounds.push_back(now);
        std::vector<std::uint32_t> after;
        std::vector<std::uint32_t> distances; // of the round before, because `before` changes
        for (const std::uint32_t vertex : now)
            distances.push_back(before[vertex]);
        for (std::size_t at = 0; at < now.size(); ++at)
            for (std::uint32_t edge = graph.starts[now[at]]; edge < graph.starts[now[at] + 1]; ++edge)
                if (const std::uint64_t longer = std::uint64_t{distances[at]} + (weighted ? graph.weights[edge] : 1);
                    longer < before[graph.ends[edge]]) {
                    before[graph.ends[edge]] = static_cast<std::uint32_t>(longer);
                    after.push_back(graph.ends[edge]);
                }
        std::ranges::sort(after);
        after.erase(std::unique(after.begin(), after.end()),
                    after.end()); // clang 14 cannot compile std::ranges::unique
        now = std::move(after);
    }
    return rounds;
}

RequestOracle count_graph(const Case& point, GraphForm form, const CsrGraph& graph,
                          const std::vector<GraphLevel>& levels,
                          const std::vector<std::vector<std::uint32_t>>& rounds)
{
    RequestOracle oracle;
    if (form == GraphForm::children)
        return count_vertices(point, graph, rounds);
    if (form == GraphForm::levels || form == GraphForm::graph || form == GraphForm::waiting) {
        const std::vector<std::uint32_t> threads = threads_of_steps(graph, levels, form == GraphForm::graph);
        const std::uint64_t launches = count_wide(threads, point.block, form == GraphForm::waiting);
        oracle.launches.by_depth.assign(std::min(launches, std::uint64_t{point.depth.value_or(UINT32_MAX)}),
                                        1); // more than the ledger has levels: the judge folds them
    }
    if (form == GraphForm::by_order) { // places for as many as there may be
        oracle.launches.by_depth.assign(std::min(kMaxStepsByOrder, point.depth.value_or(UINT32_MAX)), 0);
        oracle.launches.by_order = true;
    }
    return oracle;
}

} // namespace nestbed
