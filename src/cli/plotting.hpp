// The figures of a log that `nestbed run --plot` draws, by experiments/plot.sh.
#pragma once

#include <string>

namespace nestbed
{

// Throws UsageError where nothing could be drawn, and RunError when what draws could not be set up: before hours of measuring.
void prepare_plot(const std::string& path);

// Draws the figures of the log. Throws RunError.
void plot(const std::string& path);

} // namespace nestbed
