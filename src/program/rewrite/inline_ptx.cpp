#include "program/rewrite/inline_ptx.hpp"

#include "program/rewrite/ptx_async_forms.hpp"
#include "program/rewrite/ptx_blocks.hpp"
#include "program/rewrite/ptx_functions.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace nestbed::program
{
namespace
{

constexpr std::size_t kMaxShownText = 120; // bytes of it in messages
constexpr std::string_view kPlace =
    "{__builtin_FILE(), __builtin_LINE()}"; // the first argument: that of the statement

// Adds the text of a string literal with single blanks, without \n and \t, and %% as %.
void add_plain(std::string& text, std::string_view literal)
{
    const auto append = [&](char byte) {
        if (byte != ' ' || (!text.empty() && text.back() != ' '))
            text += byte;
    };
    const std::size_t begin = literal.find('"') + 1;
    for (std::size_t at = begin; at + 1 < literal.size(); ++at) {
        if (literal[at] == '\\') {
            ++at;
            append(' ');
        } else if (literal[at] == '\n' || literal[at] == '\t' || literal[at] == '\r') {
            append(' ');
        } else if (literal[at] != '%' || text.empty() || text.back() != '%') {
            append(literal[at]);
        }
    }
}

std::string without_end(std::string text)
{
    while (!text.empty() && (text.back() == ' ' || text.back() == ';'))
        text.pop_back();
    return text;
}

// An instruction of PTX has its types behind dots: mov.u32. Registers and labels of the host's assembly may begin with
// a dot, but have none within.
bool is_ptx(std::string_view text)
{
    if (text == "exit")
        return true;
    for (std::size_t at = 1; at + 1 < text.size(); ++at)
        if (text[at] == '.' && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0 &&
            std::islower(static_cast<unsigned char>(text[at + 1])) != 0)
            return true;
    return false;
}

class PtxRewriter
{
  public:
    PtxRewriter(const Source& source, const std::vector<Function>& functions, bool whole_program, Changes& changes)
        : source_(source), functions_(functions), whole_program_(whole_program), changes_(changes)
    {
        for (const Function& function : functions)
            if (function.is_kernel && function.body != kNoToken)
                kernels_.insert(function.body);
    }

    void rewrite()
    {
        for (std::size_t token = 0; token < source_.size(); ++token)
            if (source_.is(token, "asm") || source_.is(token, "__asm__") || source_.is(token, "__asm"))
                statement(token);
    }

  private:
    void statement(std::size_t begin)
    {
        std::size_t opening = begin + 1;
        while (source_.is(opening, "volatile") || source_.is(opening, "__volatile__"))
            ++opening;
        const std::size_t closing = source_.is(opening, "(") ? source_.match(opening) : kNoToken;
        if (closing == kNoToken)
            return;
        std::size_t at = opening + 1;
        std::string text;
        for (; source_.is_string(at); ++at)
            add_plain(text, source_.text(at));
        text = without_end(std::move(text));
        if (text.find("%[") != std::string::npos) {
            refuse(begin, closing, at, text, " has named operands, which nvcc refuses; allowed: %0, %1, …");
            return;
        }
        const PtxFunction function = ptx_function(text);
        if (!function.name.empty())
            return replace(begin, closing, at, in_order(function.operands, function.name),
                           is_ordered(function.operands));
        const std::string async = function_of_async(text);
        const PtxBlock block = async.empty() && !text.empty() ? block_of_ptx(text) : PtxBlock();
        if (!async.empty())
            replace(begin, closing, at, async + "(" + std::string(kPlace), false);
        else if (!block.code.empty())
            replace(begin, closing, at,
                    "::nestbed::program::ptx_block<" + block.types + ">(" + std::string(kPlace) + ", " + block.code,
                    false, true);
        else if (!text.empty() && (is_ptx(text) || is_in_kernel(begin)))
            refuse(begin, closing, at, block.refused, " is not supported on the executor");
    }

    static bool is_ordered(const std::vector<std::size_t>& order)
    {
        for (std::size_t at = 0; at < order.size(); ++at)
            if (order[at] != at)
                return false;
        return true;
    }
    // The begin of a call that takes the operands of the statement in the order of the text.
    static std::string in_order(const std::vector<std::size_t>& order, const std::string& function)
    {
        if (is_ordered(order))
            return function + "(";
        std::string numbers;
        for (const std::size_t number : order)
            numbers += (numbers.empty() ? "" : ", ") + std::to_string(number);
        return "::nestbed::program::ptx_in_order<" + numbers + ">([&](auto&... o) { return " + function + "(o...); }";
    }

    // The compiler reports a call of a function with the attribute where it makes code for it: not in a function that nothing calls, and not
    // in branches that it knows to be dead. So a form is refused where a GPU's assembler would see it.
    void refuse(std::size_t begin, std::size_t closing, std::size_t operands, std::string text,
                const std::string& why)
    {
        if (source_.parent(begin) == kNoToken)
            source_.fail(begin, "inline PTX outside of a function: " + text);
        std::ranges::replace(text, '"', '\''); // of a raw string
        std::ranges::replace(text, '\\', ' ');
        if (text.size() > kMaxShownText)
            text.replace(kMaxShownText, std::string::npos, "…");
        if (whole_program_)
            make_inline(begin);
        const std::string name = "nestbed_unsupported_ptx_" + std::to_string(++refused_);
        replace(begin, closing, operands,
                "do { __attribute__((nestbed_both, error(\"inline PTX '" + text + "'" + why + "\"))) void " + name +
                    "(int, ...); " + name + "(0",
                false);
        changes_.replace(closing, "); } while (false)");
    }

    // Of a program of one file nvcc makes no code for a device function that nothing calls, nor does g++ for an inline one.
    void make_inline(std::size_t token)
    {
        const auto around = std::ranges::find_if(functions_, [&](const Function& each) {
            return !each.is_kernel && each.body != kNoToken && each.body < token && token < each.body_end;
        });
        if (around == functions_.end() || !made_inline_.insert(around->attribute).second)
            return;
        std::size_t begin = around->attribute;
        while (begin > 0 && !source_.is(begin - 1, ";") && !source_.is(begin - 1, "}") && !source_.is(begin - 1, "{"))
            --begin;
        for (const std::string_view word : {"static", "inline", "__inline__", "extern", "constexpr"})
            for (std::size_t at = begin; at < around->name; ++at)
                if (source_.is(at, word))
                    return;
        changes_.insert_after(around->attribute, " inline");
    }

    // `asm volatile ("…" : "=r"(a) : "r"(b))` becomes `call a, b)`, on the same lines. `call` is `function(` or has a
    // first argument, too. Of a block, operands say whether they are inputs or outputs.
    void replace(std::size_t begin, std::size_t closing, std::size_t operands, std::string call, bool is_first,
                 bool is_block = false)
    {
        changes_.replace(begin, std::move(call));
        changes_.remove(begin + 1, operands);
        for (std::size_t at = operands; at < closing; ++at) {
            const bool is_operand = source_.is(at, "(") && source_.is_string(at - 1);
            const std::string kind = is_operand && is_block ? kind_of(at) : "";
            changes_.replace(at, (is_operand && !is_first ? ", " : "") + kind);
            if (is_operand) {
                at = source_.match(at);
                if (kind.empty())
                    changes_.replace(at, "");
                is_first = false;
            }
        }
    }
    // Of the constraint before the operand, which may have several literals: "=" "r". "" for one that is read and written.
    std::string kind_of(std::size_t operand) const
    {
        std::size_t constraint = operand - 1;
        while (source_.is_string(constraint - 1))
            --constraint;
        const std::string_view text = source_.text(constraint);
        const char first = text[text.find('"') + 1];
        return first == '+'   ? ""
               : first == '=' ? "::nestbed::program::ptx_output("
                              : "::nestbed::program::ptx_input(";
    }

    bool is_in_kernel(std::size_t token) const
    {
        for (std::size_t around = source_.parent(token); around != kNoToken; around = source_.parent(around))
            if (kernels_.contains(around))
                return true;
        return false;
    }

    const Source& source_;
    const std::vector<Function>& functions_;
    const bool whole_program_;
    Changes& changes_;
    std::unordered_set<std::size_t> kernels_;     // the braces of their bodies
    std::unordered_set<std::size_t> made_inline_; // the attributes of functions
    unsigned refused_ = 0;                        // statements
};

} // namespace

void rewrite_inline_ptx(const Source& source, const std::vector<Function>& functions, bool whole_program,
                        Changes& changes)
{
    PtxRewriter(source, functions, whole_program, changes).rewrite();
}

} // namespace nestbed::program
