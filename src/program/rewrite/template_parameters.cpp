#include "program/rewrite/template_parameters.hpp"

#include "program/rewrite/launches.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace nestbed::program
{
namespace
{

constexpr std::size_t kMaxArgumentTokens = 200; // to a bracket of template arguments: keeps the time linear

template <std::size_t count>
bool is_among(std::string_view text, const std::array<std::string_view, count>& texts)
{
    return std::ranges::find(texts, text) != texts.end();
}

} // namespace

std::size_t token_behind(const Source& source, std::size_t token)
{
    const bool may_have_arguments = source.is(token, "<") && token > 0 && source.is_identifier(token - 1);
    const std::size_t end = may_have_arguments ? template_arguments_end(source, token) : source.match(token);
    return end == kNoToken || end < token ? token + 1 : may_have_arguments ? end : end + 1;
}

bool ends_statement(const Source& source, std::size_t token)
{
    return source.is(token, ";") || source.is(token, "{") || source.is(token, "}");
}

bool is_number_word(std::string_view type)
{
    static constexpr std::array<std::string_view, 15> kNumbers{
        "bool",   "char",    "short",  "int",     "long",    "signed",   "unsigned", "float",
        "double", "wchar_t", "size_t", "ssize_t", "char8_t", "char16_t", "char32_t"};
    return std::ranges::find(kNumbers, type) != kNumbers.end() ||
           ((type.starts_with("int") || type.starts_with("uint") || type.starts_with("ptrdiff")) &&
            type.ends_with("_t"));
}

KernelTemplates::KernelTemplates(const Source& source, const std::vector<Function>& functions) : source_(source)
{
    for (const Function& kernel : functions)
        if (const std::size_t head = kernel.is_kernel ? head_of(kernel) : kNoToken;
            head != kNoToken && !source_.is(head + 2, ">")) {
            const auto [found, is_new] = parameters_.try_emplace(source_.text(kernel.name), count_behind(head + 1));
            if (!is_new)
                found->second = std::min(found->second, count_behind(head + 1));
        }
}

std::optional<std::size_t> KernelTemplates::parameters_of(const Function& kernel) const
{
    const std::size_t head = head_of(kernel);
    if (head != kNoToken && !source_.is(head + 2, ">"))
        return count_behind(head + 1);
    if (head != kNoToken) {
        const auto found = parameters_.find(source_.text(kernel.name));
        return found != parameters_.end()         ? found->second
               : source_.is(kernel.name + 1, "<") ? count_behind(kernel.name + 1)
                                                  : std::size_t{0};
    }
    for (std::size_t at = kernel.parameters; at < kernel.parameters_end; ++at)
        if (source_.is(at, "auto"))
            return 0;
    return std::nullopt;
}

// `template` before its <: of several the last. kNoToken: there is none.
std::size_t KernelTemplates::head_of(const Function& kernel) const
{
    std::size_t begin = kernel.attribute;
    while (begin > 0 && !ends_statement(source_, begin - 1))
        --begin;
    std::size_t head = kNoToken;
    while (source_.is(begin, "template") && source_.is(begin + 1, "<")) {
        head = begin;
        begin = template_arguments_end(source_, begin + 1);
    }
    return head;
}

// Of template parameters or arguments.
std::size_t KernelTemplates::count_behind(std::size_t opening) const
{
    const std::size_t end = template_arguments_end(source_, opening);
    if (end == kNoToken || end == opening + 2)
        return 0;
    std::size_t count = 1;
    for (std::size_t at = opening + 1; at < end; at = token_behind(source_, at))
        count += source_.is(at, ",") ? 1 : 0;
    return count;
}

std::size_t TemplateParameters::arguments_around(std::size_t begin, std::size_t value_end) const
{
    if (!source_.is(value_end, ",") && !source_.is(value_end, ">") && !source_.is(value_end, "..."))
        return kNoToken;
    std::size_t depth = 0;
    for (std::size_t at = begin; at-- > 0 && begin - at < kMaxArgumentTokens;) {
        const std::string_view text = source_.text(at);
        if (text == ")" || text == "]" || text == "}")
            at = source_.match(at) == kNoToken ? 0 : source_.match(at);
        else if (text == "(" || text == "[" || text == "{" || text == ";")
            return kNoToken;
        else if (text == ">")
            ++depth;
        else if (text == "<" && depth > 0)
            --depth;
        else if (text == "<") {
            const std::size_t end = template_arguments_end(source_, at);
            return at > 0 && source_.is_identifier(at - 1) && end != kNoToken && end > value_end ? at : kNoToken;
        }
    }
    return kNoToken;
}

std::vector<std::size_t> TemplateParameters::retype_parameters(std::size_t opening, std::size_t argument)
{
    const std::size_t number = parts_of(opening, argument).size() - 1;
    for (std::size_t token = 0; token < source_.size(); ++token) {
        const bool has_parameters =
            source_.is(token, "template") && source_.is(token + 1, "<") && !source_.is(token + 2, ">");
        const std::size_t end = has_parameters ? template_arguments_end(source_, token + 1) : kNoToken;
        if (end == kNoToken)
            continue;
        std::size_t body = end, name = kNoToken;
        for (; body < source_.size() && !ends_statement(source_, body); body = token_behind(source_, body))
            if (name == kNoToken && source_.is(body, source_.text(opening - 1)) && is_declared_by(token, body))
                name = body;
        const std::vector<TokenRange> parameters = parts_of(token + 1, end - 1);
        const std::size_t meant = token + 1 == opening ? number // a default argument
                                  : name == kNoToken   ? kNoToken
                                                       : parameter_of(parameters, name, number);
        const std::size_t body_end = source_.is(body, "{") ? source_.match(body) : body;
        if (meant < parameters.size())
            retype(parameters[meant], end, std::min(body_end, source_.size()));
    }
    return std::exchange(uses_, {});
}

// Whether the parameters behind the word `template` are those of the name: not of a class before it, and not of what has it as a type.
bool TemplateParameters::is_declared_by(std::size_t word, std::size_t name) const
{
    static constexpr std::array<std::string_view, 10> kBehind{"(", ";", "{", ":", "=", "[", "::", "final", ">", ","};
    const bool is_inner = source_.is(word - 1, ">"); // template <…> template <…>
    const bool is_member = source_.is(name - 1, "::") && source_.is(name - 2, ">");
    const bool has_arguments = source_.is(name + 1, "<");
    const std::size_t behind_name = has_arguments ? template_arguments_end(source_, name + 1) : name + 1;
    return is_among(source_.text(behind_name), kBehind) &&
           (source_.is(behind_name, "::") ? has_arguments && !is_inner : !is_member || is_inner);
}
// The parameter that is the argument of that number: of `name<…>` the one that the argument names.
std::size_t TemplateParameters::parameter_of(const std::vector<TokenRange>& parameters, std::size_t name,
                                             std::size_t number) const
{
    if (!source_.is(name + 1, "<"))
        return number < parameters.size()            ? number
               : names_of(parameters.back()).is_pack ? parameters.size() - 1
                                                     : kNoToken;
    const std::vector<TokenRange> arguments = parts_of(name + 1, template_arguments_end(source_, name + 1) - 1);
    const std::string_view argument = source_.text(arguments[std::min(number, arguments.size() - 1)].begin);
    for (std::size_t index = 0; index < parameters.size(); ++index)
        if (!argument.empty() && names_of(parameters[index]).name == argument)
            return index;
    return kNoToken;
}
// Of template parameters or arguments, from < to a token: without their default arguments.
std::vector<TokenRange> TemplateParameters::parts_of(std::size_t opening, std::size_t end) const
{
    std::vector<TokenRange> parts{{opening + 1, kNoToken}};
    for (std::size_t at = opening + 1; at < end; at = token_behind(source_, at)) {
        if (source_.is(at, ",") || source_.is(at, "="))
            parts.back().end = std::min(at, parts.back().end);
        if (source_.is(at, ","))
            parts.push_back({at + 1, kNoToken});
    }
    parts.back().end = std::min(end, parts.back().end);
    return parts;
}
// Of `void (*name)(int)`, `Type name`, `Type... names`, or without a name.
TemplateParameters::Names TemplateParameters::names_of(const TokenRange& parameter) const
{
    std::size_t name_end = parameter.end;
    Names names{"", false, false};
    for (std::size_t at = parameter.begin; at < name_end; ++at) {
        names.is_auto |= source_.is(at, "auto");
        names.is_pack |= source_.is(at, "...");
        if (source_.is(at, "(") && name_end == parameter.end)
            name_end = source_.match(at);
    }
    if (name_end - 1 > parameter.begin && source_.is_identifier(name_end - 1) && !source_.is(name_end - 2, "::"))
        names.name = source_.text(name_end - 1);
    return names;
}
// It is used in [begin, end).
void TemplateParameters::retype(const TokenRange& parameter, std::size_t begin, std::size_t end)
{
    const Names names = names_of(parameter);
    if (!can_be_kernel(parameter, names) || !retyped_.insert(parameter.begin).second)
        return;
    changes_.warn(source_.message(
        parameter.begin, "a parameter of a template that is a kernel is auto in a counted build; allowed: no "
                         "overload that has another parameter there"));
    const std::string name(names.name);
    if (!names.is_auto) {
        changes_.replace(parameter.begin, (names.is_pack ? "auto... " : "auto ") + name);
        changes_.remove(parameter.begin + 1, parameter.end);
    }
    for (std::size_t at = begin; !name.empty() && at < end; ++at)
        if (source_.is(at, name) && !source_.is(at - 1, ".") && !source_.is(at - 1, "->"))
            uses_.push_back(at);
}
// No type, and no number.
bool TemplateParameters::can_be_kernel(const TokenRange& parameter, const Names& names) const
{
    static constexpr std::array<std::string_view, 3> kOfTypes{"class", "typename", "template"};
    if (is_among(source_.text(parameter.begin), kOfTypes) &&
        !(source_.is(parameter.begin, "typename") && source_.is(parameter.begin + 2, "::")))
        return false;
    std::string_view type;
    for (std::size_t at = parameter.begin; at < parameter.end; at = token_behind(source_, at)) {
        if (source_.is(at, "("))
            return true;
        if (is_number_word(source_.text(at)))
            return false;
        if (source_.is_identifier(at) && !source_.is(at, "const") &&
            (source_.text(at) != names.name || at + 1 < parameter.end))
            type = source_.text(at);
    }
    for (std::size_t at = 1; at < source_.size(); ++at) { // enum class type; using type = int; typedef int type;
        const bool is_of_class = source_.is(at - 1, "class") || source_.is(at - 1, "struct");
        if (source_.is(at, type) && (source_.is(at - 1, "enum") || (is_of_class && source_.is(at - 2, "enum")) ||
                                     (source_.is(at - 1, "using") && is_number_word(source_.text(at + 2))) ||
                                     (source_.is(at + 1, ";") && is_number_word(source_.text(at - 1)))))
            return false;
    }
    return true;
}

} // namespace nestbed::program
