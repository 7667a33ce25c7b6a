#include "plan/shard.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>
#include <utility>

namespace nestbed
{

namespace
{

constexpr unsigned kMaxShards = 10'000;
constexpr double kEqual = 1.05; // longest shard / mean; below this no more groups are divided
constexpr double kFull = 1.1;   // load at which a shard counts as full / its fair part
constexpr int kHalvings = 8;    // how often the cost limit for undivided groups is halved

bool read_number(std::string_view text, unsigned& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

// Cases of one group that go to one shard together.
struct Piece {
    std::size_t group = 0;
    std::vector<std::size_t> cases;
    double us = 0;
};

struct GroupCost {
    double input_us = 0;
    double samples_us = 0;
    std::vector<double> by_case;
};

struct Division {
    std::vector<std::vector<unsigned>> shard_of; // by group and case; shards count from 0
    double longest_us = 0;
    double mean_us = 0;
    bool whole = false; // at least one group with several cases is undivided
};

std::vector<GroupCost> costs_of(const Plan& plan, const CaseTimes& times)
{
    std::vector<GroupCost> costs;
    for (const Group& group : plan.groups) {
        GroupCost cost{.input_us = times.input_us(group.cases.front())};
        for (const Case& point : group.cases) {
            cost.by_case.push_back(cost_us(times, plan, point));
            cost.samples_us += cost.by_case.back();
        }
        costs.push_back(std::move(cost));
    }
    return costs;
}

// The most expensive first; pieces of equal cost stay in the plan's order.
std::vector<Piece> pieces_of(const std::vector<GroupCost>& costs, double max_us)
{
    std::vector<Piece> pieces;
    for (std::size_t group = 0; group < costs.size(); ++group) {
        const GroupCost& cost = costs[group];
        if (cost.input_us + cost.samples_us <= max_us) {
            std::vector<std::size_t> all(cost.by_case.size());
            std::iota(all.begin(), all.end(), std::size_t{0});
            pieces.push_back({group, std::move(all), cost.samples_us});
            continue;
        }
        for (std::size_t index = 0; index < cost.by_case.size(); ++index)
            pieces.push_back({group, {index}, cost.by_case[index]});
    }
    std::ranges::stable_sort(pieces, std::ranges::greater(),
                             [&](const Piece& piece) { return costs[piece.group].input_us + piece.us; });
    return pieces;
}

// A shard pays for the input of a group once, however many of its cases it has. So a shard that has the input is
// filled up to `full_us` before another shard must make the input too.
Division divide(const std::vector<GroupCost>& costs, unsigned shards, double max_us, double full_us)
{
    Division division;
    for (const GroupCost& cost : costs)
        division.shard_of.emplace_back(cost.by_case.size());
    std::vector<double> loads(shards);
    std::vector<std::set<unsigned>> with_input(costs.size());
    for (const Piece& piece : pieces_of(costs, max_us)) {
        std::set<unsigned>& have = with_input[piece.group];
        const auto load_with = [&](unsigned shard) {
            return loads[shard] + piece.us + (have.contains(shard) ? 0 : costs[piece.group].input_us);
        };
        const auto full = std::ranges::find_if(have, [&](unsigned shard) { return load_with(shard) <= full_us; });
        unsigned best = full != have.end() ? *full : 0;
        for (unsigned shard = 0; full == have.end() && shard < shards; ++shard)
            if (load_with(shard) < load_with(best))
                best = shard;
        loads[best] = load_with(best);
        have.insert(best);
        for (const std::size_t index : piece.cases)
            division.shard_of[piece.group][index] = best;
        division.whole = division.whole || piece.cases.size() > 1;
    }
    division.longest_us = std::ranges::max(loads);
    division.mean_us = std::accumulate(loads.begin(), loads.end(), 0.0) / shards;
    return division;
}

double longest_case_us(const std::vector<GroupCost>& costs)
{
    double us = 0;
    for (const GroupCost& cost : costs)
        us = std::max(us, cost.input_us + std::ranges::max(cost.by_case));
    return us;
}

// The division whose longest shard is shortest. Of equal divisions the first one is used, so that groups stay
// undivided where this costs nothing.
Division best_division(const Plan& plan, unsigned shards, const CaseTimes& times)
{
    const std::vector<GroupCost> costs = costs_of(plan, times);
    double max_us = cost_us(times, plan) / shards;
    const double full_us = kFull * std::max(max_us, longest_case_us(costs));
    Division best = divide(costs, shards, max_us, 0);
    Division last = best;
    for (int halving = 0; halving < kHalvings && best.longest_us > kEqual * best.mean_us; ++halving) {
        if (halving > 0 && !last.whole)
            break;
        for (const double full : {full_us, 0.0}) {
            last = divide(costs, shards, max_us, full);
            if (last.longest_us < best.longest_us)
                best = last;
        }
        max_us /= 2;
    }
    return best;
}

} // namespace

Shard parse_shard(const std::string& text)
{
    Shard shard;
    const std::size_t slash = text.find('/');
    const std::string_view all(text);
    if (slash == std::string::npos || !read_number(all.substr(0, slash), shard.number) ||
        !read_number(all.substr(slash + 1), shard.of) || shard.number == 0 || shard.number > shard.of ||
        shard.of > kMaxShards)
        throw UsageError(fmt::format("--shard {}: it is not a valid shard; allowed: I/N, I from 1 to N, N at most {}",
                                     text, kMaxShards));
    return shard;
}

std::string name_of(const Shard& shard)
{
    return fmt::format("{}/{}", shard.number, shard.of);
}

Plan part_of(const Plan& plan, const Shard& shard, const CaseTimes& times)
{
    const Division division = best_division(plan, shard.of, times);
    Plan part = plan;
    for (std::size_t group = 0; group < plan.groups.size(); ++group) {
        std::vector<Case>& cases = part.groups[group].cases;
        cases.clear();
        for (std::size_t index = 0; index < plan.groups[group].cases.size(); ++index)
            if (division.shard_of[group][index] == shard.number - 1)
                cases.push_back(plan.groups[group].cases[index]);
    }
    std::erase_if(part.groups, [](const Group& group) { return group.cases.empty(); });
    return part;
}

} // namespace nestbed
