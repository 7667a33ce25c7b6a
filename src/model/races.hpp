// What the race detector found in one run of a case: pairs of accesses that no CUDA rule orders.
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
    std::string file;  // relative to the project's folder, if the file is in it
    unsigned line = 0; // 0: unknown

    friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
    friend bool operator<(const SourcePlace& left, const SourcePlace& right)
    {
        return std::tie(left.file, left.line) < std::tie(right.file, right.line);
    }
};

struct RaceAccess {
    bool write = false;
    bool atomic = false;
    std::vector<SourcePlace> places; // the place of the access, then its callers, innermost first; never empty
    unsigned depth = 0;              // of the grid
    std::uint64_t block = 0;         // linear index in the grid
    std::uint32_t thread = 0;        // linear index in the block

    struct Launch {
        SourcePlace place;
        std::uint64_t block = 0;
        std::uint32_t thread = 0;
    };
    std::optional<Launch> launched_by; // the kernel's launch call that created the grid; empty: the host launched it
};

// All races between one pair of source places.
struct Race {
    std::string memory;       // of the first race found: "in[37]"
    std::size_t bytes = 0;    // of the second access
    RaceAccess first, second; // in the order of this run
    std::string missing;      // which ordering is missing, and what would provide it
    std::uint64_t pairs = 0;  // number of races among the accesses that were kept
};

struct Races {
    Sample sample; // of the run that was searched for races
    std::vector<Race> races;
    std::uint64_t grids = 0;
    std::uint64_t threads = 0;
    std::uint64_t accesses = 0;     // to memory that threads can share
    std::uint64_t memory_bytes = 0; // used by the detector

    std::uint64_t pairs() const
    {
        std::uint64_t sum = 0;
        for (const Race& race : races)
            sum += race.pairs;
        return sum;
    }
};

} // namespace nestbed
