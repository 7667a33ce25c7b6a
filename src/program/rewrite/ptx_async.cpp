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
    std::string_view name;    // in nestbed/program/ptx_async.hpp or ptx_matrices.hpp
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
                                    AsyncForm{"bar.red.popc.u32", "PtxBarRedPopc", 3, 4},
                                    AsyncForm{"bar.red.and.pred", "PtxBarRedAnd", 3, 4},
                                    AsyncForm{"bar.red.or.pred", "PtxBarRedOr", 3, 4},
                                    AsyncForm{"barrier.red.popc.u32", "PtxBarRedPopc", 3, 4},
                                    AsyncForm{"barrier.red.and.pred", "PtxBarRedAnd", 3, 4},
                                    AsyncForm{"barrier.red.or.pred", "PtxBarRedOr", 3, 4},
                                    AsyncForm{"fence.proxy.async", "PtxNothing", 0, 0},
                                    AsyncForm{"fence.proxy.async.global", "PtxNothing", 0, 0},
                                    AsyncForm{"ldmatrix.sync.m8n8.x1.b16", "PtxLdmatrix", 2, 2},
                                    AsyncForm{"ldmatrix.sync.m8n8.x2.b16", "PtxLdmatrix", 3, 3},
                                    AsyncForm{"ldmatrix.sync.m8n8.x4.b16", "PtxLdmatrix", 5, 5},
                                    AsyncForm{"ldmatrix.sync.m8n8.x1.trans.b16", "PtxLdmatrixTrans", 2, 2},
                                    AsyncForm{"ldmatrix.sync.m8n8.x2.trans.b16", "PtxLdmatrixTrans", 3, 3},
                                    AsyncForm{"ldmatrix.sync.m8n8.x4.trans.b16", "PtxLdmatrixTrans", 5, 5},
                                    AsyncForm{"stmatrix.sync.m8n8.x1.b16", "PtxStmatrix", 2, 2},
                                    AsyncForm{"stmatrix.sync.m8n8.x2.b16", "PtxStmatrix", 3, 3},
                                    AsyncForm{"stmatrix.sync.m8n8.x4.b16", "PtxStmatrix", 5, 5},
                                    AsyncForm{"stmatrix.sync.m8n8.x1.trans.b16", "PtxStmatrixTrans", 2, 2},
                                    AsyncForm{"stmatrix.sync.m8n8.x2.trans.b16", "PtxStmatrixTrans", 3, 3},
                                    AsyncForm{"stmatrix.sync.m8n8.x4.trans.b16", "PtxStmatrixTrans", 5, 5},
                                    AsyncForm{"movmatrix.sync.m8n8.trans.b16", "PtxMovmatrix", 2, 2},
                                    AsyncForm{"redux.sync.add.u32", "PtxReduxAddU32", 3, 3},
                                    AsyncForm{"redux.sync.add.s32", "PtxReduxAddU32", 3, 3},
                                    AsyncForm{"redux.sync.min.u32", "PtxReduxMinU32", 3, 3},
                                    AsyncForm{"redux.sync.max.u32", "PtxReduxMaxU32", 3, 3},
                                    AsyncForm{"redux.sync.min.s32", "PtxReduxMinS32", 3, 3},
                                    AsyncForm{"redux.sync.max.s32", "PtxReduxMaxS32", 3, 3},
                                    AsyncForm{"redux.sync.and.b32", "PtxReduxAnd", 3, 3},
                                    AsyncForm{"redux.sync.or.b32", "PtxReduxOr", 3, 3},
                                    AsyncForm{"redux.sync.xor.b32", "PtxReduxXor", 3, 3},
                                    AsyncForm{"elect.sync", "PtxElect", 3, 3}};
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

// Products of matrices: shapes and types as in mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32.
struct MatrixForm {
    std::string_view shape, sums, left, right; // left and right: several types, each after a blank
};
constexpr std::array kMatrixForms = {MatrixForm{"m16n8k8", "f16 f32", " f16", " f16"},
                                     MatrixForm{"m16n8k16", "f16 f32", " f16", " f16"},
                                     MatrixForm{"m16n8k8", "f32", " bf16", " bf16"},
                                     MatrixForm{"m16n8k16", "f32", " bf16", " bf16"},
                                     MatrixForm{"m16n8k4", "f32", " tf32", " tf32"},
                                     MatrixForm{"m16n8k8", "f32", " tf32", " tf32"},
                                     MatrixForm{"m16n8k32", "f32", " e4m3 e5m2", " e4m3 e5m2"},
                                     MatrixForm{"m8n8k16", "s32", " s8 u8", " s8 u8"},
                                     MatrixForm{"m16n8k16", "s32", " s8 u8", " s8 u8"},
                                     MatrixForm{"m16n8k32", "s32", " s8 u8", " s8 u8"},
                                     MatrixForm{"m8n8k4", "f64", " f64", " f64"},
                                     MatrixForm{"m16n8k4", "f64", " f64", " f64"},
                                     MatrixForm{"m16n8k8", "f64", " f64", " f64"},
                                     MatrixForm{"m16n8k16", "f64", " f64", " f64"}};

// The function of "mma.sync.m16n8k8.row.col.f32.f16.f16.f32", which checks its operands itself. "" for others.
std::string function_of_product(std::string_view key)
{
    std::vector<std::string> words;
    while (!key.empty()) {
        words.emplace_back(key.substr(0, key.find('.')));
        key.remove_prefix(std::min(words.back().size() + 1, key.size()));
    }
    const bool saturates = words.size() == 10 && words[5] == "satfinite" && words[6] == "s32";
    if (saturates)
        words.erase(words.begin() + 5);
    if (words.size() != 9 || words[0] != "mma" || words[1] != "sync" || words[3] != "row" || words[4] != "col" ||
        words[5] != words[8])
        return "";
    const auto has = [](std::string_view types, const std::string& type) {
        return (" " + std::string(types) + " ").find(" " + type + " ") != std::string::npos;
    };
    const auto* const form = std::ranges::find_if(kMatrixForms, [&](const MatrixForm& each) {
        return each.shape == words[2] && has(each.sums, words[5]) && has(each.left, words[6]) &&
               has(each.right, words[7]);
    });
    if (form == kMatrixForms.end() || (words[6] != words[7] && words[5] != "s32" && words[6].front() != 'e'))
        return "";
    std::string numbers; // 16, 8, 8
    for (const char byte : form->shape.substr(1))
        numbers += byte == 'n' || byte == 'k' ? std::string(", ") : std::string(1, byte);
    const auto type = [](std::string name) {
        name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
        return ", ::nestbed::program::Matrix" + name;
    };
    return "::nestbed::program::PtxMma<" + numbers + type(words[6]) + type(words[7]) + type(words[5]) +
           (saturates ? ", true>" : ", false>");
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
    if (operand.size() >= 2 && operand[0] == '%' &&
        operand.find_first_not_of("0123456789", 1) == std::string_view::npos)
        return in + "PtxOperand<" + std::string(operand.substr(1)) + ">";
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
    const auto* const form = std::ranges::find(kAsyncForms, key, &AsyncForm::ptx);
    const std::string product = function_of_product(key);
    if ((form == kAsyncForms.end() && product.empty()) || (relaxed && !key.ends_with("_tx")))
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
    if (!product.empty())
        return Instruction{product, inputs};
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
