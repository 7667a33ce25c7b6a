// The workload `reduce`: one input for all cases that share it. The input is restored before every run.
#include "base/parallel.hpp"
#include "workloads/reduce/reduction.hpp"

#include <memory>
#include <span>
#include <tuple>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{

// The input and the buffers for one combination of input, operator, elements, grid, block and seed.
template <class T>
class ReduceData
{
  public:
    ReduceData(Context& context, const Case& point)
        : numbers_(make_input(point)), input_(numbers_.get(), point.elements),
          reference_(reduce_reference(input_, point.grid, point.block, point.op)),
          padded_(std::size_t{point.grid} * point.block), pristine_(context.allocate<T>(padded_, "pristine")),
          work_(context.allocate<T>(padded_, "in")), sums_(context.allocate<T>(point.grid, "out")),
          total_(context.allocate<WideSum<T>>(1, "total"))
    {
        context.fill_bytes(pristine_, 0, padded_);
        context.upload(pristine_, input_);
    }

    Sample sample(const StrategyOf<ReduceTraits>& strategy, const PreparedRun& run)
    {
        Context& context = run.context;
        if (run.point.input == ReduceInput::index)
            check_width(strategy);
        context.copy(work_, pristine_, padded_);
        context.fill_bytes(sums_, 0xFF, sums_.size());
        context.fill_bytes(total_, 0xFF, 1);
        WideSum<T> host_sum = -1;
        const Reduction<T> job{
            run,    work_.data(), sums_.data(), total_.data(), run.point.elements, run.point.grid, run.point.block,
            input_, &host_sum};
        const ReduceJob whole = in_its_type(job);
        const std::function<void()> work = strategy.prepare(whole);
        Sample sample;
        if (strategy.facts().answer == Answer::on_host) {
            const TimedRange range(context);
            const WallClock clock;
            work();
            sample.wall_us = clock.elapsed_us();
        } else {
            sample = timed(run, work);
        }
        const Verification verdict = verify(context, strategy, host_sum);
        sample.answer = verdict.answer;
        sample.reference = to_text<T>(strategy.facts().answer == Answer::narrow_total && std::is_integral_v<T>
                                          ? static_cast<T>(reference_.total)
                                          : reference_.total);
        sample.relative_error = verdict.relative_error;
        sample.detail = verdict.detail;
        sample.status = verdict.right ? Status::ok : Status::wrong;
        return sample;
    }

  private:
    // Throws Unsupported if int32 cannot represent the elements or the sums (why_too_wide()).
    void check_width(const StrategyOf<ReduceTraits>& strategy) const
    {
        const bool of_blocks = strategy.facts().answer == Answer::block_sums;
        if (const std::string why = why_too_wide(reference_, of_blocks ? strategy.facts().blocks_per_sum : 0);
            !why.empty())
            throw Unsupported(why);
    }

    Verification verify(Context& context, const StrategyOf<ReduceTraits>& strategy, WideSum<T> host_sum)
    {
        switch (strategy.facts().answer) {
        case Answer::on_host:
        case Answer::returned:
            return verify_total(reference_, host_sum);
        case Answer::total: {
            WideSum<T> total{};
            context.download(std::span(&total, 1), total_);
            return verify_total(reference_, total);
        }
        case Answer::narrow_total: {
            T total{};
            context.download(std::span(&total, 1), sums_);
            return verify_narrow_total(reference_, total);
        }
        case Answer::block_sums:
            break;
        }
        const unsigned blocks_per_sum = strategy.facts().blocks_per_sum;
        std::vector<T> partials((sums_.size() - 1) / blocks_per_sum + 1);
        context.download(std::span<T>(partials), sums_);
        return verify_blocks(reference_, std::span<const T>(partials), blocks_per_sum);
    }

    // Does not initialise the memory first: a page belongs to the processor that first writes to it, and
    // host_parallel uses all processors.
    static std::unique_ptr<T[]> make_input(const Case& point)
    {
        auto input = std::make_unique_for_overwrite<T[]>(point.elements);
        for_ranges(point.elements, [&](std::size_t first, std::size_t end) {
            for (std::size_t index = first; index < end; ++index)
                input[index] = input_element<T>(point, index);
        });
        return input;
    }

    std::unique_ptr<T[]> numbers_;
    std::span<const T> input_;
    ReduceReference<T> reference_;
    std::size_t padded_;
    Buffer<T> pristine_, work_, sums_;
    Buffer<WideSum<T>> total_;
};

class ReduceWorkload final : public Workload
{
  public:
    using WorkloadTraits = ReduceTraits;

    explicit ReduceWorkload(Context& context) : context_(context) {}

    Sample sample(const Strategy& strategy, const PreparedRun& run) override
    {
        const auto& reduction = strategy_of<WorkloadTraits>(strategy);
        prepare(run.point);
        PreparedRun with_flags = run;
        with_flags.done = done_.of(context_, run.form);
        return run.point.type == ElementType::float32 ? floats_->sample(reduction, with_flags)
                                                      : ints_->sample(reduction, with_flags);
    }

    void release() override
    {
        ints_.reset();
        floats_.reset();
        done_.release();
    }

  private:
    using Key =
        std::tuple<ElementType, InputKind, Operator, std::uint64_t, std::uint32_t, std::uint32_t, std::uint64_t>;

    void prepare(const Case& point)
    {
        const Key key{point.type, point.input, point.op, point.elements, point.grid, point.block, point.seed};
        if ((ints_ || floats_) && key == key_)
            return;
        release();
        key_ = key;
        if (point.type == ElementType::float32)
            floats_ = std::make_unique<ReduceData<float>>(context_, point);
        else
            ints_ = std::make_unique<ReduceData<std::int32_t>>(context_, point);
    }

    Context& context_;
    WaitFlags done_;
    Key key_;
    std::unique_ptr<ReduceData<std::int32_t>> ints_;
    std::unique_ptr<ReduceData<float>> floats_;
};

const RegisterWorkload<ReduceWorkload> reduce_workload;

} // namespace

} // namespace nestbed::inline NESTBED_BACKEND
