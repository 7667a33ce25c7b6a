#include "program/rewrite/refused_names.hpp"

#include "base/error.hpp"
#include "program/rewrite/launches.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace nestbed::program
{

bool is_call_of_global_name(const Source& source, std::size_t name, std::size_t& begin)
{
    begin = name;
    if (!source.is(name + 1, "(") && !source.is(name + 1, "<"))
        return false;
    if (name == 0)
        return true;
    if (source.is(name - 1, ".") || source.is(name - 1, "->"))
        return false;
    if (!source.is(name - 1, "::"))
        return true;
    begin = name - 1;
    if (name < 2 || is_before_expression(source.text(name - 2)))
        return true;
    if (source.is(name - 2, "std")) {
        begin = name - 2;
        return true;
    }
    return !source.is_identifier(name - 2) && !source.is(name - 2, ">");
}

bool is_declared(const Source& source, std::size_t name)
{
    return name > 0 && source.is_identifier(name - 1) && !is_before_expression(source.text(name - 1));
}

std::unordered_set<std::string_view> defined_functions(const Source& source)
{
    std::unordered_set<std::string_view> names;
    for (std::size_t token = 0; token < source.size(); ++token) {
        const bool is_before_parenthesis = source.is_identifier(token) && source.is(token + 1, "(");
        const std::size_t end = is_before_parenthesis ? source.match(token + 1) : kNoToken;
        if (end != kNoToken && (source.is(end + 1, "{") || source.is(end + 1, "noexcept")))
            names.insert(source.text(token));
    }
    return names;
}

std::unordered_set<std::string_view> declared_functions(const Source& source)
{
    std::unordered_set<std::string_view> names = defined_functions(source);
    for (std::size_t token = 1; token < source.size(); ++token) {
        if (!source.is_identifier(token) || !source.is(token + 1, "("))
            continue;
        const std::string_view before = source.text(token - 1);
        const bool is_after_type =
            source.is_identifier(token - 1)
                ? !is_before_expression(before)
                : source.parent(token) == kNoToken && (before == "*" || before == "&" || before == ">");
        if (is_after_type)
            names.insert(source.text(token));
    }
    return names;
}

namespace
{

bool names(const RefusedNames& refused, std::string_view text)
{
    for (std::string_view rest = refused.names; !rest.empty();) {
        const std::string_view name = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), name.size() + 1));
        if (name.ends_with('*') ? text.starts_with(name.substr(0, name.size() - 1)) : text == name)
            return true;
    }
    return false;
}

} // namespace

std::vector<FoundCall> find_calls(const Source& source, std::span<const RefusedNames> names_of,
                                  UserFunctions user_functions)
{
    std::optional<std::unordered_set<std::string_view>> own;
    std::vector<FoundCall> calls;
    for (std::size_t token = 0; token < source.size(); ++token) {
        const std::string_view text = source.text(token);
        if (!text.starts_with('c') && !text.starts_with('t') && !text.starts_with('s'))
            continue; // all refused names begin with one of these
        const auto found =
            std::ranges::find_if(names_of, [&](const RefusedNames& each) { return names(each, text); });
        std::size_t begin = 0;
        const bool is_call =
            found != names_of.end() &&
            (is_call_of_global_name(source, token, begin) ||
             (found->in_any_namespace && source.is(token + 1, "(") && token > 0 && source.is(token - 1, "::")));
        if (!is_call)
            continue;
        if (!own)
            own = user_functions == UserFunctions::defined ? defined_functions(source) : declared_functions(source);
        if (!own->contains(text))
            calls.push_back({token, text, found->reason});
    }
    return calls;
}

void refuse_calls(const Source& source, std::span<const RefusedNames> refused, UserFunctions user_functions)
{
    std::map<std::size_t, std::string> reasons;
    for (const auto& [token, name, reason] : find_calls(source, refused, user_functions))
        reasons[token] = std::string(name) + ": " + std::string(reason);
    source.fail_if_any(reasons);
}

} // namespace nestbed::program
