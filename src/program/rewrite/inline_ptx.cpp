#include "program/rewrite/inline_ptx.hpp"

#include <algorithm>
#include <array>
#include <iterator>
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

struct Form {
    std::string_view text;     // without the last semicolon
    std::string_view function; // called with the operands
};

constexpr std::array kForms = {
    Form{"bfind.u32 %0, %1", "::nestbed::program::ptx_bfind_u32"},
    Form{"membar.cta", "__threadfence_block"},
    Form{"membar.gl", "__threadfence"},
    Form{"membar.sys", "__threadfence_system"},
    Form{"fence.acq_rel.cta", "__threadfence_block"},
    Form{"fence.acq_rel.gpu", "__threadfence"},
    Form{"fence.acq_rel.sys", "__threadfence_system"},
    Form{"bar.sync 0", "__syncthreads"},
    Form{"griddepcontrol.launch_dependents", "cudaTriggerProgrammaticLaunchCompletion"},
    Form{"griddepcontrol.wait", "cudaGridDependencySynchronize"},
    Form{"trap", "__trap"},
};

// Registers that the instruction mov copies to its operand. `tid.x` is read by ptx_tid_x().
constexpr std::array<std::string_view, 27> kRegisters = {
    "laneid",         "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt", "lanemask_ge", "warpid",
    "nwarpid",        "smid",        "nsmid",       "clock",       "clock_hi",    "clock64",     "globaltimer",
    "globaltimer_lo", "tid.x",       "tid.y",       "tid.z",       "ntid.x",      "ntid.y",      "ntid.z",
    "ctaid.x",        "ctaid.y",     "ctaid.z",     "nctaid.x",    "nctaid.y",    "nctaid.z"};
constexpr std::array<std::string_view, 6> kMoves = {"mov.u32", "mov.s32", "mov.b32", "mov.u64", "mov.s64", "mov.b64"};

// The function for "mov.u32 %0, %laneid"; "" for other texts.
std::string function_of_move(std::string_view text)
{
    const auto* const move =
        std::ranges::find_if(kMoves, [&](std::string_view each) { return text.starts_with(each); });
    if (move == kMoves.end())
        return "";
    std::string rest; // without blanks
    std::ranges::copy_if(text.substr(move->size()), std::back_inserter(rest), [](char byte) { return byte != ' '; });
    static constexpr std::string_view kBefore = "%0,%";
    if (!rest.starts_with(kBefore))
        return "";
    rest.erase(0, kBefore.size());
    if (std::ranges::find(kRegisters, rest) == kRegisters.end())
        return "";
    std::ranges::replace(rest, '.', '_');
    return "::nestbed::program::ptx_" + rest;
}

std::string function_of(std::string_view text)
{
    const auto* const form = std::ranges::find(kForms, text, &Form::text);
    return form != kForms.end() ? std::string(form->function) : function_of_move(text);
}

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
    if (text == "exit")
        return true;
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
        if (const std::string function = function_of(text); !function.empty())
            replace(begin, closing, at, function + "(", true);
        else if (!text.empty() && (is_ptx(text) || is_in_kernel(begin)))
            fail_where_reached(begin, closing, at, text);
    }

    void fail_where_reached(std::size_t begin, std::size_t closing, std::size_t operands, std::string text)
    {
        if (source_.parent(begin) == kNoToken)
            source_.fail(begin, "inline PTX outside of a function: " + text);
        std::ranges::replace(text, '"', '\''); // of a raw string
        if (text.size() > kMaxShownText)
            text.replace(kMaxShownText, std::string::npos, "…");
        const Place place = source_.place(begin);
        const std::string where = place.file + ":" + std::to_string(place.line);
        changes_.warn(where + ": warning: inline PTX '" + text +
                      "' is not supported on the executor: the program fails where it is reached");
        replace(begin, closing, operands,
                "::nestbed::program::unsupported_ptx(\"" + where + ": inline PTX '" + text +
                    "' is not supported on the executor\"",
                false);
    }

    // `asm volatile ("…" : "=r"(a) : "r"(b))` becomes `call a, b)`, on the same lines. `call` is `function(` or has a
    // first argument, too.
    void replace(std::size_t begin, std::size_t closing, std::size_t operands, std::string call, bool is_first)
    {
        changes_.replace(begin, std::move(call));
        changes_.remove(begin + 1, operands);
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
