// Checks that the parts of a plan are the whole plan.
#pragma once

#include "model/case_text.hpp"
#include "plan/shard.hpp"
#include "support/matchers.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace nestbed
{

inline std::vector<std::string> texts_of(const Plan& plan)
{
    std::vector<std::string> texts;
    for (const Group& group : plan.groups)
        for (const Case& point : group.cases)
            texts.push_back(settings_text(point));
    return texts;
}

inline std::vector<Plan> parts_of(const Plan& plan, unsigned of, const CaseTimes& times)
{
    std::vector<Plan> parts;
    for (unsigned number = 1; number <= of; ++number)
        parts.push_back(part_of(plan, {number, of}, times));
    return parts;
}

// Every case is in exactly one part, and the parts keep the order of the plan.
inline void expect_to_be_divided(const Plan& plan, const std::vector<Plan>& parts)
{
    const std::vector<std::string> all = texts_of(plan);
    std::multiset<std::string> found;
    for (const Plan& part : parts) {
        std::size_t last = 0;
        for (const std::string& text : texts_of(part)) {
            const auto place = static_cast<std::size_t>(std::ranges::find(all, text) - all.begin());
            EXPECT_LE(last, place);
            last = place;
            found.insert(text);
        }
        for (const Group& group : part.groups)
            EXPECT_FALSE(group.cases.empty());
    }
    EXPECT_EQ(found, std::multiset<std::string>(all.begin(), all.end()));
}

} // namespace nestbed
