// Which nestbed this is. src/version.cmake writes the values, into a file of their own: only that is compiled when a commit or an edit
// changes them.
#pragma once

namespace nestbed
{

extern const char* const kVersion;
extern const char* const kGit; // the commit; with -dirty, a tree that is none; or unknown
extern const char* const kBuild;
extern const char* const kCompiler;
extern const char* const kNvcc; // empty in a CPU-only build

} // namespace nestbed
