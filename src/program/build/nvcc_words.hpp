// Values of nvcc's options: words, lists, libraries, folders, standards.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nestbed::program
{

// The words of a text, separated by white space; quotes and backslashes as in a shell.
std::vector<std::string> words_of(const std::string& text);
// The words of an option that takes a list, separated by commas or white space.
std::vector<std::string> list_of(std::string_view value);

// A folder of headers or libraries of a CUDA toolkit. The executor has its own.
bool is_toolkit_folder(const std::string& folder);

// Whether a library must be linked. The CUDA runtime need not, because the executor has its own. Throws UsageError for
// one that only a CUDA toolkit has.
bool needs_library(const std::string& name);

// The standard that g++ gets for the one of nvcc's option `word`. Throws UsageError if there is none of this name.
std::string standard_for(const std::string& word, const std::string& name);

} // namespace nestbed::program
