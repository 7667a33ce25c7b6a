// The workload `icp`: the surface and the scan of a case, and the sums of all iterations.
#include "workloads/icp/icp.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

// Of a block, with room for the other shared memory of a kernel.
constexpr unsigned kMaxTreeBytes = 224 * 1024;

// The surface of some cases: it takes longer to make than a scan.
struct Surface {
    static auto key_of(const Case& point)
    {
        return std::tuple(point.input, point[IcpParameter::leaves], point[IcpParameter::leaf_points], point.seed);
    }

    explicit Surface(const Case& point) : points(icp_points(point)), tree(icp_surface(point, points)) {}

    std::vector<IcpPoint> points;
    IcpSurface tree;
};

// The surface, the scan, the reference, and the buffers.
class IcpData
{
  public:
    static auto key_of(const Case& point)
    {
        return std::tuple(point.input, point.elements, point[IcpParameter::near_every], point[IcpParameter::leaves],
                          point[IcpParameter::leaf_points], point[IcpParameter::iterations], point.seed);
    }

    // Makes `reference`, unless it is there.
    IcpData(Context& context, const Case& point, const Surface& surface, IcpReference& reference)
        : leaf_count_(static_cast<unsigned>(surface.tree.leaves.size())),
          largest_(surface.tree.largest), all_{surface.tree.low, surface.tree.high, 0, 0}, reference_(reference)
    {
        if (tree_bytes() > kMaxTreeBytes)
            throw Unsupported(
                "--leaf-points " + std::to_string(point[IcpParameter::leaf_points]) + " makes a leaf of " +
                std::to_string(largest_) + " points with its border; allowed: at most " +
                std::to_string(kMaxTreeBytes / sizeof(IcpPoint)) + ", which fit the shared memory of a block");
        const std::vector<ScanPoint> scan = icp_scan(point, surface.points);
        if (reference.sums.empty())
            reference = icp_reference(point, surface.tree, scan);
        std::vector<unsigned> starts;
        unsigned length = 0;
        for (const std::uint32_t most : reference_.most) {
            starts.push_back(length);
            length += most;
        }
        copy(context, scan_, scan, "scan");
        copy(context, splits_, surface.tree.splits, "splits");
        copy(context, leaves_, surface.tree.leaves, "leaves");
        copy(context, points_, surface.tree.points, "points");
        copy(context, starts_, starts, "starts");
        counts_ = context.allocate<unsigned>(starts.size(), "counts");
        lists_ = context.allocate<ScanPoint>(std::max(1U, length), "lists");
        sums_ = context.allocate<IcpSums>(point[IcpParameter::iterations], "sums");
        state_ = context.allocate<IcpState>(1, "state");
    }

    unsigned iterations() const { return reference_.iterations(); }
    std::uint64_t searches() const { return reference_.searches; }

    // Everything as it must be before a run.
    IcpJob start(const PreparedRun& run)
    {
        run.context.fill_bytes(counts_, 0, counts_.size());
        run.context.fill_bytes(sums_, 0, sums_.size());
        run.context.fill_bytes(state_, 0, 1);
        return {run,
                {.scan = scan_.data(),
                 .splits = splits_.data(),
                 .leaves = leaves_.data(),
                 .points = points_.data(),
                 .counts = counts_.data(),
                 .starts = starts_.data(),
                 .lists = lists_.data(),
                 .sums = sums_.data(),
                 .state = state_.data(),
                 .scan_points = static_cast<unsigned>(run.point.elements),
                 .leaf_count = leaf_count_,
                 .iterations = run.point[IcpParameter::iterations],
                 .all = all_},
                state_,
                tree_bytes()};
    }

    // The sums of all iterations, and that there are no more.
    void verify(Context& context, Sample& sample) const
    {
        std::vector<IcpSums> sums(sums_.size());
        context.download(std::span(sums), sums_);
        IcpState state{};
        context.download(std::span(&state, 1), state_);
        std::vector<IcpSums> expected = reference_.sums;
        expected.resize(sums.size());
        const auto matched = [](const std::vector<IcpSums>& of) {
            unsigned long long all = 0;
            for (const IcpSums& one : of)
                all += one.matched;
            return std::to_string(all);
        };
        sample.answer = matched(sums);
        sample.reference = matched(expected);
        const auto wrong = static_cast<std::size_t>(std::ranges::mismatch(sums, expected).in1 - sums.begin());
        if (wrong == sums.size() && state.iteration == iterations() && state.done == 1)
            return;
        sample.status = Status::wrong;
        sample.detail =
            wrong < sums.size()
                ? "iteration " + std::to_string(wrong + 1) + " of " + std::to_string(iterations()) +
                      " has wrong sums: " + std::to_string(sums[wrong].matched) + " of " +
                      std::to_string(expected[wrong].matched) + " scan points have a nearest point"
                : std::to_string(state.iteration) + " iterations instead of " + std::to_string(iterations());
    }

  private:
    template <class T>
    static void copy(Context& context, Buffer<T>& buffer, const std::vector<T>& from, std::string_view name)
    {
        buffer = context.allocate<T>(std::max<std::size_t>(1, from.size()), name);
        context.upload(buffer, std::span<const T>(from));
    }

    unsigned tree_bytes() const { return (largest_ / 2 + 1) * static_cast<unsigned>(sizeof(IcpPointPair)); }

    unsigned leaf_count_, largest_;
    IcpLeaf all_;
    const IcpReference& reference_;
    Buffer<ScanPoint> scan_, lists_;
    Buffer<int> splits_;
    Buffer<IcpLeaf> leaves_;
    Buffer<IcpPoint> points_;
    Buffer<unsigned> starts_, counts_;
    Buffer<IcpSums> sums_;
    Buffer<IcpState> state_;
};

class IcpWorkload final : public Workload
{
  public:
    using WorkloadTraits = IcpTraits;

    explicit IcpWorkload(Context& context) : context_(context) {}

    // Two grids per iteration, the first of which the host launches; a graph has both.
    ExpectedLaunches expected(const Strategy& strategy, const Case& point) override
    {
        if (const std::string why = why_no_icp(point); !why.empty())
            throw Unsupported(why);
        prepare(point);
        const Mechanism mechanism = mechanism_of(strategy.info(), point);
        if (!from_device(mechanism))
            return ExpectedLaunches::none();
        return ExpectedLaunches::chain_per_grid(launches_graphs(mechanism) ? data_->iterations() - 1
                                                                           : 2 * data_->iterations() - 1);
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const IcpJob job = data_->start(run);
        const std::function<void()> work = strategy_of<WorkloadTraits>(strategy).prepare(job);
        Sample sample = timed(run, work);
        data_->verify(run.context, sample);
        sample.work = data_->searches();
        return sample;
    }

    void release() override { data_.reset(); }

  private:
    // Makes the data of a case, unless they are there.
    void prepare(const Case& point)
    {
        const auto key = IcpData::key_of(point);
        if (data_ && key == key_)
            return;
        data_.reset();
        if (const auto of_surface = Surface::key_of(point); !surface_ || of_surface != surface_key_) {
            surface_ = std::make_unique<Surface>(point);
            surface_key_ = of_surface;
        }
        data_ = std::make_unique<IcpData>(context_, point, *surface_, references_[key]);
        key_ = key;
    }

    Context& context_;
    // The surface and the references outlive release(): seconds to make, and some 100 MB of the host's memory.
    decltype(Surface::key_of(Case{})) surface_key_;
    std::unique_ptr<Surface> surface_;
    decltype(IcpData::key_of(Case{})) key_;
    std::map<decltype(key_), IcpReference> references_;
    std::unique_ptr<IcpData> data_;
};

const RegisterWorkload<IcpWorkload> icp_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
