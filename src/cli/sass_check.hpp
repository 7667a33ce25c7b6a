// `nestbed races --sass FILE`: the loads that a built program may execute before griddepcontrol.wait (inspect/early_loads.hpp).
#pragma once

#include "cli/arguments.hpp"

#include <iosfwd>

namespace nestbed
{

// Returns an exit code. Throws UsageError, and RunError if cuobjdump is not found or cannot read the file.
int check_sass(const Given& given, std::ostream& out);

} // namespace nestbed
