// Whether a name means what the program itself declares nearer to its use: a member, a parameter, a variable of a block.
#pragma once

#include "program/rewrite/functions.hpp"

#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nestbed::program
{

// Ask in the order of the source.
class NameScopes
{
  public:
    // `is_use`: whether such a name begins at a token, which need not be a word of its own.
    NameScopes(const Source& source, const std::vector<Function>& functions, const std::vector<LambdaBody>& lambdas,
               std::function<bool(std::size_t token)> is_use);

    // The name has the tokens [token, end). What host code declares counts only within its braces.
    bool is_own(std::size_t token, std::size_t end, std::string_view name, bool on_device);

  private:
    struct Variable {
        std::string_view name;
        std::size_t scope_end;
    };

    bool is_name(std::size_t token) const;
    bool is_declared(std::size_t token, std::size_t end) const;
    bool follows_in_declaration(std::size_t token) const;
    std::size_t scope_end(std::size_t token) const;

    const Source& source_;
    const std::vector<LambdaBody>& lambdas_;
    const std::function<bool(std::size_t)> is_use_;
    std::unordered_map<std::size_t, std::size_t> body_ends_; // of functions, by their parameters
    std::vector<Variable> variables_;                        // that hide a name here
};

} // namespace nestbed::program
