// The launches that depend on the input, which the executor counts as a GPU would.
#pragma once

#include "inspect/predictions.hpp"
#include "model/case.hpp"
#include "plan/settings.hpp"

#include <functional>
#include <iosfwd>
#include <optional>

namespace nestbed
{

bool has_data_dependent_launches(const Case& point);

// Runs each case of the settings that `is_wanted` once on the executor, says on `err` how long that takes, and which case
// did not run right. Empty: there are none. Throws UsageError and RunError as a run does, and Interrupted.
std::optional<CountedLog> counts_on_executor(Settings settings, const std::function<bool(const Case&)>& is_wanted,
                                             std::ostream& err);

} // namespace nestbed
