#include "program/rewrite/ptx_async_forms.hpp"

#include "program/rewrite/ptx_forms.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace nestbed::program
{
namespace
{

// Orders and scopes that these instructions have anyway, hints of the cache, and what says that all lanes of a warp are there.
constexpr std::array<std::string_view, 9> kImplied = {"b64",     "release", "acquire",    "cta",    "cluster",
                                                      "aligned", "tile",    "noComplete", "relaxed"};
constexpr std::array<std::string_view, 3> kSharedSpaces = {"shared", "shared::cta", "shared::cluster"};

std::string_view trimmed(std::string_view text)
{
    while (text.starts_with(' '))
        text.remove_prefix(1);
    while (text.ends_with(' '))
        text.remove_suffix(1);
    return text;
}

bool is_word(char byte)
{
    return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_' || byte == '$';
}

// The statement as its instructions, in which its predicates are p and q in the order of their use, other registers of its own are _, and
// its labels are L0:, L1: and so on.
std::vector<std::string> instructions_of(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with('{') && text.ends_with('}'))
        text = text.substr(1, text.size() - 2);
    std::map<std::string, std::string, std::less<>> names;
    std::vector<std::string> instructions;
    std::size_t labels = 0;
    while (!text.empty()) {
        std::string_view one = trimmed(text.substr(0, text.find(';')));
        text.remove_prefix(std::min(text.find(';'), text.size() - 1) + 1);
        if (one.starts_with(".reg ")) {
            one = trimmed(one.substr(std::string_view(".reg ").size()));
            const bool is_predicate = one.starts_with(".pred ");
            for (std::string_view rest = one.substr(std::min(one.find(' '), one.size())); !rest.empty();) {
                std::string_view name = rest.substr(0, rest.find(','));
                rest.remove_prefix(std::min(name.size() + 1, rest.size()));
                name = trimmed(name);
                name.remove_prefix(name.starts_with('%') ? 1 : 0);
                names.emplace(name, is_predicate ? "" : "_");
            }
            continue;
        }
        const std::size_t end = std::ranges::find_if_not(one, is_word) - one.begin();
        if (end != 0 && one.substr(end).starts_with(':') && !one.substr(end).starts_with("::")) {
            names.emplace(one.substr(0, end), "L" + std::to_string(labels));
            instructions.push_back("L" + std::to_string(labels++) + ":");
            one = trimmed(one.substr(end + 1));
        }
        if (!one.empty())
            instructions.emplace_back(one);
    }
    char predicate = 'p';
    for (std::string& instruction : instructions) {
        std::string renamed;
        for (std::string_view rest = instruction; !rest.empty();) {
            const std::size_t end = std::ranges::find_if_not(rest, is_word) - rest.begin();
            const std::string_view word = rest.substr(0, std::max<std::size_t>(end, 1));
            rest.remove_prefix(word.size());
            const auto found = names.find(word);
            if (found == names.end() || renamed.ends_with('.')) {
                renamed += word;
                continue;
            }
            if (renamed.ends_with('%'))
                renamed.pop_back();
            if (found->second.empty())
                found->second = predicate++;
            renamed += found->second;
        }
        instruction = std::move(renamed);
    }
    return instructions;
}

struct Instruction {
    std::string name;   // in ptx_async.hpp, with its template argument
    std::string inputs; // template arguments, each after ", "
};

// "" for what is no operand of the statement, no number and no register of its own. Brackets and braces only say what operands are.
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

// What the predicates p and q stand for: operands of the statement.
struct Predicates {
    std::string_view of_p = "p", of_q = "q";
};
std::optional<Instruction> instruction_of(std::string_view text, const Predicates& predicates = {})
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
        return std::nullopt;
    std::string inputs;
    std::size_t count = 0;
    for (std::string_view operands = trimmed(rest); !operands.empty(); ++count) {
        const std::string_view one = trimmed(operands.substr(0, operands.find(',')));
        operands.remove_prefix(std::min(operands.find(','), operands.size() - 1) + 1);
        if (has_policy && operands.empty())
            break;
        const std::string input = input_of(one == "p" ? predicates.of_p : one == "q" ? predicates.of_q : one);
        if (input.empty())
            return std::nullopt;
        inputs += input;
    }
    if (count < form->fewest || count > form->most)
        return std::nullopt;
    return Instruction{"::nestbed::program::" + form->name, inputs};
}

std::string call_of(const std::string& function, const std::string& inputs)
{
    return "::nestbed::program::ptx_call<" + function + inputs + ">";
}

} // namespace

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
    std::vector<std::string> all = instructions_of(text);
    // A loop until a phase has ended.
    if (all.size() >= 3 && all[0] == "L0:") {
        std::string jumps;
        for (std::size_t at = 2; at < all.size(); ++at)
            jumps += all[at] + ";";
        const auto test = instruction_of(all[1], {"_"});
        static constexpr std::array<std::string_view, 5> kLoops = {
            "@p bra L1;bra L0;L1:;", "@p bra.uni L1;bra.uni L0;L1:;", "@p bra L1;bra.uni L0;L1:;", "@!p bra L0;",
            "@!p bra.uni L0;"};
        return test && test->name.find("Test") != std::string::npos &&
                       std::ranges::find(kLoops, jumps) != kLoops.end()
                   ? call_of("::nestbed::program::PtxLoop<" + test->name + ">", test->inputs)
                   : "";
    }
    // An address in shared memory, by way of a register.
    if (all.size() == 2 && all[0] == "cvta.to.shared.u64 _, %1" && all[1] == "cvt.u32.u64 %0, _")
        return call_of(instruction_of("cvta.to.shared.u64 %0, %1")->name, input_of("%0") + input_of("%1"));
    // A lane, and a number that was 0 and is 1 in that lane.
    if (all.size() == 3 && all[0].starts_with("elect.sync _|p, ") && all[1] == "@p mov.s32 %1, 1" &&
        all[2] == "mov.s32 %0, _") {
        const auto one = instruction_of("elect.sync %0, p," + all[0].substr(all[0].find(',') + 1), {"%1"});
        return one ? call_of(one->name, one->inputs) : "";
    }
    // A predicate that a number decides on, an instruction, a predicate that becomes a number.
    Predicates predicates;
    std::string condition; // the first predicate's
    if (all.size() > 1 && all[0].starts_with("setp.ne.") && all[0].ends_with(", 0")) {
        const std::size_t begin = all[0].find(" p, ");
        if (begin == std::string::npos)
            return "";
        condition = all[0].substr(begin + 4, all[0].size() - begin - 7);
        all.erase(all.begin());
        predicates.of_p = condition;
    }
    if (all.size() == 2)
        for (const std::string_view type : {"b32", "u32", "s32"})
            if (all[1] == "selp." + std::string(type) + " %0, 1, 0, " + (condition.empty() ? "p" : "q")) {
                (condition.empty() ? predicates.of_p : predicates.of_q) = "%0";
                all.pop_back();
                break;
            }
    if (all.size() != 1)
        return "";
    const bool is_conditional = all[0].starts_with("@p ") && !condition.empty();
    const auto one = instruction_of(std::string_view(all[0]).substr(is_conditional ? 3 : 0), predicates);
    if (!one)
        return "";
    return is_conditional ? call_of("::nestbed::program::PtxIf<" + one->name + ">", input_of(condition) + one->inputs)
                          : call_of(one->name, one->inputs);
}

} // namespace nestbed::program
