#include "program/rewrite/inline_ptx.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace nestbed::program
{
namespace
{

struct Form {
    std::string_view text;     // without the last semicolon
    std::string_view function; // called with the operands
};

constexpr std::array kForms = {
    Form{"bfind.u32 %0, %1", "::nestbed::program::ptx_bfind_u32"},
    Form{"mov.u32 %0, %laneid", "::nestbed::program::ptx_laneid"},
    Form{"mov.u32 %0, %lanemask_eq", "::nestbed::program::ptx_lanemask_eq"},
    Form{"mov.u32 %0, %lanemask_lt", "::nestbed::program::ptx_lanemask_lt"},
    Form{"mov.u32 %0, %lanemask_le", "::nestbed::program::ptx_lanemask_le"},
    Form{"mov.u32 %0, %lanemask_gt", "::nestbed::program::ptx_lanemask_gt"},
    Form{"mov.u32 %0, %lanemask_ge", "::nestbed::program::ptx_lanemask_ge"},
    Form{"mov.u64 %0, %globaltimer", "::nestbed::program::ptx_globaltimer"},
    Form{"membar.cta", "__threadfence_block"},
    Form{"membar.gl", "__threadfence"},
    Form{"membar.sys", "__threadfence_system"},
    Form{"fence.acq_rel.cta", "__threadfence_block"},
    Form{"fence.acq_rel.gpu", "__threadfence"},
    Form{"fence.acq_rel.sys", "__threadfence_system"},
    Form{"bar.sync 0", "__syncthreads"},
    Form{"trap", "__trap"},
};

// The text of a string literal with single blanks, without \n and \t, and %% as %.
std::string plain(std::string_view literal)
{
    std::string text;
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
    return text;
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
    for (std::size_t at = 1; at + 1 < text.size(); ++at)
        if (text[at] == '.' && text[at - 1] >= 'a' && text[at - 1] <= 'z' && text[at + 1] >= 'a' &&
            text[at + 1] <= 'z')
            return true;
    return false;
}

class PtxRewriter
{
  public:
    PtxRewriter(const Source& source, const std::vector<Function>& functions, Changes& changes)
        : source_(source), changes_(changes)
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
            text += plain(source_.text(at));
        text = without_end(std::move(text));
        const auto* const form = std::ranges::find(kForms, text, &Form::text);
        if (form != kForms.end()) {
            replace(begin, closing, at, form->function);
            return;
        }
        if (!text.empty() && (is_ptx(text) || is_in_kernel(begin)))
            source_.fail(begin, "inline PTX that the executor does not have: " + text);
    }

    // `asm volatile ("…" : "=r"(a) : "r"(b))` becomes `function(a, b)`, on the same lines.
    void replace(std::size_t begin, std::size_t closing, std::size_t operands, std::string_view function)
    {
        changes_.replace(begin, std::string(function) + "(");
        changes_.remove(begin + 1, operands);
        bool is_first = true;
        for (std::size_t at = operands; at < closing; ++at) {
            const bool is_operand = source_.is(at, "(") && source_.is_string(at - 1);
            changes_.replace(at, is_operand && !is_first ? ", " : "");
            if (is_operand) {
                at = source_.match(at);
                changes_.replace(at, "");
                is_first = false;
            }
        }
    }

    bool is_in_kernel(std::size_t token) const
    {
        for (std::size_t around = source_.parent(token); around != kNoToken; around = source_.parent(around))
            if (kernels_.contains(around))
                return true;
        return false;
    }

    const Source& source_;
    Changes& changes_;
    std::unordered_set<std::size_t> kernels_; // the braces of their bodies
};

} // namespace

void rewrite_inline_ptx(const Source& source, const std::vector<Function>& functions, Changes& changes)
{
    PtxRewriter(source, functions, changes).rewrite();
}

} // namespace nestbed::program
