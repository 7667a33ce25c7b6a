// A folder of results with its claims: read, measured, checked, and written into the documents.
#pragma once

#include "inspect/claim_numbers.hpp"
#include "inspect/claims.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nestbed
{

struct MeasuredClaim {
    Claim claim;
    std::vector<MeasuredNumber> numbers; // in the order of the claim's
    std::string sentence;                // with the numbers in it
};

// What it takes to make a log again.
struct LogFacts {
    std::string figure, command, hardware, git; // empty where nothing says
    double minutes = 0;                         // from the start of its runs to their last rows; 0 where nothing says
};

// Of results/claims.json and all that it names.
struct ClaimResults {
    std::string folder; // of results
    Claims claims;
    std::vector<MeasuredClaim> measured;  // those whose CSV could be read and gave their numbers
    std::map<std::string, LogFacts> logs; // by CSV
    std::vector<std::string> problems;    // of the others: a line each that names the claim

    const MeasuredNumber* find(const std::string& number_id) const; // nullptr for none
};

// Reads claims.json of a folder, the CSVs, their manifests, and SHA256SUMS beside each CSV, which must have it as it is. Throws
// RunError for a claims.json that cannot be read.
ClaimResults measure_claims(const std::string& folder);

// The part of results/README.md that is made of all this.
std::string claims_page(const ClaimResults& results);

// A document whose numbers are links [NUMBER](results/README.md#CLAIM.NAME); a line a problem, with the place.
struct LinkedText {
    std::string text;                // with the numbers that were measured
    std::vector<std::string> wrong;  // said another number, and `text` says the right one
    std::vector<std::string> broken; // no link to mend: nothing should be made of `text`
    std::vector<std::string>
        left; // claims without a link or links without a claim, measured numbers without a link, missing files
};
// `path` is what the text is called, and where its links to files begin.
LinkedText linked(const ClaimResults& results, const std::string& path, const std::string& text);

// `text` with what stands between the two marks of claims_page() replaced; throws RunError where they are missing.
std::string with_page(const std::string& path, const std::string& text, const std::string& page);

// The numbers of the same claims from another folder's CSVs, which have the names of ours; without those of CSVs that no hardware
// made.
struct SecondNumber {
    const MeasuredClaim* claim;
    std::size_t index;                    // of the number in the claim
    std::optional<MeasuredNumber> second; // nothing: `why`
    bool near = false;
    std::string why;
};
std::vector<SecondNumber> measure_second(const ClaimResults& first, const std::string& folder);

// What `nestbed claims list --json` prints; `second` may be empty, or is of the same claims.
std::string claims_json(const ClaimResults& results, const std::vector<SecondNumber>& second);

} // namespace nestbed
