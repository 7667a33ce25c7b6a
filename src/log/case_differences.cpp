#include "log/case_differences.hpp"

#include "model/case_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace nestbed
{

namespace
{

std::set<std::string> keys_of(const std::vector<PlannedCase>& cases)
{
    std::set<std::string> keys;
    for (const PlannedCase& one : cases)
        keys.insert(one.key);
    return keys;
}

std::size_t without(const std::set<std::string>& some, const std::set<std::string>& others)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(some, [&](const std::string& key) { return !others.contains(key); }));
}

// The values of each setting, in the order of the plan. Of a setting that a case does not have, because it does not apply or
// has its default: "not set".
std::map<std::string, std::vector<std::string>> values_in(const std::vector<PlannedCase>& cases,
                                                          const std::set<std::string>& names)
{
    std::map<std::string, std::vector<std::string>> values;
    for (const PlannedCase& one : cases) {
        const auto settings = settings_in(one.settings);
        for (const std::string& name : names) {
            const auto found = settings.find(name);
            const std::string value = found == settings.end() ? "not set" : found->second;
            if (std::vector<std::string>& those = values[name]; std::ranges::find(those, value) == those.end())
                those.push_back(value);
        }
    }
    return values;
}

std::string list_of(const std::vector<std::string>& values)
{
    constexpr std::size_t kShown = 4;
    if (values.size() <= kShown)
        return fmt::format("{}", fmt::join(values, ","));
    return fmt::format("{},... ({} values)", fmt::join(values.begin(), values.begin() + kShown, ","), values.size());
}

} // namespace

std::string case_differences(const std::vector<PlannedCase>& there, const std::vector<PlannedCase>& here)
{
    const std::set<std::string> keys_there = keys_of(there);
    const std::set<std::string> keys_here = keys_of(here);
    if (keys_there == keys_here)
        return "";
    std::string text = fmt::format("cases: {} there, {} here; {} only there, {} only here", keys_there.size(),
                                   keys_here.size(), without(keys_there, keys_here), without(keys_here, keys_there));
    std::set<std::string> names;
    for (const std::vector<PlannedCase>* cases : {&there, &here})
        for (const PlannedCase& one : *cases)
            for (const auto& [name, value] : settings_in(one.settings))
                names.insert(name);
    const auto values_there = values_in(there, names);
    const auto values_here = values_in(here, names);
    if (there.empty() || here.empty())
        return text;
    for (const std::string& name : names) {
        const std::vector<std::string>& one = values_there.at(name);
        const std::vector<std::string>& other = values_here.at(name);
        if (std::set(one.begin(), one.end()) != std::set(other.begin(), other.end()))
            text += fmt::format("; {}: {} there, {} here", name, list_of(one), list_of(other));
    }
    return text;
}

} // namespace nestbed
