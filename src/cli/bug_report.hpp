// What `nestbed info` says of this build, and `nestbed info --report` also of the machine.
#pragma once

#include <string>
#include <string_view>

namespace nestbed
{

// A line of `nestbed info`.
std::string info_line(std::string_view what, std::string_view value);

// The version, the commit, the compilers.
std::string build_text();

// A block of Markdown with what a bug report needs. It measures nothing, and has no name of the user, of the home folder or
// of the machine that nestbed knows.
std::string bug_report();

} // namespace nestbed
