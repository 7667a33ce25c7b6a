// What the race detector found in one run of a case: pairs of accesses that no rule of CUDA orders.
#pragma once

#include "model/case.hpp"
#include "model/sample.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace nestbed
{

struct SourcePlace {
    std::string file;  // relative to the project's folder, where it is in it
    unsigned line = 0; // 0: not known

    friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
    friend bool operator<(const SourcePlace& left, const SourcePlace& right)
    {
        return std::tie(left.file, left.line) < std::tie(right.file, right.line);
    }
};

struct RaceAccess {
    bool write = false;
    bool atomic = false;
    std::vector<SourcePlace> places; // the access, then who called, from the inside out; never empty
    unsigned depth = 0;              // of the grid
    std::uint64_t block = 0;         // of the grid, linear
    std::uint32_t thread = 0;        // of the block, linear

    struct Launch {
        SourcePlace place;
        std::uint64_t block = 0;
        std::uint32_t thread = 0;
    };
    std::optional<Launch> launched_by; // the kernel call that made the grid; empty: the host's
};

// All races of one pair of source places.
struct Race {
    std::string memory;       // of the first that was found: "in[37]"
    std::size_t bytes = 0;    // of the second access
    RaceAccess first, second; // in the order of that run
    std::string missing;      // which order is missing, and what would make it
    std::uint64_t pairs = 0;  // how many there were, of what was kept of the accesses
};

struct Races {
    Sample sample; // of the run in which they were looked for
    std::vector<Race> races;
    std::uint64_t grids = 0;
    std::uint64_t threads = 0;
    std::uint64_t accesses = 0;     // of memory that threads can share
    std::uint64_t memory_bytes = 0; // that the detector took

    std::uint64_t pairs() const
    {
        std::uint64_t sum = 0;
        for (const Race& race : races)
            sum += race.pairs;
        return sum;
    }
};

} // namespace nestbed
