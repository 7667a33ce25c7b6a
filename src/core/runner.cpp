#include "runner.hpp"

#include "error.hpp"
#include "strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

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

namespace
{

class GroupRun
{
  public:
    GroupRun(const Plan& plan, std::size_t group, const std::map<BackendKind, std::unique_ptr<Session>>& sessions,
             const std::map<BackendKind, RunFacts>& runs, CsvLog& log,
             const std::function<void(const Progress&)>& report, Progress& progress)
        : plan_(plan), group_(group), sessions_(sessions), runs_(runs), log_(log), report_(report),
          progress_(progress)
    {
        for (const Case& point : plan.groups[group].cases)
            results_.push_back({.point = point, .group = group, .samples = {}});
    }

    std::vector<CaseResult> run()
    {
        for (CaseResult& result : results_)
            warm_up(result);
        unsigned rounds = 0;
        for (const CaseResult& result : results_)
            rounds = std::max(rounds, plan_.repeat.at(result.point.backend));
        for (unsigned round = 0; round < rounds; ++round)
            for (const std::size_t index : round_order(results_.size(), plan_.order_seed, group_, round))
                if (!unsupported(results_[index]))
                    keep(results_[index], round, sample(results_[index]));
        for (const CaseResult& result : results_)
            sessions_.at(result.point.backend)->release();
        return std::move(results_);
    }

  private:
    static bool unsupported(const CaseResult& result)
    {
        return !result.samples.empty() && result.samples.front().status == Status::unsupported;
    }

    Sample sample(const CaseResult& result)
    {
        progress_.present = &result.point;
        report_(progress_);
        return sessions_.at(result.point.backend)->sample(result.point);
    }

    void warm_up(CaseResult& result)
    {
        if (Registry::find(result.point.backend, result.point.strategy) == nullptr) {
            keep(result, 0,
                 {.status = Status::unsupported,
                  .detail = fmt::format("unsupported: {} does not run on backend {}", result.point.strategy,
                                        name_of(result.point.backend))});
            return;
        }
        for (unsigned run = 0; run < plan_.warmup.at(result.point.backend); ++run) {
            const Sample warm = sample(result);
            if (warm.status == Status::unsupported || warm.device_lost)
                return keep(result, 0, warm);
        }
    }

    void keep(CaseResult& result, unsigned round, Sample sample)
    {
        if (runs_.at(result.point.backend).untimed) {
            sample.gpu_us.reset();
            sample.wall_us.reset();
            sample.latencies_us.clear();
        }
        log_.append(row_of(runs_.at(result.point.backend), result.point, round, sample));
        progress_.done += sample.status == Status::unsupported ? plan_.repeat.at(result.point.backend) : 1;
        if (sample.device_lost)
            throw RunError(fmt::format("the device was lost in {} (grid {}, block {}): {}; the rows so far are in {}",
                                       result.point.strategy, result.point.grid, result.point.block, sample.detail,
                                       log_.path()));
        result.samples.push_back(std::move(sample));
    }

    const Plan& plan_;
    std::size_t group_;
    const std::map<BackendKind, std::unique_ptr<Session>>& sessions_;
    const std::map<BackendKind, RunFacts>& runs_;
    CsvLog& log_;
    const std::function<void(const Progress&)>& report_;
    Progress& progress_;
    std::vector<CaseResult> results_;
};

} // namespace

std::vector<CaseResult> run_plan(const Plan& plan, const std::map<BackendKind, std::unique_ptr<Session>>& sessions,
                                 const std::map<BackendKind, RunFacts>& runs, CsvLog& log,
                                 const std::function<void(const Progress&)>& report)
{
    std::vector<CaseResult> results;
    Progress progress{.all = plan.sample_count()};
    for (std::size_t group = 0; group < plan.groups.size(); ++group) {
        std::vector<CaseResult> some = GroupRun(plan, group, sessions, runs, log, report, progress).run();
        std::ranges::move(some, std::back_inserter(results));
    }
    return results;
}

} // namespace nestbed
