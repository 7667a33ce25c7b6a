// What the irregular workloads share: the oracle of a case, and what its run counted.
#pragma once

#include "device/parts/request_memory.hpp"

#include <map>
#include <utility>

namespace nestbed::inline NESTBED_BACKEND
{

class RequestWorkload : public Workload
{
  public:
    explicit RequestWorkload(Context& context)
        : context_(context), totals_(context.allocate<RequestTotals>(1, "totals"))
    {
    }

  protected:
    Context& context() { return context_; }

    // The oracle of a case, counted once for all strategies with the same recursion. A flat strategy launches nothing, but
    // may use the sizes.
    template <class Count>
    ExpectedLaunches remember(const Strategy& strategy, const Case& point, std::string_view recursion,
                              const Count& count)
    {
        bytes_ = 0;
        requests_ = strategy.info().requests || strategy.info().by_order;
        by_order_ = strategy.info().by_order;
        Case of = point; // without what does not change the counts
        if (mechanism_of(strategy.info(), point) == Mechanism::none)
            of.depth.reset(); // there are no levels that it could limit
        of.strategy = recursion;
        of.mechanism.reset();
        of.overflow = Overflow::absent;
        auto found = oracles_.find(of);
        if (found == oracles_.end())
            found = oracles_.emplace(of, count(of)).first;
        oracle_ = &found->second;
        if (!from_device(mechanism_of(strategy.info(), point)))
            return ExpectedLaunches::none();
        ExpectedLaunches launches = oracle_->launches;
        launches.one_by_one = mechanism_of(strategy.info(), point) == Mechanism::tail;
        return launches;
    }
    void forget() { oracles_.clear(); }

    // Zeroes what the run counts.
    RequestJob request_job(const PreparedRun& run, std::uint32_t roots)
    {
        const RequestTotals start{.rows = roots * rows_per_block(run.point), .heads = 1 + roots};
        run.context.upload(totals_, std::span(&start, 1));
        bytes_ = 0;
        return {run, *oracle_, roots, totals_.data(), bytes_};
    }

    // What the run counted; `work` replaces the device's own count if there is none.
    void report(const PreparedRun& run, Sample& sample, std::uint64_t work)
    {
        RequestTotals totals{};
        run.context.download(std::span(&totals, 1), totals_);
        sample.work = totals.work == 0 ? work : totals.work;
        if (!requests_ && totals.replaced == 0)
            return; // a form whose launches are those of its levels has nothing to say, unless one was refused
        sample.requests = RequestSample{.items = totals.items,
                                        .replaced = totals.replaced,
                                        .drains = totals.drains,
                                        .drains_refused = totals.drains_refused,
                                        .child_blocks = totals.blocks,
                                        .arena_bytes = bytes_,
                                        .grids = by_order_ ? totals.items : totals.grids};
        if (by_order_ || !requests_)
            return;
        if (sample.status == Status::ok && totals.items != oracle_->counts.items) {
            sample.status = Status::count_mismatch;
            sample.detail = "the blocks requested " + std::to_string(totals.items) + " items, the oracle says " +
                            std::to_string(oracle_->counts.items);
        } else if (sample.status == Status::ok && totals.blocks != oracle_->counts.blocks) {
            sample.status = Status::count_mismatch;
            sample.detail = "child grids have " + std::to_string(totals.blocks) + " blocks, the oracle says " +
                            std::to_string(oracle_->counts.blocks);
        }
    }

  private:
    Context& context_;
    Buffer<RequestTotals> totals_;
    std::map<Case, RequestOracle> oracles_;
    const RequestOracle* oracle_ = nullptr; // of the current case
    bool requests_ = false;                 // its strategy makes data-dependent launches
    bool by_order_ = false;                 // what it launches depends on the order
    std::uint64_t bytes_ = 0;               // of its arena
};

// One whose data (input, reference, buffers) serve all cases with the same Data::key_of(case).
template <class Data>
class RequestWorkloadOf : public RequestWorkload
{
  public:
    using RequestWorkload::RequestWorkload;

    void release() override
    {
        data_.reset();
        forget();
    }

  protected:
    // Makes the data of a case, unless they are there.
    void prepare(const Case& point)
    {
        const auto key = Data::key_of(point);
        if (data_ && key == key_)
            return;
        release();
        data_ = std::make_unique<Data>(context(), point);
        key_ = key;
    }
    Data& data() { return *data_; }

  private:
    decltype(Data::key_of(Case{})) key_;
    std::unique_ptr<Data> data_;
};

} // namespace nestbed::inline NESTBED_BACKEND
