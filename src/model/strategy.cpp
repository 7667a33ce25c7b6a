#include "model/strategy.hpp"

#include "base/error.hpp"
#include "model/user_program.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <utility>

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

ExpectedLaunches ExpectedLaunches::unknown(unsigned levels)
{
    return {.by_depth = std::vector<std::uint64_t>(levels, 0), .by_input = true, .measured = true};
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

struct Contents {
    std::shared_mutex mutex; // of the entries and the clash: a thread may load while another one reads
    std::array<Entries, 2> entries;
    Entries traced;                       // twins
    std::vector<std::string_view> inputs; // sorted
    std::string clash;
    StrategySource* source = nullptr;

    Entries& of(BackendKind backend) { return entries.at(static_cast<std::size_t>(backend)); }
    const Strategy* find(const Entries& in, std::string_view name)
    {
        const std::shared_lock lock(mutex);
        const auto entry = in.find(name);
        return entry == in.end() ? nullptr : entry->second;
    }
    const Strategy* find(BackendKind backend, std::string_view name) { return find(of(backend), name); }
    void note(std::string name_twice)
    {
        if (source == nullptr)
            throw std::logic_error(name_twice);
        clash = std::move(name_twice);
    }
};

Contents& contents()
{
    static Contents one;
    return one;
}

void load_all_of_source()
{
    if (contents().source != nullptr)
        contents().source->load_all();
}
// Why a log cannot hold a name, or a person give it as the value of an option; empty if they can.
std::string why_no_name(std::string_view what, std::string_view name, bool is_input)
{
    constexpr std::size_t kMaxLetters = 100;
    constexpr std::string_view kSmall = "abcdefghijklmnopqrstuvwxyz";
    constexpr std::string_view kOthers = "0123456789_";
    constexpr std::string_view kNotOfInputs = "ABCDEFGHIJKLMNOPQRSTUVWXYZ.-";
    const auto is_in = [](std::string_view letters) {
        return [letters](char one) { return letters.find(one) != std::string_view::npos; };
    };
    const auto is_allowed = [&](char one) {
        return is_in(kSmall)(one) || is_in(kOthers)(one) || (!is_input && is_in(kNotOfInputs)(one));
    };
    const bool has_letter_first = !name.empty() && (std::isalpha(static_cast<unsigned char>(name.front())) != 0);
    if (has_letter_first && name.size() <= kMaxLetters && std::ranges::all_of(name, is_allowed))
        return {};
    return "'" + std::string(name) + "' is no name for " + std::string(what) +
           "; allowed: " + (is_input ? "small letters, digits and _" : "letters, digits, '_', '-' and '.'") +
           ", a letter first, not more than " + std::to_string(kMaxLetters);
}
} // namespace

void Registry::add(BackendKind backend, const Strategy& strategy)
{
    const std::string_view name = strategy.info().name;
    const std::unique_lock lock(contents().mutex);
    const WorkloadInfo* const workload = strategy.info().workload;
    std::string wrong = why_no_name("a strategy", name, false);
    if (wrong.empty() && workload != nullptr) {
        wrong = why_no_name("a workload", workload->name, false);
        for (const InputKind input : workload->inputs)
            if (wrong.empty())
                wrong = why_no_name("an input", input.name(), true);
    }
    for (const AxisSet& axes : {strategy.info().axes, workload == nullptr ? AxisSet() : workload->axes})
        for (const Parameter* const own : axes.parameters())
            if (wrong.empty())
                wrong = declare_parameter(*own);
    if (!wrong.empty())
        return contents().note(std::move(wrong));
    if (contents().of(backend).emplace(name, &strategy).second) {
        if (workload != nullptr)
            for (const InputKind input : workload->inputs)
                if (const auto place = std::ranges::lower_bound(contents().inputs, input.name());
                    place == contents().inputs.end() || *place != input.name())
                    contents().inputs.insert(place, input.name());
        return;
    }
    contents().note("two strategies of backend " + std::string(name_of(backend)) + " are named '" +
                    std::string(name) + "'");
}

void Registry::add_traced(const Strategy& twin)
{
    const std::string_view name = twin.info().name;
    const std::unique_lock lock(contents().mutex);
    if (!contents().traced.emplace(name, &twin).second)
        contents().note("two strategies for traced runs are named '" + std::string(name) + "'");
}

std::string Registry::clash()
{
    const std::unique_lock lock(contents().mutex);
    return std::exchange(contents().clash, {});
}

void Registry::set_source(StrategySource& source)
{
    contents().source = &source;
}

std::vector<const Strategy*> Registry::of(BackendKind backend)
{
    load_all_of_source();
    const std::shared_lock lock(contents().mutex);
    std::vector<const Strategy*> found;
    for (const auto& [name, strategy] : contents().of(backend))
        found.push_back(strategy);
    return found;
}

const Strategy* Registry::find(BackendKind backend, std::string_view name)
{
    if (name == program_strategy().info().name)
        return &program_strategy();
    const Strategy* strategy = contents().find(backend, name);
    if (strategy != nullptr || contents().source == nullptr)
        return strategy;
    contents().source->load(name);
    return contents().find(backend, name);
}

const Strategy& Registry::traced(std::string_view name)
{
    const Strategy* twin = contents().find(contents().traced, name);
    if (twin == nullptr && contents().source != nullptr) {
        contents().source->load_traced(name);
        twin = contents().find(contents().traced, name);
    }
    if (twin == nullptr)
        throw RunError("strategy " + std::string(name) +
                       ": this program has no kernels of it for traced runs on cuda");
    return *twin;
}

const Strategy* Registry::find_anywhere(std::string_view name)
{
    for (const BackendKind backend : {BackendKind::cuda, BackendKind::cpu})
        if (const Strategy* const strategy = contents().find(backend, name))
            return strategy;
    const Strategy* strategy = find(BackendKind::cuda, name);
    return strategy != nullptr ? strategy : find(BackendKind::cpu, name);
}

std::vector<const Strategy*> Registry::all()
{
    std::map<std::string_view, const Strategy*> strategies;
    for (const BackendKind backend : {BackendKind::cuda, BackendKind::cpu})
        for (const Strategy* strategy : of(backend))
            strategies.emplace(strategy->info().name, strategy);
    std::vector<const Strategy*> found;
    for (const auto& [name, strategy] : strategies)
        found.push_back(strategy);
    return found;
}

std::vector<const WorkloadInfo*> Registry::workloads()
{
    std::map<std::string_view, const WorkloadInfo*> workloads;
    for (const Strategy* strategy : all())
        workloads.emplace(strategy->info().workload->name, strategy->info().workload);
    std::vector<const WorkloadInfo*> found;
    for (const auto& [name, workload] : workloads)
        found.push_back(workload);
    return found;
}

const std::vector<std::string_view>& Registry::inputs()
{
    load_all_of_source();
    return contents().inputs;
}

bool Registry::has_input(std::string_view name)
{
    const auto is_loaded = [name] {
        const std::shared_lock lock(contents().mutex);
        return std::ranges::binary_search(contents().inputs, name);
    };
    if (is_loaded())
        return true;
    load_all_of_source();
    return is_loaded();
}

std::vector<std::string_view> Registry::names()
{
    std::set<std::string_view> names;
    if (contents().source != nullptr)
        for (const std::string_view name : contents().source->names())
            names.insert(name);
    const std::shared_lock lock(contents().mutex);
    for (const Entries& entries : contents().entries)
        for (const auto& [name, strategy] : entries)
            names.insert(name);
    return {names.begin(), names.end()};
}

} // namespace nestbed
