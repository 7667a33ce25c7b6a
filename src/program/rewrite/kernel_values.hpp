// Names of kernels that are values, not launched: `p = k`, `f(&k)`, `run<k>()`.
#pragma once

#include "program/rewrite/changes.hpp"
#include "program/rewrite/functions.hpp"

#include <functional>
#include <string_view>

namespace nestbed::program
{

// Kernels have a hidden parameter, of which the program's types know nothing: a value is cast to the type that the program gave the
// kernel. The cast is no constant, so constexpr goes from the declarations around it; and as a template argument the name stays, so that
// parameter of the template becomes `auto`. (kernel_types.cuh)
//
// `names_kernel`: whether a token is the name of a kernel and stands for it, and neither declares nor launches it. `level` is the
// type of the hidden parameter.
void cast_kernel_values(const Source& source, const std::vector<Function>& functions,
                        const std::function<bool(std::size_t token)>& names_kernel, std::string_view level,
                        Changes& changes);

} // namespace nestbed::program
