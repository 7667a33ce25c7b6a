// A shard: one of the parts into which a plan is divided, so that several GPUs or machines measure it at the same
// time. Pure.
#pragma once

#include "plan/cost.hpp"
#include "plan/plan.hpp"

#include <string>

namespace nestbed
{

struct Shard {
    unsigned number = 1; // from 1
    unsigned of = 1;

    friend bool operator==(const Shard&, const Shard&) = default;
};

// Parses "2/4". Throws UsageError that begins with --shard.
Shard parse_shard(const std::string& text);
std::string name_of(const Shard& shard);

// The cases of a shard, in the plan's order; none if there are more shards than cases. Every case is in exactly one
// shard. Cases are assigned by estimated cost: the most expensive come first, each to the shard with the
// least load. The cases of a group share an input and are measured in interleaved rounds, so a group stays undivided.
// A group that costs more than the fair part of a shard is divided into single cases. If the shards are still
// unequal, cheaper groups are divided too.
Plan part_of(const Plan& plan, const Shard& shard, const CaseTimes& times);

} // namespace nestbed
