#include "program/rewrite/ptx_async.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace nestbed::program
{
namespace
{

struct AsyncForm {
    std::string_view ptx;     // without the words of kImplied
    std::string_view name;    // in nestbed/program/ptx_async.hpp
    std::size_t fewest, most; // operands
};
constexpr std::array kAsyncForms = {AsyncForm{"mbarrier.init", "PtxMbarrierInit", 2, 2},
                                    AsyncForm{"mbarrier.inval", "PtxMbarrierInval", 1, 1},
                                    AsyncForm{"mbarrier.arrive", "PtxMbarrierArrive", 2, 3},
                                    AsyncForm{"mbarrier.arrive_drop", "PtxMbarrierArriveDrop", 2, 3},
                                    AsyncForm{"mbarrier.arrive.expect_tx", "PtxMbarrierArriveExpectTx", 3, 3},
                                    AsyncForm{"mbarrier.expect_tx", "PtxMbarrierExpectTx", 2, 2},
                                    AsyncForm{"mbarrier.complete_tx", "PtxMbarrierCompleteTx", 2, 2},
                                    AsyncForm{"mbarrier.test_wait", "PtxMbarrierTest", 3, 3},
                                    AsyncForm{"mbarrier.try_wait", "PtxMbarrierTest", 3, 4},
                                    AsyncForm{"mbarrier.test_wait.parity", "PtxMbarrierTestParity", 3, 3},
                                    AsyncForm{"mbarrier.try_wait.parity", "PtxMbarrierTestParity", 3, 4},
                                    AsyncForm{"mbarrier.pending_count", "PtxMbarrierPendingCount", 2, 2},
                                    AsyncForm{"bar.sync", "PtxBarSync", 1, 2},
                                    AsyncForm{"barrier.sync", "PtxBarSync", 1, 2},
                                    AsyncForm{"bar.arrive", "PtxBarArrive", 2, 2},
                                    AsyncForm{"barrier.arrive", "PtxBarArrive", 2, 2},
                                    AsyncForm{"cp.async.ca.global", "PtxCopyAsync", 3, 4},
                                    AsyncForm{"cp.async.cg.global", "PtxCopyAsync", 3, 4},
                                    AsyncForm{"cp.async.commit_group", "PtxCommitGroup", 0, 0},
                                    AsyncForm{"cp.async.wait_group", "PtxWaitGroup", 1, 1},
                                    AsyncForm{"cp.async.wait_all", "PtxWaitAll", 0, 0},
                                    AsyncForm{"cp.async.mbarrier.arrive", "PtxCopiesArrive", 1, 1},
                                    AsyncForm{"cp.async.mbarrier.arrive.noinc", "PtxCopiesArriveNoinc", 1, 1},
                                    AsyncForm{"cvta.to.u64", "PtxCvtaToShared", 2, 2},
                                    AsyncForm{"mapa.u32", "PtxMapaShared", 3, 3},
                                    AsyncForm{"fence.proxy.async", "PtxNothing", 0, 0},
                                    AsyncForm{"fence.proxy.async.global", "PtxNothing", 0, 0}};
// Orders and scopes that these instructions have anyway, hints of the cache, and what says that all lanes of a warp are there.
constexpr std::array<std::string_view, 8> kImplied = {"b64",     "release", "acquire",    "cta",
                                                      "cluster", "aligned", "noComplete", "relaxed"};
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

// The statement as its instructions, in which its predicate is p, another register of its own is _, and its labels are L0:, L1: and so on.
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
            const std::size_t blank = one.rfind(' ');
            names.emplace(one.substr(blank + 1), one.substr(0, blank).ends_with(".pred") ? "p" : "_");
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
    for (std::string& instruction : instructions) {
        std::string renamed;
        for (std::string_view rest = instruction; !rest.empty();) {
            const std::size_t end = std::ranges::find_if_not(rest, is_word) - rest.begin();
            const std::string_view word = rest.substr(0, std::max<std::size_t>(end, 1));
            const auto found = names.find(word);
            const bool is_part = renamed.ends_with('.') || renamed.ends_with('%');
            renamed += found != names.end() && !is_part ? found->second : word;
            rest.remove_prefix(word.size());
        }
        instruction = std::move(renamed);
    }
    return instructions;
}

struct Instruction {
    std::string name;   // in ptx_async.hpp, with its template argument
    std::string inputs; // template arguments, each after ", "
};

// "" for what is no operand of the statement, no number and no register of its own.
std::string input_of(std::string_view operand)
{
    operand = trimmed(operand);
    if (operand.starts_with('[') && operand.ends_with(']'))
        operand = trimmed(operand.substr(1, operand.size() - 2));
    const std::string in = ", ::nestbed::program::";
    if (operand == "_")
        return in + "PtxSink";
    if (operand.size() == 2 && operand[0] == '%' && operand[1] >= '0' && operand[1] <= '9')
        return in + "PtxOperand<" + std::string(operand.substr(1)) + ">";
    if (is_ptx_number(operand))
        return in + "PtxNumber<" + std::string(operand) + ">";
    return "";
}

// `result` stands for the operand p.
std::optional<Instruction> instruction_of(std::string_view text, std::string_view result = "p")
{
    std::string_view head = text.substr(0, text.find(' '));
    std::string_view rest = text.substr(head.size());
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
    const auto* const form = std::ranges::find(kAsyncForms, key, &AsyncForm::ptx);
    if (form == kAsyncForms.end() || (relaxed && !key.ends_with("_tx")))
        return std::nullopt;
    std::string inputs;
    std::size_t count = 0;
    for (rest = trimmed(rest); !rest.empty(); ++count) {
        const std::string_view one = trimmed(rest.substr(0, rest.find(',')));
        rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1);
        if (has_policy && rest.empty())
            break;
        const std::string input = input_of(one == "p" ? result : one);
        if (input.empty())
            return std::nullopt;
        inputs += input;
    }
    if (count < form->fewest || count > form->most)
        return std::nullopt;
    return Instruction{"::nestbed::program::" + std::string(form->name) + (shared ? "<true>" : "<false>"), inputs};
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
    const std::vector<std::string> all = instructions_of(text);
    if (all.size() == 1) {
        const auto one = instruction_of(all[0]);
        return one ? call_of(one->name, one->inputs) : "";
    }
    // A predicate that becomes a number.
    if (all.size() == 2 &&
        (all[1] == "selp.b32 %0, 1, 0, p" || all[1] == "selp.u32 %0, 1, 0, p" || all[1] == "selp.s32 %0, 1, 0, p")) {
        const auto test = instruction_of(all[0], "%0");
        return test && test->name.find("Test") != std::string::npos ? call_of(test->name, test->inputs) : "";
    }
    // An instruction that a number decides on.
    if (all.size() == 2 && all[0].starts_with("setp.ne.") && all[1].starts_with("@p ")) {
        const std::string_view condition = std::string_view(all[0]).substr(std::string_view("setp.ne.b32 ").size());
        const auto one = instruction_of(std::string_view(all[1]).substr(3));
        return one && condition.starts_with("p, ") && condition.ends_with(", 0")
                   ? call_of("::nestbed::program::PtxIf<" + one->name + ">",
                             input_of(condition.substr(3, condition.size() - 6)) + one->inputs)
                   : "";
    }
    // A loop until a phase has ended.
    if (all.size() >= 3 && all[0] == "L0:") {
        std::string jumps;
        for (std::size_t at = 2; at < all.size(); ++at)
            jumps += all[at] + ";";
        const auto test = instruction_of(all[1], "_");
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
    return "";
}

} // namespace nestbed::program
