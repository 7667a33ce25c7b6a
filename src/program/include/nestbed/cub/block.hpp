// CUB's primitives of blocks: they compute what CUB's do (sums of floating-point numbers may be rounded in another order), and use their
// storage as CUB's contract says: who uses it again before a barrier has a race.
#pragma once

#include "nestbed/cub/storage.hpp"

#include <algorithm>
#include <vector>

// NOLINTBEGIN: these names are CUB's.
namespace cub
{

// ---- reductions and scans ----

enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS,
    BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};
template <class T, int x, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int y = 1, int z = 1, int = 0>
class BlockReduce
{
    using All = nestbed_own::Items<T, x * y * z, 1>;

  public:
    struct TempStorage : All::Storage {
    };
    NESTBED_STORAGE(BlockReduce)

    // The first thread has the result.
    template <class Operation>
    T Reduce(T input, Operation operation, int valid, NESTBED_PLACE)
    {
        T in[1] = {input}, out[1] = {input};
        All::together(
            storage_, in, out,
            [=](T* all) {
                T result = nestbed_own::tree(all, valid < 32 ? valid : 32, operation);
                for (int at = 32; at < valid; at += 32)
                    result =
                        operation(result, nestbed_own::tree(all + at, valid - at < 32 ? valid - at : 32, operation));
                all[0] = result;
            },
            file, line);
        return out[0];
    }
    template <class Operation>
    T Reduce(T input, Operation operation, NESTBED_PLACE)
    {
        return Reduce(input, operation, x * y * z, file, line);
    }
    template <int per_thread, class Operation>
    T Reduce(const T (&inputs)[per_thread], Operation operation, NESTBED_PLACE)
    {
        T own = inputs[0];
        for (int i = 1; i < per_thread; ++i)
            own = operation(own, inputs[i]);
        return Reduce(own, operation, x * y * z, file, line);
    }
    T Sum(T input, NESTBED_PLACE) { return Reduce(input, nestbed_own::Plus(), x * y * z, file, line); }
    T Sum(T input, int valid, NESTBED_PLACE) { return Reduce(input, nestbed_own::Plus(), valid, file, line); }
    template <int per_thread>
    T Sum(const T (&inputs)[per_thread], NESTBED_PLACE)
    {
        return Reduce(inputs, nestbed_own::Plus(), file, line);
    }
};

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
template <class T, int x, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int y = 1, int z = 1, int = 0>
class BlockScan
{
    static constexpr int kThreads = x * y * z;

  public:
    struct TempStorage : nestbed_own::Slots<T, kThreads + 1> {
    };
    NESTBED_STORAGE(BlockScan)

  private:
    // `initial`: nullptr if there is none; then the first output of an exclusive scan is the input. `prefix` takes the sum of all, in the
    // threads of the first warp, and returns to the first of them what comes before.
    template <int per_thread, class Operation, class Prefix>
    void scan(const T (&inputs)[per_thread], T (&outputs)[per_thread], Operation operation, bool inclusive,
              const T* initial, T* all, Prefix prefix, const char* file, unsigned line)
    {
        constexpr bool has_prefix = !std::is_same<Prefix, std::nullptr_t>::value;
        const int own = static_cast<int>(nestbed::cpu::linear_thread());
        T sum = inputs[0];
        for (int i = 1; i < per_thread; ++i)
            sum = operation(sum, inputs[i]);
        storage_.put(own, sum);
        __syncthreads(file, line);
        // Slot t becomes what comes before thread t.
        if (own == 0) {
            T total = storage_[0];
            for (int at = 1; at < kThreads; ++at)
                total = operation(total, storage_[at]);
            storage_.put(kThreads, total);
        }
        [[maybe_unused]] T from_prefix = sum;
        if constexpr (has_prefix)
            if (own < 32) {
                __syncwarp(kThreads < 32 ? (1U << kThreads % 32) - 1 : ~0U, file, line);
                const T total = storage_[kThreads];
                from_prefix = prefix(total);
            }
        if (own == 0) {
            bool has_before = initial != nullptr || has_prefix;
            T before = initial != nullptr ? *initial : from_prefix;
            for (int at = 0; at < kThreads; ++at) {
                const T of_thread = storage_[at];
                storage_.put(at, before);
                before = has_before ? operation(before, of_thread) : of_thread;
                has_before = true;
            }
        }
        __syncthreads(file, line, 1);
        T before = storage_[own];
        bool has_before = own != 0 || initial != nullptr || has_prefix;
        for (int i = 0; i < per_thread; ++i) {
            const T input = inputs[i];
            const T after = has_before ? operation(before, input) : input;
            outputs[i] = inclusive ? after : has_before ? before : input;
            before = after;
            has_before = true;
        }
        if (all != nullptr)
            *all = storage_[kThreads];
        nestbed_own::hold(storage_, (own + 1) % kThreads);
    }
    template <class Operation, class Prefix>
    void scan(T input, T& output, Operation operation, bool inclusive, const T* initial, T* all, Prefix prefix,
              const char* file, unsigned line)
    {
        const T in[1] = {input};
        T out[1] = {input};
        scan(in, out, operation, inclusive, initial, all, prefix, file, line);
        output = out[0];
    }

  public:
    template <int per_thread>
    using Array = T[per_thread];
    static T zero() { return T(); }
// Of an item, and of several.
#define NESTBED_SCANS(In, Out, ...)                                                                                  \
    template <__VA_ARGS__ class Operation>                                                                           \
    void ExclusiveScan(In in, Out out, T initial, Operation operation, NESTBED_PLACE)                                \
    {                                                                                                                \
        scan(in, out, operation, false, &initial, nullptr, nullptr, file, line);                                     \
    }                                                                                                                \
    template <__VA_ARGS__ class Operation>                                                                           \
    void ExclusiveScan(In in, Out out, T initial, Operation operation, T& all, NESTBED_PLACE)                        \
    {                                                                                                                \
        scan(in, out, operation, false, &initial, &all, nullptr, file, line);                                        \
    }                                                                                                                \
    template <__VA_ARGS__ class Operation>                                                                           \
    void ExclusiveScan(In in, Out out, Operation operation, NESTBED_PLACE)                                           \
    {                                                                                                                \
        scan(in, out, operation, false, nullptr, nullptr, nullptr, file, line);                                      \
    }                                                                                                                \
    template <__VA_ARGS__ class Operation>                                                                           \
    void ExclusiveScan(In in, Out out, Operation operation, T& all, NESTBED_PLACE)                                   \
    {                                                                                                                \
        scan(in, out, operation, false, nullptr, &all, nullptr, file, line);                                         \
    }                                                                                                                \
    template <__VA_ARGS__ class Operation, class Prefix>                                                             \
    void ExclusiveScan(In in, Out out, Operation operation, Prefix& prefix, NESTBED_PLACE)                           \
    {                                                                                                                \
        scan(in, out, operation, false, nullptr, nullptr, std::ref(prefix), file, line);                             \
    }                                                                                                                \
    template <__VA_ARGS__ class Operation>                                                                           \
    void InclusiveScan(In in, Out out, Operation operation, NESTBED_PLACE)                                           \
    {                                                                                                                \
        scan(in, out, operation, true, nullptr, nullptr, nullptr, file, line);                                       \
    }                                                                                                                \
    template <__VA_ARGS__ class Operation>                                                                           \
    void InclusiveScan(In in, Out out, Operation operation, T& all, NESTBED_PLACE)                                   \
    {                                                                                                                \
        scan(in, out, operation, true, nullptr, &all, nullptr, file, line);                                          \
    }                                                                                                                \
    template <__VA_ARGS__ class Operation, class Prefix>                                                             \
    void InclusiveScan(In in, Out out, Operation operation, Prefix& prefix, NESTBED_PLACE)                           \
    {                                                                                                                \
        scan(in, out, operation, true, nullptr, nullptr, std::ref(prefix), file, line);                              \
    }                                                                                                                \
    template <__VA_ARGS__ class Last = T>                                                                            \
    void ExclusiveSum(In in, Out out, NESTBED_PLACE)                                                                 \
    {                                                                                                                \
        ExclusiveScan(in, out, zero(), nestbed_own::Plus(), file, line);                                             \
    }                                                                                                                \
    template <__VA_ARGS__ class Last = T>                                                                            \
    void ExclusiveSum(In in, Out out, T& all, NESTBED_PLACE)                                                         \
    {                                                                                                                \
        ExclusiveScan(in, out, zero(), nestbed_own::Plus(), all, file, line);                                        \
    }                                                                                                                \
    template <__VA_ARGS__ class Prefix>                                                                              \
    void ExclusiveSum(In in, Out out, Prefix& prefix, NESTBED_PLACE)                                                 \
    {                                                                                                                \
        ExclusiveScan(in, out, nestbed_own::Plus(), prefix, file, line);                                             \
    }                                                                                                                \
    template <__VA_ARGS__ class Last = T>                                                                            \
    void InclusiveSum(In in, Out out, NESTBED_PLACE)                                                                 \
    {                                                                                                                \
        InclusiveScan(in, out, nestbed_own::Plus(), file, line);                                                     \
    }                                                                                                                \
    template <__VA_ARGS__ class Last = T>                                                                            \
    void InclusiveSum(In in, Out out, T& all, NESTBED_PLACE)                                                         \
    {                                                                                                                \
        InclusiveScan(in, out, nestbed_own::Plus(), all, file, line);                                                \
    }                                                                                                                \
    template <__VA_ARGS__ class Prefix>                                                                              \
    void InclusiveSum(In in, Out out, Prefix& prefix, NESTBED_PLACE)                                                 \
    {                                                                                                                \
        InclusiveScan(in, out, nestbed_own::Plus(), prefix, file, line);                                             \
    }
    NESTBED_SCANS(T, T&, )
    NESTBED_SCANS(const Array<per_thread>&, Array<per_thread>&, int per_thread, )
#undef NESTBED_SCANS
};

// ---- loads, stores and exchanges ----

// Items one after another (blocked), or `threads` apart (striped); in warps.
template <class T, int x, int per_thread, bool = false, int y = 1, int z = 1, int = 0>
class BlockExchange
{
    static constexpr int kThreads = x * y * z;
    using All = nestbed_own::Items<T, kThreads, per_thread>;
    static int blocked(int i) { return All::own() * per_thread + i; }
    static int striped(int i) { return All::own() + i * kThreads; }
    static int warp_striped(int i) { return All::own() / 32 * 32 * per_thread + All::own() % 32 + i * 32; }

  public:
    struct TempStorage : All::Storage {
    };
    NESTBED_STORAGE(BlockExchange)

#define NESTBED_EXCHANGE(name, to, from)                                                                             \
    void name(const T(&in)[per_thread], T(&out)[per_thread], NESTBED_PLACE)                                          \
    {                                                                                                                \
        All::exchange(storage_, in, out, to, from, file, line);                                                      \
    }                                                                                                                \
    void name(T(&items)[per_thread], NESTBED_PLACE)                                                                  \
    {                                                                                                                \
        name(items, items, file, line);                                                                              \
    }
    NESTBED_EXCHANGE(StripedToBlocked, striped, blocked)
    NESTBED_EXCHANGE(BlockedToStriped, blocked, striped)
    NESTBED_EXCHANGE(WarpStripedToBlocked, warp_striped, blocked)
    NESTBED_EXCHANGE(BlockedToWarpStriped, blocked, warp_striped)
#undef NESTBED_EXCHANGE
#define NESTBED_SCATTER(name, from)                                                                                  \
    template <class Offset>                                                                                          \
    void name(const T(&in)[per_thread], T(&out)[per_thread], const Offset(&ranks)[per_thread], NESTBED_PLACE)        \
    {                                                                                                                \
        All::exchange(                                                                                               \
            storage_, in, out, [&](int i) { return static_cast<int>(ranks[i]); }, from, file, line);                 \
    }                                                                                                                \
    template <class Offset>                                                                                          \
    void name(T(&items)[per_thread], const Offset(&ranks)[per_thread], NESTBED_PLACE)                                \
    {                                                                                                                \
        name(items, items, ranks, file, line);                                                                       \
    }
    NESTBED_SCATTER(ScatterToBlocked, blocked)
    NESTBED_SCATTER(ScatterToStriped, striped)
#undef NESTBED_SCATTER
};

enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};
template <class T, int per_thread, class Input>
void LoadDirectBlocked(int thread, Input from, T (&items)[per_thread], int valid = INT_MAX)
{
    for (int i = 0; i < per_thread; ++i)
        if (thread * per_thread + i < valid)
            items[i] = from[thread * per_thread + i];
}
template <int threads, class T, int per_thread, class Input>
void LoadDirectStriped(int thread, Input from, T (&items)[per_thread], int valid = INT_MAX)
{
    for (int i = 0; i < per_thread; ++i)
        if (thread + i * threads < valid)
            items[i] = from[thread + i * threads];
}
template <class T, int per_thread, class Output>
void StoreDirectBlocked(int thread, Output to, T (&items)[per_thread], int valid = INT_MAX)
{
    for (int i = 0; i < per_thread; ++i)
        if (thread * per_thread + i < valid)
            to[thread * per_thread + i] = items[i];
}
template <int threads, class T, int per_thread, class Output>
void StoreDirectStriped(int thread, Output to, T (&items)[per_thread], int valid = INT_MAX)
{
    for (int i = 0; i < per_thread; ++i)
        if (thread + i * threads < valid)
            to[thread + i * threads] = items[i];
}

template <class T, int x, int per_thread, BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT, int y = 1, int z = 1,
          int = 0>
class BlockLoad
{
    using Exchange = BlockExchange<T, x * y * z, per_thread>;
    static constexpr bool kTransposes = algorithm >= BLOCK_LOAD_TRANSPOSE;

  public:
    struct TempStorage : std::conditional_t<kTransposes, typename Exchange::TempStorage, NullType> {
    };
    NESTBED_STORAGE(BlockLoad)

    template <class Input>
    void Load(Input from, T (&items)[per_thread], int valid, NESTBED_PLACE)
    {
        const int own = static_cast<int>(nestbed::cpu::linear_thread());
        if constexpr (kTransposes || algorithm == BLOCK_LOAD_STRIPED)
            LoadDirectStriped<x * y * z>(own, from, items, valid);
        else
            LoadDirectBlocked(own, from, items, valid);
        if constexpr (kTransposes)
            Exchange(storage_).StripedToBlocked(items, file, line);
    }
    template <class Input>
    void Load(Input from, T (&items)[per_thread], NESTBED_PLACE)
    {
        Load(from, items, INT_MAX, file, line);
    }
    template <class Input, class Default>
    void Load(Input from, T (&items)[per_thread], int valid, Default otherwise, NESTBED_PLACE)
    {
        for (T& item : items)
            item = otherwise;
        Load(from, items, valid, file, line);
    }
};
template <class T, int x, int per_thread, BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT, int y = 1, int z = 1,
          int = 0>
class BlockStore
{
    using Exchange = BlockExchange<T, x * y * z, per_thread>;
    static constexpr bool kTransposes = algorithm >= BLOCK_STORE_TRANSPOSE;

  public:
    struct TempStorage : std::conditional_t<kTransposes, typename Exchange::TempStorage, NullType> {
    };
    NESTBED_STORAGE(BlockStore)

    template <class Output>
    void Store(Output to, T (&items)[per_thread], int valid, NESTBED_PLACE)
    {
        const int own = static_cast<int>(nestbed::cpu::linear_thread());
        if constexpr (kTransposes)
            Exchange(storage_).BlockedToStriped(items, file, line);
        if constexpr (kTransposes || algorithm == BLOCK_STORE_STRIPED)
            StoreDirectStriped<x * y * z>(own, to, items, valid);
        else
            StoreDirectBlocked(own, to, items, valid);
    }
    template <class Output>
    void Store(Output to, T (&items)[per_thread], NESTBED_PLACE)
    {
        Store(to, items, INT_MAX, file, line);
    }
};

// ---- sorts ----

namespace nestbed_own
{
// The bits [begin, end) of a key as a number that has the order of keys; -0.0 is 0.0.
template <class Key>
nestbed::program::Bits<Key> ordered_bits(Key key, int begin, int end)
{
    using Bits = nestbed::program::Bits<Key>;
    constexpr int kBits = 8 * sizeof(Key);
    constexpr Bits kSign = static_cast<Bits>(Bits(1) << (kBits - 1));
    auto bits = nestbed::program::bits_as<Bits>(key);
    constexpr bool is_unsigned = std::is_unsigned<Key>::value;
    constexpr bool is_signed_integer = std::is_integral<Key>::value && !is_unsigned;
    if constexpr (is_signed_integer) {
        bits ^= kSign;
    } else if constexpr (!is_unsigned) {
        if (bits == kSign)
            bits = 0;
        bits = static_cast<Bits>((bits & kSign) != 0 ? ~bits : bits ^ kSign);
    }
    bits = static_cast<Bits>(bits >> begin);
    return end - begin < kBits ? static_cast<Bits>(bits & ((Bits(1) << (end - begin)) - 1)) : bits;
}
template <class Key>
auto by_bits(bool descending, int begin, int end)
{
    return [=](const Key& a, const Key& b) {
        const auto left = ordered_bits(a, begin, end), right = ordered_bits(b, begin, end);
        return descending ? right < left : left < right;
    };
}
template <class Key, class Value>
struct Pair {
    Key key;
    Value value;
};
} // namespace nestbed_own

template <class Key, int x, int per_thread, class Value = NullType, int = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, cudaSharedMemConfig = cudaSharedMemBankSizeFourByte, int y = 1,
          int z = 1, int = 0>
class BlockRadixSort
{
    static constexpr int kThreads = x * y * z;
    using Pair = nestbed_own::Pair<Key, Value>;
    using All = nestbed_own::Items<Pair, kThreads, per_thread>;

  public:
    struct TempStorage : All::Storage {
    };
    NESTBED_STORAGE(BlockRadixSort)

  private:
    void sort(Key (&keys)[per_thread], Value* values, bool descending, bool striped, int begin, int end,
              const char* file, unsigned line)
    {
        Pair in[per_thread], out[per_thread];
        for (int i = 0; i < per_thread; ++i)
            in[i] = {keys[i], values == nullptr ? Value() : values[i]};
        const auto less = nestbed_own::by_bits<Key>(descending, begin, end);
        All::together(
            storage_, in, out,
            [=](Pair* all) {
                std::stable_sort(all, all + kThreads * per_thread,
                                 [&](const Pair& a, const Pair& b) { return less(a.key, b.key); });
                if (!striped)
                    return;
                static_assert(std::is_trivially_copyable<Pair>::value, "BlockRadixSort of numbers");
                const std::vector<Pair> sorted(all, all + kThreads * per_thread);
                for (int at = 0; at < kThreads * per_thread; ++at)
                    all[at % kThreads * per_thread + at / kThreads] = sorted[at];
            },
            file, line);
        for (int i = 0; i < per_thread; ++i) {
            keys[i] = out[i].key;
            if (values != nullptr)
                values[i] = out[i].value;
        }
    }

  public:
#define NESTBED_SORT(name, descending, striped)                                                                      \
    void name(Key(&keys)[per_thread], int begin = 0, int end = 8 * sizeof(Key), NESTBED_PLACE)                       \
    {                                                                                                                \
        sort(keys, nullptr, descending, striped, begin, end, file, line);                                            \
    }                                                                                                                \
    void name(Key(&keys)[per_thread], Value(&values)[per_thread], int begin = 0, int end = 8 * sizeof(Key),          \
              NESTBED_PLACE)                                                                                         \
    {                                                                                                                \
        sort(keys, values, descending, striped, begin, end, file, line);                                             \
    }
    NESTBED_SORT(Sort, false, false)
    NESTBED_SORT(SortDescending, true, false)
    NESTBED_SORT(SortBlockedToStriped, false, true)
    NESTBED_SORT(SortDescendingBlockedToStriped, true, true)
#undef NESTBED_SORT
};

template <class Key, int x, int per_thread, class Value = NullType, int y = 1, int z = 1>
class BlockMergeSort
{
    using Pair = nestbed_own::Pair<Key, Value>;
    using All = nestbed_own::Items<Pair, x * y * z, per_thread>;

  public:
    struct TempStorage : All::Storage {
    };
    NESTBED_STORAGE(BlockMergeSort)

    template <class Less>
    void Sort(Key (&keys)[per_thread], Value (&values)[per_thread], Less less, NESTBED_PLACE)
    {
        sort(keys, values, less, x * y * z * per_thread, file, line);
    }
    template <class Less>
    void Sort(Key (&keys)[per_thread], Less less, NESTBED_PLACE)
    {
        sort(keys, nullptr, less, x * y * z * per_thread, file, line);
    }
    // Of the first `valid`; the others become `otherwise`.
    template <class Less>
    void Sort(Key (&keys)[per_thread], Less less, int valid, Key otherwise, NESTBED_PLACE)
    {
        for (int i = 0; i < per_thread; ++i)
            if (All::own() * per_thread + i >= valid)
                keys[i] = otherwise;
        sort(keys, nullptr, less, valid, file, line);
    }
    template <class Less>
    void StableSort(Key (&keys)[per_thread], Less less, NESTBED_PLACE)
    {
        Sort(keys, less, file, line);
    }
    template <class Less>
    void StableSort(Key (&keys)[per_thread], Value (&values)[per_thread], Less less, NESTBED_PLACE)
    {
        Sort(keys, values, less, file, line);
    }

  private:
    template <class Less>
    void sort(Key (&keys)[per_thread], Value* values, Less less, int valid, const char* file, unsigned line)
    {
        Pair in[per_thread], out[per_thread];
        for (int i = 0; i < per_thread; ++i)
            in[i] = {keys[i], values == nullptr ? Value() : values[i]};
        All::together(
            storage_, in, out,
            [=](Pair* all) {
                std::stable_sort(all, all + valid, [&](const Pair& a, const Pair& b) { return less(a.key, b.key); });
            },
            file, line);
        for (int i = 0; i < per_thread; ++i) {
            keys[i] = out[i].key;
            if (values != nullptr)
                values[i] = out[i].value;
        }
    }
};

// ---- neighbours ----

template <class T, int x, int y = 1, int z = 1, int = 0>
class BlockDiscontinuity
{
    static constexpr int kThreads = x * y * z;
    using All = nestbed_own::Items<T, kThreads, 1>;

  public:
    // The last items of the threads, and the first ones.
    struct TempStorage {
        typename All::Storage lasts, firsts;
    };
    NESTBED_STORAGE(BlockDiscontinuity)

  private:
    template <int per_thread>
    void share(const T (&items)[per_thread], const char* file, unsigned line)
    {
        storage_.firsts.put(All::own(), items[0]);
        storage_.lasts.put(All::own(), items[per_thread - 1]);
        __syncthreads(file, line);
        nestbed_own::hold(storage_.firsts, All::own() + 1);
        nestbed_own::hold(storage_.lasts, All::own() + 1);
    }
    template <class Flag, int per_thread, class Operation>
    static void heads(Flag (&flags)[per_thread], const T (&items)[per_thread], Operation operation, const T* before)
    {
        for (int i = 0; i < per_thread; ++i)
            flags[i] = i == 0 && before == nullptr
                           ? 1
                           : static_cast<Flag>(operation(i == 0 ? *before : items[i - 1], items[i]));
    }
    template <class Flag, int per_thread, class Operation>
    static void tails(Flag (&flags)[per_thread], const T (&items)[per_thread], Operation operation, const T* after)
    {
        for (int i = 0; i < per_thread; ++i)
            flags[i] = i == per_thread - 1 && after == nullptr
                           ? 1
                           : static_cast<Flag>(operation(items[i], i == per_thread - 1 ? *after : items[i + 1]));
    }
    const T* before() { return All::own() == 0 ? nullptr : &storage_.lasts[All::own() - 1]; }
    const T* after() { return All::own() == kThreads - 1 ? nullptr : &storage_.firsts[All::own() + 1]; }

  public:
    template <class Flag, int per_thread, class Operation>
    void FlagHeads(Flag (&flags)[per_thread], const T (&items)[per_thread], Operation operation, NESTBED_PLACE)
    {
        share(items, file, line);
        heads(flags, items, operation, before());
    }
    template <class Flag, int per_thread, class Operation>
    void FlagHeads(Flag (&flags)[per_thread], const T (&items)[per_thread], Operation operation, T predecessor,
                   NESTBED_PLACE)
    {
        share(items, file, line);
        heads(flags, items, operation, All::own() == 0 ? &predecessor : before());
    }
    template <class Flag, int per_thread, class Operation>
    void FlagTails(Flag (&flags)[per_thread], const T (&items)[per_thread], Operation operation, NESTBED_PLACE)
    {
        share(items, file, line);
        tails(flags, items, operation, after());
    }
    template <class Flag, int per_thread, class Operation>
    void FlagTails(Flag (&flags)[per_thread], const T (&items)[per_thread], Operation operation, T successor,
                   NESTBED_PLACE)
    {
        share(items, file, line);
        tails(flags, items, operation, All::own() == kThreads - 1 ? &successor : after());
    }
    template <class Flag, int per_thread, class Operation>
    void FlagHeadsAndTails(Flag (&head)[per_thread], Flag (&tail)[per_thread], const T (&items)[per_thread],
                           Operation operation, NESTBED_PLACE)
    {
        share(items, file, line);
        heads(head, items, operation, before());
        tails(tail, items, operation, after());
    }
};

template <class T, int x, int y = 1, int z = 1, int = 0>
class BlockAdjacentDifference
{
    static constexpr int kThreads = x * y * z;
    using All = nestbed_own::Items<T, kThreads, 1>;

  public:
    struct TempStorage : All::Storage {
    };
    NESTBED_STORAGE(BlockAdjacentDifference)

    template <int per_thread, class Out, class Operation>
    void SubtractLeft(const T (&in)[per_thread], Out (&out)[per_thread], Operation operation, NESTBED_PLACE)
    {
        storage_.put(All::own(), in[per_thread - 1]);
        __syncthreads(file, line);
        const T before = storage_[All::own() == 0 ? kThreads - 1 : All::own() - 1];
        const T first = in[0];
        for (int i = per_thread - 1; i > 0; --i)
            out[i] = operation(in[i], in[i - 1]);
        out[0] = All::own() == 0 ? static_cast<Out>(first) : operation(first, before);
    }
    template <int per_thread, class Out, class Operation>
    void SubtractRight(const T (&in)[per_thread], Out (&out)[per_thread], Operation operation, NESTBED_PLACE)
    {
        storage_.put(All::own(), in[0]);
        __syncthreads(file, line);
        const T after = storage_[All::own() == kThreads - 1 ? 0 : All::own() + 1];
        const T last = in[per_thread - 1];
        for (int i = 0; i < per_thread - 1; ++i)
            out[i] = operation(in[i], in[i + 1]);
        out[per_thread - 1] = All::own() == kThreads - 1 ? static_cast<Out>(last) : operation(last, after);
    }
};

template <class T, int x, int y = 1, int z = 1, int = 0>
class BlockShuffle
{
    static constexpr int kThreads = x * y * z;
    using All = nestbed_own::Items<T, kThreads, 1>;

  public:
    struct TempStorage : All::Storage {
    };
    NESTBED_STORAGE(BlockShuffle)

    void Offset(T input, T& output, int distance = 1, NESTBED_PLACE)
    {
        share(input, file, line);
        if (const int from = All::own() + distance; from >= 0 && from < kThreads)
            output = storage_[from];
    }
    void Rotate(T input, T& output, unsigned distance = 1, NESTBED_PLACE)
    {
        share(input, file, line);
        output = storage_[(All::own() + static_cast<int>(distance)) % kThreads];
    }

  private:
    void share(const T& input, const char* file, unsigned line)
    {
        storage_.put(All::own(), input);
        __syncthreads(file, line);
        nestbed_own::hold(storage_, All::own() + 1);
    }
};

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
template <class T, int x, int per_thread, int bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int y = 1, int z = 1,
          int = 0>
class BlockHistogram
{
    static constexpr int kThreads = x * y * z;

  public:
    struct TempStorage : nestbed_own::Slots<unsigned, 1> {
    };
    NESTBED_STORAGE(BlockHistogram)

    template <class Count>
    void InitHistogram(Count (&histogram)[bins])
    {
        for (int bin = static_cast<int>(nestbed::cpu::linear_thread()); bin < bins; bin += kThreads)
            histogram[bin] = 0;
    }
    template <class Count>
    void Composite(T (&items)[per_thread], Count (&histogram)[bins])
    {
        for (const T& item : items)
            atomicAdd(&histogram[item], Count(1));
    }
    template <class Count>
    void Histogram(T (&items)[per_thread], Count (&histogram)[bins], NESTBED_PLACE)
    {
        InitHistogram(histogram);
        __syncthreads(file, line);
        Composite(items, histogram);
    }
};

} // namespace cub
// NOLINTEND
