// Names of CUDA that a mode cannot take.
#pragma once

#include "program/rewrite/source.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace nestbed::program
{

struct RefusedNames {
    std::string_view names; // separated by blanks; with * at its end: all names that begin so
    std::string_view reason;
    bool in_any_namespace = false;
};

// The functions of a refused name that are the source's own.
enum class UserFunctions : std::uint8_t {
    defined,
    declared, // also those that it only declares
};

struct FoundCall {
    std::size_t token;
    std::string_view name, reason;
};
// The calls of such functions. The source's own functions, a member and a name of another namespace are none.
std::vector<FoundCall> find_calls(const Source& source, std::span<const RefusedNames> names, UserFunctions own);

// Throws RunError "FILE:LINE: NAME: reason", with a line for each of them.
void refuse_calls(const Source& source, std::span<const RefusedNames> refused, UserFunctions own);

// Whether a function of CUDA's own is called by this name here: it is followed by a parenthesis or template arguments,
// and is no member and not of a namespace. `begin` becomes the first token, with a :: or std:: before the name.
bool is_call_of_global_name(const Source& source, std::size_t name, std::size_t& begin);
// Whether a type stands before it: `void _exit(int);` declares.
bool is_declared(const Source& source, std::size_t name);

// The names of all functions that the source defines.
std::unordered_set<std::string_view> defined_functions(const Source& source);
// And those that it only declares, in any scope with a name of a type before them: int f(), T* f() outside of braces.
std::unordered_set<std::string_view> declared_functions(const Source& source);

} // namespace nestbed::program
