#include "program/rewrite/ptx_functions.hpp"

#include "program/rewrite/ptx_async_forms.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

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
    Form{"membar.cta", "__threadfence_block"},
    Form{"membar.gl", "__threadfence"},
    Form{"membar.sys", "__threadfence_system"},
    // membar is fence.sc (PTX ISA, "membar / fence"), and so are CUDA's functions. A fence without a semantics is fence.acq_rel. That
    // of a cluster is taken for that of the device.
    Form{"fence.sc.cta", "__threadfence_block"},
    Form{"fence.sc.cluster", "__threadfence"},
    Form{"fence.sc.gpu", "__threadfence"},
    Form{"fence.sc.sys", "__threadfence_system"},
    Form{"fence.acq_rel.cta", "::nestbed::program::ptx_fence_acq_rel<true>"},
    Form{"fence.acq_rel.cluster", "::nestbed::program::ptx_fence_acq_rel<false>"},
    Form{"fence.acq_rel.gpu", "::nestbed::program::ptx_fence_acq_rel<false>"},
    Form{"fence.acq_rel.sys", "::nestbed::program::ptx_fence_acq_rel<false>"},
    Form{"fence.cta", "::nestbed::program::ptx_fence_acq_rel<true>"},
    Form{"fence.gpu", "::nestbed::program::ptx_fence_acq_rel<false>"},
    Form{"fence.sys", "::nestbed::program::ptx_fence_acq_rel<false>"},
    Form{"bar.sync 0", "__syncthreads"},
    Form{"griddepcontrol.launch_dependents", "cudaTriggerProgrammaticLaunchCompletion"},
    Form{"griddepcontrol.wait", "cudaGridDependencySynchronize"},
    Form{"barrier.cluster.arrive", "__cluster_barrier_arrive"},
    Form{"barrier.cluster.arrive.aligned", "__cluster_barrier_arrive"},
    Form{"barrier.cluster.arrive.release", "__cluster_barrier_arrive"},
    Form{"barrier.cluster.arrive.release.aligned", "__cluster_barrier_arrive"},
    Form{"barrier.cluster.arrive.relaxed", "__cluster_barrier_arrive_relaxed"},
    Form{"barrier.cluster.arrive.relaxed.aligned", "__cluster_barrier_arrive_relaxed"},
    Form{"barrier.cluster.wait", "__cluster_barrier_wait"},
    Form{"barrier.cluster.wait.aligned", "__cluster_barrier_wait"},
    Form{"barrier.cluster.wait.acquire", "__cluster_barrier_wait"},
    Form{"barrier.cluster.wait.acquire.aligned", "__cluster_barrier_wait"},
    Form{"mapa.u64 %0, %1, %2", "::nestbed::program::ptx_mapa"},
    Form{"trap", "__trap"},
    Form{"nanosleep.u32 %0", "__nanosleep"},
};

// Registers that the instruction mov copies to its operand. `tid.x` is read by ptx_tid_x().
constexpr std::array<std::string_view, 41> kRegisters = {"laneid",
                                                         "lanemask_eq",
                                                         "lanemask_lt",
                                                         "lanemask_le",
                                                         "lanemask_gt",
                                                         "lanemask_ge",
                                                         "warpid",
                                                         "nwarpid",
                                                         "smid",
                                                         "nsmid",
                                                         "clock",
                                                         "clock_hi",
                                                         "clock64",
                                                         "globaltimer",
                                                         "globaltimer_lo",
                                                         "tid.x",
                                                         "tid.y",
                                                         "tid.z",
                                                         "ntid.x",
                                                         "ntid.y",
                                                         "ntid.z",
                                                         "ctaid.x",
                                                         "ctaid.y",
                                                         "ctaid.z",
                                                         "nctaid.x",
                                                         "nctaid.y",
                                                         "nctaid.z",
                                                         "cluster_ctaid.x",
                                                         "cluster_ctaid.y",
                                                         "cluster_ctaid.z",
                                                         "cluster_nctaid.x",
                                                         "cluster_nctaid.y",
                                                         "cluster_nctaid.z",
                                                         "cluster_ctarank",
                                                         "cluster_nctarank",
                                                         "clusterid.x",
                                                         "clusterid.y",
                                                         "clusterid.z",
                                                         "nclusterid.x",
                                                         "nclusterid.y",
                                                         "nclusterid.z"};
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

struct Word {
    std::string_view ptx;
    std::string_view text;
};
constexpr std::array kOrders = {Word{"weak", "kPtxWeak"},       Word{"volatile", "kPtxVolatile"},
                                Word{"nc", "kPtxReadOnly"},     Word{"relaxed", "kPtxRelaxed"},
                                Word{"acquire", "kPtxAcquire"}, Word{"release", "kPtxRelease"},
                                Word{"acq_rel", "kPtxAcqRel"}};
constexpr std::array kScopes = {Word{"cta", "true"}, Word{"cluster", "false"}, Word{"gpu", "false"},
                                Word{"sys", "false"}};
constexpr std::array kTypes = {Word{"pred", "bool"},
                               Word{"b8", "unsigned char"},
                               Word{"u8", "unsigned char"},
                               Word{"s8", "signed char"},
                               Word{"b16", "unsigned short"},
                               Word{"u16", "unsigned short"},
                               Word{"s16", "short"},
                               Word{"b32", "unsigned"},
                               Word{"u32", "unsigned"},
                               Word{"s32", "int"},
                               Word{"b64", "unsigned long long"},
                               Word{"u64", "unsigned long long"},
                               Word{"s64", "long long"},
                               Word{"f32", "float"},
                               Word{"f64", "double"}};
constexpr std::array kOperations = {Word{"add", "add"},   Word{"min", "min"}, Word{"max", "max"}, Word{"inc", "inc"},
                                    Word{"dec", "dec"},   Word{"and", "and"}, Word{"or", "or"},   Word{"xor", "xor"},
                                    Word{"exch", "exch"}, Word{"cas", "cas"}};
constexpr std::array kSpaces = {Word{"shared", "true"}, Word{"shared::cta", "true"}, Word{"shared::cluster", "true"}};
// Spaces that generic addresses have, and hints of the cache, which change no order.
constexpr std::array<std::string_view, 8> kIgnored = {"global", "ca", "cg", "cs", "lu", "cv", "wb", "wt"};

// The function for a load, a store or an atomic operation of one value: "ld.acquire.gpu.u32 %0, [%1]". "" for others.
std::string function_of_memory(std::string_view text)
{
    const std::size_t blank = std::min(text.find(' '), text.size());
    std::string operands; // without blanks
    std::ranges::copy_if(text.substr(blank), std::back_inserter(operands), [](char byte) { return byte != ' '; });
    std::string_view head = text.substr(0, blank);
    const auto next_word = [&head] {
        const std::string_view word = head.substr(0, head.find('.'));
        head.remove_prefix(std::min(word.size() + 1, head.size()));
        return word;
    };
    const std::string_view instruction = next_word();
    // [%1+4]: the offset is taken out.
    std::string number;
    std::string offset;
    if (const std::size_t begin = operands.find("[%"); begin != std::string::npos) {
        const std::size_t closing = std::min(operands.find(']', begin), operands.size());
        const std::size_t sign = operands.find_first_of("+-", begin);
        if (sign < closing) {
            number = operands.substr(begin + 2, sign - begin - 2);
            const std::size_t from = sign + (operands[sign] == '+' ? 1 : 0);
            offset = operands.substr(from, closing - from);
            operands.erase(sign, closing - sign);
            if (!is_ptx_number(offset))
                return "";
        }
    }
    const bool is_atomic = instruction == "atom" || instruction == "red";
    std::string_view order = is_atomic ? "kPtxRelaxed" : "kPtxWeak";
    std::string_view scope = "false";
    unsigned parts = 1;
    std::string_view space = "false"; // whether addresses are those of shared memory
    std::string_view type;
    std::string_view operation;
    const auto takes = [](const auto& words, std::string_view word, std::string_view& to) {
        const auto* const found = std::ranges::find(words, word, &Word::ptx);
        if (found != words.end())
            to = found->text;
        return found != words.end();
    };
    while (!head.empty()) {
        const std::string_view word = next_word();
        if (word == "v2" || word == "v4")
            parts = word == "v2" ? 2 : 4;
        else if (!takes(kOrders, word, order) && !takes(kScopes, word, scope) && !takes(kSpaces, word, space) &&
                 !takes(kTypes, word, type) && !(is_atomic && takes(kOperations, word, operation)) &&
                 !word.starts_with("L1::") && !word.starts_with("L2::") &&
                 std::ranges::find(kIgnored, word) == kIgnored.end())
            return "";
    }
    std::string_view expected = instruction == "ld" ? "%0,[%1]" : "[%0],%1";
    if (parts != 1)
        expected = instruction == "ld" ? (parts == 2 ? "{%0,%1},[%2]" : "{%0,%1,%2,%3},[%4]")
                                       : (parts == 2 ? "[%0],{%1,%2}" : "[%0],{%1,%2,%3,%4}");
    if (instruction == "atom")
        expected = operation == "cas" ? "%0,[%1],%2,%3" : "%0,[%1],%2";
    if (type.empty() || operands != expected || is_atomic == operation.empty() || (is_atomic && parts != 1) ||
        (instruction != "ld" && instruction != "st" && !is_atomic))
        return "";
    const std::string in = "::nestbed::program::";
    const std::string function = in + "ptx_" + std::string(instruction) +
                                 (is_atomic ? "_" + std::string(operation) : "") + (parts == 1 ? "<" : "_vector<") +
                                 std::string(type) + ", " + in + std::string(order) + ", " + std::string(scope) +
                                 ", " + std::string(space) + ">";
    return offset.empty() ? function
                          : in + "ptx_at_offset<" + number + ", " + offset + ">([](auto&... o) { return " + function +
                                "(o...); })";
}

struct Operation {
    std::string_view ptx;
    std::string_view name; // in nestbed/program/ptx_arithmetic.hpp
    std::size_t inputs;
};
constexpr std::array kArithmetic = {
    Operation{"mov", "Move", 1},
    Operation{"selp", "Select", 3},
    Operation{"setp.eq", "Equal", 2},
    Operation{"setp.ne", "Differs", 2},
    Operation{"setp.lt", "Less", 2},
    Operation{"setp.lo", "Less", 2},
    Operation{"setp.le", "NotGreater", 2},
    Operation{"setp.ls", "NotGreater", 2},
    Operation{"setp.gt", "Greater", 2},
    Operation{"setp.hi", "Greater", 2},
    Operation{"setp.ge", "NotLess", 2},
    Operation{"setp.hs", "NotLess", 2},
    Operation{"setp.equ", "EqualOrNan", 2},
    Operation{"setp.neu", "DiffersOrNan", 2},
    Operation{"setp.ltu", "LessOrNan", 2},
    Operation{"setp.leu", "NotGreaterOrNan", 2},
    Operation{"setp.gtu", "GreaterOrNan", 2},
    Operation{"setp.geu", "NotLessOrNan", 2},
    Operation{"setp.num", "Numbers", 2},
    Operation{"setp.nan", "Nan", 2},
    Operation{"add.cc", "WithCarry<::nestbed::program::PtxSum, false, true>", 2},
    Operation{"addc", "WithCarry<::nestbed::program::PtxSum, true, false>", 2},
    Operation{"addc.cc", "WithCarry<::nestbed::program::PtxSum, true, true>", 2},
    Operation{"sub.cc", "WithCarry<::nestbed::program::PtxDifference, false, true>", 2},
    Operation{"subc", "WithCarry<::nestbed::program::PtxDifference, true, false>", 2},
    Operation{"subc.cc", "WithCarry<::nestbed::program::PtxDifference, true, true>", 2},
    Operation{"mad.lo.cc", "MadWithCarry<::nestbed::program::PtxMultiply, false, true>", 3},
    Operation{"madc.lo", "MadWithCarry<::nestbed::program::PtxMultiply, true, false>", 3},
    Operation{"madc.lo.cc", "MadWithCarry<::nestbed::program::PtxMultiply, true, true>", 3},
    Operation{"mad.hi.cc", "MadWithCarry<::nestbed::program::PtxMultiplyHigh, false, true>", 3},
    Operation{"madc.hi", "MadWithCarry<::nestbed::program::PtxMultiplyHigh, true, false>", 3},
    Operation{"madc.hi.cc", "MadWithCarry<::nestbed::program::PtxMultiplyHigh, true, true>", 3},
    Operation{"add", "Add", 2},
    Operation{"sub", "Subtract", 2},
    Operation{"mul", "Multiply", 2},
    Operation{"mul.lo", "Multiply", 2},
    Operation{"mul.hi", "MultiplyHigh", 2},
    Operation{"mul.wide", "MultiplyWide", 2},
    Operation{"mad.lo", "Mad", 3},
    Operation{"mad.hi", "MadHigh", 3},
    Operation{"mad.wide", "MadWide", 3},
    Operation{"fma", "Fma", 3},
    Operation{"div", "Divide", 2},
    Operation{"rem", "Remainder", 2},
    Operation{"min", "Min", 2},
    Operation{"max", "Max", 2},
    Operation{"abs", "Abs", 1},
    Operation{"neg", "Negate", 1},
    Operation{"and", "And", 2},
    Operation{"or", "Or", 2},
    Operation{"xor", "Xor", 2},
    Operation{"not", "Not", 1},
    Operation{"shl", "ShiftLeft", 2},
    Operation{"shr", "ShiftRight", 2},
    Operation{"popc", "Popc", 1},
    Operation{"clz", "Clz", 1},
    Operation{"brev", "Brev", 1},
    Operation{"bfe", "Bfe", 3},
    Operation{"bfi", "Bfi", 4},
    Operation{"prmt", "Prmt", 3},
    Operation{"lop3", "Lop3", 4},
    Operation{"shf.l.wrap", "ShfLeft<true>", 3},
    Operation{"shf.l.clamp", "ShfLeft<false>", 3},
    Operation{"shf.r.wrap", "ShfRight<true>", 3},
    Operation{"shf.r.clamp", "ShfRight<false>", 3},
    Operation{"dp4a.s32", "Dp4a<signed char>", 3},
    Operation{"dp4a.u32", "Dp4a<unsigned char>", 3},
    Operation{"sqrt", "Sqrt", 1},
    Operation{"rsqrt", "Rsqrt", 1},
    Operation{"rcp", "Rcp", 1},
    Operation{"ex2", "Ex2", 1},
    Operation{"lg2", "Lg2", 1},
    Operation{"sin", "Sin", 1},
    Operation{"cos", "Cos", 1},
    Operation{"tanh", "Tanh", 1}};
// Of floating-point numbers: what the executor does anyway, or does better.
constexpr std::array<std::string_view, 3> kExact = {"rn", "approx", "full"};

// The inputs behind the first operand, which the instruction writes, as template arguments; nullopt: one is of another form, or there are others.
std::optional<std::string> inputs_of(std::string_view text, std::size_t count)
{
    std::vector<std::string> operands;
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(','));
        text.remove_prefix(std::min(one.size() + 1, text.size()));
        operands.emplace_back();
        std::ranges::copy_if(one, std::back_inserter(operands.back()), [](char byte) { return byte != ' '; });
    }
    if (operands.size() != count + 1 || operands.front() != "%0")
        return std::nullopt;
    std::string inputs;
    for (auto operand = operands.begin() + 1; operand != operands.end(); ++operand) {
        if (operand->size() >= 2 && operand->front() == '%' &&
            operand->find_first_not_of("0123456789", 1) == std::string::npos)
            inputs += ", ::nestbed::program::PtxOperand<" + operand->substr(1) + ">";
        else if (is_ptx_number(*operand))
            inputs += ", ::nestbed::program::PtxNumber<" + *operand + ">";
        else
            return std::nullopt;
    }
    return inputs;
}

// The function for an operation on registers and numbers: "lop3.b32 %0, %1, %2, %3, 0xE8". "" for others.
std::string function_of_arithmetic(std::string_view text)
{
    const std::size_t blank = std::min(text.find(' '), text.size());
    std::string key;
    std::string_view type;
    bool flushes = false;
    for (std::string_view head = text.substr(0, blank); !head.empty();) {
        const std::string_view word = head.substr(0, head.find('.'));
        head.remove_prefix(std::min(word.size() + 1, head.size()));
        if (const auto* const found = std::ranges::find(kTypes, word, &Word::ptx);
            found != kTypes.end() && head.empty())
            type = found->text;
        else if (word == "ftz")
            flushes = true;
        else if (std::ranges::find(kExact, word) == kExact.end())
            key += (key.empty() ? "" : ".") + std::string(word);
    }
    const auto* const operation = std::ranges::find(kArithmetic, key, &Operation::ptx);
    if (operation == kArithmetic.end() || type.empty())
        return "";
    const std::optional<std::string> inputs = inputs_of(text.substr(blank), operation->inputs);
    if (!inputs)
        return "";
    return "::nestbed::program::ptx_arithmetic<::nestbed::program::Ptx" + std::string(operation->name) + ", " +
           std::string(type) + ", " + (flushes ? "true" : "false") + *inputs + ">";
}

// The function for a register of two halves: "mov.b64 %0, {%1, %2}", "mov.b64 {%0, %1}, %2". "" for others.
std::string function_of_halves(std::string_view text)
{
    if (!text.starts_with("mov.b64 ") && !text.starts_with("mov.b32 "))
        return "";
    const std::string half = text.starts_with("mov.b64 ") ? "unsigned" : "unsigned short";
    std::string operands; // without blanks
    std::ranges::copy_if(text.substr(text.find(' ')), std::back_inserter(operands),
                         [](char byte) { return byte != ' '; });
    if (operands == "{%0,%1},%2")
        return "::nestbed::program::ptx_halves<" + half + ">";
    if (!operands.starts_with("%0,{") || !operands.ends_with('}'))
        return "";
    const std::optional<std::string> inputs = inputs_of("%0," + operands.substr(4, operands.size() - 5), 2);
    return inputs
               ? "::nestbed::program::ptx_arithmetic<::nestbed::program::PtxJoin, " + half + ", false" + *inputs + ">"
               : "";
}

// The function for a conversion: "cvt.rn.f32.u32 %0, %1". "" for others.
std::string function_of_conversion(std::string_view text)
{
    static constexpr std::array kRoundings = {Word{"rn", "nearest"}, Word{"rz", "zero"},     Word{"rm", "down"},
                                              Word{"rp", "up"},      Word{"rni", "nearest"}, Word{"rzi", "zero"},
                                              Word{"rmi", "down"},   Word{"rpi", "up"}};
    const std::size_t blank = std::min(text.find(' '), text.size());
    if (!text.starts_with("cvt."))
        return "";
    std::vector<std::string_view> types;
    const Word* rounding = nullptr;
    bool flushes = false;
    bool saturates = false;
    for (std::string_view head = text.substr(4, blank - 4); !head.empty();) {
        const std::string_view word = head.substr(0, head.find('.'));
        head.remove_prefix(std::min(word.size() + 1, head.size()));
        const auto* const found = std::ranges::find(kRoundings, word, &Word::ptx);
        if (found != kRoundings.end() && rounding == nullptr && types.empty())
            rounding = found;
        else if (word == "ftz" || word == "sat")
            (word == "ftz" ? flushes : saturates) = true;
        else if (std::ranges::find(kTypes, word, &Word::ptx) != kTypes.end() && !word.starts_with('b'))
            types.push_back(word);
        else
            return "";
    }
    const std::optional<std::string> inputs = inputs_of(text.substr(blank), 1);
    if (types.size() != 2 || !inputs)
        return "";
    const bool to_real = types[0].starts_with('f');
    const bool from_real = types[1].starts_with('f');
    const bool to_whole = rounding != nullptr && rounding->ptx.size() == 3;
    const bool loses = to_real && (!from_real || types[0] < types[1]);
    const bool widens = types[0] == "f64" && types[1] == "f32";
    // PTX ISA, "cvt": a rounding to whole numbers, one where digits may be lost, or none.
    const bool is_known = rounding == nullptr ? to_real == from_real && !loses
                          : to_whole          ? from_real && !loses && !widens
                                              : loses;
    if (!is_known)
        return "";
    const auto type = [](std::string_view word) {
        return std::string(std::ranges::find(kTypes, word, &Word::ptx)->text);
    };
    return "::nestbed::program::ptx_convert<" + type(types[0]) + ", " + type(types[1]) +
           ", ::nestbed::program::PtxRounding::" + std::string(rounding == nullptr ? "none" : rounding->text) +
           (flushes ? ", true" : ", false") + (saturates ? ", true" : ", false") + *inputs + ">";
}

// The function for a video instruction on bytes or halves: "vabsdiff4.u32.s32.u32.add %0, %1, %2, %3". "" for others.
std::string function_of_video(std::string_view text)
{
    static constexpr std::array kVideo = {Word{"vadd", "Add"},      Word{"vsub", "Subtract"},
                                          Word{"vavrg", "Average"}, Word{"vmin", "Min"},
                                          Word{"vmax", "Max"},      Word{"vabsdiff", "Difference"}};
    const std::size_t blank = std::min(text.find(' '), text.size());
    std::string operands; // without blanks
    std::ranges::copy_if(text.substr(blank), std::back_inserter(operands), [](char byte) { return byte != ' '; });
    std::vector<std::string_view> words;
    for (std::string_view head = text.substr(0, blank); !head.empty();) {
        words.push_back(head.substr(0, head.find('.')));
        head.remove_prefix(std::min(words.back().size() + 1, head.size()));
    }
    const auto* const operation = std::ranges::find_if(kVideo, [&](const Word& each) {
        return !words.empty() && words.front().substr(0, words.front().size() - 1) == each.ptx;
    });
    if (operation == kVideo.end() || words.size() < 4 || operands != "%0,%1,%2,%3")
        return "";
    const char parts = words.front().back();
    std::string types;
    for (std::size_t at = 1; at < 4; ++at)
        if (words[at] == "s32" || words[at] == "u32")
            types += words[at] == "s32" ? ", int" : ", unsigned";
        else
            return "";
    const bool saturates = words.size() > 4 && words[4] == "sat";
    const bool adds = !saturates && words.size() > 4 && words[4] == "add";
    if ((parts != '2' && parts != '4') || words.size() > (saturates || adds ? 5U : 4U))
        return "";
    return std::string("::nestbed::program::ptx_video<::nestbed::program::PtxVideo") + std::string(operation->text) +
           ", " + parts + types + (saturates ? ", true" : ", false") + (adds ? ", true>" : ", false>");
}

// The function for a shuffle: "shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff". "" for others.
std::string function_of_shuffle(std::string_view text)
{
    static constexpr std::array kShuffles = {Word{"idx", "lane"}, Word{"up", "up"}, Word{"down", "down"},
                                             Word{"bfly", "butterfly"}};
    const auto* const shuffle = std::ranges::find_if(kShuffles, [&](const Word& each) {
        return text.starts_with("shfl.sync." + std::string(each.ptx) + ".b32 ");
    });
    if (shuffle == kShuffles.end())
        return "";
    const std::optional<std::string> inputs = inputs_of(text.substr(text.find(' ')), 4);
    return inputs ? "::nestbed::program::ptx_shfl<::nestbed::program::PtxShuffle::" + std::string(shuffle->text) +
                        *inputs + ">"
                  : "";
}

std::string function_of(std::string_view text)
{
    const auto* const form = std::ranges::find(kForms, text, &Form::text);
    if (form != kForms.end())
        return std::string(form->function);
    if (text.starts_with("prefetch.") || text.starts_with("prefetchu."))
        return "::nestbed::program::ptx_nothing";
    std::string function = function_of_move(text);
    if (function.empty())
        function = function_of_memory(text);
    if (function.empty())
        function = function_of_arithmetic(text);
    if (function.empty())
        function = function_of_halves(text);
    if (function.empty())
        function = function_of_conversion(text);
    if (function.empty())
        function = function_of_video(text);
    return function.empty() ? function_of_shuffle(text) : function;
}

// Renumbers the operands (%0, %1, …) by their first place in the text. Returns their numbers before, in that order.
std::vector<std::size_t> renumber(std::string& text)
{
    std::vector<std::size_t> before;
    std::string renumbered;
    for (std::size_t at = 0; at < text.size(); ++at) {
        renumbered += text[at];
        std::size_t end = at + 1;
        while (text[at] == '%' && end < text.size() && end < at + 4 && // a statement has at most 30 operands
               std::isdigit(static_cast<unsigned char>(text[end])) != 0)
            ++end;
        if (end == at + 1)
            continue;
        const std::size_t number = std::stoul(text.substr(at + 1, end - at - 1));
        const auto known = std::ranges::find(before, number);
        renumbered += std::to_string(known - before.begin());
        if (known == before.end())
            before.push_back(number);
        at = end - 1;
    }
    text = std::move(renumbered);
    return before;
}

} // namespace

PtxFunction ptx_function(std::string instruction)
{
    std::vector<std::size_t> operands = renumber(instruction);
    return {function_of(instruction), std::move(operands)};
}

std::string_view type_of_ptx(std::string_view type)
{
    const auto* const found = std::ranges::find(kTypes, type, &Word::ptx);
    return found == kTypes.end() ? "" : found->text;
}

} // namespace nestbed::program
