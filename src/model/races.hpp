// What the race detector found in one run: pairs of accesses that no CUDA rule orders, and accesses of memory that is not there or that
// nothing has written.
#pragma once

#include "model/case.hpp"
#include "model/sample.hpp"

#include <cstddef>
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
    bool asynchronous = false;       // of a copy that goes on beside its thread
    bool is_volatile = false;        // and atomic: relaxed
    std::vector<SourcePlace> places; // the place of the access, then its callers, innermost first; never empty
    unsigned depth = 0;              // of the grid
    std::uint64_t block = 0;         // linear index in the grid
    std::uint32_t thread = 0;        // linear index in the block
    bool by_host = false;            // then it has no depth, block or thread
    std::string host_thread{};       // by_host, of several threads: "host thread 2 (made at my.cu:31)"
    std::string operation{};   // of the host: the function of CUDA and its stream; then it has none of these, too
    std::string kernel{};      // of a user's program; empty: of none
    SourcePlace launched_at{}; // by the host, of a user's program

    struct Launch {
        SourcePlace place;
        std::uint64_t block = 0;
        std::uint32_t thread = 0;
        std::string kernel{}; // that launched it; empty: not of a user's program
    };
    std::optional<Launch>
        launched_by{}; // the kernel's launch call that created the grid; empty: the host launched it
};

// All races between one pair of source places.
struct Race {
    std::string memory;       // of the first race found: "in[37]"
    std::size_t bytes = 0;    // of the second access
    RaceAccess first, second; // in the order of this run
    std::string missing;      // which ordering is missing, and what would provide it
    std::string
        same_value{}; // that both of the first pair write, where both of each pair write one value; empty: they do not, or it is not known
    bool is_one_value = true; // and all pairs write the same
    std::uint64_t pairs = 0;  // number of races among the accesses that were kept
};

// All accesses at one source place of one kind that no program may make.
struct BadAccess {
    enum class Kind : std::uint8_t {
        out_of_bounds,
        uninitialized,   // a read of memory that nothing has written
        freed,           // of memory that the host has freed
        by_host,         // of memory that only kernels can access
        of_host,         // by a kernel, of memory that only the host can access
        misaligned,      // of an address that is no multiple of its size
        other_block,     // of the shared memory of another block
        other_stack,     // of the local memory of another thread
        nowhere,         // of an address where no memory is
        synchronization, // no access: a barrier or a function of a warp that is used wrongly
        constant,        // by a kernel, a write of a __constant__ variable
        read_only        // a read by __ldg() of what the same kernel has written
    };
    // Of other_block, as `beyond`.
    enum class OfBlock : std::uint8_t {
        other_cluster, // no block of the same cluster
        not_begun,     // perhaps
        ended          // perhaps
    };
    Kind kind = Kind::out_of_bounds;
    std::string memory{};  // of the first one: "in[1024]", "in[-1]"
    std::size_t bytes = 0; // of the first one
    std::string text{};    // of synchronization: what happened, and the rule
    // Out of bounds: how many bytes its last byte is past the end of the memory, or (negative) its first byte before the beginning.
    // Misaligned: what its address is no multiple of. Uninitialized: how many bytes nothing has written; 0: all. Other block: OfBlock.
    std::ptrdiff_t beyond = 0;
    std::string allocation{}; // "4000 bytes, allocated at my.cu:12"; empty: not known
    SourcePlace freed{};      // where it was freed
    RaceAccess access;        // the first one
    std::uint64_t count = 0;
};

struct Races {
    Sample sample; // of the run that was searched for races
    std::vector<Race> races;
    std::vector<BadAccess> bad_accesses;
    std::vector<BadAccess> warnings; // what right programs may do too; never part of none()
    std::vector<Race> notes{};       // pairs of volatile accesses that are no races, but whose order is open
    std::uint64_t grids = 0;
    std::uint64_t threads = 0;
    std::uint64_t accesses = 0;     // to memory that threads can share
    std::uint64_t memory_bytes = 0; // used by the detector
    std::string incomplete{};       // why there may be more than was found; empty: this is all of the run

    // --strict
    void take_warnings_for_errors()
    {
        bad_accesses.insert(bad_accesses.end(), warnings.begin(), warnings.end());
        warnings.clear();
    }
    // Launches of threads of one block into one stream that nothing orders: any may be the first. Of those of most, the place.
    std::uint64_t open_launches = 0;
    SourcePlace open_launch{};

    // Nothing was found.
    bool none() const { return races.empty() && bad_accesses.empty(); }

    std::uint64_t pairs() const
    {
        std::uint64_t sum = 0;
        for (const Race& race : races)
            sum += race.pairs;
        return sum;
    }
};

} // namespace nestbed
