// `nestbed modules WORD...`, for experiments/build.sh: which targets to build before `nestbed run WORD...`.
#include "cli/commands.hpp"
#include "model/modules.hpp"
#include "model/strategy.hpp"
#include "plan/axes.hpp"
#include "plan/settings.hpp"

#include <fmt/format.h>

#include <set>

namespace nestbed
{

std::string modules_of_run(const Arguments& arguments)
{
    const Command command = run_command();
    const Given given = parse_arguments(arguments, options_of(command), command.operands, usage_of(command));
    Settings settings;
    if (const auto& files = given.at("argument"); !files.empty())
        settings.read_file(files.front());
    set_from(settings, given);
    std::set<std::string> targets;
    for (const auto& [name, setting] :
         names_of(settings, "strategy", Registry::names(), "strategy", kListsStrategies))
        if (const std::string target = modules_in_use() == nullptr ? "" : modules_in_use()->target_of(name);
            !target.empty())
            targets.insert(target);
    return fmt::format("{}", fmt::join(targets, " "));
}

} // namespace nestbed
