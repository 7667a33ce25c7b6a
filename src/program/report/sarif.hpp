// The findings of a report as SARIF 2.1.0, for code scanning and editors.
#pragma once

#include "program/report/findings.hpp"

#include <optional>
#include <string>
#include <vector>

namespace nestbed::program
{

struct SarifRun {
    std::vector<Finding> findings;
    std::optional<std::vector<bool>> are_new{}; // with --baseline
    std::vector<std::string> problems{};        // why the run did not come to its end
    std::string folder;                         // absolute; that of the relative paths
};

std::string sarif_text(const SarifRun& run);

} // namespace nestbed::program
