// The workload `quadtree`: the points of a case, the canonical tree, and the memory in which a tree is made.
#include "device/parts/answer_compare.hpp"
#include "workloads/quadtree/quadtree.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

// So sums of places and tiles stay below 2^32, and the libraries may count with int.
constexpr std::uint64_t kMaxQuadPoints = std::uint64_t{1} << 30;

// Counts the listed nodes that are not in the canonical list, which is in the order of levels and codes, or occur twice.
__global__ void check_nodes(const QuadNode* nodes, unsigned count, const QuadNode* canonical,
                            unsigned canonical_count, unsigned* seen, Differences* found)
{
    for (unsigned index = blockIdx.x * blockDim.x + threadIdx.x; index < count; index += gridDim.x * blockDim.x) {
        const QuadNode node = nodes[index];
        unsigned low = 0;
        for (unsigned end = canonical_count; low < end;) {
            const unsigned middle = low + (end - low) / 2;
            const QuadNode other = canonical[middle];
            if (other.level < node.level || (other.level == node.level && other.code < node.code))
                low = middle + 1;
            else
                end = middle;
        }
        if (low < canonical_count && canonical[low] == node && atomicAdd(&seen[low], 1U) == 0)
            continue;
        atomicAdd(&found->count, 1ULL);
        atomicMin(&found->first, static_cast<unsigned long long>(index));
    }
}

// The points, the canonical tree and the buffers.
class QuadData
{
  public:
    static auto key_of(const Case& point)
    {
        return std::tuple(point.input, point.elements, point.seed, point[QuadParameter::grain],
                          point[QuadParameter::levels]);
    }

    QuadData(Context& context, const Case& point)
        : points_(context.allocate<unsigned>(point.elements, "points")),
          canonical_codes_(context.allocate<unsigned>(point.elements, "canonical_codes")),
          canonical_order_(context.allocate<unsigned>(point.elements, "canonical_order")),
          node_count_(context.allocate<unsigned>(1, "node_count")),
          next_division_(context.allocate<unsigned>(1, "next_division")), comparison_(context),
          found_(context.allocate<Differences>(1, "differences"))
    {
        const std::vector<std::uint32_t> points = quad_points(point);
        tree_ = make_quadtree(points, limits_of(point));
        constexpr std::array kCodeNames{"spare_codes", "codes"};
        constexpr std::array kOrderNames{"spare_order", "order"};
        for (std::size_t place = 0; place < arrays_.size(); ++place) {
            arrays_.at(place).codes = context.allocate<unsigned>(points.size(), kCodeNames.at(place));
            arrays_.at(place).order = context.allocate<unsigned>(points.size(), kOrderNames.at(place));
        }
        nodes_ = context.allocate<QuadNode>(tree_.nodes.size(), "nodes");
        canonical_nodes_ = context.allocate<QuadNode>(tree_.nodes.size(), "canonical_nodes");
        seen_ = context.allocate<unsigned>(tree_.nodes.size(), "seen");
        context.upload(points_, std::span<const unsigned>(points));
        context.upload(canonical_codes_, std::span<const unsigned>(tree_.codes));
        context.upload(canonical_order_, std::span<const unsigned>(tree_.order));
        context.upload(canonical_nodes_, std::span<const QuadNode>(tree_.nodes));
    }

    RequestOracle oracle(const Case& point, QuadForm form) const { return count_quadtree(point, form, tree_); }

    // Everything as it must be before a run.
    QuadTask start(Context& context, const Case& point, std::uint64_t divisions)
    {
        for (Array& array : arrays_) {
            context.fill_bytes(array.codes, 0xFF, array.codes.size());
            context.fill_bytes(array.order, 0xFF, array.order.size());
        }
        context.fill_bytes(nodes_, 0xFF, nodes_.size());
        context.fill_bytes(node_count_, 0, 1);
        const std::uint64_t needed = std::max<std::uint64_t>(1, divisions);
        if (divisions_.size() < needed)
            divisions_ = context.allocate<QuadDivision>(needed, "divisions");
        context.fill_bytes(divisions_, 0, needed);
        const unsigned first_free = 1;
        context.upload(next_division_, std::span(&first_free, 1));
        return {.points = points_.data(),
                .arrays = {{arrays_[0].codes.data(), arrays_[0].order.data()},
                           {arrays_[1].codes.data(), arrays_[1].order.data()}},
                .nodes = nodes_.data(),
                .node_count = node_count_.data(),
                .max_nodes = static_cast<unsigned>(nodes_.size()),
                .divisions = divisions_.data(),
                .next_division = next_division_.data(),
                .count = static_cast<unsigned>(points_.size()),
                .root_blocks = quad_roots(point),
                .limits = limits_of(point),
                .work = nullptr};
    }

    void verify(Context& context, Sample& sample)
    {
        unsigned listed = 0;
        context.download(std::span(&listed, 1), node_count_);
        sample.answer = std::to_string(listed);
        sample.reference = std::to_string(tree_.nodes.size());
        if (listed != tree_.nodes.size())
            return fail(sample, sample.answer + " nodes are in the list; expected: " + sample.reference);
        context.fill_bytes(seen_, 0, seen_.size());
        const Differences none{.count = 0, .first = ~0ULL};
        context.upload(found_, std::span(&none, 1));
        context.time(1, [&] {
            host_launch<check_nodes>(context, whole_device(context), static_cast<const QuadNode*>(nodes_.data()),
                                     listed, static_cast<const QuadNode*>(canonical_nodes_.data()), listed,
                                     seen_.data(), found_.data());
        });
        Differences found{};
        context.download(std::span(&found, 1), found_);
        if (found.count != 0)
            return fail(sample, text(found, sample.reference, "nodes"));
        const std::string points = std::to_string(points_.size());
        found = comparison_.of(context, arrays_[1].codes, canonical_codes_, points_.size());
        if (found.count != 0)
            return fail(sample, text(found, points, "codes"));
        found = comparison_.of(context, arrays_[1].order, canonical_order_, points_.size());
        if (found.count != 0)
            return fail(sample, text(found, points, "places of points"));
    }

    std::uint64_t work() const { return points_.size(); }

  private:
    struct Array {
        Buffer<unsigned> codes, order;
    };

    static std::string text(const Differences& wrong, const std::string& all, const char* what)
    {
        return std::to_string(wrong.count) + " of " + all + " " + what + " are wrong; the first is at " +
               std::to_string(wrong.first);
    }
    static void fail(Sample& sample, std::string detail)
    {
        sample.status = Status::wrong;
        sample.detail = std::move(detail);
    }

    QuadTree tree_;
    Buffer<unsigned> points_;
    std::array<Array, 2> arrays_; // spare, out
    Buffer<unsigned> canonical_codes_, canonical_order_, node_count_, next_division_, seen_;
    Buffer<QuadNode> nodes_, canonical_nodes_;
    Buffer<QuadDivision> divisions_;
    Comparison comparison_;
    Buffer<Differences> found_;
};

// Why the case is not supported; empty if it is.
std::string why_unsupported(const StrategyInfo& info, QuadForm form, const Case& point)
{
    if (point.elements > kMaxQuadPoints)
        return std::to_string(point.elements) + " points are too many; allowed: at most " +
               std::to_string(kMaxQuadPoints);
    if (info.requests && blocks_per_group(point.aggregate) > 1)
        return "which group of blocks launches depends on the order in which the blocks of a part arrive; allowed "
               "for aggregate: none, warp, block, grid";
    if (form == QuadForm::parts && point.block < 2)
        return "a block of 1 thread cannot request 2 parts";
    return "";
}

class QuadWorkload final : public RequestWorkloadOf<QuadData>
{
  public:
    using WorkloadTraits = QuadtreeTraits;

    using RequestWorkloadOf::RequestWorkloadOf;

    ExpectedLaunches expected(const Strategy& strategy, const Case& point) override
    {
        constexpr std::array<std::string_view, 3> kForms{"flat", "parts", "sample"};
        const QuadForm form = strategy_of<WorkloadTraits>(strategy).facts().form;
        if (const std::string why = why_unsupported(strategy.info(), form, point); !why.empty())
            throw Unsupported(why);
        prepare(point);
        return remember(strategy, point, kForms.at(static_cast<std::size_t>(form)),
                        [&](const Case& of) { return data().oracle(of, form); });
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const auto& quadtree = strategy_of<WorkloadTraits>(strategy);
        QuadJob job{request_job(run, quad_roots(run.point)), {}};
        job.task = data().start(run.context, run.point, job.oracle.divisions);
        job.task.work = &job.totals->work;
        job.bytes += job.oracle.divisions * sizeof(QuadDivision);
        const std::function<void()> work = quadtree.prepare(job);
        Sample sample = timed(run, work);
        data().verify(run.context, sample);
        report(run, sample, data().work());
        return sample;
    }
};

const RegisterWorkload<QuadWorkload> quadtree_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
