# Writes OUTPUT, the hash of src/model/interface.hpp. CMake runs it at every build; the file changes only if the hash does.
# SETTINGS: what else makes modules and program unlike each other.
file(GLOB_RECURSE headers ${SOURCE}/src/base/*.hpp ${SOURCE}/src/model/*.hpp ${SOURCE}/src/graphs/*.hpp ${SOURCE}/src/device/*.hpp ${SOURCE}/src/device/*.cuh)
set(all "${SETTINGS}")
foreach(header IN LISTS headers)
    file(SHA256 ${header} hash)
    string(APPEND all " ${hash}")
endforeach()
string(SHA256 hash "${all}")
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// Made by src/interface.cmake.
#include "model/interface.hpp"

const char nestbed_interface[] = "@hash@";
]])
