// A shard: one of the parts that a plan is divided into, so that several GPUs or machines measure it at once. Pure.
#pragma once

#include "plan/plan.hpp"

#include <string>

namespace nestbed
{

struct Shard {
    unsigned number = 1; // from 1
    unsigned of = 1;

    friend bool operator==(const Shard&, const Shard&) = default;
};

// "2/4". Throws UsageError that begins with --shard.
Shard parse_shard(const std::string& text);
std::string name_of(const Shard& shard);

// The shard's cases, in the plan's order; none where there are more shards than cases. Every case is in one shard. By estimated cost
// (cost.hpp): what is dearest first goes to the shard that has least. A group, whose cases share an input and are measured in interleaved
// rounds, stays whole, but for one that costs more than a shard's fair part: of that every case goes by itself. Where the shards would
// then still be unequal, cheaper groups are divided too.
Plan part_of(const Plan& plan, const Shard& shard);

} // namespace nestbed
