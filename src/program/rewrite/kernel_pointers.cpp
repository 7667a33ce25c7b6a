#include "program/rewrite/kernel_pointers.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace nestbed::program
{
namespace
{

class KernelPointers
{
  public:
    KernelPointers(const Source& source, const std::unordered_set<std::string_view>& kernels,
                   const std::vector<std::size_t>& launched)
        : source_(source), kernels_(kernels)
    {
        for (const std::size_t use : launched)
            launched_[source.text(use)].push_back(use);
        for (std::size_t token = 1; token < source.size(); ++token)
            if (is_argument(token))
                takers_.insert(source.text(source.parent(token) - 1));
    }

    // (*name)(…), (*name[2])(…), (*)(…)
    std::vector<std::size_t> parameters() const
    {
        std::vector<std::size_t> found;
        bool is_typedef = false;
        for (std::size_t token = 0; token < source_.size(); ++token) {
            if (source_.is(token, "typedef"))
                is_typedef = true;
            else if (source_.is(token, ";") || source_.is(token, "{") || source_.is(token, "}"))
                is_typedef = false;
            if (const std::size_t alias = function_type_at(token, is_typedef);
                alias != kNoToken && has_kernels(alias))
                found.push_back(is_typedef ? token + 2 : token + 1);
            const bool is_declarator = token > 0 && source_.is(token, "(") && source_.is(token + 1, "*") &&
                                       source_.is(token - 1, "void"); // of a call it is no type
            const std::size_t end = is_declarator ? source_.match(token) : kNoToken;
            if (end != kNoToken && source_.is(end + 1, "(") && source_.match(end + 1) != kNoToken &&
                is_of_kernels(token, end, is_typedef))
                found.push_back(end + 1);
        }
        return found;
    }

  private:
    static constexpr std::size_t kMaxArguments = 8; // tokens of those behind, in std::array<void (*)(int), 2>

    // The name of a type of functions: using name = void(int); typedef void name(int).
    std::size_t function_type_at(std::size_t token, bool is_typedef) const
    {
        if (!source_.is(token, "void") || token < 2)
            return kNoToken;
        const std::size_t opening = is_typedef ? token + 2 : token + 1;
        const std::size_t end = source_.is(opening, "(") ? source_.match(opening) : kNoToken;
        if (end == kNoToken || !source_.is(end + 1, ";"))
            return kNoToken;
        if (is_typedef)
            return source_.is_identifier(token + 1) ? token + 1 : kNoToken;
        return source_.is(token - 1, "=") ? alias_before(token) : kNoToken;
    }

    // The declarator in these parentheses.
    bool is_of_kernels(std::size_t opening, std::size_t end, bool is_typedef) const
    {
        std::size_t name = opening + 2;
        while (source_.is(name, "const") || source_.text(name).starts_with("__restrict"))
            ++name;
        const bool is_abstract = name == end;
        if (!is_abstract && (!source_.is_identifier(name) || (name + 1 != end && !source_.is(name + 1, "["))))
            return false;
        const std::size_t behind = source_.match(end + 1) + 1;
        const std::size_t alias = is_abstract ? alias_before(opening) : name;
        if (alias ==
            kNoToken) { // static_cast<void (*)(int)>(kernel), (void (*)(int))kernel, std::array<void (*)(int), 2> all{kernel, other}
            std::size_t end_of_type = behind;
            while (source_.is(behind, ",") && end_of_type < behind + kMaxArguments && !source_.is(end_of_type, ">"))
                ++end_of_type;
            const bool is_type = source_.is(end_of_type, ">") || source_.is(behind, ")");
            return is_kernel(value_at(is_type ? end_of_type + 1 : behind)) ||
                   (source_.is(end_of_type, ">") && declares_kernels(end_of_type));
        }
        if (is_abstract || is_typedef)
            return has_kernels(alias);
        return is_launched(name) || is_kernel(value_at(behind)) || is_parameter_of_taker(opening);
    }

    // A kernel as it is in `f(a, kernel)`.
    bool is_argument(std::size_t token) const
    {
        const std::size_t opening = source_.parent(token);
        const std::size_t before = source_.is(token - 1, "&") ? token - 2 : token - 1;
        return is_kernel(token) && source_.is(opening, "(") && opening > 0 && source_.is_identifier(opening - 1) &&
               (source_.is(before, "(") || source_.is(before, ",")) &&
               (source_.is(token + 1, ",") || source_.is(token + 1, ")") || source_.is(token + 1, "<"));
    }
    bool is_parameter_of_taker(std::size_t declarator) const
    {
        const std::size_t opening = source_.parent(declarator);
        return source_.is(opening, "(") && opening > 0 && takers_.contains(source_.text(opening - 1));
    }

    // Whether a variable is launched where it can be seen: of a class or a namespace, everywhere.
    bool is_launched(std::size_t name) const
    {
        const auto uses = launched_.find(source_.text(name));
        if (uses == launched_.end())
            return false;
        const std::size_t scope = scope_of(name);
        return scope == kNoToken || std::ranges::any_of(uses->second, [&](std::size_t use) {
                   return use > scope && use < source_.match(scope);
               });
    }
    // The brace of the block or of the function whose parameter it is; kNoToken: it is of none.
    std::size_t scope_of(std::size_t name) const
    {
        std::size_t around = source_.parent(name);
        for (; source_.is(around, "(") || source_.is(around, "["); around = source_.parent(around)) {
            const std::size_t end = source_.match(around);
            if (end != kNoToken && source_.is(end + 1, "{"))
                return end + 1; // of a function, a lambda, a loop
        }
        return around != kNoToken && is_in_function(around) ? around : kNoToken;
    }
    bool is_in_function(std::size_t brace) const
    {
        static constexpr std::size_t kMaxTokens = 50;
        static constexpr std::array<std::string_view, 6> kOthers{"class", "struct",    "union",
                                                                 "enum",  "namespace", "extern"};
        for (std::size_t at = brace; at-- > 0 && brace - at < kMaxTokens;) {
            if (std::ranges::find(kOthers, source_.text(at)) != kOthers.end())
                return false;
            if (source_.is(at, ";") || source_.is(at, "{") || source_.is(at, "}") || source_.is(at, ")"))
                return true;
        }
        return false;
    }

    // The name in `using name = void (*)(int)`, before its parenthesis; kNoToken: it is no alias.
    std::size_t alias_before(std::size_t token) const
    {
        for (std::size_t at = token; at-- > 0;) {
            if (source_.is(at, "=") && at >= 2 && source_.is(at - 2, "using"))
                return at - 1;
            if (source_.is(at, ";") || source_.is(at, "{") || source_.is(at, "}") || source_.is(at, "("))
                break;
        }
        return kNoToken;
    }

    // Behind `= {&` and the like.
    std::size_t value_at(std::size_t token) const
    {
        while (source_.is(token, "=") || source_.is(token, "{") || source_.is(token, "&") || source_.is(token, "("))
            ++token;
        return token;
    }
    bool is_kernel(std::size_t token) const
    {
        return source_.is_identifier(token) && kernels_.contains(source_.text(token));
    }

    // Whether a variable of the type with this name, or a container of it, is launched or gets a kernel.
    bool has_kernels(std::size_t definition) const
    {
        for (std::size_t token = 0; token < source_.size(); ++token)
            if (token != definition && source_.text(token) == source_.text(definition) && declares_kernels(token))
                return true;
        return false;
    }
    bool declares_kernels(std::size_t type) const
    {
        std::size_t at = type + 1;
        while (source_.is(at, "const") || source_.is(at, ">") || source_.is(at, "*") || source_.is(at, "&"))
            ++at;
        if (source_.is_identifier(at) && is_launched(at))
            return true;
        for (++at; source_.is(at, "[") && source_.match(at) != kNoToken; ++at)
            at = source_.match(at);
        if (source_.is(at, "="))
            ++at;
        if (is_kernel(value_at(at)))
            return true;
        if (source_.is(at, "(") && source_.match(at) != kNoToken && source_.is(source_.match(at) + 1, "{"))
            at = source_.match(at) + 1; // a function with this result
        const bool is_list = source_.is(at, "{") || source_.is(at, "(");
        for (const std::size_t end = is_list ? source_.match(at) : kNoToken; end != kNoToken && at < end; ++at)
            if (is_kernel(at))
                return true;
        return false;
    }

    const Source& source_;
    const std::unordered_set<std::string_view>& kernels_;
    std::unordered_map<std::string_view, std::vector<std::size_t>> launched_; // by name
    std::unordered_set<std::string_view> takers_; // functions with a kernel as an argument
};

} // namespace

std::vector<std::size_t> parameters_of_kernel_pointers(const Source& source,
                                                       const std::unordered_set<std::string_view>& kernels,
                                                       const std::vector<std::size_t>& launched)
{
    return KernelPointers(source, kernels, launched).parameters();
}

} // namespace nestbed::program
