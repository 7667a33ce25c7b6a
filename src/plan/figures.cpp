#include "plan/figures.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace nestbed
{

namespace
{

// That every workload of a user's own has.
constexpr std::string_view kFigureOfOwn = "times";

// Throws if no workload has this figure. Loads all modules.
void expect_figure(const Setting& setting, const std::string& name)
{
    std::set<std::string_view> known{kFigureOfOwn};
    for (const WorkloadInfo* workload : Registry::workloads())
        known.insert(workload->figures.begin(), workload->figures.end());
    if (!known.contains(name) && missing_modules_text().empty()) // otherwise a workload that is not here may have it
        throw UsageError(
            fmt::format("{}: there is no figure '{}'{}", setting.place(), name,
                        suggestions(name, std::vector(known.begin(), known.end()), "nestbed list --json")));
}

} // namespace

std::vector<std::string> figures_of(const Settings& settings, const std::vector<Axes>& parts)
{
    std::set<std::string_view> known;
    for (const Axes& part : parts)
        for (const auto& [strategy, setting] : part.strategies) {
            const WorkloadInfo& workload = *Registry::find_anywhere(strategy)->info().workload;
            known.insert(workload.figures.begin(), workload.figures.end());
        }
    std::vector<std::string> figures;
    for (const Setting& setting : settings.of("figure"))
        for (const std::string& name : split(setting.value, ',')) {
            if (!known.contains(name))
                expect_figure(setting, name);
            if (std::ranges::find(figures, name) == figures.end())
                figures.push_back(name);
        }
    return figures;
}

} // namespace nestbed
