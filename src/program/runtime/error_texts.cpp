// The texts of the errors: what cudaGetErrorName() and cudaGetErrorString() return.
#include "program/runtime/error_texts.hpp"

#include <algorithm>
#include <array>

namespace nestbed::program
{

namespace
{

struct ErrorText {
    int number;
    const char* name;
    const char* text;
};

constexpr std::array kErrors{
    ErrorText{0, "cudaSuccess", "no error"},
#define NESTBED_ERROR(name, number, text) ErrorText{number, "cudaError" #name, text},
#include "program/include/nestbed/program/error_table.hpp"
#undef NESTBED_ERROR
};

const ErrorText* error_text(int number)
{
    const auto* const found = std::ranges::find(kErrors, number, &ErrorText::number);
    return found == kErrors.end() ? nullptr : found;
}

} // namespace

const char* error_name(int number)
{
    const ErrorText* const error = error_text(number);
    return error == nullptr ? "unrecognized error code" : error->name;
}

const char* error_string(int number)
{
    const ErrorText* const error = error_text(number);
    return error == nullptr ? "unrecognized error code" : error->text;
}

std::string short_error_name(int number)
{
    constexpr std::string_view kPrefix = "cudaError";
    const std::string_view name = error_name(number);
    return std::string(name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name);
}

} // namespace nestbed::program
