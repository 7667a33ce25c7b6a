// The names of kernels in reports, with the template arguments of an instantiation. The compiler knows those, so it spells them: see
// include/nestbed/program/kernel_name.hpp.
#pragma once

#include "program/rewrite/changes.hpp"
#include "program/rewrite/functions.hpp"
#include "program/rewrite/launches.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed::program
{

// An expression for the name in the body of a kernel.
std::string kernel_name(const Source& source, const Function& kernel);

// What a launch k<int><<<…>>>(a, b) of a kernel template launches. Before each kernel of that name a function nestbed_named_k is declared that
// takes the same and returns the name as a type: so nestbed_named_k<int>(a, b), which is never called, has the type for what the launch
// deduces.
class LaunchedNames
{
  public:
    LaunchedNames(const Source& source, const std::vector<Function>& functions, Changes& changes);

    // The type; nullopt if the name is that in the source.
    std::optional<std::string> type_of(const Launch& launch) const;

  private:
    struct Declared {
        std::size_t begin; // of the first
        bool has_conditions =
            false; // template parameters with default arguments, which may depend on what a function can do
    };
    std::optional<std::string> launch_arguments(const Launch& launch, bool has_conditions) const;
    bool can_repeat(std::size_t begin, std::size_t end) const;

    const Source& source_;
    std::map<std::string_view, Declared> declared_; // by the name of the kernels
    std::vector<std::string_view> kernels_;
    std::map<std::size_t, std::size_t> lambda_ends_; // by their begin
};

} // namespace nestbed::program
