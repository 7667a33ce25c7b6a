// The functions of a source that have CUDA's __global__ or __device__, and the bodies of lambdas.
#pragma once

#include "program/rewrite/source.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed::program
{

// A declaration or definition. Numbers of tokens.
struct Function {
    bool is_kernel = false;
    std::size_t attribute = kNoToken;     // __global__ or __device__, or __attribute__ of `__attribute__((global))`
    std::size_t attribute_end = kNoToken; // the token after it
    std::size_t name = kNoToken;
    std::size_t parameters = kNoToken;     // (
    std::size_t parameters_end = kNoToken; // )
    std::size_t body = kNoToken;           // {; kNoToken if it is only declared
    std::size_t body_end = kNoToken;       // }
};

// Throws RunError with file and line if a kernel cannot be read.
std::vector<Function> find_functions(const Source& source);

// The names of the parameters that are references: "target", of a pack "targets...". Those of types with another name are not seen.
std::vector<std::string> reference_parameters(const Source& source, const Function& function);

// The names of all parameters, of a pack "targets..."; nullopt if one has no name.
std::optional<std::vector<std::string>> parameter_names(const Source& source, const Function& function);

struct LambdaBody {
    std::size_t captures; // [
    std::size_t body;     // {
    std::size_t body_end; // }
    bool is_device;       // has __device__
};

std::vector<LambdaBody> find_lambdas(const Source& source);

// Tokens [begin, end).
struct TokenRange {
    std::size_t begin;
    std::size_t end;
};

// The parts between the commas of parentheses. Template arguments are no parts of their own behind a name of which `is_template` is true.
std::vector<TokenRange> parts_between_commas(
    const Source& source, std::size_t opening,
    const std::function<bool(std::string_view)>& is_template = [](std::string_view) { return false; });

// What a GPU runs: kernels, device functions and device lambdas, with their parameters. In order, and none within another one.
std::vector<TokenRange> device_code(const std::vector<Function>& functions, const std::vector<LambdaBody>& lambdas);

// The token after __global__, __device__ or their other spelling that begins here; kNoToken if none does.
// `word` is `global` or `device`.
std::size_t attribute_end(const Source& source, std::size_t token, std::string_view word);

} // namespace nestbed::program
