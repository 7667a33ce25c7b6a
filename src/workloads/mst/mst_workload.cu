// The workload `mst`: the graph of a case, its minimum spanning forest, and the memory of a search for it.
#include "device/parts/answer_compare.hpp"
#include "graphs/graph_file.hpp"
#include "graphs/graph_input.hpp"
#include "workloads/mst/mst.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

MstGraph graph_or_unsupported(const Case& point)
{
    try {
        MstGraph graph = mst_graph(graph_of_case(point));
        if (!graph.no_weights.empty())
            throw Unsupported(graph.no_weights);
        return graph;
    } catch (const RunError& error) { // the file cannot be read, or is no graph
        throw Unsupported(error.what());
    } catch (const std::invalid_argument& error) {
        throw Unsupported(error.what());
    }
}

// Adds up the weights of the marked edges.
__global__ void add_weights(const unsigned* chosen, const unsigned* weights, unsigned edges, unsigned long long* sum)
{
    unsigned long long mine = 0;
    for (unsigned edge = blockIdx.x * blockDim.x + threadIdx.x; edge < edges; edge += gridDim.x * blockDim.x)
        mine += chosen[edge] == 0 ? 0 : weights[edge];
    atomicAdd(sum, mine);
}

// The graph, its forest, and the buffers.
class MstData
{
  public:
    static auto key_of(const Case& point)
    {
        return std::tuple(point.input, point.elements, point[GraphParameter::edge_factor],
                          point[GraphParameter::file], point.seed);
    }

    MstData(Context& context, const Case& point)
        : graph_(graph_or_unsupported(point)), light_(light_weight(graph_)), comparison_(context)
    {
        copy(context, from_, graph_.from, "from");
        copy(context, to_, graph_.to, "to");
        copy(context, weights_, graph_.weights, "weights");
        chosen_ = context.allocate<unsigned>(std::max(1U, graph_.edges()), "chosen");
        component_ = context.allocate<unsigned>(graph_.vertices, "component");
        sum_ = context.allocate<unsigned long long>(1, "sum");
        const std::vector<std::uint32_t> forest = minimum_forest(graph_);
        copy(context, reference_, forest, "reference");
        weight_ = weight_of_forest(graph_, forest);
        own_.resize(graph_.vertices);
        std::iota(own_.begin(), own_.end(), 0U);
    }

    std::uint32_t vertices() const { return graph_.vertices; }
    std::uint32_t edges() const { return graph_.edges(); }

    RequestOracle oracle(const Case& point, MstForm form)
    {
        if (form == MstForm::flat)
            return {};
        if (form == MstForm::steps) {
            if (steps_.empty())
                steps_ = mst_steps(graph_);
            return count_mst_steps(point, steps_);
        }
        auto& rounds = rounds_.at(form == MstForm::vertices ? 0 : 1);
        if (!rounds)
            rounds = mst_rounds(graph_, form);
        return count_mst_rounds(point, graph_.vertices, *rounds);
    }

    // Everything as it must be before a run. with_halves: also the list of edges of every vertex.
    MstTask start(Context& context, bool with_halves)
    {
        if (with_halves && starts_.size() == 0) {
            const MstHalves halves = halves_of(graph_);
            copy(context, starts_, halves.starts, "starts");
            copy(context, halves_, halves.edges, "halves");
        }
        context.fill_bytes(chosen_, 0, chosen_.size());
        context.upload(component_, std::span<const unsigned>(own_));
        return {.from = from_.data(),
                .to = to_.data(),
                .weights = weights_.data(),
                .starts = starts_.data(),
                .halves = halves_.data(),
                .chosen = chosen_.data(),
                .component = component_.data(),
                .vertices = graph_.vertices,
                .edges = graph_.edges(),
                .light = light_};
    }

    void verify(Context& context, Sample& sample)
    {
        const Differences wrong = comparison_.of(context, chosen_, reference_, graph_.edges());
        context.fill_bytes(sum_, 0, 1);
        context.time(1, [&] {
            host_launch<add_weights>(context, 0, whole_device(context), static_cast<const unsigned*>(chosen_.data()),
                                     static_cast<const unsigned*>(weights_.data()), graph_.edges(), sum_.data());
        });
        unsigned long long sum = 0;
        context.download(std::span(&sum, 1), sum_);
        sample.answer = std::to_string(sum);
        sample.reference = std::to_string(weight_);
        if (wrong.count == 0)
            return;
        sample.status = Status::wrong;
        sample.detail = std::to_string(wrong.count) + " of " + std::to_string(graph_.edges()) +
                        " edges are wrong; the first is edge " + std::to_string(wrong.first) + ", from vertex " +
                        std::to_string(graph_.from[wrong.first]) + " to vertex " +
                        std::to_string(graph_.to[wrong.first]);
    }

  private:
    template <class T>
    static void copy(Context& context, Buffer<T>& buffer, const std::vector<T>& from, std::string_view name)
    {
        buffer = context.allocate<T>(std::max<std::size_t>(1, from.size()), name);
        context.upload(buffer, std::span<const T>(from));
    }

    MstGraph graph_;
    std::uint32_t light_;
    std::uint64_t weight_ = 0; // of the forest
    std::vector<std::uint32_t> own_;
    std::vector<std::uint32_t> steps_;
    std::array<std::optional<std::vector<std::vector<MstItem>>>, 2> rounds_; // of vertices, of components
    Buffer<unsigned> from_, to_, weights_, starts_, chosen_, component_, reference_;
    Buffer<MstEdge> halves_;
    Buffer<unsigned long long> sum_;
    Comparison comparison_;
};

class MstWorkload final : public RequestWorkloadOf<MstData>
{
  public:
    using WorkloadTraits = MstTraits;

    using RequestWorkloadOf::RequestWorkloadOf;

    ExpectedLaunches expected(const Strategy& strategy, const Case& point) override
    {
        constexpr std::array<std::string_view, 4> kForms{"flat", "vertices", "components", "steps"};
        const MstForm form = strategy_of<WorkloadTraits>(strategy).facts().form;
        prepare(point);
        ExpectedLaunches launches = remember(strategy, point, kForms.at(static_cast<std::size_t>(form)),
                                             [&](const Case& of) { return data().oracle(of, form); });
        launches.one_by_one = launches.one_by_one && strategy.info().requests;
        return launches;
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const auto& form = strategy_of<WorkloadTraits>(strategy);
        MstJob job{request_job(run, mst_roots(data().vertices(), run.point.block)), {}};
        job.task = data().start(run.context, form.facts().halves);
        const std::function<void()> work = form.prepare(job);
        Sample sample = timed(run, work);
        data().verify(run.context, sample);
        report(run, sample, data().edges());
        return sample;
    }
};

const RegisterWorkload<MstWorkload> mst_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
