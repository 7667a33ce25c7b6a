#include "model/strategy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>

namespace nestbed
{

std::uint64_t ExpectedLaunches::total() const
{
    return std::accumulate(by_depth.begin(), by_depth.end(), std::uint64_t{0});
}

bool StrategyInfo::has(Mechanism mechanism) const
{
    return std::ranges::find(mechanisms, mechanism) != mechanisms.end();
}

std::uint64_t bytes_moved(const StrategyInfo& info, const Case& point)
{
    return info.workload->bytes_moved == nullptr ? 0 : info.workload->bytes_moved(point);
}

Mechanism mechanism_of(const StrategyInfo& info, const Case& point)
{
    return point.mechanism.value_or(info.mechanisms.front());
}

ExpectedLaunches ExpectedLaunches::chain_per_block(std::uint32_t root_blocks, unsigned levels)
{
    return {.by_depth = std::vector<std::uint64_t>(levels, root_blocks), .root_blocks = root_blocks};
}

ExpectedLaunches ExpectedLaunches::chain_per_grid(unsigned levels)
{
    return {.by_depth = std::vector<std::uint64_t>(levels, 1)};
}

unsigned log2_of(std::uint32_t power_of_two)
{
    return static_cast<unsigned>(std::bit_width(power_of_two)) - 1;
}

unsigned levels_within(const Case& point, unsigned full)
{
    return point.depth ? std::min(full, *point.depth) : full;
}

unsigned whole_levels(const Case& point, unsigned fan_in)
{
    unsigned levels = 0;
    for (std::uint64_t left = (point.elements - 1) / fan_in + 1; left > 1; left = (left - 1) / fan_in + 1)
        ++levels;
    return levels_within(point, levels);
}

unsigned halving_levels(const Case& point)
{
    return levels_within(point, point.block > 2 ? log2_of(point.block) - 1 : 0);
}

namespace
{
using Entries = std::map<std::string_view, const Strategy*>;

Entries& entries_of(BackendKind backend)
{
    static std::array<Entries, 2> entries;
    return entries.at(static_cast<std::size_t>(backend));
}

std::vector<std::string_view>& input_names()
{
    static std::vector<std::string_view> names;
    return names;
}
} // namespace

void Registry::add(BackendKind backend, const Strategy& strategy)
{
    const std::string_view name = strategy.info().name;
    if (!entries_of(backend).emplace(name, &strategy).second)
        throw std::logic_error("two strategies of backend " + std::string(name_of(backend)) + " are named '" +
                               std::string(name) + "'");
    if (const WorkloadInfo* workload = strategy.info().workload; workload != nullptr)
        for (const InputKind input : workload->inputs)
            if (const auto place = std::ranges::lower_bound(input_names(), input.name());
                place == input_names().end() || *place != input.name())
                input_names().insert(place, input.name());
}

std::vector<const Strategy*> Registry::of(BackendKind backend)
{
    std::vector<const Strategy*> found;
    for (const auto& [name, strategy] : entries_of(backend))
        found.push_back(strategy);
    return found;
}

const Strategy* Registry::find(BackendKind backend, std::string_view name)
{
    const Entries& entries = entries_of(backend);
    const auto entry = entries.find(name);
    return entry == entries.end() ? nullptr : entry->second;
}

const Strategy* Registry::find_anywhere(std::string_view name)
{
    const Strategy* strategy = find(BackendKind::cuda, name);
    return strategy != nullptr ? strategy : find(BackendKind::cpu, name);
}

std::vector<const WorkloadInfo*> Registry::workloads()
{
    std::map<std::string_view, const WorkloadInfo*> workloads;
    for (const std::string_view name : names()) {
        const WorkloadInfo* workload = find_anywhere(name)->info().workload;
        workloads.emplace(workload->name, workload);
    }
    std::vector<const WorkloadInfo*> found;
    for (const auto& [name, workload] : workloads)
        found.push_back(workload);
    return found;
}

const std::vector<std::string_view>& Registry::inputs()
{
    return input_names();
}

std::vector<std::string_view> Registry::names()
{
    std::set<std::string_view> names;
    for (const BackendKind backend : {BackendKind::cuda, BackendKind::cpu})
        for (const Strategy* strategy : of(backend))
            names.insert(strategy->info().name);
    return {names.begin(), names.end()};
}

} // namespace nestbed
