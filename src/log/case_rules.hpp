// What the rows of one case must satisfy: the cells that follow from the case, and those that all its rows share. Pure.
#pragma once

#include "log/row_cells.hpp"
#include "log/row_rules.hpp"
#include "log/run_identity.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nestbed
{

// What is known of a case from its first row, from the manifest, and from its strategy.
struct CaseFacts {
    struct InRun {         // rows of one run
        std::string place; // file and line of the first that was launched
        std::array<std::string, 4> launched;
        std::unordered_map<std::uint64_t, std::size_t> lines; // by repetition
    };

    std::string place; // file and line of its first row
    std::string cells; // of that row, in the columns that all rows of a key share; a zero byte ends each
    std::string reference, reference_place;
    std::string_view workload; // of its strategy; empty: this nestbed lacks the strategy
    std::optional<std::string> bytes;
    std::optional<std::uint64_t> launches, roots; // by the closed form
    std::optional<unsigned> repetitions;          // by the plan
    std::map<std::string, InRun, std::less<>> runs;
};

class CaseRules
{
  public:
    // The rows that follow are of this log. `runs` are those of its manifest, and must outlive the object.
    void begin(const ParsedLog& log, const std::map<std::string, RunIdentity>& runs);
    // Throws RunError as RowCells::refuse does. Rows of a log without keys are not checked.
    void check(const RowCells& row);
    // Throws RunError if one run has the repetition of the last checked row's case twice. In a log without keys, a case
    // is not known by its cells: only a row whose cells are all the same is there twice.
    void check_first(const RowCells& row);

    static std::vector<RuleText> rules();

  private:
    struct SharedColumn {
        std::string_view column;
        std::size_t place = 0;
    };

    CaseFacts describe(const RowCells& row) const;
    CaseFacts& facts_of(const RowCells& row);
    [[noreturn]] void refuse_shared(const RowCells& row, const CaseFacts& facts) const;

    const std::map<std::string, RunIdentity>* runs_ = nullptr;
    std::unordered_map<std::string_view, const PlannedCase*> planned_; // by key
    std::vector<SharedColumn> shared_;
    std::string shared_cells_;                         // of the row that is checked
    bool whole_ = false;                               // the log has the columns of all axes
    std::unordered_map<std::string, CaseFacts> known_; // by key
    CaseFacts::InRun* last_ = nullptr;
    std::unordered_map<std::string, std::size_t> rows_; // of a log without keys: the line of each row
};

} // namespace nestbed
