#include "program/rewrite/name_scopes.hpp"

#include "program/rewrite/launches.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nestbed::program
{

NameScopes::NameScopes(const Source& source, const std::vector<Function>& functions,
                       const std::vector<LambdaBody>& lambdas, std::function<bool(std::size_t token)> is_use)
    : source_(source), lambdas_(lambdas), is_use_(std::move(is_use))
{
    for (const Function& each : functions)
        if (each.body != kNoToken)
            body_ends_[each.parameters] = each.body_end;
}

bool NameScopes::is_own(std::size_t token, std::size_t end, std::string_view name, bool on_device)
{
    const std::string_view before = source_.text(token - 1);
    if (before == "." || before == "->" || before == "::")
        return true;
    if (is_declared(token, end)) {
        if (on_device || source_.is(source_.parent(token), "{")) // of host code: members, which member functions use
            variables_.push_back({name, scope_end(token)});
        return true;
    }
    std::erase_if(variables_, [token](const Variable& each) { return each.scope_end < token; });
    return std::ranges::find(variables_, name, &Variable::name) != variables_.end();
}

bool NameScopes::is_name(std::size_t token) const
{
    const std::string_view word = source_.text(token);
    return source_.is_identifier(token) && !is_before_expression(word) && word != "sizeof" && word != "alignof";
}

bool NameScopes::is_declared(std::size_t token, std::size_t end) const
{
    const std::string_view next = source_.text(end);
    if (next == "." || token == 0)
        return false;
    if (is_name(token - 1))
        return true;
    const bool ends = next == ";" || next == "=" || next == "(" || next == "{" || next == "," || next == ")" ||
                      next == "[" || next == ":";
    const std::string_view before = source_.text(token - 1);
    if (before == "*" || before == "&" || before == "&&" || before == ">")
        return ends && (is_name(token - 2) || source_.is(token - 2, ">"));
    return before == "," && ends && follows_in_declaration(token);
}

// `dim3 block(16), gridDim(4);`
bool NameScopes::follows_in_declaration(std::size_t token) const
{
    static constexpr std::size_t kMaxTokens = 200; // keeps the time linear
    std::size_t begin = token;
    while (begin > 0 && token - begin < kMaxTokens) {
        const std::string_view before = source_.text(begin - 1);
        if (before == ";" || before == "{" || before == "(")
            break;
        const bool is_list_end = before == "}" && source_.is(begin, ",");
        if (before == "}" && !is_list_end)
            break;
        const std::size_t opening =
            before == ")" || before == "]" || is_list_end ? source_.match(begin - 1) : begin - 1;
        if (opening == kNoToken)
            return false;
        begin = opening;
    }
    return !source_.is(begin - 1, "(") && is_name(begin) && (is_name(begin + 1) || is_use_(begin + 1));
}

// Of a parameter: of its function; else of the brackets around.
std::size_t NameScopes::scope_end(std::size_t token) const
{
    const std::size_t around = source_.parent(token);
    if (const auto function = body_ends_.find(around); function != body_ends_.end())
        return function->second;
    const auto after = std::ranges::upper_bound(lambdas_, token, {}, &LambdaBody::captures);
    if (after != lambdas_.begin() && token < std::prev(after)->body)
        return std::prev(after)->body_end;
    std::size_t brace = around;
    while (source_.is(brace, "(")) // for (dim3 gridDim = …; …)
        brace = source_.parent(brace);
    return source_.match(brace) == kNoToken ? source_.size() : source_.match(brace);
}

} // namespace nestbed::program
