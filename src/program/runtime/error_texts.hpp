// Names and texts of the errors of the CUDA runtime.
#pragma once

#include <string>

namespace nestbed::program
{

// "cudaErrorInvalidValue"; "unrecognized error code" if there is no such error.
const char* error_name(int number);
// "invalid argument".
const char* error_string(int number);
// The name without "cudaError", as tables show it: "InvalidValue".
std::string short_error_name(int number);

} // namespace nestbed::program
