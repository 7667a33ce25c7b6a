// The workload `triangles`: the graph of a case with its edges one way, and how many triangles it has.
#include "graphs/graph_file.hpp"
#include "graphs/graph_input.hpp"
#include "workloads/triangles/triangles.hpp"

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

OrientedGraph oriented_or_unsupported(const Case& point)
{
    try {
        return orient(graph_of_case(point));
    } catch (const RunError& error) { // the file cannot be read, or is no graph
        throw Unsupported(error.what());
    } catch (const std::invalid_argument& error) {
        throw Unsupported(error.what());
    }
}

// The graph, its triangles, and the buffers.
class TriangleData
{
  public:
    static auto key_of(const Case& point)
    {
        return std::tuple(point.input, point.elements, point[GraphParameter::edge_factor],
                          point[GraphParameter::file], point.seed);
    }

    TriangleData(Context& context, const Case& point)
        : graph_(oriented_or_unsupported(point)), triangles_(count_triangles(graph_)), pairs_(edge_pairs(graph_))
    {
        copy(context, starts_, graph_.starts, "starts");
        copy(context, ends_, graph_.ends, "ends");
        copy(context, in_starts_, graph_.in_starts, "in_starts");
        copy(context, in_edges_, graph_.in_edges, "in_edges");
        counts_ = context.allocate<unsigned long long>(kTriangleCounts, "counts");
    }

    RequestOracle oracle(const Case& point, bool per_edge) const { return count_launches(point, graph_, per_edge); }
    std::uint32_t roots(bool per_edge, std::uint32_t block) const { return triangle_roots(graph_, per_edge, block); }
    std::uint64_t pairs() const { return pairs_; }

    TriangleTask start(Context& context)
    {
        context.fill_bytes(counts_, 0, counts_.size());
        return {.starts = starts_.data(),
                .ends = ends_.data(),
                .in_starts = in_starts_.data(),
                .in_edges = in_edges_.data(),
                .counts = counts_.data(),
                .vertices = graph_.vertices(),
                .in_edge_count = static_cast<unsigned>(graph_.in_edges.size())};
    }

    void verify(Context& context, Sample& sample) const
    {
        std::vector<unsigned long long> counts(kTriangleCounts);
        context.download(std::span(counts), counts_);
        const std::uint64_t found = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
        sample.answer = std::to_string(found);
        sample.reference = std::to_string(triangles_);
        if (found == triangles_)
            return;
        sample.status = Status::wrong;
        sample.detail = "counted " + sample.answer + " triangles; the graph has " + sample.reference;
    }

  private:
    template <class T>
    static void copy(Context& context, Buffer<T>& buffer, const std::vector<T>& from, std::string_view name)
    {
        buffer = context.allocate<T>(std::max<std::size_t>(1, from.size()), name);
        context.upload(buffer, std::span<const T>(from));
    }

    OrientedGraph graph_;
    std::uint64_t triangles_;
    std::uint64_t pairs_;
    Buffer<unsigned> starts_, ends_, in_starts_;
    Buffer<InEdge> in_edges_;
    Buffer<unsigned long long> counts_;
};

class TriangleWorkload final : public RequestWorkloadOf<TriangleData>
{
  public:
    using WorkloadTraits = TriangleTraits;

    using RequestWorkloadOf::RequestWorkloadOf;

    ExpectedLaunches expected(const Strategy& strategy, const Case& point) override
    {
        const bool per_edge = strategy_of<WorkloadTraits>(strategy).facts().per_edge;
        prepare(point);
        return remember(strategy, point, per_edge ? "edges" : "",
                        [&](const Case& of) { return data().oracle(of, per_edge); });
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const auto& form = strategy_of<WorkloadTraits>(strategy);
        TriangleJob job{request_job(run, data().roots(form.facts().per_edge, run.point.block)), {}};
        job.task = data().start(run.context);
        const std::function<void()> work = form.prepare(job);
        Sample sample = timed(run, work);
        data().verify(run.context, sample);
        report(run, sample, data().pairs());
        return sample;
    }
};

const RegisterWorkload<TriangleWorkload> triangles_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
