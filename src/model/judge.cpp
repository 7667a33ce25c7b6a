#include "model/judge.hpp"

#include <fmt/format.h>

namespace nestbed
{

namespace
{

// As the ledger counts: its last level has all deeper ones too.
std::vector<std::uint64_t> in_ledger(std::vector<std::uint64_t> by_depth)
{
    while (by_depth.size() > kLedgerLevels) {
        by_depth[kLedgerLevels - 1] += by_depth.back();
        by_depth.pop_back();
    }
    return by_depth;
}

// The name of the error that a Nest gives to launches below the last level.
constexpr std::string_view kTooDeepName = "cudaErrorLaunchMaxDepthExceeded";

// For a wrong answer of which the workload gave no detail: a row that is not ok must have one.
std::string wrong_answer_text(const Sample& sample)
{
    if (sample.answer.empty() && sample.reference.empty())
        return "the workload found the answer wrong and gave no detail";
    const auto text = [](const std::string& number) { return number.empty() ? std::string("not given") : number; };
    return fmt::format("answer {}, reference {}", text(sample.answer), text(sample.reference));
}

} // namespace

void judge_launches(Sample& sample, const ExpectedLaunches& form, const std::string& error_name)
{
    const LaunchCounts& counts = *sample.launches;
    // What was refused and then done in another way is no failure.
    const RequestSample requests = sample.requests.value_or(RequestSample{});
    const bool as_expected = form.measured          ? true
                             : form.by_order        ? counts.attempted == requests.grids + requests.drains
                             : requests.drains == 0 ? counts.attempted_by_depth == in_ledger(form.by_depth)
                                                    : counts.attempted == form.total() + requests.drains;
    constexpr std::string_view kRefused =
        "cudaErrorLaunchPendingCountExceeded"; // any other error is a fault, also if replaced
    if (counts.failed != requests.replaced + requests.drains_refused ||
        (counts.failed != 0 && error_name != kRefused)) {
        sample.status = Status::launch_failed;
        const std::string failed = fmt::format("{}{} device launches", counts.failed,
                                               kCountsLaunches ? fmt::format(" of {}", counts.attempted) : "");
        sample.detail =
            error_name == kTooDeepName
                ? fmt::format("nestbed refused {}: they are below level {}, by launches() of the strategy the last "
                              "one; this is no limit of a GPU",
                              failed, form.levels())
                : fmt::format("{} failed with {} under a pending-launch limit of {}", failed, error_name,
                              sample.pending_limit);
    } else if (counts.waits_given_up != 0) {
        sample.status = Status::timeout;
        sample.detail = fmt::format("{} parents gave up waiting for their child: more chains were launched at once "
                                    "than the device holds",
                                    counts.waits_given_up);
    } else if (kCountsLaunches && !as_expected) {
        sample.status = Status::count_mismatch;
        sample.detail =
            form.by_order ? fmt::format("the ledger counted {} device launches; the kernels wanted {}",
                                        counts.attempted, requests.grids + requests.drains)
                          : fmt::format("the ledger counted [{}] device launches by depth, the closed form says [{}]",
                                        fmt::join(counts.attempted_by_depth, " "), fmt::join(form.by_depth, " "));
    }
    if (sample.status == Status::wrong && sample.detail.empty())
        sample.detail = wrong_answer_text(sample);
    if (sample.status != Status::ok && sample.status != Status::wrong)
        sample.relative_error.reset(); // the answer is not complete
    if (sample.status != Status::ok) {
        sample.gpu_us.reset();
        sample.wall_us.reset();
        sample.latencies_us.clear();
    }
}

} // namespace nestbed
