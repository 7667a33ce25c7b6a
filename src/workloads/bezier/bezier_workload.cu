// The workload `bezier`: the lines of a seed, and the points that they must give.
#include "base/split_mix.hpp"
#include "device/parts/answer_compare.hpp"
#include "workloads/bezier/bezier.hpp"

#include <cmath>
#include <tuple>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

constexpr unsigned kMaxCurves = 32;
constexpr unsigned kMaxZipf = 4096;

// In [0, 1).
float unit_number(std::uint64_t seed, std::uint64_t index)
{
    return static_cast<float>(split_mix(seed, index) >> 40) * 0x1p-24F;
}

// The curvature of a line: even from 0 to 2.5 (4 to 32 points), or so that the points have Zipf's distribution with
// exponent 1 from 4 to 4096.
float curvature_of(InputKind input, float drawn)
{
    if (input == BezierInput::curves)
        return 2.5F * drawn;
    const double ratio = static_cast<double>(kMaxZipf) / kMinBezierPoints;
    return static_cast<float>((kMinBezierPoints * std::pow(ratio, drawn) + 0.5) / kBezierPointsPerCurvature);
}

std::vector<BezierLine> lines_of(const Case& point)
{
    constexpr std::uint64_t kNumbersPerLine = 4;
    std::vector<BezierLine> lines(point.elements);
    for (std::uint64_t index = 0; index < point.elements; ++index) {
        const auto draw = [&](std::uint64_t which) {
            return unit_number(point.seed, index * kNumbersPerLine + which);
        };
        const BezierPoint start{draw(0), draw(1)};
        const float angle = 6.2831853F * draw(2);
        const BezierPoint along{std::cos(angle), std::sin(angle)}; // the ends are 1 apart
        const float height = curvature_of(point.input, draw(3));
        lines[index].control[0] = start;
        lines[index].control[1] = {start.x + along.x / 2 - height * along.y,
                                   start.y + along.y / 2 + height * along.x};
        lines[index].control[2] = {start.x + along.x, start.y + along.y};
    }
    return lines;
}

// The lines, their points, and the buffers.
class BezierData
{
  public:
    static auto key_of(const Case& point) { return std::tuple(point.input, point.elements, point.seed); }

    BezierData(Context& context, const Case& point)
        : lines_(lines_of(point)), max_points_(point.input == BezierInput::zipf ? kMaxZipf : kMaxCurves),
          comparison_(context)
    {
        std::uint64_t total = 0;
        for (BezierLine& line : lines_) {
            line.first = static_cast<unsigned>(total);
            points_.push_back(bezier_points(line, max_points_));
            total += points_.back();
        }
        if (total > UINT32_MAX)
            throw Unsupported("the lines have " + std::to_string(total) + " points; allowed: at most 4294967295");
        std::vector<BezierPoint> reference(total);
        for (std::size_t line = 0; line < lines_.size(); ++line)
            for (unsigned index = 0; index < points_[line]; ++index)
                reference[lines_[line].first + index] = bezier_point(lines_[line], index, points_[line]);
        reference_ = context.allocate<BezierPoint>(total, "reference");
        context.upload(reference_, std::span<const BezierPoint>(reference));
        in_ = context.allocate<BezierLine>(lines_.size(), "lines");
        context.upload(in_, std::span<const BezierLine>(lines_));
        out_ = context.allocate<BezierPoint>(total, "points");
    }

    RequestOracle oracle(const Case& point) const
    {
        return count_requests(point, point.grid, [&](const ItemBlock& block, std::vector<ChildRequest>& requests) {
            if (block.depth != 0)
                return;
            for (unsigned thread = 0; thread < point.block; ++thread)
                if (const std::uint64_t line = block.item * point.block + thread; line < lines_.size())
                    requests.push_back({thread, line, points_[line]});
        });
    }

    BezierTask task() const
    {
        return {in_.data(), out_.data(), static_cast<unsigned>(lines_.size()),
                static_cast<unsigned>(reference_.size()), max_points_};
    }

    void clear(Context& context) { context.fill_bytes(out_, 0xFF, out_.size()); }

    void verify(Context& context, Sample& sample)
    {
        const Differences wrong = comparison_.of(context, out_, reference_, reference_.size());
        sample.answer = std::to_string(reference_.size() - wrong.count);
        sample.reference = std::to_string(reference_.size());
        if (wrong.count == 0)
            return;
        sample.status = Status::wrong;
        sample.detail = std::to_string(wrong.count) + " of " + sample.reference +
                        " points are wrong; the first is point " + std::to_string(wrong.first);
    }

    std::uint64_t work() const { return reference_.size(); }

  private:
    std::vector<BezierLine> lines_;
    unsigned max_points_;
    std::vector<unsigned> points_; // of each line
    Buffer<BezierLine> in_;
    Buffer<BezierPoint> out_, reference_;
    Comparison comparison_;
};

class BezierWorkload final : public RequestWorkloadOf<BezierData>
{
  public:
    using WorkloadTraits = BezierTraits;

    using RequestWorkloadOf::RequestWorkloadOf;

    ExpectedLaunches expected(const Strategy& strategy, const Case& point) override
    {
        prepare(point);
        return remember(strategy, point, "", [&](const Case& of) { return data().oracle(of); });
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const auto& bezier = strategy_of<WorkloadTraits>(strategy);
        data().clear(run.context);
        const BezierJob job{request_job(run, run.point.grid), data().task()};
        const std::function<void()> work = bezier.prepare(job);
        Sample sample = timed(run, work);
        data().verify(run.context, sample);
        report(run, sample, data().work());
        return sample;
    }
};

const RegisterWorkload<BezierWorkload> bezier_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
