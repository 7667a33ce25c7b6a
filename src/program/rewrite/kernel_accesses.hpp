// What a kernel does with the memory that its parameters point to, and where it waits, triggers and fences, by the tokens of its body.
#pragma once

#include "program/rewrite/functions.hpp"

#include <map>
#include <string>
#include <vector>

namespace nestbed::program
{

// Numbers of tokens, in order.
struct KernelAccesses {
    std::vector<std::size_t> waits;    // cudaGridDependencySynchronize(), or what may be it
    std::vector<std::size_t> triggers; // cudaTriggerProgrammaticLaunchCompletion()
    std::vector<std::size_t> fences;
    std::map<std::string, std::vector<std::size_t>, std::less<>> reads, writes; // by parameter
};

// Accesses and triggers under `if constexpr` are left out. Device functions of the source are looked into; a call that is not known may wait.
KernelAccesses kernel_accesses(const Source& source, const std::vector<Function>& functions, const Function& kernel);

// Whether a token is in a branch of `if constexpr`, or of any `if`.
bool is_in_chosen_branch(const Source& source, std::size_t token, std::size_t body, bool any = false);

// Whether the second token may come after the first one: it is behind it, or both are in one loop.
bool may_come_behind(const Source& source, std::size_t second, std::size_t first, const Function& kernel);

} // namespace nestbed::program
