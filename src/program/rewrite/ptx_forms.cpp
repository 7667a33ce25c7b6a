#include "program/rewrite/ptx_forms.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace nestbed::program
{
namespace
{

struct AsyncForm {
    std::string_view ptx;
    std::string_view name;    // in nestbed/program/ptx_*.hpp
    std::size_t fewest, most; // operands
};
constexpr std::array kAsyncForms = {
    AsyncForm{"mbarrier.init", "PtxMbarrierInit", 2, 2},
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
    AsyncForm{"fence.proxy.async", "PtxFenceProxyAsync", 0, 0},
    AsyncForm{"fence.proxy.async.global", "PtxFenceProxyAsync", 0, 0},
    AsyncForm{"fence.mbarrier_init", "PtxNothing", 0, 0},
    AsyncForm{"cp.async.bulk.global.mbarrier::complete_tx::bytes", "PtxBulkLoad", 4, 4},
    AsyncForm{"cp.async.bulk.global.mbarrier::complete_tx::bytes.multicast::cluster", "PtxBulkLoadMulticast", 5, 5},
    AsyncForm{"cp.async.bulk.mbarrier::complete_tx::bytes", "PtxBulkSend", 4, 4},
    AsyncForm{"cp.async.bulk.global.bulk_group", "PtxBulkStore", 3, 3},
    AsyncForm{"cp.async.bulk.commit_group", "PtxCommitBulk", 0, 0},
    AsyncForm{"cp.async.bulk.wait_group", "PtxWaitBulk", 1, 1},
    AsyncForm{"cp.async.bulk.wait_group.read", "PtxWaitBulkRead", 1, 1},
    AsyncForm{"cp.async.bulk.prefetch.L2.global", "PtxNothing", 2, 2},
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
// Bulk copies that change numbers: the operations and types.
struct Spelling {
    std::string_view ptx, name;
};
constexpr std::array kBulkOperations = {
    Spelling{"add", "add"}, Spelling{"min", "min"},     Spelling{"max", "max"},   Spelling{"inc", "inc"},
    Spelling{"dec", "dec"}, Spelling{"and", "bit_and"}, Spelling{"or", "bit_or"}, Spelling{"xor", "bit_xor"}};
constexpr std::array kBulkNumbers = {Spelling{"u32", "u32"},   Spelling{"s32", "s32"}, Spelling{"b32", "u32"},
                                     Spelling{"u64", "u64"},   Spelling{"s64", "s64"}, Spelling{"f16", "f16"},
                                     Spelling{"bf16", "bf16"}, Spelling{"f32", "f32"}, Spelling{"f64", "f64"}};
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

std::vector<std::string> words_of(std::string_view key)
{
    std::vector<std::string> words;
    while (!key.empty()) {
        words.emplace_back(key.substr(0, key.find('.')));
        key.remove_prefix(std::min(words.back().size() + 1, key.size()));
    }
    return words;
}

// The function of "mma.sync.m16n8k8.row.col.f32.f16.f16.f32", which checks its operands itself. "" for others.
std::string function_of_product(std::string_view key)
{
    std::vector<std::string> words = words_of(key);
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
    return "PtxMma<" + numbers + type(words[6]) + type(words[7]) + type(words[5]) +
           (saturates ? ", true>" : ", false>");
}

// The function of "cvt.rna.satfinite.tf32.f32".
std::string function_of_tf32(std::string_view key)
{
    const std::vector<std::string> words = words_of(key);
    const bool is_finite = words.size() == 5 && words[2] == "satfinite";
    const auto rounding = words.size() < 2    ? ""
                          : words[1] == "rna" ? "away"
                          : words[1] == "rn"  ? "even"
                          : words[1] == "rz"  ? "zero"
                                              : "";
    if (words.size() != (is_finite ? 5U : 4U) || words[0] != "cvt" || std::string_view(rounding).empty() ||
        words[words.size() - 2] != "tf32" || words.back() != "f32")
        return "";
    return "PtxCvtTf32<::nestbed::program::Tf32Rounding::" + std::string(rounding) +
           (is_finite ? ", true>" : ", false>");
}

std::string operation_of(std::string_view word)
{
    const auto* const found = std::ranges::find(kBulkOperations, word, &Spelling::ptx);
    return found == kBulkOperations.end() ? "" : ", ::nestbed::program::BulkOperation::" + std::string(found->name);
}

// The function of "cp.reduce.async.bulk.global.bulk_group.add.f32", or "cp.reduce.async.bulk.mbarrier::complete_tx::bytes.add.u32".
std::optional<PtxForm> function_of_reduction(std::string_view key)
{
    std::vector<std::string> words = words_of(key);
    std::erase(words, "noftz");
    if (words.size() < 7 || words[0] + words[1] + words[2] + words[3] != "cpreduceasyncbulk")
        return std::nullopt;
    const bool to_global = words[4] == "global" && words[5] == "bulk_group";
    const std::size_t at = to_global ? 6 : 5;
    const auto* const number =
        std::ranges::find_if(kBulkNumbers, [&](const Spelling& each) { return each.ptx == words.back(); });
    if (words.size() != at + 2 || (!to_global && words[4] != "mbarrier::complete_tx::bytes") ||
        number == kBulkNumbers.end() || operation_of(words[at]).empty())
        return std::nullopt;
    const std::string function = to_global ? "PtxBulkStore" : "PtxBulkSend";
    const std::size_t operands = to_global ? 3 : 4;
    return PtxForm{function + "<true" + operation_of(words[at]) +
                       ", ::nestbed::program::BulkNumber::" + std::string(number->name) + ">",
                   operands, operands};
}

// The function of "cp.async.bulk.tensor.2d.global.mbarrier::complete_tx::bytes" and the like.
std::optional<PtxForm> function_of_tile(std::string_view key)
{
    std::vector<std::string> words = words_of(key);
    const bool reduces = key.starts_with("cp.reduce.");
    if (reduces)
        words.erase(words.begin() + 1);
    const bool prefetches = words.size() > 3 && words[3] == "prefetch";
    if (prefetches)
        words.erase(words.begin() + 3);
    if (words.size() < 7 || words[0] + words[1] + words[2] + words[3] != "cpasyncbulktensor" ||
        words[4].size() != 2 || words[4][0] < '1' || words[4][0] > '5' || words[4][1] != 'd')
        return std::nullopt;
    const std::string rank(1, words[4][0]);
    const std::size_t dimensions = static_cast<std::size_t>(rank[0] - '0');
    std::string rest;
    for (std::size_t at = 5; at < words.size(); ++at)
        rest += (at == 5 ? "" : ".") + words[at];
    const bool loads = rest == "global.mbarrier::complete_tx::bytes";
    if (!reduces && prefetches && rest == "L2.global")
        return PtxForm{"PtxNothing<true>", dimensions + 1, dimensions + 1};
    if (!reduces && (loads || rest == "global.mbarrier::complete_tx::bytes.multicast::cluster"))
        return PtxForm{"PtxTileLoad<" + rank + ">", dimensions + (loads ? 3 : 4), dimensions + (loads ? 3 : 4)};
    if (!reduces && rest == "global.bulk_group")
        return PtxForm{"PtxTileStore<" + rank + ">", dimensions + 2, dimensions + 2};
    if (reduces && words.size() == 8 && words[5] == "global" && words[7] == "bulk_group" &&
        !operation_of(words[6]).empty())
        return PtxForm{"PtxTileStore<" + rank + operation_of(words[6]) + ">", dimensions + 2, dimensions + 2};
    return std::nullopt;
}

} // namespace

std::optional<PtxForm> ptx_form(std::string_view key, bool shared)
{
    // The words of ldmatrix and stmatrix come in several orders: all of them are taken.
    std::string in_order;
    if (key.starts_with("ldmatrix.sync.") || key.starts_with("stmatrix.sync.")) {
        std::vector<std::string> words = words_of(key);
        std::ranges::sort(words.begin() + 2, words.end(), {}, [](const std::string& word) {
            return std::string_view("m8n8 x1 x2 x4 trans b16").find(word);
        });
        for (const std::string& word : words)
            in_order += (in_order.empty() ? "" : ".") + word;
        key = in_order;
    }
    const auto* const form = std::ranges::find(kAsyncForms, key, &AsyncForm::ptx);
    if (form != kAsyncForms.end())
        return PtxForm{std::string(form->name) + (shared ? "<true>" : "<false>"), form->fewest, form->most};
    if (const std::string conversion = function_of_tf32(key); !conversion.empty())
        return PtxForm{conversion, 2, 2};
    if (const std::string product = function_of_product(key); !product.empty())
        return PtxForm{product, 0, std::string_view::npos};
    const std::optional<PtxForm> reduction = function_of_reduction(key);
    return reduction ? reduction : function_of_tile(key);
}

} // namespace nestbed::program
