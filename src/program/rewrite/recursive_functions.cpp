#include "program/rewrite/recursive_functions.hpp"

#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace nestbed::program
{
namespace
{

using Calls = std::map<std::string_view, std::set<std::string_view>>; // by the name of the caller

bool calls_itself(const Calls& calls, std::string_view name)
{
    std::vector<std::string_view> to_see{name};
    std::set<std::string_view> seen;
    while (!to_see.empty()) {
        const auto of = calls.find(to_see.back());
        to_see.pop_back();
        if (of == calls.end())
            continue;
        for (const std::string_view callee : of->second) {
            if (callee == name)
                return true;
            if (seen.insert(callee).second)
                to_see.push_back(callee);
        }
    }
    return false;
}

bool is_constexpr(const Source& source, const Function& function)
{
    const auto ends_before = [&](std::size_t token) {
        return source.is(token, ";") || source.is(token, "{") || source.is(token, "}");
    };
    for (std::size_t token = function.name; token > 0 && !ends_before(token); --token)
        if (source.is(token, "constexpr") || source.is(token, "consteval"))
            return true;
    return false;
}

} // namespace

void rewrite_recursion(const Source& source, const std::vector<Function>& functions, Changes& changes)
{
    Calls calls;
    for (const Function& each : functions)
        if (!each.is_kernel && each.body != kNoToken)
            calls[source.text(each.name)];
    for (const Function& each : functions) {
        if (each.is_kernel || each.body == kNoToken)
            continue;
        std::set<std::string_view>& of = calls[source.text(each.name)];
        for (std::size_t token = each.body; token < each.body_end; ++token)
            if (source.is_identifier(token) && (source.is(token + 1, "(") || source.is(token + 1, "<")) &&
                calls.contains(source.text(token)))
                of.insert(source.text(token));
    }
    std::map<std::string_view, bool> known;
    for (const Function& each : functions) {
        if (each.is_kernel || each.body == kNoToken)
            continue;
        const std::string_view name = source.text(each.name);
        const auto [found, is_new] = known.try_emplace(name, false);
        if (is_new)
            found->second = calls_itself(calls, name);
        if (found->second && !is_constexpr(source, each))
            changes.insert_after(each.body, " ::nestbed::program::on_stack();");
    }
}

} // namespace nestbed::program
