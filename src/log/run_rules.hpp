// What the rows of one run must satisfy: they agree with each other, and with the run in the manifest. Pure.
#pragma once

#include "log/row_cells.hpp"
#include "log/row_rules.hpp"
#include "log/run_identity.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace nestbed
{

class RunRules
{
  public:
    // The rows that follow are of this log. `runs` are those of its manifest, and must outlive the object. Rows of other
    // runs are only compared with each other.
    void begin(const std::map<std::string, RunIdentity>& runs);
    // Throws RunError as RowCells::refuse does.
    void check(const RowCells& row);

    static std::vector<RuleText> rules();

  private:
    static constexpr std::array kShared{"experiment"_column, "schedule"_column, "machine"_column,
                                        "gpu"_column,        "driver"_column,   "cuda"_column,
                                        "git"_column,        "floor_us"_column, "timer_step_ns"_column};
    static constexpr std::array kSharedIfThere{"peak_gb_s"_column, "l2_bytes"_column};

    // The rows of one run on one backend.
    struct Known {
        std::string run_id, backend;
        std::string place; // file and line of the first row
        std::array<std::string, kShared.size()> shared;
        std::array<std::string, kSharedIfThere.size()> shared_if_there;
        const RunIdentity::Backend* recorded = nullptr; // in the manifest
    };

    Known& known_of(const RowCells& row);

    const std::map<std::string, RunIdentity>* runs_ = nullptr;
    std::vector<Known> known_;
    std::size_t last_ = 0; // that of the last row
};

} // namespace nestbed
