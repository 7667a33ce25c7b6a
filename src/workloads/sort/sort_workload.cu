// The workload `sort`: the keys of a case, their order, and the memory in which they are sorted.
#include "device/parts/answer_compare.hpp"
#include "workloads/sort/sort.hpp"

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

// So sums of places and tiles stay below 2^32, and the libraries may count with int.
constexpr std::uint64_t kMaxKeys = std::uint64_t{1} << 30;

// Values are the places of the keys in the input: counts those that are not the place of such a key, that occur twice or
// that, if the sort is stable, are in the wrong order.
__global__ void check_values(const unsigned* in_keys, SortArray out, std::uint64_t count, bool stable, unsigned* seen,
                             Differences* found)
{
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t index = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; index < count; index += stride) {
        const unsigned value = out.values[index];
        bool right = value < count && in_keys[value] == out.keys[index] && atomicAdd(&seen[value], 1U) == 0;
        if (stable && index > 0 && out.keys[index - 1] == out.keys[index])
            right = right && out.values[index - 1] < value;
        if (right)
            continue;
        atomicAdd(&found->count, 1ULL);
        atomicMin(&found->first, static_cast<unsigned long long>(index));
    }
}

// The keys and the buffers.
class SortData
{
  public:
    static auto key_of(const Case& point)
    {
        return std::tuple(point.input, point.elements, point.type, point.seed, point[SortParameter::values]);
    }

    SortData(Context& context, const Case& point)
        : order_(key_order(point.type)), keys_(sort_keys(point)), ranks_(sorted_ranks(keys_, order_)),
          comparison_(context), found_(context.allocate<Differences>(1, "differences"))
    {
        constexpr std::array kNames{"in", "spare", "out"};
        constexpr std::array kValueNames{"in_values", "spare_values", "out_values"};
        const bool pairs = has_values(point);
        for (std::size_t place = 0; place < arrays_.size(); ++place) {
            arrays_.at(place).keys = context.allocate<unsigned>(keys_.size(), kNames.at(place));
            if (pairs)
                arrays_.at(place).values = context.allocate<unsigned>(keys_.size(), kValueNames.at(place));
        }
        context.upload(arrays_[0].keys, std::span<const unsigned>(keys_));
        std::vector<unsigned> made(keys_.size());
        if (pairs) {
            std::iota(made.begin(), made.end(), 0U);
            context.upload(arrays_[0].values, std::span<const unsigned>(made));
            seen_ = context.allocate<unsigned>(keys_.size(), "seen");
        }
        std::ranges::transform(ranks_, made.begin(), [&](unsigned rank) { return order_.bits(rank); });
        reference_ = context.allocate<unsigned>(keys_.size(), "reference");
        context.upload(reference_, std::span<const unsigned>(made));
        next_node_ = context.allocate<unsigned>(1, "next_node");
    }

    RequestOracle oracle(const Case& point, SortForm form) const { return count_sort(point, form, keys_, ranks_); }

    // Everything as it must be before a run.
    SortTask start(Context& context, const Case& point, std::uint64_t divisions, bool in_place)
    {
        for (Array* array : {&arrays_[1], &arrays_[2]}) {
            context.fill_bytes(array->keys, 0xFF, array->keys.size());
            context.fill_bytes(array->values, 0xFF, array->values.size());
        }
        if (in_place) {
            context.copy(arrays_[2].keys, arrays_[0].keys, keys_.size());
            context.copy(arrays_[2].values, arrays_[0].values, arrays_[0].values.size());
        }
        if (nodes_.size() < divisions)
            nodes_ = context.allocate<SortNode>(divisions, "nodes");
        context.fill_bytes(nodes_, 0, divisions);
        const unsigned first_free = 1;
        context.upload(next_node_, std::span(&first_free, 1));
        SortTask task{.nodes = nodes_.data(),
                      .next_node = next_node_.data(),
                      .count = static_cast<unsigned>(keys_.size()),
                      .root_blocks = sort_roots(point),
                      .fanout = point[SortParameter::fanout],
                      .grain = point[SortParameter::grain],
                      .order = order_,
                      .work = nullptr};
        for (std::size_t place = 0; place < arrays_.size(); ++place) {
            const Array& array = arrays_.at(place);
            task.arrays[place] = {array.keys.data(), array.values.size() == 0 ? nullptr : array.values.data()};
        }
        return task;
    }

    void verify(Context& context, bool stable, Sample& sample)
    {
        const Differences wrong = comparison_.of(context, arrays_[2].keys, reference_, keys_.size());
        sample.answer = std::to_string(keys_.size() - wrong.count);
        sample.reference = std::to_string(keys_.size());
        if (wrong.count != 0)
            return fail(sample, wrong, "keys");
        if (arrays_[2].values.size() == 0)
            return;
        context.fill_bytes(seen_, 0, seen_.size());
        const Differences none{.count = 0, .first = ~0ULL};
        context.upload(found_, std::span(&none, 1));
        context.time(1, [&] {
            host_launch<check_values>(context, whole_device(context),
                                      static_cast<const unsigned*>(arrays_[0].keys.data()),
                                      SortArray{arrays_[2].keys.data(), arrays_[2].values.data()}, keys_.size(),
                                      stable, seen_.data(), found_.data());
        });
        Differences found{};
        context.download(std::span(&found, 1), found_);
        if (found.count != 0)
            fail(sample, found, "values");
    }

    std::uint64_t work() const { return keys_.size(); }

  private:
    struct Array {
        Buffer<unsigned> keys, values;
    };

    static void fail(Sample& sample, const Differences& wrong, const char* what)
    {
        sample.answer = std::to_string(std::stoull(sample.reference) - wrong.count);
        sample.status = Status::wrong;
        sample.detail = std::to_string(wrong.count) + " of " + sample.reference + " " + what +
                        " are wrong; the first is at " + std::to_string(wrong.first);
    }

    KeyOrder order_;
    std::vector<std::uint32_t> keys_;  // bits
    std::vector<std::uint32_t> ranks_; // in order
    std::array<Array, 3> arrays_;      // by SortPlace
    Buffer<unsigned> reference_, seen_, next_node_;
    Buffer<SortNode> nodes_;
    Comparison comparison_;
    Buffer<Differences> found_;
};

// Why a block is too small for what the case asks of it; empty if it is not.
std::string why_too_small(const StrategyInfo& info, SortForm form, const Case& point)
{
    if (point.elements > kMaxKeys)
        return std::to_string(point.elements) + " keys are too many; allowed: at most " + std::to_string(kMaxKeys);
    if (info.requests && blocks_per_group(point.aggregate) > 1)
        return "which group of blocks launches depends on the order in which the blocks of a part arrive; allowed "
               "for aggregate: none, warp, block, grid";
    if (info.has(SortParameter::fanout) && point[SortParameter::fanout] > point.block)
        return "a block of " + std::to_string(point.block) + " threads cannot request " +
               std::to_string(point[SortParameter::fanout]) + " parts";
    if (!info.has(SortParameter::grain) || form == SortForm::simple)
        return "";
    const std::uint32_t most = kKeysPerThread * point.block;
    if (point[SortParameter::grain] > most)
        return "a block of " + std::to_string(point.block) + " threads sorts at most " + std::to_string(most) +
               " keys, not a grain of " + std::to_string(point[SortParameter::grain]);
    if (has_values(point) && point[SortParameter::grain] > kMaxLeafPairs)
        return "a block sorts at most " + std::to_string(kMaxLeafPairs) + " keys with values, not a grain of " +
               std::to_string(point[SortParameter::grain]);
    return "";
}

class SortWorkload final : public RequestWorkloadOf<SortData>
{
  public:
    using WorkloadTraits = SortTraits;

    using RequestWorkloadOf::RequestWorkloadOf;

    ExpectedLaunches expected(const Strategy& strategy, const Case& point) override
    {
        constexpr std::array<std::string_view, 5> kForms{"flat", "kway", "binary", "sample", "simple"};
        const SortForm form = strategy_of<WorkloadTraits>(strategy).facts().form;
        if (const std::string why = why_too_small(strategy.info(), form, point); !why.empty())
            throw Unsupported(why);
        prepare(point);
        return remember(strategy, point, kForms.at(static_cast<std::size_t>(form)),
                        [&](const Case& of) { return data().oracle(of, form); });
    }

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const auto& sort = strategy_of<WorkloadTraits>(strategy);
        SortJob job{request_job(run, sort_roots(run.point)), {}};
        job.task = data().start(run.context, run.point, job.oracle.divisions, sort.facts().in_place);
        job.task.work = &job.totals->work;
        job.bytes += job.oracle.divisions * sizeof(SortNode);
        const std::function<void()> work = sort.prepare(job);
        Sample sample = timed(run, work);
        data().verify(run.context, sort.facts().stable, sample);
        report(run, sample, data().work());
        return sample;
    }
};

const RegisterWorkload<SortWorkload> sort_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
