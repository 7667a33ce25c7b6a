# Writes OUTPUT, the values of src/base/version.hpp for SOURCE. CMake runs it at every build.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --match=nothing
                OUTPUT_VARIABLE git OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT git)
    set(git unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// Made by src/version.cmake.
#include "base/version.hpp"

namespace nestbed
{
const char* const kVersion = "@VERSION@";
const char* const kGit = "@git@";
const char* const kBuild = "@BUILD@";
const char* const kCompiler = "@CXX@";
const char* const kNvcc = "@NVCC@";
} // namespace nestbed
]])
