#include "run/runner.hpp"

#include "base/error.hpp"
#include "base/stop_request.hpp"
#include "model/axis_table.hpp"
#include "model/case_text.hpp"
#include "model/strategy.hpp"
#include "plan/plan_description.hpp"
#include "run/time_left.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <utility>

namespace nestbed
{

std::vector<std::size_t> round_order(std::size_t cases, std::uint64_t seed, std::size_t group, unsigned round)
{
    std::vector<std::size_t> order(cases);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::seed_seq mixed{seed, seed >> 32, std::uint64_t{group}, std::uint64_t{round}};
    std::mt19937_64 random(mixed);
    std::ranges::shuffle(order, random);
    return order;
}

bool takes_latencies(const Plan& plan, const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    return plan.latency && !info.keeps_timestamps() && from_device(mechanism_of(info, point));
}

namespace
{

// How many samples are announced to a session in advance. Then the session can begin the next sample while the run
// writes the row of the previous one. The number is small because samples that were announced are tried even if their
// case turns out to be impossible.
constexpr std::size_t kAhead = 8;

std::string name_in_words(const Case& point)
{
    return point.nx == 0 && point.grid != 0
               ? fmt::format("{} (grid {}, block {})", point.strategy, point.grid, point.block)
               : fmt::format("{} ({})", point.strategy, shape_text(point));
}

struct Stop {
};

class GroupRun
{
  public:
    GroupRun(const Plan& plan, std::size_t group, Sampling& session, const RunFacts& run, CsvLog& log,
             std::span<CaseResult> results, const RunHooks& hooks, Progress& progress, TimeLeft& time_left,
             std::size_t first, RunOutcome& outcome)
        : plan_(plan), group_(group), session_(session), run_(run), log_(log), results_(results), hooks_(hooks),
          progress_(progress), time_left_(time_left), first_(first), outcome_(outcome),
          repeats_(plan.repeat.at(session.backend())), tries_(results.size()), warm_(results.size()),
          traced_(results.size()), latencies_(results.size())
    {
    }

    // Returns whether there were samples.
    bool run()
    {
        warm_up();
        measure();
        return sampled_;
    }

  private:
    bool left(std::size_t index) const { return !results_[index].complete; }

    Sample sample(std::size_t index, unsigned repetition)
    {
        progress_.present = &results_[index].point;
        hooks_.report(progress_);
        sampled_ = true;
        Sample sample = session_.sample(results_[index].point, repetition);
        const std::chrono::duration<double, std::micro> time = time_since_last();
        if (!sample.device_lost)
            time_left_.took(first_ + index, time.count());
        return sample;
    }

    // Since the last call, so that the time between two samples counts too.
    std::chrono::duration<double, std::micro> time_since_last()
    {
        const auto now = hooks_.now();
        return now - std::exchange(last_, now);
    }

    void stop_if_asked() const
    {
        if (hooks_.stopped())
            throw Stop();
    }

    // Repeats until all remaining cases are warm at the same time: a case that crashes the worker makes all others
    // cold.
    void warm_up()
    {
        for (std::size_t index = 0; index < results_.size();) {
            if (!left(index) || warm_[index] || warm_up(index))
                ++index;
            else
                index = 0;
        }
    }

    // Returns false if the worker was lost.
    bool warm_up(std::size_t index)
    {
        const CaseResult& result = results_[index];
        if (Registry::find(session_.backend(), result.point.strategy) == nullptr) {
            keep(index, {.status = Status::unsupported,
                         .detail = fmt::format("unsupported: {} does not run on backend {}", result.point.strategy,
                                               name_of(session_.backend()))});
            return true;
        }
        if (const std::string why = why_too_large(result.point, run_.device); !why.empty()) {
            keep(index, {.status = Status::unsupported, .detail = fmt::format("unsupported: {}", why)});
            return true;
        }
        for (unsigned run = 0; run < plan_.warmup.at(session_.backend()); ++run) {
            stop_if_asked();
            const Sample warm = sample(index, 0); // any repetition number: samples are independent of each other
            if (warm.device_lost) {
                lost(index, warm);
                return false;
            }
            if (ends_case(warm.status)) {
                keep(index, warm);
                return true;
            }
        }
        warm_[index] = true;
        return !wants_latencies(index) || take_latencies(index);
    }

    // The latencies are recorded in the row of repetition 0.
    bool wants_latencies(std::size_t index) const
    {
        return takes_latencies(plan_, results_[index].point) && !traced_[index] &&
               !results_[index].repetitions.contains(0);
    }

    // Returns false if the worker was lost. The case is then measured without latencies.
    bool take_latencies(std::size_t index)
    {
        stop_if_asked();
        traced_[index] = true;
        Sample traced = session_.sample_traced(results_[index].point);
        time_since_last();
        if (traced.device_lost) {
            lost(index, traced);
            return false;
        }
        if (traced.status == Status::ok)
            latencies_[index] = std::move(traced.latencies_us);
        return true;
    }

    // One sample to take: a case in a round.
    struct Step {
        unsigned round = 0;
        std::size_t index = 0;
    };

    // The step after the last one returned; empty when all rounds are done.
    std::optional<Step> next_step()
    {
        while (order_.empty() && round_ < repeats_.most && !std::ranges::all_of(results_, &CaseResult::complete)) {
            order_ = round_order(results_.size(), plan_.order_seed, group_, round_++);
            std::erase_if(order_, [&](std::size_t index) {
                return !left(index) || results_[index].repetitions.contains(round_ - 1);
            });
            std::ranges::reverse(order_);
        }
        if (order_.empty())
            return std::nullopt;
        const Step step{.round = round_ - 1, .index = order_.back()};
        order_.pop_back();
        return step;
    }

    // Whether the sample will be taken, as far as known.
    bool is_sure(const Step& step) const { return left(step.index) && step.round < results_[step.index].planned; }

    void measure()
    {
        std::deque<Step> ahead;
        std::size_t announced = 0; // number of these that are announced
        while (true) {
            while (ahead.size() < kAhead)
                if (const std::optional<Step> step = next_step())
                    ahead.push_back(*step);
                else
                    break;
            if (ahead.empty())
                return;
            const Step step = ahead.front();
            if (left(step.index)) { // its case was not lost in a repeated warm-up, or found to be impossible
                stop_if_asked();
                // Announce several at a time, so that the worker reads them at once.
                if (announced <= kAhead / 2)
                    for (; announced < ahead.size(); ++announced)
                        if (is_sure(ahead[announced]))
                            session_.announce(results_[ahead[announced].index].point, ahead[announced].round);
                Sample measured = sample(step.index, step.round);
                if (measured.device_lost) {
                    lost(step.index, measured);
                    warm_up();
                    announced = 0;
                    continue;
                }
                keep(step.index, std::move(measured), step.round);
            }
            ahead.pop_front();
            announced -= std::min<std::size_t>(announced, 1);
        }
    }

    // Handles a case that made the worker fail: it is tried again, or recorded with that status.
    void lost(std::size_t index, const Sample& sample)
    {
        const std::string what = fmt::format("{}: {}", name_in_words(results_[index].point), why_not_ok(sample));
        if (!session_.recovers()) {
            keep(index, sample);
            throw RunError(fmt::format("the device was lost in {}", what));
        }
        warm_.assign(warm_.size(), false);
        const bool again = ++tries_[index] <= plan_.retries;
        const std::string said =
            fmt::format("{}; {}", what,
                        again ? fmt::format("tried again ({} of {})", tries_[index], plan_.retries)
                              : "the run continues without it");
        hooks_.note(said);
        if (!again) {
            Sample last = sample;
            if (tries_[index] > 1)
                last.detail += fmt::format(" ({} tries)", tries_[index]);
            keep(index, std::move(last));
        }
        try {
            session_.renew();
        } catch (const RunError& error) {
            throw RunError(fmt::format("after {}: {}", what, error.what()));
        }
        time_since_last();
    }

    // Stores the sample in the first round that is missing.
    void keep(std::size_t index, Sample sample)
    {
        unsigned round = 0;
        while (results_[index].repetitions.contains(round))
            ++round;
        keep(index, std::move(sample), round);
    }

    void keep(std::size_t index, Sample sample, unsigned round)
    {
        CaseResult& result = results_[index];
        if (round == 0 && sample.status == Status::ok && sample.latencies_us.empty())
            sample.latencies_us = latencies_[index];
        if (run_.untimed) {
            sample.gpu_us.reset();
            sample.wall_us.reset();
            sample.latencies_us.clear();
        }
        log_.append(row_of(run_, result.point, round, sample));
        ++outcome_.rows;
        progress_.bad += sample.status == Status::ok ? 0 : 1;
        const std::size_t planned = result.planned;
        const std::size_t done = result.done();
        result.add(round, sample, repeats_);
        progress_.all += result.planned - planned;
        progress_.done += result.done() - done;
    }

    const Plan& plan_;
    std::size_t group_;
    Sampling& session_;
    const RunFacts& run_;
    CsvLog& log_;
    std::span<CaseResult> results_;
    const RunHooks& hooks_;
    Progress& progress_;
    TimeLeft& time_left_;
    std::size_t first_; // index of the first case of the group among those of the plan
    RunOutcome& outcome_;
    Repeats repeats_;
    unsigned round_ = 0;             // the next round
    std::vector<std::size_t> order_; // cases left in the current round, in reverse order
    bool sampled_ = false;
    std::chrono::steady_clock::time_point last_ = hooks_.now();
    std::vector<unsigned> tries_;                // number of tries that made the worker fail
    std::vector<bool> warm_;                     // on the current device
    std::vector<bool> traced_;                   // or tracing was tried
    std::vector<std::vector<double>> latencies_; // by depth, from the traced run
};

} // namespace

RunOutcome run_plan(const Plan& plan, const Samplers& samplers, const std::map<BackendKind, RunFacts>& runs,
                    CsvLog& log, std::vector<CaseResult>& results, const RunHooks& hooks)
{
    TimeLeft time_left(plan, results, hooks.times, hooks.earlier);
    Progress progress{
        .done = samples_done(results), .all = samples_planned(results), .left_us = [&] { return time_left.us(); }};
    RunOutcome outcome;
    std::span<CaseResult> rest(results);
    bool holds = false; // the session, the input of a group
    try {
        for (std::size_t group = 0; group < plan.groups.size(); ++group) {
            const std::size_t cases = plan.groups[group].cases.size();
            const BackendKind backend = plan.groups[group].cases.front().backend;
            holds |= GroupRun(plan, group, *samplers.at(backend), runs.at(backend), log, rest.first(cases), hooks,
                              progress, time_left, results.size() - rest.size(), outcome)
                         .run();
            const bool keeps = group + 1 < plan.groups.size() && problem_of(plan.groups[group].cases.front()) ==
                                                                     problem_of(plan.groups[group + 1].cases.front());
            if (holds && !keeps)
                samplers.at(backend)->release();
            holds = holds && keeps;
            rest = rest.subspan(cases);
        }
    } catch (const Stop&) {
        outcome.interrupted = true;
    } catch (const Interrupted&) {
        outcome.interrupted = true;
    }
    return outcome;
}

} // namespace nestbed
