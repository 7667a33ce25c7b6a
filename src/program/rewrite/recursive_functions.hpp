// Device functions that call themselves.
#pragma once

#include "program/rewrite/changes.hpp"
#include "program/rewrite/functions.hpp"

#include <vector>

namespace nestbed::program
{

// A device function that calls itself, also through others, begins with a look at its stack: ::nestbed::program::on_stack(). A name stands for
// all functions that have it. What calls itself by a pointer is not seen, nor a constexpr function, which can call nothing of the kind.
void rewrite_recursion(const Source& source, const std::vector<Function>& functions, Changes& changes);

} // namespace nestbed::program
