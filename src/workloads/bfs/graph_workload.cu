// The workloads `bfs` and `sssp`: the graph of a case, its distances, and the memory of a search.
#include "device/parts/answer_compare.hpp"
#include "graphs/graph_file.hpp"
#include "graphs/graph_input.hpp"
#include "workloads/bfs/graph.hpp"
#include "workloads/bfs/graph_queue_count.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

CsrGraph graph_or_unsupported(const Case& point)
{
    try {
        return graph_of_case(point);
    } catch (const RunError& error) { // the file cannot be read, or is no graph
        throw Unsupported(error.what());
    } catch (const std::invalid_argument& error) {
        throw Unsupported(error.what());
    }
}

// The graph, its distances, and the buffers.
class GraphData
{
  public:
    static auto key_of(const Case& point)
    {
        return std::tuple(point.input, point.elements, point[GraphParameter::edge_factor],
                          point[GraphParameter::file], point.seed);
    }

    GraphData(Context& context, const Case& point)
        : graph_(graph_or_unsupported(point)),
          source_(graph_.source()), distances_{bfs_distances(graph_, source_), {}},
          levels_(levels_of(graph_, distances_[0])), comparison_(context)
    {
        copy(context, starts_, graph_.starts, "starts");
        copy(context, ends_, graph_.ends, "ends");
        copy(context, weights_, graph_.weights, "weights");
        distance_ = context.allocate<unsigned>(graph_.vertices(), "distance");
        reference_ = context.allocate<unsigned>(graph_.vertices(), "reference");
    }

    // Throws Unsupported if the file has no weights that a search could use.
    void expect_weights() const
    {
        if (!graph_.no_weights.empty())
            throw Unsupported(graph_.no_weights);
    }

    std::uint32_t vertices() const { return graph_.vertices(); }
    std::uint32_t source_edges() const { return graph_.degree(source_); }

    RequestOracle oracle(const Case& point, GraphForm form, bool weighted)
    {
        auto& rounds = rounds_.at(weighted ? 1 : 0);
        if ((form == GraphForm::children || form == GraphForm::queue) && rounds.empty())
            rounds = rounds_of(graph_, source_, weighted);
        if (form == GraphForm::queue)
            return count_queue_rounds(point, graph_, rounds);
        return count_graph(point, form, graph_, levels_, rounds);
    }

    // Everything as it must be before a run. `backwards`: with the edges that lead to each vertex.
    GraphTask start(Context& context, bool weighted, bool backwards)
    {
        refer_to(context, weighted);
        if (backwards && !graph_.both_ways && in_starts_.size() == 0) {
            const CsrGraph reversed = graph_.reversed();
            copy(context, in_starts_, reversed.starts, "in_starts");
            copy(context, in_ends_, reversed.ends, "in_ends");
        }
        context.fill_bytes(distance_, 0xFF, distance_.size());
        std::vector<unsigned> none(std::size_t{source_} + 1, kUnreached);
        none.back() = 0;
        context.upload(distance_, std::span<const unsigned>(none));
        const bool both_ways = graph_.both_ways;
        return {.starts = starts_.data(),
                .ends = ends_.data(),
                .weights = weighted ? weights_.data() : nullptr,
                .in_starts = both_ways ? starts_.data() : in_starts_.data(),
                .in_ends = both_ways ? ends_.data() : in_ends_.data(),
                .distance = distance_.data(),
                .vertices = graph_.vertices(),
                .edges = graph_.edges(),
                .source = source_,
                .totals = nullptr};
    }

    void verify(Context& context, Sample& sample)
    {
        const Differences wrong = comparison_.of(context, distance_, reference_, graph_.vertices());
        sample.answer = std::to_string(graph_.vertices() - wrong.count);
        sample.reference = std::to_string(graph_.vertices());
        if (wrong.count == 0)
            return;
        sample.status = Status::wrong;
        sample.detail = std::to_string(wrong.count) + " of " + sample.reference +
                        " distances are wrong; the first is that of vertex " + std::to_string(wrong.first);
    }

    // Edges of the vertices that the search reaches.
    std::uint64_t reached_edges() const
    {
        return std::accumulate(levels_.begin(), levels_.end(), std::uint64_t{0},
                               [](std::uint64_t sum, const GraphLevel& level) { return sum + level.edges; });
    }

  private:
    static void copy(Context& context, Buffer<unsigned>& buffer, const std::vector<std::uint32_t>& from,
                     std::string_view name)
    {
        buffer = context.allocate<unsigned>(std::max<std::size_t>(1, from.size()), name);
        context.upload(buffer, std::span<const unsigned>(from));
    }

    // Makes the reference of the workload, unless it is there.
    void refer_to(Context& context, bool weighted)
    {
        if (referred_ && *referred_ == weighted)
            return;
        std::vector<std::uint32_t>& distances = distances_.at(weighted ? 1 : 0);
        try {
            if (distances.empty())
                distances = shortest_distances(graph_, source_);
        } catch (const std::invalid_argument& error) {
            throw Unsupported(error.what());
        }
        context.upload(reference_, std::span<const unsigned>(distances));
        referred_ = weighted;
    }

    CsrGraph graph_;
    std::uint32_t source_;
    std::array<std::vector<std::uint32_t>, 2> distances_; // without and with weights; these when they are asked for
    std::vector<GraphLevel> levels_;
    std::array<std::vector<std::vector<std::uint32_t>>, 2> rounds_; // without and with weights
    std::optional<bool> referred_;                                  // what the reference on the device is of
    Buffer<unsigned> starts_, ends_, weights_, in_starts_, in_ends_, distance_, reference_;
    Comparison comparison_;
};

class GraphWorkload final : public RequestWorkloadOf<GraphData>
{
  public:
    using WorkloadTraits = GraphTraits;

    using RequestWorkloadOf::RequestWorkloadOf;

    ExpectedLaunches expected(const Strategy& strategy, const Case& point) override
    {
        constexpr std::array<std::string_view, 14> kForms{"flat",     "children", "levels",    "graph",     "waiting",
                                                          "by_order", "queue",    "flat+",     "children+", "levels+",
                                                          "graph+",   "waiting+", "by_order+", "queue+"};
        const GraphForm form = strategy_of<WorkloadTraits>(strategy).facts().form;
        const bool weighted = is_weighted(strategy);
        prepare(point);
        if (weighted)
            data().expect_weights();
        ExpectedLaunches launches =
            remember(strategy, point, kForms.at(static_cast<std::size_t>(form) + (weighted ? kForms.size() / 2 : 0)),
                     [&](const Case& of) { return data().oracle(of, form, weighted); });
        launches.one_by_one = launches.one_by_one && (form == GraphForm::children || form == GraphForm::queue);
        return launches;
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const auto& form = strategy_of<WorkloadTraits>(strategy);
        GraphJob job{request_job(run, graph_roots(data().vertices(), run.point.block)), {}, data().source_edges()};
        job.task = data().start(run.context, is_weighted(strategy), form.facts().backwards);
        job.task.totals = job.totals;
        const std::function<void()> work = form.prepare(job);
        Sample sample = timed(run, work);
        data().verify(run.context, sample);
        report(run, sample, data().reached_edges());
        return sample;
    }

  private:
    static bool is_weighted(const Strategy& strategy) { return strategy.info().workload == &workloads::sssp; }
};

const RegisterWorkload<GraphWorkload> bfs_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
