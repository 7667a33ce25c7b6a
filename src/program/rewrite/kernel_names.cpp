#include "program/rewrite/kernel_names.hpp"

#include "program/count/spelled_kernel.hpp"
#include "program/rewrite/template_parameters.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace nestbed::program
{
namespace
{

constexpr std::string_view kNameOf = "nestbed_name_of_"; // a type
constexpr std::string_view kNamed =
    "nestbed_named_"; // a function: nvcc takes no type of that name beside it in an inline namespace

// The first token of the declaration.
std::size_t statement_of(const Source& source, const Function& kernel)
{
    std::size_t begin = kernel.attribute;
    while (begin > 0 && !ends_statement(source, begin - 1))
        --begin;
    return begin;
}

// The token after `template <…>`; kNoToken if the kernel is no template.
std::size_t header_end(const Source& source, const Function& kernel)
{
    const std::size_t begin = statement_of(source, kernel);
    return source.is(begin, "template") && source.is(begin + 1, "<") && !source.is(begin + 2, ">")
               ? template_arguments_end(source, begin + 1)
               : kNoToken;
}

bool is_concept(const Source& source, std::string_view name)
{
    const std::string_view text = source.whole_text();
    const std::string declared = "concept " + std::string(name);
    for (std::size_t at = text.find(declared); at != std::string_view::npos; at = text.find(declared, at + 1))
        if (const std::size_t end = at + declared.size(); end < text.size() && (text[end] == ' ' || text[end] == '='))
            return true;
    return false;
}

enum class Kind : std::uint8_t { type, value, of_types, of_others }; // the last two: a template

Kind kind_of(const Source& source, const TokenRange& parameter, std::size_t name)
{
    const std::string_view first = source.text(parameter.begin);
    if (first == "template") {
        const std::size_t end = template_arguments_end(source, parameter.begin + 1);
        for (std::size_t at = parameter.begin + 2; at + 1 < end && end != kNoToken; ++at)
            if (source.is_identifier(at) && !source.is(at, "class") && !source.is(at, "typename") &&
                !source.is(at - 1, "class") && !source.is(at - 1, "typename") && !source.is(at - 1, "..."))
                return Kind::of_others;
        return Kind::of_types;
    }
    const bool is_one_word = name == parameter.begin + 1 || source.is(parameter.begin + 1, "...");
    if ((first == "class" || first == "typename") && is_one_word)
        return Kind::type;
    std::string_view type;
    for (std::size_t at = parameter.begin; at < name; at = token_behind(source, at)) {
        if (is_number_word(source.text(at)) || source.is(at, "auto") || source.is(at, "(") || source.is(at, "*"))
            return Kind::value;
        if (source.is_identifier(at))
            type = source.text(at);
    }
    return is_concept(source, type) ? Kind::type : Kind::value;
}

// The template arguments as types. Those of parameters without a name have none.
std::string arguments_of(const Source& source, const Function& kernel)
{
    std::string arguments;
    const std::size_t end = header_end(source, kernel);
    if (end == kNoToken)
        return arguments;
    for (const TokenRange& parameter : template_parts(source, statement_of(source, kernel) + 1, end - 1)) {
        const TemplateParameterNames names = names_of(source, parameter);
        const bool is_type = is_number_word(names.name) || // "unsigned int", "const Color"
                             (source.is(parameter.begin, "const") && parameter.end - parameter.begin == 2);
        if (names.name.empty() || is_type)
            continue;
        std::size_t at = parameter.end - 1;
        while (at > parameter.begin && source.text(at) != names.name)
            --at;
        const std::string name(names.name);
        std::string argument;
        switch (kind_of(source, parameter, at)) {
        case Kind::type:
            argument = name;
            break;
        case Kind::value:
            argument = "::nestbed_names::KernelValue<typename ::nestbed_names::Spelled<decltype(" + name +
                       ")>::type, " + name + ">";
            break;
        case Kind::of_types:
            argument = "::nestbed_names::KernelTemplate<" + name + ">";
            break;
        case Kind::of_others:
            continue;
        }
        arguments += ", " + argument + (names.is_pack ? "..." : "");
    }
    return arguments;
}

std::string type_named(const Source& source, const Function& kernel)
{
    return "::nestbed_names::KernelNamed<struct " + std::string(kNameOf) + std::string(source.text(kernel.name)) +
           arguments_of(source, kernel) + ">";
}

// Whether the braces around it are those of namespaces and of extern "C".
bool is_in_namespace(const Source& source, std::size_t token)
{
    for (std::size_t around = source.parent(token); around != kNoToken; around = source.parent(around)) {
        if (!source.is(around, "{") || around == 0)
            return false;
        if (source.is_string(around - 1))
            continue;
        std::size_t begin = around;
        while (begin > 0 && !source.is(begin, "namespace") &&
               (source.is_identifier(begin - 1) || source.is(begin - 1, "::")))
            --begin;
        if (!source.is(begin, "namespace"))
            return false;
    }
    return true;
}

bool has_word(const Source& source, std::size_t begin, std::size_t end, std::string_view word)
{
    for (std::size_t at = begin; at < end && at < source.size(); ++at)
        if (source.is(at, word))
            return true;
    return false;
}

bool is_specialised(const Source& source, const Function& kernel)
{
    const std::size_t begin = statement_of(source, kernel);
    return source.is(begin, "template") && source.is(begin + 1, "<") && source.is(begin + 2, ">");
}
bool is_instantiated(const Source& source, const Function& kernel) // template __global__ void k<int>(int*);
{
    const std::size_t begin = statement_of(source, kernel);
    return source.is(begin, "template") && !source.is(begin + 1, "<");
}

// (a, b) without what only a kernel's parameters may have.
std::string parameters_of(const Source& source, const Function& kernel)
{
    std::string text;
    std::size_t begin = kernel.parameters;
    for (std::size_t at = begin; at <= kernel.parameters_end; ++at) {
        const bool is_attribute = source.is(at, "__attribute__") && source.is(at + 3, "grid_constant");
        if (!is_attribute && !source.is(at, "__grid_constant__"))
            continue;
        text += source.on_one_line(begin, at) + " ";
        begin = is_attribute ? source.match(at + 1) + 1 : at + 1;
    }
    return text + source.on_one_line(begin, kernel.parameters_end + 1);
}

} // namespace

std::string kernel_name(const Source& source, const Function& kernel)
{
    if (!arguments_of(source, kernel).empty())
        return "::nestbed_names::text<" + type_named(source, kernel) + ">()";
    std::string name(source.text(kernel.name));
    if (is_specialised(source, kernel)) {
        constexpr std::size_t kMaxBytes = 256;
        std::array<char, kMaxBytes> spelled{};
        nestbed_names::Speller(spelled.data(), kMaxBytes, source.on_one_line(kernel.name, kernel.parameters).c_str())
            .spell();
        name = spelled.data();
        std::erase_if(name, [](char byte) { return byte == '"' || byte == '\\'; });
    }
    return "\"" + name + "\"";
}

LaunchedNames::LaunchedNames(const Source& source, const std::vector<Function>& functions, Changes& changes)
    : source_(source)
{
    std::set<std::string_view> templates, left_out;
    std::vector<const Function*> kernels;
    for (const Function& function : functions) {
        if (!function.is_kernel)
            continue;
        const std::string_view name = source.text(function.name);
        const std::size_t begin = statement_of(source, function);
        kernels_.push_back(name);
        if (is_specialised(source, function) || is_instantiated(source, function) ||
            has_word(source, begin, function.attribute, "friend"))
            continue;
        kernels.push_back(&function);
        if (!arguments_of(source, function).empty())
            templates.insert(name);
        const std::size_t end = function.body == kNoToken ? function.parameters_end + 2 : function.body;
        if (!is_in_namespace(source, function.name) || has_word(source, begin, end, "requires") ||
            has_word(source, function.parameters, function.parameters_end, "auto"))
            left_out.insert(name);
    }
    std::ranges::sort(kernels_);
    for (const LambdaBody& lambda : find_lambdas(source))
        lambda_ends_.emplace(lambda.captures, lambda.body_end);
    for (const Function* const kernel : kernels) {
        const std::string_view name = source.text(kernel->name);
        if (!templates.contains(name) || left_out.contains(name))
            continue;
        const std::size_t begin = statement_of(source, *kernel);
        const std::size_t end = header_end(source, *kernel);
        Declared& declared = declared_.try_emplace(name, Declared{begin}).first->second;
        declared.has_conditions |= end != kNoToken && has_word(source, begin, end, "=");
        changes.insert_before(begin, (end == kNoToken ? std::string() : source.on_one_line(begin, end) + " ") +
                                         type_named(source, *kernel) + " " + std::string(kNamed) + std::string(name) +
                                         parameters_of(source, *kernel) + "; ");
    }
    // using a::k;
    for (std::size_t at = 0; at < source.size(); ++at) {
        std::size_t end = at + 1;
        while (source.is(at, "using") &&
               (source.is(end, "::") || (source.is_identifier(end) && source.is(end + 1, "::"))))
            ++end;
        const auto known = declared_.find(source.text(end));
        if (end > at + 1 && known != declared_.end() && source.is(end + 1, ";"))
            changes.insert_after(end + 1, " " + source.on_one_line(at, end) + std::string(kNamed) +
                                              std::string(known->first) + ";");
    }
}

std::optional<std::string> LaunchedNames::type_of(const Launch& launch) const
{
    const auto known = launch.name == kNoToken ? declared_.end() : declared_.find(source_.text(launch.name));
    if (known == declared_.end() || known->second.begin > launch.callee || !can_repeat(launch.callee, launch.name) ||
        !can_repeat(launch.name + 1, launch.opening))
        return std::nullopt;
    const std::optional<std::string> arguments = launch_arguments(launch, known->second.has_conditions);
    if (!arguments)
        return std::nullopt;
    return "decltype(" + source_.on_one_line(launch.callee, launch.name) + std::string(kNamed) +
           source_.on_one_line(launch.name, launch.opening) + *arguments + ")";
}

// In parentheses. Before C++20 no lambda can be there: something that becomes every type stands for one that is an argument.
std::optional<std::string> LaunchedNames::launch_arguments(const Launch& launch, bool has_conditions) const
{
    std::string text;
    std::size_t begin = launch.arguments;
    for (std::size_t at = begin; at < launch.end; ++at) {
        const auto lambda = lambda_ends_.find(at);
        if (lambda == lambda_ends_.end())
            continue;
        const std::size_t behind = lambda->second + 1;
        const bool is_argument = source_.parent(at) == launch.arguments &&
                                 (source_.is(at - 1, "(") || source_.is(at - 1, ",")) &&
                                 (behind == launch.end || source_.is(behind, ","));
        if (!is_argument || has_conditions || !can_repeat(begin, at))
            return std::nullopt;
        text += source_.on_one_line(begin, at) + "::nestbed_names::KernelLambda()";
        begin = behind;
        at = behind - 1;
    }
    if (!can_repeat(begin, launch.end))
        return std::nullopt;
    return text + source_.on_one_line(begin, launch.end + 1);
}

// Not what changes, and what cannot be in decltype.
bool LaunchedNames::can_repeat(std::size_t begin, std::size_t end) const
{
    for (std::size_t at = begin; at < end; ++at)
        if (std::ranges::binary_search(kernels_, source_.text(at)) || source_.is(at, "<<<") || source_.is(at, ";") ||
            lambda_ends_.contains(at))
            return false;
    return true;
}

} // namespace nestbed::program
