// What users' programs are built with: the compiler that nestbed was built with, and what is in the folder `program`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nestbed::program
{

struct Toolchain {
    std::filesystem::path folder;           // `program`: headers, libraries, rewriter
    std::string compiler;                   // the path of g++
    std::string compiler_version;           // "12.2.0"
    std::vector<std::string> plain_flags;   // of code that is not watched, before the user's
    std::vector<std::string> watched_flags; // of code whose accesses the race detector sees; empty: there is none
    std::vector<std::string> libraries;     // that the libraries in the folder need: "-ldw"

    std::filesystem::path headers() const { return folder / "include"; }
    std::filesystem::path rewriter() const { return folder / "nestbed_rewrite"; }
    std::filesystem::path library() const { return folder / "libnestbed_program.a"; }
    std::filesystem::path detector() const { return folder / "libnestbed_program_races.a"; }
    std::filesystem::path plugin() const { return folder / "watch_plugin.so"; }
    std::filesystem::path sides_plugin() const
    {
        return folder / "sides_plugin.so";
    } // is not there without the headers of GCC's plugins
};

// Reads FOLDER/toolchain.json. Throws RunError that says how to build what is missing.
Toolchain read_toolchain(const std::filesystem::path& folder);

} // namespace nestbed::program
