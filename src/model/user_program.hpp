// A program of a user's own as a case: `nestbed run --program ./my --arguments '{grid} {block}' --grid 1:64:*2`. Its launches are
// those that it counts itself: it was built by `nestbed count` for a GPU, or by `nestbed cpu` or `nestbed nvcc` for the executor.
#pragma once

#include "model/axis_table.hpp"
#include "model/case.hpp"
#include "model/sample.hpp"
#include "model/session.hpp"
#include "model/strategy.hpp"

#include <string>
#include <vector>

namespace nestbed
{

// The strategy of all these cases, `program`. `nestbed list` does not show it, and the registry finds it by its name.
const Strategy& program_strategy();

// Throws RunError if no program can be started by this path.
void check_program(const std::string& path);

// The words of Case::arguments: separated by blanks, unless in '...' or "...". A word has {NAME} for the value of the axis NAME, and
// {{ for a brace. Throws RunError "'TEXT': REASON; allowed: ..." for a text that has another name, or a brace or quote without its end.
std::vector<std::string> program_words(const std::string& arguments, const Case& point);
// Whether it is program, arguments or time, which only these cases have.
bool is_of_program(const Axis& axis);
// The axes in the arguments.
AxisSet axes_in(const std::string& arguments);

// Case::time: how a line of what the program prints says its time, such as "time: {us}"; the unit is ns, us, ms or s. Throws RunError.
void check_time_text(const std::string& text);
// The time in the last line of the output that has it, in us; empty if none has.
std::optional<double> time_in(const std::string& output, const std::string& text);

// Runs the program once. The time of the sample is that of the whole process, or the one that it prints (Case::time). `wrong`: it
// ended with another exit code than 0, or printed no time; `launch_failed`: a launch was refused.
Sample sample_of_program(const Case& point, const SessionOptions& options, std::uint64_t seed);

} // namespace nestbed
