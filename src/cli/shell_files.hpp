// Files generated from the tables of commands and options: completion for shells, and the man page.
#pragma once

#include <string>

namespace nestbed
{

std::string bash_completion();
std::string zsh_completion();
// In groff format, nestbed(1).
std::string man_page();

} // namespace nestbed
