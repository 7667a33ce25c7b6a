// The text of predictions: table, summary, CSV, and the parameters of a model. Pure.
#pragma once

#include "inspect/launch_studies.hpp"
#include "inspect/predictions.hpp"

#include <string>
#include <vector>

namespace nestbed
{

// For a terminal: the table, what is left out and why, and how near the measured times are. `against` names the log;
// empty: there is none.
std::string predictions_text(const Roofline& roofline, const Predictions& predictions, const std::string& against);
// One row per case. Cells of what was not measured, or does not apply, are empty.
std::string predictions_csv(const Predictions& predictions);

// A row for each study: what the model would choose, and what that costs. Empty without studies.
std::string studies_text(const std::vector<NeedStudy>& studies);
// The same as rows of a CSV, with both measured references (flat_us, alone_us) and the least measured time.
std::string studies_csv(const std::vector<NeedStudy>& studies);

// For a terminal: the parameters with their intervals and meanings.
std::string parameters_text(const Roofline& roofline);
// One row per parameter. reads_mb: what the fastest flat kernel reads from memory in that time, in MB.
std::string parameters_csv(const Roofline& roofline);

} // namespace nestbed
