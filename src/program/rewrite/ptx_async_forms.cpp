#include "program/rewrite/ptx_async_forms.hpp"

#include "program/rewrite/ptx_forms.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

namespace nestbed::program
{
namespace
{

// Orders and scopes that these instructions have anyway, hints of the cache, and what says that all lanes of a warp are there.
constexpr std::array<std::string_view, 9> kImplied = {"b64",     "release", "acquire",    "cta",    "cluster",
                                                      "aligned", "tile",    "noComplete", "relaxed"};
constexpr std::array<std::string_view, 3> kSharedSpaces = {"shared", "shared::cta", "shared::cluster"};

// The template argument for an operand, after ", "; "" for what is neither a register nor a number. Brackets and braces only say what operands are.
std::string input_of(std::string_view operand)
{
    const auto is_around = [](char byte) { return std::string_view("[]{} ").find(byte) != std::string_view::npos; };
    while (!operand.empty() && is_around(operand.front()))
        operand.remove_prefix(1);
    while (!operand.empty() && is_around(operand.back()))
        operand.remove_suffix(1);
    const std::string in = ", ::nestbed::program::";
    if (operand == "_")
        return in + "PtxSink";
    const std::size_t end = std::min(operand.find_first_not_of("0123456789", 1), operand.size());
    if (operand.size() >= 2 && operand[0] == '%' && end > 1) {
        const std::string number(operand.substr(1, end - 1));
        if (end == operand.size())
            return in + "PtxOperand<" + number + ">";
        std::string offset; // %1 + 16
        std::ranges::copy_if(operand.substr(end), std::back_inserter(offset), [](char byte) { return byte != ' '; });
        return offset.starts_with('+') && is_ptx_number(offset.substr(1))
                   ? in + "PtxOffset<" + number + ", " + offset.substr(1) + ">"
                   : "";
    }
    if (is_ptx_number(operand))
        return in + "PtxNumber<" + std::string(operand) + ">";
    return "";
}

} // namespace

std::string_view trimmed(std::string_view text)
{
    while (text.starts_with(' '))
        text.remove_prefix(1);
    while (text.ends_with(' '))
        text.remove_suffix(1);
    return text;
}

bool is_ptx_number(std::string_view text)
{
    if (text.starts_with('-'))
        text.remove_prefix(1);
    if (text.ends_with('U'))
        text.remove_suffix(1);
    const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (is_hexadecimal)
        text.remove_prefix(2);
    const std::string_view digits = is_hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
    return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

std::string function_of_async(std::string_view text)
{
    std::string_view head = text.substr(0, text.find(' '));
    std::string rest(text.substr(head.size()));
    std::ranges::replace(rest, '|', ','); // of a register and a predicate
    std::string key;
    bool shared = false;
    bool relaxed = false;
    bool has_policy = false;
    while (!head.empty()) {
        const std::string_view word = head.substr(0, head.find('.'));
        head.remove_prefix(std::min(word.size() + 1, head.size()));
        const bool is_shared = std::ranges::find(kSharedSpaces, word) != kSharedSpaces.end();
        shared |= is_shared;
        relaxed |= word == "relaxed";
        has_policy |= word == "L2::cache_hint";
        if (!is_shared && std::ranges::find(kImplied, word) == kImplied.end() && !word.starts_with("L2::"))
            key += (key.empty() ? "" : ".") + std::string(word);
    }
    const std::optional<PtxForm> form = ptx_form(key, shared);
    if (!form || (relaxed && !key.ends_with("_tx")))
        return "";
    std::string inputs;
    std::size_t count = 0;
    for (std::string_view operands = trimmed(rest); !operands.empty(); ++count) {
        const std::string_view one = trimmed(operands.substr(0, operands.find(',')));
        operands.remove_prefix(std::min(operands.find(','), operands.size() - 1) + 1);
        if (has_policy && operands.empty())
            break;
        const std::string input = input_of(one);
        if (input.empty())
            return "";
        inputs += input;
    }
    if (count < form->fewest || count > form->most)
        return "";
    return "::nestbed::program::ptx_call<::nestbed::program::" + form->name + inputs + ">";
}

} // namespace nestbed::program
