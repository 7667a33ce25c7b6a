// What the compiler prints about a rewritten file, in the words and columns of the user's.
#pragma once

#include <string>

namespace nestbed::program
{

// Messages about lines in which the preprocessor has expanded a name have that text's columns: they become those of the source, or none,
// if it is not certain which they are. `preprocessed` is what was rewritten. A statement of inline PTX that is not supported is one
// line.
std::string with_source_columns(const std::string& messages, const std::string& preprocessed);

// With colours for a terminal.
std::string in_compiler_colours(const std::string& messages);

// The linker's messages, and what to do if the program has no main().
std::string with_hint_of_main(const std::string& messages, const std::string& source);

} // namespace nestbed::program
