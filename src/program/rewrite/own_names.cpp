#include "program/rewrite/own_names.hpp"

#include "program/rewrite/launches.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace nestbed::program
{
namespace
{

// What the macros become: `(::nestbed::cpu::current_thread->grid_dim)`.
constexpr std::array<std::string_view, 10> kExpansion = {"(",  "::", "nestbed", "::", "cpu", "::", "current_thread",
                                                         "->", "",   ")"};
constexpr std::size_t kMember = 8;

std::string_view name_of(std::string_view member)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames = {
        {{"thread_index", "threadIdx"},
         {"block_index", "blockIdx"},
         {"block_dim", "blockDim"},
         {"grid_dim", "gridDim"}}};
    for (const auto& [of_thread, name] : kNames)
        if (of_thread == member)
            return name;
    return {};
}

class NameRestorer
{
  public:
    NameRestorer(const Source& source, const std::vector<Function>& functions, const std::vector<LambdaBody>& lambdas,
                 Changes& changes)
        : source_(source), device_(device_code(functions, lambdas)), lambdas_(lambdas), changes_(changes)
    {
        for (const Function& each : functions)
            if (each.body != kNoToken)
                body_ends_[each.parameters] = each.body_end;
    }

    void restore()
    {
        auto around = device_.begin();
        for (std::size_t token = 0; token < source_.size(); ++token) {
            const std::string_view name = name_at(token);
            if (name.empty())
                continue;
            while (around != device_.end() && around->end <= token)
                ++around;
            const bool on_device = around != device_.end() && around->begin <= token;
            // Host code cannot use the built-in variables, so there it is always the program's own name.
            if (!is_own(token, name, on_device) && on_device)
                continue;
            // As `(` it may stand right behind a word.
            const std::string_view before = source_.text(token - 1);
            const bool is_behind_word =
                !before.empty() && source_.touches_next(token - 1) &&
                (std::isalnum(static_cast<unsigned char>(before.back())) != 0 || before.back() == '_');
            changes_.replace(token, (is_behind_word ? " " : "") + std::string(name));
            changes_.remove(token + 1, token + kExpansion.size());
        }
    }

  private:
    struct Variable {
        std::string_view name;
        std::size_t scope_end;
    };

    std::string_view name_at(std::size_t token) const
    {
        for (std::size_t part = 0; part < kExpansion.size(); ++part)
            if (part != kMember && !source_.is(token + part, kExpansion.at(part)))
                return {};
        return name_of(source_.text(token + kMember));
    }

    // A member, or a variable or parameter that hides the built-in variable.
    bool is_own(std::size_t token, std::string_view name, bool on_device)
    {
        const std::string_view before = source_.text(token - 1);
        if (before == "." || before == "->" || before == "::")
            return true;
        if (is_declared(token)) {
            if (on_device ||
                source_.is(source_.parent(token), "{")) // of host code: members, which member functions use
                variables_.push_back({name, scope_end(token)});
            return true;
        }
        std::erase_if(variables_, [token](const Variable& each) { return each.scope_end < token; });
        return std::ranges::find(variables_, name, &Variable::name) != variables_.end();
    }

    bool is_name(std::size_t token) const
    {
        return source_.is_identifier(token) && !is_before_expression(source_.text(token));
    }

    bool is_declared(std::size_t token) const
    {
        const std::string_view next = source_.text(token + kExpansion.size());
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
    bool follows_in_declaration(std::size_t token) const
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
        return !source_.is(begin - 1, "(") && is_name(begin) && (is_name(begin + 1) || !name_at(begin + 1).empty());
    }

    // Of a parameter: of its function; else of the brackets around.
    std::size_t scope_end(std::size_t token) const
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

    const Source& source_;
    const std::vector<TokenRange> device_;
    const std::vector<LambdaBody>& lambdas_;
    Changes& changes_;
    std::unordered_map<std::size_t, std::size_t> body_ends_; // of functions, by their parameters
    std::vector<Variable> variables_;                        // that hide a built-in variable here
};

} // namespace

void restore_own_names(const Source& source, const std::vector<Function>& functions,
                       const std::vector<LambdaBody>& lambdas, Changes& changes)
{
    NameRestorer(source, functions, lambdas, changes).restore();
}

} // namespace nestbed::program
