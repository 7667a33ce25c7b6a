// Parameters of templates that are kernels: `template <void (*f)(int)> void run()` becomes `template <auto f> …`, because a kernel that has a
// hidden parameter is of another type.
#pragma once

#include "program/rewrite/changes.hpp"
#include "program/rewrite/functions.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace nestbed::program
{

// The next token that is not in what this one opens.
std::size_t token_behind(const Source& source, std::size_t token);
bool ends_statement(const Source& source, std::size_t token);
// Whether a type of numbers begins with this word.
bool is_number_word(std::string_view type);

// Kernels that are templates.
class KernelTemplates
{
  public:
    KernelTemplates(const Source& source, const std::vector<Function>& functions);

    // How many parameters the template itself has; nullopt: it is none. A specialisation has those of its template, or at least those that
    // it gives.
    std::optional<std::size_t> parameters_of(const Function& kernel) const;

  private:
    std::size_t head_of(const Function& kernel) const;
    std::size_t count_behind(std::size_t opening) const;

    const Source& source_;
    std::unordered_map<std::string_view, std::size_t> parameters_; // of overloads the fewest
};

class TemplateParameters
{
  public:
    TemplateParameters(const Source& source, Changes& changes) : source_(source), changes_(changes) {}

    // The < of the template arguments, or of the template's parameters, that tokens [begin, end) are one of.
    std::size_t arguments_around(std::size_t begin, std::size_t end) const;

    // Makes the parameter for that argument `auto`: of all templates with that name, and of the members of such a class. Returns where they
    // are used.
    std::vector<std::size_t> retype_parameters(std::size_t opening, std::size_t argument);

  private:
    struct Names {
        std::string_view name; // or ""
        bool is_pack, is_auto;
    };
    bool is_declared_by(std::size_t word, std::size_t name) const;
    std::size_t parameter_of(const std::vector<TokenRange>& parameters, std::size_t name, std::size_t number) const;
    std::vector<TokenRange> parts_of(std::size_t opening, std::size_t end) const;
    Names names_of(const TokenRange& parameter) const;
    void retype(const TokenRange& parameter, std::size_t begin, std::size_t end);
    bool can_be_kernel(const TokenRange& parameter, const Names& names) const;

    const Source& source_;
    Changes& changes_;
    std::vector<std::size_t> uses_;
    std::set<std::size_t> retyped_; // parameters
};

} // namespace nestbed::program
