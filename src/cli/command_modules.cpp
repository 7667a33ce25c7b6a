// `nestbed modules WORD...`, for experiments/build.sh: which targets to build before `nestbed run WORD...`.
#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "model/modules.hpp"
#include "model/strategy.hpp"
#include "plan/axes.hpp"
#include "plan/axis.hpp"
#include "plan/plan.hpp"
#include "plan/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace nestbed
{

namespace
{
// Whether the run has traced runs on a GPU, which need not be here.
bool traces_on_cuda(const Settings& settings)
{
#ifdef NESTBED_HAS_CUDA
    const std::vector<BackendKind> backends = chosen_backends(settings, [] { return std::string(); });
    return is_on(settings, "latency") && std::ranges::find(backends, BackendKind::cuda) != backends.end();
#else
    static_cast<void>(settings);
    return false;
#endif
}
} // namespace

std::string modules_of_run(const Arguments& arguments)
{
    const Command command = run_command();
    const Given given = parse_arguments(arguments, options_of(command), command.operands, usage_of(command));
    Settings settings;
    if (const auto& files = given.at("argument"); !files.empty())
        settings.read_file(files.front());
    set_from(settings, given);
    const bool traced = traces_on_cuda(settings);
    std::set<std::string> targets;
    if (modules_in_use() != nullptr)
        for (const auto& [name, setting] :
             names_of(settings, "strategy", Registry::names(), "strategy", kListsStrategies)) {
            targets.insert(modules_in_use()->target_of(name));
            if (traced)
                targets.insert(modules_in_use()->target_of(name, kTracedModules));
        }
    targets.erase("");
    return fmt::format("{}", fmt::join(targets, " "));
}

} // namespace nestbed
