#include "run/sessions.hpp"

#include "base/error.hpp"
#include "base/version.hpp"
#include "model/machine.hpp"
#include "model/schedule.hpp"
#include "plan/axis.hpp"
#include "plan/plan.hpp"

#include <fmt/format.h>

namespace nestbed
{

SessionOptions session_options(const Settings& settings, SessionOptions options)
{
    options.experiment = settings.experiment();
    if (const auto schedule = settings.one("schedule")) {
        try {
            static_cast<void>(parse_schedule(schedule->value));
        } catch (const UsageError& error) {
            throw UsageError(fmt::format("{}: {}", schedule->place(), error.what()));
        }
        options.schedule = schedule->value;
    }
    if (const auto workers = settings.one("workers"))
        options.workers = static_cast<unsigned>(parse_number(*workers, 1, kMaxWorkers));
    return options;
}

Samplers samplers_of(const Sessions& sessions)
{
    Samplers samplers;
    for (const auto& [backend, session] : sessions)
        samplers.emplace(backend, session.get());
    return samplers;
}

void check_floor(const Plan& plan, BackendKind backend, double empty_kernel_us)
{
    if (!plan.floor || backend != BackendKind::cuda ||
        (empty_kernel_us >= plan.floor->low && empty_kernel_us <= plan.floor->high))
        return;
    throw RunError(fmt::format(
        "empty-kernel-us {}:{}: an empty kernel takes {:.2f} us on this GPU now, so its short times would not "
        "compare with those of other sessions; nothing was measured. Start again later or on another "
        "machine; without empty-kernel-us the run starts all the same",
        plan.floor->low, plan.floor->high, empty_kernel_us));
}

std::string changed_tree_warning(const std::map<BackendKind, RunFacts>& runs, std::string_view git)
{
    if (is_commit(git) || !runs.contains(BackendKind::cuda))
        return "";
    return fmt::format(
        "this program is of a changed tree ({}): nobody else can measure these rows again, and results/ "
        "takes none of them; commit, and build again",
        git);
}

RunFacts facts_of_run(Session& session, const Plan& plan, const std::string& run_id, bool untimed)
{
    RunFacts run{.experiment = plan.experiment,
                 .run_id = run_id,
                 .machine = machine_of(session.facts()),
                 .schedule = session.schedule(),
                 .untimed = untimed,
                 .device = session.facts()};
    if (!untimed) {
        run.empty_kernel_us = as_logged(session.empty_kernel_us());
        check_floor(plan, session.backend(), run.empty_kernel_us);
        run.timer_step_ns = session.timer_step_ns();
        run.bandwidth = session.bandwidth();
    }
    return run;
}

} // namespace nestbed
