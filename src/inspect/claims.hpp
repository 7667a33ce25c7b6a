// The claims of the README, as results/claims.json has them: sentences with numbers, each number a statistic over chosen rows of
// a CSV. The file says how a number comes about and never what it is.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// The cells that a row must have: any of the texts, or a number from `from` to `to`.
struct Condition {
    std::vector<std::string> any_of; // empty: the range counts
    double from = 0;
    double to = 0;

    bool holds(std::string_view cell) const;
};

using Selection = std::map<std::string, Condition>; // by column; all must hold

enum class Statistic : std::uint8_t {
    median, // of a column
    ratio,  // of the median over the rows to the smallest of the medians over each of `to`
    count,  // how many of the rows have certain cells
    same,   // the cell that all rows have
};

// How one number is made of one for each set of values of `by` that there is.
enum class Over : std::uint8_t { none, least, greatest, geometric_mean };

struct ClaimNumber {
    std::string id; // CLAIM.NAME
    Statistic statistic = Statistic::median;
    std::string what;  // the column; of `count` none
    Selection counted; // of `count`
    Selection rows;
    std::vector<Selection> to;
    std::vector<std::string> by; // columns; none: all rows at once
    Over over = Over::none;
    std::string per;   // a column whose value, the same in all rows, the number is divided by; or empty
    std::string unit;  // see unit_of()
    int digits = 3;    // significant ones, of what is said
    double within = 0; // how near a second run must come, as a share of the number; 0: exactly
};

struct Claim {
    std::string id;
    std::string sentence; // with {NAME} for each of its numbers
    std::string log;      // a CSV, from the folder of results
    std::vector<ClaimNumber> numbers;
};

// What is said of a log beside its rows and its manifest.
struct ClaimLog {
    std::string figure;  // from the folder of results; or empty
    std::string command; // where there is no manifest to say it; or empty
};

struct Claims {
    std::map<std::string, ClaimLog> logs; // by CSV; each claim's is among them
    std::vector<Claim> claims;
};

// Throws RunError with the file, the claim, the number and what is allowed.
Claims parse_claims(const std::string& path, std::string_view text);

// What a unit is called and how a number in the CSV's own unit (us, GB/s, a share) becomes one in it: value * factor + offset.
struct Unit {
    std::string_view name;
    double factor;
    double offset;
    std::string_view suffix; // behind the number
};
const Unit& unit_of(std::string_view name); // throws std::out_of_range

} // namespace nestbed
