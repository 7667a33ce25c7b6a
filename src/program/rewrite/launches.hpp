// Where a source launches kernels: `callee<<<configuration>>>(arguments)`.
#pragma once

#include "program/rewrite/source.hpp"

#include <string_view>
#include <vector>

namespace nestbed::program
{

// Numbers of tokens.
struct Launch {
    std::size_t callee;        // the first token of the expression that is launched
    std::size_t opening;       // `<<<`, or `<<` and `<`
    std::size_t configuration; // the token after it
    std::size_t closing;       // the first token of `>>>`, or of `>> >`
    std::size_t arguments;     // `(`
    std::size_t end;           // `)`
    std::size_t name;          // the name of the kernel without namespaces; kNoToken if it is another expression
};

// All launches, in their order. Throws RunError with file and line if there is something like a launch that is none.
std::vector<Launch> find_launches(const Source& source);

// The ends of the parts of a launch's configuration: the tokens of its commas, and `>>>`.
std::vector<std::size_t> configuration_ends(const Source& source, const Launch& launch);

// The token after the template arguments that begin at `<`; kNoToken if they do not end before the statement does, or
// have more than 500 tokens, those in brackets not counted.
std::size_t template_arguments_end(const Source& source, std::size_t opening);

// Words after which an expression may begin, such as `return`.
bool is_before_expression(std::string_view word);

} // namespace nestbed::program
