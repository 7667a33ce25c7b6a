// What a report of `nestbed races my.cu --json` says is wrong: all kinds in one form, and which of it an earlier report has, too.
#pragma once

#include "base/json.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed::program
{

// Of the report. A later version has other keys (src/README.md).
inline constexpr int kReportVersion = 1;

struct Finding {
    enum class Level : std::uint8_t { error, warning, note }; // an error makes the exit code 3
    struct Place {
        std::string file; // as in the report: below the folder in which the program ran, or absolute
        std::uint64_t line = 0;
        std::string text; // "read, depth 1, block 0, thread 1, in kernel sum"
    };
    Level level = Level::error;
    std::string kind;          // "race", "out of bounds", "refused launch" …
    std::string message;       // "race: write and read of numbers[1] (4 bytes)"
    std::string advice{};      // "missing: …"; may be empty
    std::vector<Place> places; // the first is the one to look at; empty: none is known
    std::string identity;      // the same if its lines have moved; two findings may have one
};

// Of the kind "incomplete": why the run is incomplete. It has no place, and is never known.
inline constexpr std::string_view kIncomplete = "incomplete";

// Throws Json::exception if the report has not the form that the detector writes.
std::vector<Finding> findings_of(const Json& report);

// The report in a file that an option names. Throws UsageError if it cannot be read, or is not a report of this version with all of
// its keys.
Json read_report(const std::string& path, std::string_view option);

// For each finding, whether it is new: of as many with one identity as `known` has, none is.
std::vector<bool> are_new(const std::vector<Finding>& findings, const std::vector<Finding>& known);

// "my.cu:14: new: race: write and read of numbers[1] (4 bytes)", a line.
std::string new_text(const Finding& finding);

} // namespace nestbed::program
