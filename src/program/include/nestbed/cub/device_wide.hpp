// CUB's functions for the whole device: a kernel in the caller's stream does the work, in one thread and in order. It uses the
// temporary storage, so that two of them at a time in one storage are a race.
#pragma once

#include "nestbed/cub/block.hpp"
#include "nestbed/cub/warp.hpp"
#include "nestbed/program/iterators.hpp"

#include <iterator>
#include <numeric>

// NOLINTBEGIN: these names are CUB's.
namespace cub
{

template <class T>
struct DoubleBuffer {
    T* d_buffers[2] = {};
    int selector = 0;
    DoubleBuffer() = default;
    DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
    T* Current() { return d_buffers[selector]; }
    T* Alternate() { return d_buffers[selector ^ 1]; }
};

// ---- iterators: values that are computed ----

namespace nestbed_own
{
using nestbed::program::Iterator;
template <class Input>
using ValueOf = std::decay_t<decltype(*std::declval<Input&>())>;
// Of an output: what it is of, or the other one if that is nothing.
template <class Output, class Otherwise, class = void>
struct ValueOfOutput {
    using type = Otherwise;
};
template <class Output, class Otherwise>
struct ValueOfOutput<Output, Otherwise, std::void_t<typename std::iterator_traits<Output>::value_type>> {
    using value = typename std::iterator_traits<Output>::value_type;
    using type = std::conditional_t<std::is_void<value>::value, Otherwise, value>;
};
template <class Input, class Output>
using SumOf = typename ValueOfOutput<Output, ValueOf<Input>>::type;
// What CUB keeps results in.
template <class Operation, class Value, class Initial>
using Accumulator = std::decay_t<std::invoke_result_t<Operation&, Initial, Value>>;
} // namespace nestbed_own

template <class T, class = std::ptrdiff_t>
class CountingInputIterator : public nestbed_own::Iterator<CountingInputIterator<T>, T>
{
  public:
    CountingInputIterator(T first) : first_(first) {}
    T value(std::ptrdiff_t at) const { return static_cast<T>(first_ + static_cast<T>(at)); }

  private:
    T first_;
};
template <class T, class = std::ptrdiff_t>
class ConstantInputIterator : public nestbed_own::Iterator<ConstantInputIterator<T>, T>
{
  public:
    ConstantInputIterator(T value, std::ptrdiff_t = 0) : value_(value) {}
    T value(std::ptrdiff_t) const { return value_; }

  private:
    T value_;
};
template <class T, class Function, class Input, class = std::ptrdiff_t>
class TransformInputIterator : public nestbed_own::Iterator<TransformInputIterator<T, Function, Input>, T>
{
  public:
    TransformInputIterator(Input input, Function function) : input_(input), function_(function) {}
    T value(std::ptrdiff_t at) const { return function_(input_[at]); }

  private:
    Input input_;
    Function function_;
};

// ---- how all of them run ----

namespace nestbed_own
{
template <class Work>
cudaError_t run(const char* name, void* storage, std::size_t& bytes, cudaStream_t stream,
                nestbed::program::Place place, Work work)
{
    constexpr std::size_t kBytes = 256;
    if (storage == nullptr) {
        bytes = kBytes;
        return cudaSuccess;
    }
    if (bytes < kBytes)
        return cudaErrorInvalidValue;
    nestbed::program::run_library_kernel(
        name, 1,
        [=] {
            Work own = work;
            if (nestbed::cpu::linear_thread() != 0)
                return;
            *static_cast<unsigned*>(storage) = 0;
            own();
        },
        stream, place);
    return cudaPeekAtLastError();
}

template <class Input, class Initial, class Operation>
auto reduced(Input in, std::size_t begin, std::size_t end, Initial initial, Operation operation)
{
    using Result = Accumulator<Operation, ValueOf<Input>, Initial>;
    Result result = static_cast<Result>(initial);
    for (std::size_t at = begin; at < end; ++at)
        result = static_cast<Result>(operation(result, in[at]));
    return result;
}
// The first of the best; of none, 1 and `none`, as CUB says.
template <class Input, class Better>
KeyValuePair<int, ValueOf<Input>> best(Input in, std::size_t begin, std::size_t end, ValueOf<Input> none,
                                       Better better)
{
    if (begin == end)
        return {1, none};
    KeyValuePair<int, ValueOf<Input>> found{0, in[begin]};
    for (std::size_t at = begin + 1; at < end; ++at)
        if (const auto value = in[at]; better(value, found.value))
            found = {static_cast<int>(at - begin), value};
    return found;
}
template <class Input, class Output, class Initial, class Operation>
void scan(Input in, Output out, std::size_t count, bool inclusive, bool has_before, Initial initial,
          Operation operation)
{
    using Result = Accumulator<Operation, ValueOf<Input>, Initial>;
    Result before = static_cast<Result>(initial);
    for (std::size_t at = 0; at < count; ++at) {
        const Result input = static_cast<Result>(in[at]);
        const Result after = has_before ? static_cast<Result>(operation(before, input)) : input;
        out[at] = inclusive ? after : before;
        before = after;
        has_before = true;
    }
}
// Sorted in memory of the executor.
template <class KeyIn, class KeyOut, class ValueIn, class ValueOut, class Less>
void sort(KeyIn keys_in, KeyOut keys_out, ValueIn values_in, ValueOut values_out, std::size_t count, Less less)
{
    using Key = ValueOf<KeyIn>;
    constexpr bool has_values = !std::is_same<ValueIn, std::nullptr_t>::value;
    std::vector<Key> keys(count);
    std::vector<std::size_t> order(count);
    for (std::size_t at = 0; at < count; ++at)
        keys[at] = keys_in[at];
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return less(keys[a], keys[b]); });
    if constexpr (has_values) {
        std::vector<ValueOf<ValueIn>> values(count);
        for (std::size_t at = 0; at < count; ++at)
            values[at] = values_in[at];
        for (std::size_t at = 0; at < count; ++at)
            values_out[at] = values[order[at]];
    }
    for (std::size_t at = 0; at < count; ++at)
        keys_out[at] = keys[order[at]];
}
} // namespace nestbed_own

#define NESTBED_RUN(name, ...)                                                                                       \
    return nestbed_own::run(name, storage, bytes, stream, {file, line}, [=]() mutable { __VA_ARGS__ })
#define NESTBED_BEGIN void *storage, std::size_t &bytes

struct DeviceReduce {
    template <class Input, class Output, class Count, class Operation, class T>
    static cudaError_t Reduce(NESTBED_BEGIN, Input in, Output out, Count count, Operation operation, T initial,
                              cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN("cub::DeviceReduce", *out = nestbed_own::reduced(in, 0, count, initial, operation););
    }
    template <class Input, class Output, class Count>
    static cudaError_t Sum(NESTBED_BEGIN, Input in, Output out, Count count, cudaStream_t stream = nullptr,
                           NESTBED_PLACE)
    {
        return Reduce(storage, bytes, in, out, count, nestbed_own::Plus(), nestbed_own::SumOf<Input, Output>(),
                      stream, file, line);
    }
    template <class Input, class Output, class Count>
    static cudaError_t Min(NESTBED_BEGIN, Input in, Output out, Count count, cudaStream_t stream = nullptr,
                           NESTBED_PLACE)
    {
        return Reduce(storage, bytes, in, out, count, nestbed_own::Least(),
                      std::numeric_limits<nestbed_own::ValueOf<Input>>::max(), stream, file, line);
    }
    template <class Input, class Output, class Count>
    static cudaError_t Max(NESTBED_BEGIN, Input in, Output out, Count count, cudaStream_t stream = nullptr,
                           NESTBED_PLACE)
    {
        return Reduce(storage, bytes, in, out, count, nestbed_own::Greatest(),
                      std::numeric_limits<nestbed_own::ValueOf<Input>>::lowest(), stream, file, line);
    }
    template <class Input, class Output, class Count, class Operation, class Function, class T>
    static cudaError_t TransformReduce(NESTBED_BEGIN, Input in, Output out, Count count, Operation operation,
                                       Function function, T initial, cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        using Value = std::decay_t<std::invoke_result_t<Function&, nestbed_own::ValueOf<Input>>>;
        return Reduce(storage, bytes, TransformInputIterator<Value, Function, Input>(in, function), out, count,
                      operation, initial, stream, file, line);
    }
    // The first of the least or the greatest: a pair of its place and its value.
    template <class Input, class Output>
    static cudaError_t ArgMin(NESTBED_BEGIN, Input in, Output out, int count, cudaStream_t stream = nullptr,
                              NESTBED_PLACE)
    {
        NESTBED_RUN("cub::DeviceReduce", const auto found = nestbed_own::best(
                                             in, 0, count, std::numeric_limits<nestbed_own::ValueOf<Input>>::max(),
                                             [](const auto& a, const auto& b) { return a < b; });
                    out->key = found.key; out->value = found.value;);
    }
    template <class Input, class Output>
    static cudaError_t ArgMax(NESTBED_BEGIN, Input in, Output out, int count, cudaStream_t stream = nullptr,
                              NESTBED_PLACE)
    {
        NESTBED_RUN("cub::DeviceReduce", const auto found = nestbed_own::best(
                                             in, 0, count, std::numeric_limits<nestbed_own::ValueOf<Input>>::lowest(),
                                             [](const auto& a, const auto& b) { return b < a; });
                    out->key = found.key; out->value = found.value;);
    }
    template <class Keys, class Unique, class Values, class Sums, class Runs, class Operation, class Count>
    static cudaError_t ReduceByKey(NESTBED_BEGIN, Keys keys, Unique unique, Values values, Sums sums, Runs runs,
                                   Operation operation, Count count, cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN(
            "cub::DeviceReduce", std::size_t run = 0; for (std::size_t at = 0; at < std::size_t(count); ++run) {
                const auto key = keys[at];
                using Value = nestbed_own::ValueOf<Values>;
                using Sum = nestbed_own::Accumulator<Operation, Value, Value>;
                Sum sum = static_cast<Sum>(values[at]);
                for (++at; at < std::size_t(count) && keys[at] == key; ++at)
                    sum = static_cast<Sum>(operation(sum, values[at]));
                unique[run] = key;
                sums[run] = sum;
            }* runs = static_cast<nestbed_own::ValueOf<Runs>>(run););
    }
};

struct DeviceScan {
    template <class Input, class Output, class Operation, class T, class Count>
    static cudaError_t ExclusiveScan(NESTBED_BEGIN, Input in, Output out, Operation operation, T initial, Count count,
                                     cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN("cub::DeviceScan", nestbed_own::scan(in, out, count, false, true, initial, operation););
    }
    template <class Input, class Output, class Operation, class Count>
    static cudaError_t InclusiveScan(NESTBED_BEGIN, Input in, Output out, Operation operation, Count count,
                                     cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN("cub::DeviceScan",
                    nestbed_own::scan(in, out, count, true, false, nestbed_own::ValueOf<Input>(), operation););
    }
    template <class Input, class Output, class Count>
    static cudaError_t ExclusiveSum(NESTBED_BEGIN, Input in, Output out, Count count, cudaStream_t stream = nullptr,
                                    NESTBED_PLACE)
    {
        return ExclusiveScan(storage, bytes, in, out, nestbed_own::Plus(), nestbed_own::ValueOf<Input>(), count,
                             stream, file, line);
    }
    template <class Input, class Output, class Count>
    static cudaError_t InclusiveSum(NESTBED_BEGIN, Input in, Output out, Count count, cudaStream_t stream = nullptr,
                                    NESTBED_PLACE)
    {
        return InclusiveScan(storage, bytes, in, out, nestbed_own::Plus(), count, stream, file, line);
    }
    template <class InOut, class Count, class = std::enable_if_t<std::is_integral<Count>::value>>
    static cudaError_t ExclusiveSum(NESTBED_BEGIN, InOut data, Count count, cudaStream_t stream = nullptr,
                                    NESTBED_PLACE)
    {
        return ExclusiveSum(storage, bytes, data, data, count, stream, file, line);
    }
    template <class InOut, class Count, class = std::enable_if_t<std::is_integral<Count>::value>>
    static cudaError_t InclusiveSum(NESTBED_BEGIN, InOut data, Count count, cudaStream_t stream = nullptr,
                                    NESTBED_PLACE)
    {
        return InclusiveSum(storage, bytes, data, data, count, stream, file, line);
    }
};

struct DeviceRadixSort {
  private:
    template <class Key, class Value>
    static cudaError_t sort(NESTBED_BEGIN, const Key* keys, Key* keys_out, const Value* values, Value* values_out,
                            std::size_t count, bool descending, int begin, int end, cudaStream_t stream,
                            const char* file, unsigned line)
    {
        NESTBED_RUN("cub::DeviceRadixSort", const auto less = nestbed_own::by_bits<Key>(descending, begin, end);
                    if constexpr (std::is_same<Value, NullType>::value)
                        nestbed_own::sort(keys, keys_out, nullptr, nullptr, count, less);
                    else nestbed_own::sort(keys, keys_out, values, values_out, count, less););
    }

  public:
#define NESTBED_SORT(suffix, descending)                                                                             \
    template <class Key, class Count>                                                                                \
    static cudaError_t SortKeys##suffix(NESTBED_BEGIN, const Key* in, Key* out, Count count, int begin = 0,          \
                                        int end = 8 * sizeof(Key), cudaStream_t stream = nullptr, NESTBED_PLACE)     \
    {                                                                                                                \
        return sort<Key, NullType>(storage, bytes, in, out, nullptr, nullptr, count, descending, begin, end, stream, \
                                   file, line);                                                                      \
    }                                                                                                                \
    template <class Key, class Count>                                                                                \
    static cudaError_t SortKeys##suffix(NESTBED_BEGIN, DoubleBuffer<Key>& keys, Count count, int begin = 0,          \
                                        int end = 8 * sizeof(Key), cudaStream_t stream = nullptr, NESTBED_PLACE)     \
    {                                                                                                                \
        const cudaError_t error = sort<Key, NullType>(storage, bytes, keys.Current(), keys.Alternate(), nullptr,     \
                                                      nullptr, count, descending, begin, end, stream, file, line);   \
        keys.selector ^= storage == nullptr ? 0 : 1;                                                                 \
        return error;                                                                                                \
    }                                                                                                                \
    template <class Key, class Value, class Count>                                                                   \
    static cudaError_t SortPairs##suffix(NESTBED_BEGIN, const Key* in, Key* out, const Value* values,                \
                                         Value* values_out, Count count, int begin = 0, int end = 8 * sizeof(Key),   \
                                         cudaStream_t stream = nullptr, NESTBED_PLACE)                               \
    {                                                                                                                \
        return sort(storage, bytes, in, out, values, values_out, count, descending, begin, end, stream, file, line); \
    }                                                                                                                \
    template <class Key, class Value, class Count>                                                                   \
    static cudaError_t SortPairs##suffix(NESTBED_BEGIN, DoubleBuffer<Key>& keys, DoubleBuffer<Value>& values,        \
                                         Count count, int begin = 0, int end = 8 * sizeof(Key),                      \
                                         cudaStream_t stream = nullptr, NESTBED_PLACE)                               \
    {                                                                                                                \
        const cudaError_t error =                                                                                    \
            sort<Key, Value>(storage, bytes, keys.Current(), keys.Alternate(), values.Current(), values.Alternate(), \
                             count, descending, begin, end, stream, file, line);                                     \
        keys.selector ^= storage == nullptr ? 0 : 1;                                                                 \
        values.selector ^= storage == nullptr ? 0 : 1;                                                               \
        return error;                                                                                                \
    }
    NESTBED_SORT(, false)
    NESTBED_SORT(Descending, true)
#undef NESTBED_SORT
};

struct DeviceMergeSort {
#define NESTBED_SORT(prefix)                                                                                         \
    template <class Keys, class Count, class Less>                                                                   \
    static cudaError_t prefix##SortKeys(NESTBED_BEGIN, Keys keys, Count count, Less less,                            \
                                        cudaStream_t stream = nullptr, NESTBED_PLACE)                                \
    {                                                                                                                \
        NESTBED_RUN("cub::DeviceMergeSort", nestbed_own::sort(keys, keys, nullptr, nullptr, count, less););          \
    }                                                                                                                \
    template <class Keys, class Values, class Count, class Less>                                                     \
    static cudaError_t prefix##SortPairs(NESTBED_BEGIN, Keys keys, Values values, Count count, Less less,            \
                                         cudaStream_t stream = nullptr, NESTBED_PLACE)                               \
    {                                                                                                                \
        NESTBED_RUN("cub::DeviceMergeSort", nestbed_own::sort(keys, keys, values, values, count, less););            \
    }                                                                                                                \
    template <class Keys, class KeysOut, class Count, class Less>                                                    \
    static cudaError_t prefix##SortKeysCopy(NESTBED_BEGIN, Keys keys, KeysOut out, Count count, Less less,           \
                                            cudaStream_t stream = nullptr, NESTBED_PLACE)                            \
    {                                                                                                                \
        NESTBED_RUN("cub::DeviceMergeSort", nestbed_own::sort(keys, out, nullptr, nullptr, count, less););           \
    }
    NESTBED_SORT()
    NESTBED_SORT(Stable)
#undef NESTBED_SORT
};

struct DeviceSelect {
    template <class Input, class Flags, class Output, class Number, class Count>
    static cudaError_t Flagged(NESTBED_BEGIN, Input in, Flags flags, Output out, Number number, Count count,
                               cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN("cub::DeviceSelect", std::size_t selected = 0;
                    for (std::size_t at = 0; at < std::size_t(count); ++at) if (flags[at]) out[selected++] = in[at];
                    *number = static_cast<nestbed_own::ValueOf<Number>>(selected););
    }
    template <class Input, class Output, class Number, class Count, class Predicate>
    static cudaError_t If(NESTBED_BEGIN, Input in, Output out, Number number, Count count, Predicate predicate,
                          cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN("cub::DeviceSelect", std::size_t selected = 0;
                    for (std::size_t at = 0; at < std::size_t(count);
                         ++at) if (const auto value = in[at]; predicate(value)) out[selected++] = value;
                    *number = static_cast<nestbed_own::ValueOf<Number>>(selected););
    }
    template <class Input, class Output, class Number, class Count>
    static cudaError_t Unique(NESTBED_BEGIN, Input in, Output out, Number number, Count count,
                              cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN("cub::DeviceSelect", std::size_t selected = 0;
                    for (std::size_t at = 0; at < std::size_t(count); ++at) if (at == 0 || !(in[at] == in[at - 1]))
                        out[selected++] = in[at];
                    *number = static_cast<nestbed_own::ValueOf<Number>>(selected););
    }
};

struct DevicePartition {
    // The others follow from the end.
    template <class Input, class Flags, class Output, class Number, class Count>
    static cudaError_t Flagged(NESTBED_BEGIN, Input in, Flags flags, Output out, Number number, Count count,
                               cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN("cub::DevicePartition", std::size_t selected = 0; std::size_t others = count;
                    for (std::size_t at = 0; at < std::size_t(count); ++at) if (flags[at]) out[selected++] = in[at];
                    else out[--others] = in[at]; *number = static_cast<nestbed_own::ValueOf<Number>>(selected););
    }
    template <class Input, class Output, class Number, class Count, class Predicate>
    static cudaError_t If(NESTBED_BEGIN, Input in, Output out, Number number, Count count, Predicate predicate,
                          cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN("cub::DevicePartition", std::size_t selected = 0; std::size_t others = count;
                    for (std::size_t at = 0; at < std::size_t(count);
                         ++at) if (const auto value = in[at]; predicate(value)) out[selected++] = value;
                    else out[--others] = value; *number = static_cast<nestbed_own::ValueOf<Number>>(selected););
    }
};

struct DeviceRunLengthEncode {
    template <class Input, class Unique, class Lengths, class Runs, class Count>
    static cudaError_t Encode(NESTBED_BEGIN, Input in, Unique unique, Lengths lengths, Runs runs, Count count,
                              cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN(
            "cub::DeviceRunLengthEncode", std::size_t run = 0;
            for (std::size_t at = 0; at < std::size_t(count); ++run) {
                const std::size_t begin = at;
                const auto value = in[begin];
                for (++at; at < std::size_t(count) && in[at] == value;)
                    ++at;
                unique[run] = value;
                lengths[run] = static_cast<nestbed_own::ValueOf<Lengths>>(at - begin);
            }* runs = static_cast<nestbed_own::ValueOf<Runs>>(run););
    }
    template <class Input, class Offsets, class Lengths, class Runs, class Count>
    static cudaError_t NonTrivialRuns(NESTBED_BEGIN, Input in, Offsets offsets, Lengths lengths, Runs runs,
                                      Count count, cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN(
            "cub::DeviceRunLengthEncode", std::size_t run = 0; for (std::size_t at = 0; at < std::size_t(count);) {
                const std::size_t begin = at;
                const auto value = in[begin];
                for (++at; at < std::size_t(count) && in[at] == value;)
                    ++at;
                if (at - begin < 2)
                    continue;
                offsets[run] = static_cast<nestbed_own::ValueOf<Offsets>>(begin);
                lengths[run++] = static_cast<nestbed_own::ValueOf<Lengths>>(at - begin);
            }* runs = static_cast<nestbed_own::ValueOf<Runs>>(run););
    }
};

struct DeviceHistogram {
    // Of bins between `levels` limits, of equal width.
    template <class Input, class Counter, class Level, class Count>
    static cudaError_t HistogramEven(NESTBED_BEGIN, Input in, Counter* histogram, int levels, Level lower,
                                     Level upper, Count count, cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN(
            "cub::DeviceHistogram", const int bins = levels - 1;
            for (int bin = 0; bin < bins; ++bin) histogram[bin] = 0;
            for (std::size_t at = 0; at < std::size_t(count); ++at) if (const auto value = static_cast<Level>(in[at]);
                                                                        value >= lower && value < upper) {
                if constexpr (std::is_floating_point<Level>::value)
                    ++histogram[static_cast<int>((value - lower) * (static_cast<Level>(bins) / (upper - lower)))];
                else
                    ++histogram[static_cast<int>(static_cast<unsigned long long>(value - lower) * bins /
                                                 static_cast<unsigned long long>(upper - lower))];
            });
    }
    template <class Input, class Counter, class Level, class Count>
    static cudaError_t HistogramRange(NESTBED_BEGIN, Input in, Counter* histogram, int levels, const Level* limits,
                                      Count count, cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN(
            "cub::DeviceHistogram", for (int bin = 0; bin < levels - 1; ++bin) histogram[bin] = 0;
            for (std::size_t at = 0; at < std::size_t(count); ++at) {
                const auto value = static_cast<Level>(in[at]);
                for (int bin = 0; bin < levels - 1; ++bin)
                    if (limits[bin] <= value && value < limits[bin + 1])
                        ++histogram[bin];
            });
    }
};

struct DeviceSegmentedReduce {
    template <class Input, class Output, class Begins, class Ends, class Operation, class T>
    static cudaError_t Reduce(NESTBED_BEGIN, Input in, Output out, int segments, Begins begins, Ends ends,
                              Operation operation, T initial, cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        NESTBED_RUN("cub::DeviceSegmentedReduce",
                    for (int segment = 0; segment < segments; ++segment) out[segment] =
                        nestbed_own::reduced(in, begins[segment], ends[segment], initial, operation););
    }
    template <class Input, class Output, class Begins, class Ends>
    static cudaError_t Sum(NESTBED_BEGIN, Input in, Output out, int segments, Begins begins, Ends ends,
                           cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        return Reduce(storage, bytes, in, out, segments, begins, ends, nestbed_own::Plus(),
                      nestbed_own::SumOf<Input, Output>(), stream, file, line);
    }
    template <class Input, class Output, class Begins, class Ends>
    static cudaError_t Min(NESTBED_BEGIN, Input in, Output out, int segments, Begins begins, Ends ends,
                           cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        return Reduce(storage, bytes, in, out, segments, begins, ends, nestbed_own::Least(),
                      std::numeric_limits<nestbed_own::ValueOf<Input>>::max(), stream, file, line);
    }
    template <class Input, class Output, class Begins, class Ends>
    static cudaError_t Max(NESTBED_BEGIN, Input in, Output out, int segments, Begins begins, Ends ends,
                           cudaStream_t stream = nullptr, NESTBED_PLACE)
    {
        return Reduce(storage, bytes, in, out, segments, begins, ends, nestbed_own::Greatest(),
                      std::numeric_limits<nestbed_own::ValueOf<Input>>::lowest(), stream, file, line);
    }
};
#undef NESTBED_RUN
#undef NESTBED_BEGIN

// Memory of the device; nothing is kept for later.
struct CachingDeviceAllocator {
    CachingDeviceAllocator() = default;
    CachingDeviceAllocator(bool, bool = false) {}
    CachingDeviceAllocator(unsigned, unsigned = 1, unsigned = 0, std::size_t = 0, bool = false, bool = false) {}
    static constexpr int INVALID_DEVICE_ORDINAL = -1;
    template <class T>
    cudaError_t DeviceAllocate(T** memory, std::size_t bytes, cudaStream_t = nullptr)
    {
        return cudaMalloc(memory, bytes);
    }
    template <class Value>
    cudaError_t DeviceAllocate(int device, Value** memory, std::size_t bytes, cudaStream_t = nullptr)
    {
        int current = 0;
        cudaError_t error = cudaGetDevice(&current);
        if (device == INVALID_DEVICE_ORDINAL)
            device = current;
        if (error == cudaSuccess)
            error = cudaSetDevice(device);
        if (error == cudaSuccess)
            error = cudaMalloc(memory, bytes);
        (void)cudaSetDevice(current);
        return error;
    }
    cudaError_t DeviceFree(void* memory) { return cudaFree(memory); }
    cudaError_t DeviceFree(int, void* memory) { return cudaFree(memory); }
    cudaError_t SetMaxCachedBytes(std::size_t) { return cudaSuccess; }
    cudaError_t FreeAllCached() { return cudaSuccess; }
};

} // namespace cub

inline cudaError_t nestbed_cub_debug(cudaError_t error, const char* file, unsigned line)
{
    if (error != cudaSuccess)
        std::fprintf(stderr, "CUDA error %d [%s, %u]: %s\n", static_cast<int>(error), file, line,
                     cudaGetErrorString(error));
    return error;
}
#define CubDebug(error) nestbed_cub_debug((error), __FILE__, __LINE__)
#define CubDebugExit(error)                                                                                          \
    if (CubDebug(error) != cudaSuccess)                                                                              \
    std::exit(1)
// NOLINTEND
