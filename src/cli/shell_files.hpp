// What is made of the tables of commands and options beside the help: completion for shells, and the man page.
#pragma once

#include <string>

namespace nestbed
{

std::string bash_completion();
std::string zsh_completion();
// For groff, nestbed(1).
std::string man_page();

} // namespace nestbed
