// Compares two sides of one log: on each input, the fastest configuration of side A with that of side B. A side is some
// strategies, or programs of the user's, a configuration one case of them.
//
// The input of a case is what `ratio` of a run's table divides on (run/flat_times.hpp). Where the parameters are the
// work, such as the length of a chain, cases must agree in all of them. Only cases of the same backend, clock and state
// of the L2 cache are compared.
//
// The interval of a ratio is that of the two fastest configurations (inspect/compare.hpp); it does not cover that they
// were chosen as the fastest. A case with a row that is not ok is no choice.
#pragma once

#include "base/statistics.hpp"
#include "inspect/compare.hpp"
#include "log/logged_cases.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

struct Axis;

// What sides consist of: the strategy of a case, or its program.
const std::string& name_on_side(const Case& point);

// A side as the user names it.
struct SideAsked {
    std::string option;   // "--of"
    std::string patterns; // "quick_*,sort_levels": names and patterns
};

// One side on one input.
struct SideBest {
    std::size_t configurations = 0; // that are right and have times
    const CaseResult* fastest = nullptr;
    double median_us = 0; // of the fastest
    bool held = false;    // all its GPU times are free of host time
};

struct ComparedInput {
    std::array<SideBest, 2> sides; // A and B
    std::string_view clock;
    Estimate ratio; // A / B
    Change change = Change::same;
};

struct ComparedSide {
    SideAsked asked;
    std::vector<std::string> strategies; // or programs, of the log that match, sorted
    std::size_t configurations = 0;      // cases of them that are right and have times
    std::size_t left_out = 0;            // other cases of them
    std::size_t alone = 0;               // inputs that only this side has
    std::size_t fewest = 0, most = 0;    // configurations per compared input
};

struct SidesComparison {
    std::array<ComparedSide, 2> sides;
    std::vector<ComparedInput> inputs; // in the order of the log's cases
    // The axes that are the same in all configurations of each input, and those that tell configurations apart.
    std::vector<const Axis*> input_axes, other_axes;
};

// `log` must live as long as the result. Throws UsageError for a pattern that matches no strategy of the log, and if no
// input is on both sides.
SidesComparison compare_sides(const std::string& path, const LoggedCases& log, const SideAsked& a,
                              const SideAsked& b);

} // namespace nestbed
