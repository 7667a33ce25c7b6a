// The version of nestbed. src/version.cmake writes the values into a separate file: after a commit or an edit only
// that file is compiled again.
#pragma once

#include <string_view>

namespace nestbed
{

extern const char* const kVersion;
extern const char* const kGit; // the commit; with -dirty: a tree with changes; or unknown
extern const char* const kBuild;
extern const char* const kCompiler;
extern const char* const kNvcc; // empty in a CPU-only build

// Whether somebody else can build the same program from the repository.
constexpr bool is_commit(std::string_view git)
{
    return git != "unknown" && !git.ends_with("-dirty");
}

} // namespace nestbed
