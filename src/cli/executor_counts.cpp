#include "cli/executor_counts.hpp"

#include "base/stop_request.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "cli/log_files.hpp"
#include "cli/run_devices.hpp"
#include "cli/watched_case.hpp"
#include "device/backends.hpp"
#include "inspect/compare_words.hpp"
#include "log/csv_log.hpp"
#include "log/logged_case.hpp"
#include "model/case_text.hpp"
#include "plan/plan.hpp"
#include "predict/case_time.hpp"
#include "run/runner.hpp"
#include "run/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <utility>

namespace nestbed
{

namespace
{

using Clock = std::chrono::steady_clock;

// One sample of each such case.
Plan plan_of(const Settings& settings, const std::map<BackendKind, DeviceFacts>& facts,
             const std::function<bool(const Case&)>& is_wanted)
{
    Plan plan = make_plan(settings, facts);
    for (Group& group : plan.groups)
        std::erase_if(group.cases, [&](const Case& point) { return !is_wanted(point) || !is_run(point); });
    std::erase_if(plan.groups, [](const Group& group) { return group.cases.empty(); });
    return plan;
}

// A user's own workload need not say how much work its cases are.
bool is_time_known(const Plan& plan)
{
    return std::ranges::all_of(plan.groups, [](const Group& group) {
        return std::ranges::all_of(group.cases, [](const Case& point) {
            return Registry::find_anywhere(point.strategy)->info().workload->work != nullptr;
        });
    });
}

} // namespace

bool has_data_dependent_launches(const Case& point)
{
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    return info.requests && from_device(mechanism_of(info, point));
}

std::optional<CountedLog> counts_on_executor(Settings settings, const std::function<bool(const Case&)>& is_wanted,
                                             std::ostream& err)
{
    for (const char* key : {"precision", "max-repeat", "latency", "expect"})
        settings.set(key, {});
    settings.set("backend", {"cpu"});
    settings.set("repeat", {"1"});
    settings.set("warmup", {"0"});
    const StopRequest stop("\nnestbed: stopping; interrupt again to stop now\n");
    const auto note = [&err](const std::string& text) { err << fmt::format("nestbed: {}\n", text); };
    const Sessions sessions =
        open_sessions(settings, why_not_cuda, opener({}, settings, stop, note), {.untimed = true});
    const Plan plan = plan_of(settings, facts_of(sessions), is_wanted);
    if (plan.groups.empty())
        return std::nullopt;
    const double us = cost_us(kCaseTimes, plan);
    err << fmt::format("nestbed: counting the launches of {} on the executor: {}\n",
                       counted(plan.case_count(), "case"),
                       is_time_known(plan) ? "about " + duration_text(std::chrono::duration<double, std::micro>(us))
                                           : "how long that takes is not known");
    const Clock::time_point start = Clock::now();
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "counts.csv").string();
    CsvLog log(path);
    log.begin();
    std::map<BackendKind, RunFacts> runs;
    for (const auto& [backend, session] : sessions)
        runs[backend] = facts_of_run(*session, plan, new_run_id(), true);
    std::vector<CaseResult> results = cases_of(plan, runs);
    const RunHooks hooks{.report = [](const Progress& /*progress*/) {},
                         .note = note,
                         .stopped = [&stop] { return stop.asked(); },
                         .times = kCaseTimes};
    if (run_plan(plan, samplers_of(sessions), runs, log, results, hooks).interrupted)
        throw Interrupted();
    log.finish();
    err << fmt::format("nestbed: counted in {}\n", duration_text(Clock::now() - start));
    for (CaseResult& result : results) {
        if (result.bad)
            err << fmt::format("nestbed: not counted: {}: {}: {}\n", heading(result.point), name_of(*result.bad),
                               result.reason);
        result.point = case_of_settings(settings_text(result.point), "the plan"); // as the cases of a log are
    }
    return CountedLog{.log = read_log(path, err), .results = std::move(results)};
}

} // namespace nestbed
