// Races that the user knows and accepts: by a comment in the source, or by a file.
#pragma once

#include "model/races.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace nestbed::program
{

struct Suppression {
    std::string origin; // where it is: "my.cu:12"
    std::string what;   // as a person reads it: "my.cu:12", "my.cu:12 my.cu:31", "memory sum"
    std::string why;    // of a comment; may be empty
    std::string memory; // the name of the memory; empty: any
    // The places of the accesses: one (of either access), or two (of both, in any order).
    std::vector<SourcePlace> places;
    bool next_line = false; // a comment: also the line after it
};

// The comments `// nestbed: benign WHY` in a source file. They cover the accesses in their line and in the line after
// it.
std::vector<Suppression> suppressions_in_source(const std::string& file, std::string_view text);

// The lines of a suppression file: "FILE:LINE", "FILE:LINE FILE:LINE" or "memory NAME". `#` begins a comment. Throws
// UsageError, which names the file and the line.
std::vector<Suppression> suppressions_in_file(const std::string& file, std::string_view text);

bool suppresses(const Suppression& suppression, const Race& race);
// By memory, or by one place.
bool suppresses(const Suppression& suppression, const BadAccess& bad);

struct CheckedRaces {
    Races races; // without what is suppressed
    template <class Finding>
    struct Suppressed {
        Finding finding;
        Suppression by;
    };
    std::vector<Suppressed<Race>> suppressed_races;
    std::vector<Suppressed<BadAccess>> suppressed_accesses; // and warnings
    std::vector<Suppression> unused;
};
CheckedRaces check_races(Races races, const std::vector<Suppression>& suppressions);

} // namespace nestbed::program
