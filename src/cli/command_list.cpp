#include "base/error.hpp"
#include "base/table.hpp"
#include "base/terminal.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/bug_report.hpp"
#include "cli/commands.hpp"
#include "cli/exported_tables.hpp"
#include "cli/help.hpp"
#include "device/backends.hpp"
#include "model/bandwidth.hpp"
#include "model/modules.hpp"
#include "model/session.hpp"
#include "model/strategy.hpp"
#include "plan/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ostream>
#include <unistd.h>

namespace nestbed
{

namespace
{

std::vector<std::string_view> mechanisms_of(const StrategyInfo& info)
{
    std::vector<std::string_view> names;
    for (const Mechanism mechanism : info.mechanisms)
        names.push_back(name_of(mechanism));
    return names;
}

std::string strategy_text(const StrategyInfo& info)
{
    std::string text = fmt::format("{}  ({}; {}{})\n", info.name, info.workload->name,
                                   info.cuda_only ? "cuda" : "cuda, cpu", info.racy ? "; racy" : "");
    for (const std::string& line :
         {std::string(info.summary), fmt::format("launches: {}", fmt::join(mechanisms_of(info), ", ")),
          fmt::format("hazards: {}", info.hazards), fmt::format("source: {}", info.source)})
        if (!line.ends_with(": ")) // a user's own strategy may say nothing of it
            text += folded(line, 4);
    if (info.racy && !info.cuda_only)
        text += folded(fmt::format("where: nestbed races --strategy {}", info.name), 4);
    return text + (info.operators ? folded("operators: sum, max, min", 4) : "");
}

// The names of the strategies by workload, with a hanging indent. Racy ones have a mark.
std::string overview(const std::vector<const StrategyInfo*>& strategies)
{
    constexpr std::size_t kGap = 2;
    std::map<std::string_view, std::string> names;
    for (const StrategyInfo* one : strategies) {
        std::string& said = names[one->workload->name];
        said.append(said.empty() ? "" : ", ").append(one->name).append(one->racy ? "*" : "");
    }
    std::size_t indent = 0;
    for (const auto& [workload, said] : names)
        indent = std::max(indent, workload.size() + kGap);
    const std::size_t columns = terminal_of(STDOUT_FILENO).columns;
    std::string text;
    for (const auto& [workload, said] : names)
        text += words_in_lines(said, indent, columns).replace(0, workload.size(), workload);
    const bool racy = std::ranges::any_of(strategies, &StrategyInfo::racy);
    return text + "\n" + (racy ? "* declared racy: the answer depends on the schedule\n" : "") +
           words_in_lines(
               "nestbed list WORKLOAD says what each strategy does, how it launches, what can go wrong, and "
               "where it comes from; nestbed list NAME the same of one.",
               0, columns);
}

// "`tail`, `named`"; "device" for all launches of kernels, "graph" for the two graphs that repeat, or "all".
std::string mechanisms_text(const StrategyInfo& info)
{
    if (std::ranges::is_permutation(info.mechanisms, kChildrenByKernel))
        return "device";
    if (std::ranges::is_permutation(info.mechanisms, kLevelsByGraph))
        return "graph";
    if (info.mechanisms.size() + 1 == kMechanisms.size()) // all but none
        return "all";
    return fmt::format("`{}`", fmt::join(mechanisms_of(info), "`, `"));
}

// A table in Markdown: by workload, strategies that say the same in one row.
std::string markdown_table(std::string_view heading, const std::vector<const StrategyInfo*>& strategies)
{
    std::map<std::string_view, std::vector<std::pair<std::string, std::string>>>
        rows; // what follows the names; the names
    for (const StrategyInfo* one : strategies) {
        std::vector<std::pair<std::string, std::string>>& own = rows[one->workload->name];
        const std::string rest =
            fmt::format("{}{} | {}", one->summary, one->racy ? "; **race**" : "", mechanisms_text(*one));
        const auto same = std::ranges::find(own, rest, &std::pair<std::string, std::string>::first);
        if (same == own.end())
            own.emplace_back(rest, fmt::format("`{}`", one->name));
        else
            same->second += fmt::format(", `{}`", one->name);
    }
    std::string text = fmt::format("| {} | what it does | mechanisms |\n|---|---|---|\n", heading);
    for (const auto& [workload, own] : rows)
        for (const auto& [rest, names] : own)
            text += fmt::format("| {}{} | {} |\n",
                                &rest == &own.front().first ? fmt::format("**{}**: ", workload) : "", names, rest);
    return rows.empty() ? "" : text;
}

// Strategies that launch from the device, patterns of memory visibility, and all others.
std::string markdown(const std::vector<const StrategyInfo*>& strategies)
{
    std::vector<const StrategyInfo*> launching, patterns, flat;
    for (const StrategyInfo* one : strategies)
        (one->nondeterministic_answer()                      ? patterns
         : std::ranges::any_of(one->mechanisms, from_device) ? launching
                                                             : flat)
            .push_back(one);
    std::string text;
    for (const std::string& table :
         {markdown_table("launches from the device", launching),
          markdown_table("patterns of memory visibility", patterns), markdown_table("flat", flat)})
        text += (text.empty() || table.empty() ? "" : "\n") + table;
    return text;
}

int list(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    if (given.contains("json") && given.contains("markdown"))
        throw UsageError("list: --json and --markdown exclude each other; allowed: one of them");
    const std::vector<std::string_view> all = Registry::names();
    const std::vector<std::string>& patterns = given.at("argument");
    const std::string pattern = patterns.empty() ? "*" : patterns.front();
    Registry::find_anywhere(pattern); // of a name, says what is missing
    const bool of_workload = std::ranges::any_of(
        Registry::workloads(), [&](const WorkloadInfo* workload) { return workload->name == pattern; });
    std::vector<const StrategyInfo*> found;
    for (const Strategy* strategy : Registry::all()) {
        const StrategyInfo& info = strategy->info();
        if (of_workload ? info.workload->name == pattern : matches(pattern, info.name))
            found.push_back(&info);
    }
    if (found.empty())
        expect_workload_built(pattern);
    if (found.empty())
        throw UsageError(fmt::format("no strategy matches '{}'{}{}", pattern,
                                     suggestions(pattern, all, kListsStrategies), user_workload_hint(pattern)));
    std::string text = patterns.empty() ? overview(found) : "";
    if (of_workload)
        text = folded(fmt::format("{}: {}", pattern, found.front()->workload->summary), 0) + "\n";
    for (const StrategyInfo* one : found)
        text += patterns.empty() ? "" : strategy_text(*one);
    if (of_workload || (found.size() == 1 && found.front()->name == pattern))
        text += parameters_text(*found.front()->workload, found);
    out << (given.contains("json") ? exported_tables(found) : given.contains("markdown") ? markdown(found) : text);
    if (const std::string missing = missing_modules_text(); !missing.empty())
        err << fmt::format("nestbed: without the strategies of {}\n", missing);
    return exit_ok;
}

int info(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& /*err*/)
{
    if (given.contains("report")) {
        out << bug_report();
        return exit_ok;
    }
    const auto line = [&](std::string_view what, const auto& value) {
        out << info_line(what, fmt::to_string(value));
    };
    out << build_text();
    for (const BackendKind backend : {BackendKind::cuda, BackendKind::cpu}) {
        const std::string reason = why_not(backend);
        out << fmt::format("{}{}\n", name_of(backend), backend == default_backend() ? " (default)" : "");
        if (!reason.empty()) {
            out << words_in_lines(fmt::format("not usable: {}", reason), 2, terminal_of(STDOUT_FILENO).columns);
            continue;
        }
        const std::unique_ptr<Session> session = open_session(backend, {});
        const DeviceFacts& facts = session->facts();
        line(backend == BackendKind::cuda ? "device" : "executor on", facts.name);
        if (backend == BackendKind::cuda) {
            line("compute capability", facts.compute_capability);
            line("driver, CUDA runtime", facts.driver + ", " + facts.runtime);
            line("multiprocessors", facts.multiprocessors);
            line("resident grids", facts.resident_grids);
            const MeasuredBandwidth measured = session->bandwidth();
            line("bandwidth", fmt::format("{} GB/s peak; {} read, {} copied", rate_text(facts.peak_bandwidth_gb_s),
                                          rate_text(measured.read_gb_s), rate_text(measured.copy_gb_s)));
        } else {
            line("workers", facts.multiprocessors);
            line("schedule", session->schedule());
        }
        line("memory, free", format_bytes(static_cast<double>(facts.memory_bytes)) + ", " +
                                 format_bytes(static_cast<double>(facts.free_memory_bytes)));
        line("threads per block", fmt::format("at most {}", facts.max_threads_per_block));
        line("pending launches", fmt::format("{} by default", facts.default_pending_limit));
        line("empty kernel", format_us(session->empty_kernel_us()));
        line("kernels' timer", fmt::format("steps of {} ns", session->timer_step_ns()));
        const DepthProbe probe = session->probe_depth(kProbedLevels);
        if (probe.asked != 0)
            line("nesting depth", probe.error.empty()
                                      ? fmt::format("{} levels ran, none was refused", probe.reached)
                                      : fmt::format("{} levels ran, then {}", probe.reached, probe.error));
    }
    return exit_ok;
}

} // namespace

Command list_command()
{
    return {.name = "list",
            .arguments = "[WORKLOAD | PATTERN] [--json | --markdown]",
            .summary = "the strategies, their hazards and sources",
            .text = "Prints the names of all strategies by workload. Of the strategies of WORKLOAD,\n"
                    "or of those that match PATTERN, such as '*_tail', it prints what they do, how\n"
                    "they launch, what can go wrong, and where they come from.\n"
                    "--json prints one object with lists of objects, for scripts: workloads (their\n"
                    "parameters, inputs and figures), axes, columns (of the log), mechanisms,\n"
                    "strategies (those that match).\n"
                    "--markdown prints tables of the strategies, as in nested/README.md.\n",
            .operands = 1,
            .options = {{.name = "json", .value = "", .help = "print all tables as JSON, for scripts"},
                        {.name = "markdown", .value = "", .help = "print tables in Markdown"}},
            .call = list};
}

Command info_command()
{
    return {
        .name = "info",
        .arguments = "[graph | warps | --report]",
        .summary = "the device, its limits, this build; also graphs and warps",
        .text = "Prints what the GPU and the CPU executor can do, and how this build was made.\n"
                "\n"
                "  nestbed info graph    the input graphs of bfs and sssp\n"
                "  nestbed info warps    the warps that add in each step of a reduction\n",
        .options = {{.name = "report",
                     .value = "",
                     .help = "print a block in Markdown for a bug report, without private names"}},
        .call = info,
        .with = [](const std::string& what) {
            const Command* const command = find_command("info " + what);
            if (command == nullptr)
                throw UsageError(fmt::format(
                    "'{}' was not expected; allowed: nestbed info, nestbed info graph, nestbed info warps", what));
            return *command;
        }};
}

} // namespace nestbed
