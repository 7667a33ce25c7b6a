#include "program/runtime/kernel_names.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <vector>

namespace nestbed::program
{

namespace
{

// The character behind a literal, an operator's name or ->, whose brackets do not count; `at` itself if there is none of these.
std::size_t behind_text(std::string_view text, std::size_t at)
{
    constexpr std::string_view kOperator = "operator";
    if (text.substr(at).starts_with("->"))
        return at + 2;
    const bool is_in_word =
        at > 0 && (std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0 || text[at - 1] == '_');
    if (!is_in_word && text.substr(at).starts_with(kOperator))
        return std::min(text.find_first_not_of("<>=-", at + kOperator.size()), text.size());
    if (text[at] != '\'' && text[at] != '"')
        return at;
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != text[at])
        end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
}

// Where a text begins outside of brackets; the end if nowhere.
std::size_t find_outside(std::string_view text, std::string_view what)
{
    constexpr std::string_view kOpening = "(<[{";
    constexpr std::string_view kClosing = ")>]}";
    std::string open;
    for (std::size_t at = 0; at < text.size();) {
        if (open.empty() && text.substr(at).starts_with(what))
            return at;
        if (const std::size_t behind = behind_text(text, at); behind != at) {
            at = behind;
            continue;
        }
        if (kOpening.find(text[at]) != kOpening.npos)
            open += text[at];
        else if (const std::size_t closing = kClosing.find(text[at]); closing != kClosing.npos) {
            const std::size_t opened = open.rfind(kOpening[closing]);
            if (text[at] == '>' ? open.ends_with('<') : opened != open.npos) // > may be an operator, < too
                open.resize(opened);
        }
        ++at;
    }
    return text.size();
}

std::vector<std::string_view> split_outside(std::string_view text, std::string_view separator)
{
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = find_outside(text, separator);
        parts.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + separator.size(), text.size()));
    }
    return parts;
}

// A type or value with `lambda` for "main()::<lambda(int)>".
std::string with_short_lambdas(std::string_view type)
{
    constexpr std::string_view kLambda = "<lambda";
    if (type.find(kLambda) == type.npos)
        return std::string(type);
    if (find_outside(type, kLambda) < type.size())
        return "lambda";
    const std::size_t opening = std::min(find_outside(type, "<") + 1, type.size());
    const std::string_view inside = type.substr(opening, find_outside(type.substr(opening), ">"));
    std::vector<std::string> arguments;
    for (const std::string_view argument : split_outside(inside, ", "))
        arguments.push_back(with_short_lambdas(argument));
    return fmt::format("{}{}{}", type.substr(0, opening), fmt::join(arguments, ", "),
                       with_short_lambdas(type.substr(opening + inside.size())));
}

// Adds what "T = float" or "Types = {int, float}" has.
void add_arguments(std::string_view binding, std::vector<std::string>& arguments)
{
    constexpr std::string_view kIs = " = ";
    std::string_view value = binding.substr(std::min(find_outside(binding, kIs) + kIs.size(), binding.size()));
    const bool is_pack = value.starts_with('{') && value.ends_with('}');
    if (!is_pack)
        return arguments.push_back(with_short_lambdas(value));
    for (const std::string_view each : split_outside(value.substr(1, value.size() - 2), ", "))
        arguments.push_back(with_short_lambdas(each));
}

// Long arguments end in a hash, which keeps them different from others.
std::string shortened(const std::string& arguments)
{
    constexpr std::size_t kMax = 60;
    if (arguments.size() <= kMax)
        return arguments;
    std::uint32_t hash = 2166136261; // FNV-1a
    for (const char each : arguments)
        hash = (hash ^ static_cast<unsigned char>(each)) * 16777619;
    std::size_t end = kMax - 12;
    while ((static_cast<unsigned char>(arguments[end]) & 0xC0U) == 0x80) // within a character
        --end;
    return fmt::format("{}...{:08x}", arguments.substr(0, end), hash);
}

} // namespace

std::string name_of_instance(std::string_view name, int parameters, std::string_view function)
{
    constexpr std::string_view kWith = " [with ";
    const std::size_t with = find_outside(function, kWith);
    if (with == function.size() || !function.ends_with(']'))
        return std::string(name);
    const std::string spelled = boost::algorithm::replace_all_copy(
        std::string(function.substr(with + kWith.size(), function.size() - with - kWith.size() - 1)),
        "{anonymous}::", "");
    bool has_arguments = false; // an empty pack is one
    std::vector<std::string> arguments;
    for (const std::string_view binding : split_outside(spelled, "; ")) {
        if (parameters-- <= 0 && !binding.starts_with("auto:"))
            break;
        has_arguments = true;
        add_arguments(binding, arguments);
    }
    if (!has_arguments)
        return std::string(name);
    std::string all = fmt::format("{}", fmt::join(arguments, ", "));
    while (all.find("> >") != all.npos)
        boost::algorithm::replace_all(all, "> >", ">>");
    return fmt::format("{}<{}>", name, shortened(all));
}

void add_template_arguments(Kernel& kernel)
{
    const std::atomic_ref function(kernel.function);
    if (function.load(std::memory_order_acquire) == nullptr) [[likely]]
        return;
    static std::mutex& mutex = *new std::mutex; // programs launch kernels in destructors
    const std::lock_guard lock(mutex);
    if (kernel.function == nullptr)
        return;
    kernel.name = strdup(name_of_instance(kernel.name, kernel.template_parameters, kernel.function).c_str());
    function.store(nullptr, std::memory_order_release);
}

} // namespace nestbed::program
