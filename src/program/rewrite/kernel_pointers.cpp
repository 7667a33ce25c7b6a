#include "program/rewrite/kernel_pointers.hpp"

namespace nestbed::program
{
namespace
{

class KernelPointers
{
  public:
    KernelPointers(const Source& source, const std::unordered_set<std::string_view>& kernels,
                   const std::unordered_set<std::string_view>& launched)
        : source_(source), kernels_(kernels), launched_(launched)
    {
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
            const std::size_t end =
                source_.is(token, "(") && source_.is(token + 1, "*") ? source_.match(token) : kNoToken;
            if (end != kNoToken && source_.is(end + 1, "(") && source_.match(end + 1) != kNoToken &&
                is_of_kernels(token, end, is_typedef))
                found.push_back(end + 1);
        }
        return found;
    }

  private:
    // The declarator in these parentheses.
    bool is_of_kernels(std::size_t opening, std::size_t end, bool is_typedef) const
    {
        std::size_t name = opening + 2;
        while (source_.is(name, "const") || source_.text(name).starts_with("__restrict"))
            ++name;
        const bool is_abstract = name == end;
        if (!is_abstract && (!source_.is_identifier(name) || (name + 1 != end && !source_.is(name + 1, "["))))
            return false;
        const std::size_t alias = is_abstract ? alias_before(opening) : name;
        if (alias == kNoToken)
            return false;
        if (is_abstract || is_typedef)
            return has_kernels(alias);
        return launched_.contains(source_.text(name)) || is_kernel(value_at(source_.match(end + 1) + 1));
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
        if (source_.is_identifier(at) && launched_.contains(source_.text(at)))
            return true;
        for (++at; source_.is(at, "[") && source_.match(at) != kNoToken; ++at)
            at = source_.match(at);
        if (source_.is(at, "="))
            ++at;
        if (is_kernel(value_at(at)))
            return true;
        const bool is_list = source_.is(at, "{") || source_.is(at, "(");
        for (const std::size_t end = is_list ? source_.match(at) : kNoToken; end != kNoToken && at < end; ++at)
            if (is_kernel(at))
                return true;
        return false;
    }

    const Source& source_;
    const std::unordered_set<std::string_view>& kernels_;
    const std::unordered_set<std::string_view>& launched_;
};

} // namespace

std::vector<std::size_t> parameters_of_kernel_pointers(const Source& source,
                                                       const std::unordered_set<std::string_view>& kernels,
                                                       const std::unordered_set<std::string_view>& launched)
{
    return KernelPointers(source, kernels, launched).parameters();
}

} // namespace nestbed::program
