# Writes OUTPUT, a header with the version of SOURCE; run by CMake at every build.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --match=nothing
                OUTPUT_VARIABLE git OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT git)
    set(git unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// Made by src/version.cmake.
#pragma once

namespace nestbed
{
inline constexpr const char* kVersion = "@VERSION@";
inline constexpr const char* kGit = "@git@";
inline constexpr const char* kBuild = "@BUILD@";
inline constexpr const char* kCompiler = "@CXX@";
inline constexpr const char* kNvcc = "@NVCC@";
} // namespace nestbed
]])
