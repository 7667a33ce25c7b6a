#include "program/rewrite/sides.hpp"

#include <string>
#include <unordered_set>

namespace nestbed::program
{
namespace
{

// Whether the declaration of a function has __host__ before its name.
bool is_of_host_too(const Source& source, const Function& function)
{
    static constexpr std::size_t kMaxTokens = 64; // before the attribute; keeps the time linear
    for (std::size_t at = function.attribute; at > 0 && function.attribute - at < kMaxTokens; --at) {
        const std::string_view before = source.text(at - 1);
        if (before == ";" || before == "{" || before == "}" || before == ":")
            break;
        if (before == "__host__")
            return true;
    }
    for (std::size_t at = function.attribute; at < function.name; ++at)
        if (source.is(at, "__host__"))
            return true;
    return false;
}

std::string attribute(std::string_view name)
{
    return "__attribute__((nestbed_" + std::string(name) + "))";
}

} // namespace

void mark_sides(const Source& source, const std::vector<Function>& functions, const std::vector<LambdaBody>& lambdas,
                Changes& changes)
{
    std::unordered_set<std::size_t> of_functions;
    changes.remove_words({"__device__", "__host__"});
    for (const Function& function : functions) {
        of_functions.insert(function.attribute);
        changes.remove(function.attribute, function.attribute_end);
        // As kernel() of executor_rewriter.cpp needs it.
        const std::string own_code = function.is_kernel && function.body != kNoToken ? "__attribute__((noipa))" : "";
        changes.replace(function.attribute, own_code + attribute(function.is_kernel                 ? "global"
                                                                 : is_of_host_too(source, function) ? "both"
                                                                                                    : "device"));
    }
    std::size_t next = 0; // of the lambdas: the last one that begins before the token
    for (std::size_t token = 0; token < source.size(); ++token) {
        if (!source.is(token, "__device__") || of_functions.contains(token))
            continue;
        while (next < lambdas.size() && lambdas[next].captures < token)
            ++next;
        if (next == 0 || token > lambdas[next - 1].body)
            changes.replace(token, attribute("variable"));
    }
}

} // namespace nestbed::program
