// The figures of a log that `nestbed run --plot` draws, by experiments/plot.sh.
#pragma once

#include <string>

namespace nestbed
{

// Call this before hours of measuring. Throws UsageError if nothing can be drawn, and RunError if the set-up of the
// plot script fails.
void prepare_plot(const std::string& path);

// Draws the figures of the log. Throws RunError.
void plot(const std::string& path);

} // namespace nestbed
