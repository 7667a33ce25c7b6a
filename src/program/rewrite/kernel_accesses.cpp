#include "program/rewrite/kernel_accesses.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace nestbed::program
{
namespace
{

class KernelReader
{
  public:
    KernelReader(const Source& source, const std::vector<Function>& functions)
        : source_(source), functions_(functions)
    {
        find_waiting_classes();
    }

    KernelAccesses accesses_of(const Function& kernel) const
    {
        KernelAccesses accesses;
        const std::vector<std::string> parameters = pointers_of(kernel);
        for (std::size_t token = kernel.body + 1; token < kernel.body_end; ++token) {
            if (does(token, "cudaGridDependencySynchronize", "griddepcontrol.wait") || may_wait(token))
                accesses.waits.push_back(token);
            if (is_in_chosen_branch(source_, token, kernel.body))
                continue;
            if (does(token, "cudaTriggerProgrammaticLaunchCompletion", "griddepcontrol.launch_dependents"))
                accesses.triggers.push_back(token);
            if (does(token, "__threadfence", "fence."))
                accesses.fences.push_back(token);
            if (source_.is_identifier(token) &&
                std::ranges::find(parameters, source_.text(token)) != parameters.end() &&
                !is_not_evaluated(token, kernel.body))
                access(token, accesses);
        }
        // A fence under `if constexpr` may be one.
        for (std::size_t token = kernel.body + 1; token < kernel.body_end; ++token)
            if (is_in_chosen_branch(source_, token, kernel.body) && does(token, "__threadfence", "fence."))
                accesses.fences.push_back(token);
        return accesses;
    }

  private:
    // Device functions that wait, trigger or fence, by their names.
    bool does(std::size_t token, std::string_view what, std::string_view ptx, unsigned depth = 0) const
    {
        const std::string_view text = source_.text(token);
        if (text == what || (source_.is_string(token) && text.find(ptx) != std::string_view::npos))
            return true;
        if (depth == 4 || !source_.is_identifier(token) || !source_.is(token + 1, "("))
            return false;
        for (const Function& function : functions_)
            if (!function.is_kernel && function.body != kNoToken && source_.is(function.name, text))
                for (std::size_t inner = function.body; inner < function.body_end; ++inner)
                    if (does(inner, what, ptx, depth + 1))
                        return true;
        return false;
    }
    // A call that may wait: of a method, of another namespace, or by its name; or a class of which a function waits.
    bool may_wait(std::size_t token) const
    {
        if (!source_.is_identifier(token))
            return false;
        if (std::ranges::find(waiting_classes_, source_.text(token)) != waiting_classes_.end())
            return true;
        if (!source_.is(token + 1, "("))
            return false;
        const std::string_view before = token == 0 ? "" : source_.text(token - 1);
        if (before == "." || before == "->" || before == "::")
            return true;
        const bool is_known = std::ranges::any_of(functions_, [&](const Function& function) {
            return function.body != kNoToken && source_.is(function.name, source_.text(token));
        });
        if (is_known || source_.text(token).starts_with(
                            "__")) // does() has looked into it; CUDA's own, such as __pipeline_wait_prior()
            return false;
        std::string name(source_.text(token));
        std::ranges::transform(name, name.begin(),
                               [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
        return name.find("wait") != std::string::npos || name.find("depend") != std::string::npos;
    }
    void find_waiting_classes()
    {
        for (std::size_t token = 0; token < source_.size(); ++token) {
            if (!source_.is(token, "cudaGridDependencySynchronize") &&
                !(source_.is_string(token) &&
                  source_.text(token).find("griddepcontrol.wait") != std::string_view::npos))
                continue;
            for (std::size_t at = source_.parent(token); at != kNoToken; at = source_.parent(at))
                for (std::size_t word = at; source_.is(at, "{") && word > 0 && !source_.is(word - 1, ";") &&
                                            !source_.is(word - 1, "}") && !source_.is(word - 1, "{");
                     --word)
                    if (source_.is(word - 1, "struct") || source_.is(word - 1, "class"))
                        waiting_classes_.push_back(source_.text(word));
        }
    }

    // The parameters that point to what is no pointer itself.
    std::vector<std::string> pointers_of(const Function& kernel) const
    {
        std::vector<std::string> names;
        for (const TokenRange& part : parts_between_commas(source_, kernel.parameters)) {
            std::size_t stars = 0;
            bool is_other = false;
            for (std::size_t token = part.begin; token < part.end; ++token) {
                stars += source_.is(token, "*") ? 1 : 0;
                is_other = is_other || source_.is(token, "&") || source_.is(token, "[") || source_.is(token, "...");
            }
            if (stars == 1 && !is_other && source_.is_identifier(part.end - 1))
                names.emplace_back(source_.text(part.end - 1));
        }
        return names;
    }
    // Whether a token stands where it is not evaluated, or later: in sizeof() and the like, or in a lambda.
    bool is_not_evaluated(std::size_t token, std::size_t body) const
    {
        static constexpr std::array<std::string_view, 4> kWords{"sizeof", "decltype", "alignof", "noexcept"};
        for (std::size_t at = source_.parent(token); at != body && at != kNoToken; at = source_.parent(at)) {
            if (source_.is(at, "(") && std::ranges::find(kWords, source_.text(at - 1)) != kWords.end())
                return true;
            if (source_.is(at, "{"))
                for (std::size_t before = at - 1; before > body && !source_.is(before, ";") &&
                                                  !source_.is(before, "{") && !source_.is(before, "}");
                     --before)
                    if (source_.is(before, "[") && !is_operand(before - 1))
                        return true;
        }
        return false;
    }
    // `p[i]`, `*p`, `__ldg(p + i)`, `atomicAdd(p, …)`, with what comes behind.
    void access(std::size_t token, KernelAccesses& accesses) const
    {
        const std::string name(source_.text(token));
        const std::string_view before = token == 0 ? "" : source_.text(token - 1);
        if (before == "." || before == "->" || before == "::")
            return;
        std::size_t begin = token;
        std::size_t end = token + 1;
        bool is_access = false;
        if (source_.is(end, "[")) {
            is_access = true;
        } else if (before == "*" && !is_operand(token - 2)) {
            is_access = true;
            begin = token - 1;
        }
        while (source_.is(end, "[") || (is_access && source_.is(end, ".") && source_.is_identifier(end + 1)))
            end = source_.is(end, "[") ? source_.match(end) + 1 : end + 2;
        if (begin > 0 && source_.is(begin - 1, "&") && !is_operand(begin - 2)) {
            --begin;
            is_access = false;
        }
        if (begin > 2 && source_.is(begin - 1, "=") && source_.is(begin - 3, "&")) // of a reference
            return;
        const std::string_view callee = begin > 1 && source_.is(begin - 1, "(") ? source_.text(begin - 2) : "";
        if (callee == "__ldg") {
            accesses.reads[name].push_back(token);
        } else if (callee.starts_with("atomic")) {
            accesses.writes[name].push_back(token);
        } else if (is_access) {
            static constexpr std::array<std::string_view, 10> kCompound{
                "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
            const bool is_compound = std::ranges::find(kCompound, source_.text(end)) != kCompound.end() ||
                                     (begin > 0 && (source_.is(begin - 1, "++") || source_.is(begin - 1, "--")));
            const bool is_set = source_.is(end, "=");
            if (is_set || is_compound)
                accesses.writes[name].push_back(token);
            if (!is_set)
                accesses.reads[name].push_back(token);
        }
    }
    // Whether `*` or `&` behind this token takes two operands.
    bool is_operand(std::size_t token) const
    {
        const std::string_view text = source_.text(token);
        return text == ")" || text == "]" || (source_.is_identifier(token) && text != "return") ||
               (!text.empty() && text[0] >= '0' && text[0] <= '9');
    }

    const Source& source_;
    const std::vector<Function>& functions_;
    std::vector<std::string_view> waiting_classes_;
};

} // namespace

KernelAccesses kernel_accesses(const Source& source, const std::vector<Function>& functions, const Function& kernel)
{
    return KernelReader(source, functions).accesses_of(kernel);
}

bool is_in_chosen_branch(const Source& source, std::size_t token, std::size_t body, bool any)
{
    for (std::size_t at = token; at != body && at != kNoToken; at = source.parent(at)) {
        const std::size_t outer = source.parent(at);
        std::size_t begin = at; // of the statement
        while (begin > outer + 1 && !source.is(begin - 1, ";") && !source.is(begin - 1, "}") &&
               !source.is(begin - 1, "{"))
            --begin;
        for (std::size_t word = begin; word <= at; ++word)
            if (source.is(word, "else") || (source.is(word, "if") && (any || source.is(word + 1, "constexpr"))))
                return true;
    }
    return false;
}

bool may_come_behind(const Source& source, std::size_t second, std::size_t first, const Function& kernel)
{
    if (second > first)
        return true;
    for (std::size_t at = source.parent(first); at != kernel.body && at != kNoToken; at = source.parent(at)) {
        const std::size_t head = source.is(at, "{") && source.is(at - 1, ")") ? source.match(at - 1) : kNoToken;
        const bool is_loop = source.is(at, "{") &&
                             (source.is(at - 1, "do") ||
                              (head != kNoToken && (source.is(head - 1, "for") || source.is(head - 1, "while"))));
        if (is_loop && second > at && second < source.match(at))
            return true;
    }
    return false;
}

} // namespace nestbed::program
