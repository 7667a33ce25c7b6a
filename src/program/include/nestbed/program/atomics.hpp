// Barriers, fences and atomic functions of kernels. CUDA's atomic functions do not order other memory operations:
// relaxed. Compiler builtins, so that the race detector sees them as what they are.
#pragma once

#include "launch.hpp"

namespace nestbed::program
{

// A thread that waits for another one must let it run. It gives way after this much: an atomic operation that changes
// memory counts 1, a round of a loop that may wait kRound; an atomic operation that leaves memory as it is counts kSpin, and
// so does a round of a loop that does nothing else, because that is how a thread waits.
inline constexpr std::uint32_t kSpinLimit = 1U << 16U;
inline constexpr std::uint32_t kSpin = kSpinLimit / 128;
inline constexpr std::uint32_t kRound = 16; // of a loop that may wait and does something else too

__attribute__((no_sanitize("thread"))) inline void spun(std::uint32_t weight)
{
    cpu::ThreadContext* const thread = cpu::current_thread;
    if (thread != nullptr && (thread->program.spins += weight << thread->program.impatience) >= kSpinLimit) {
        thread->program.spins = 0;
        thread->program.clock_rounds =
            thread->program.clock_reads * kSpin >= kSpinLimit ? thread->program.clock_rounds + 1 : 0;
        thread->program.clock_reads = 0;
        if (weight > 1 || cpu::has_stacks_to_spare())
            cpu::give_way();
        thread->program.waits_for = nullptr;
    }
}
// After an atomic operation, or before it.
__attribute__((no_sanitize("thread"))) inline void spun_at(const volatile void* address, bool same)
{
    if (cpu::ThreadContext* const thread = cpu::current_thread) {
        if (same)
            thread->program.waits_for = address;
        else
            thread->moved = true;
    }
    spun(same ? kSpin : 1);
}
// While there is one, what the thread does atomically has the scope of its block, for the race detector.
template <bool in_block = true>
class BlockScope
{
  public:
    BlockScope() { set(in_block); }
    ~BlockScope() { set(false); }
    BlockScope(const BlockScope&) = delete;
    BlockScope& operator=(const BlockScope&) = delete;

  private:
    __attribute__((no_sanitize("thread"))) static void set(bool value)
    {
        if (in_block && cpu::current_thread != nullptr)
            cpu::current_thread->in_block_scope = value;
    }
};

// In the condition of a loop that may wait; no part of a constant expression.
constexpr void waits(std::uint32_t weight)
{
    if (!__builtin_is_constant_evaluated())
        spun(weight);
}

// The place is that of the call in the program: all threads of a block must meet at the same barrier.
// `number`: of several barriers in one line.
void block_barrier(const char* file, unsigned line, unsigned number);

// Around a loop that has barriers: in which iteration the thread is.
class Iterations
{
  public:
    __attribute__((no_sanitize("thread"))) Iterations()
        : outer_(cpu::in_kernel() ? cpu::current_thread->iteration : 0)
    {
    }
    Iterations(const Iterations&) = delete;
    Iterations& operator=(const Iterations&) = delete;
    __attribute__((no_sanitize("thread"))) ~Iterations() { set(outer_); }
    __attribute__((no_sanitize("thread"))) bool once()
    {
        const bool first = !entered_;
        entered_ = true;
        return first;
    }
    __attribute__((no_sanitize("thread"))) bool next()
    {
        constexpr std::uint32_t kOdd = 0x9E3779B1; // mixes the bits
        set((outer_ ^ ++count_) * kOdd);
        return true;
    }

  private:
    __attribute__((no_sanitize("thread"))) static void set(std::uint32_t iteration)
    {
        if (cpu::in_kernel())
            cpu::current_thread->iteration = iteration;
    }

    std::uint32_t outer_;
    std::uint32_t count_ = 0;
    bool entered_ = false;
};

// The unsigned number of as many bytes, at most 8.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                   std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

template <class To, class From>
To bits_as(const From& from)
{
    static_assert(sizeof(To) == sizeof(From), "");
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

template <class T>
using Plain = std::remove_volatile_t<T>;
template <class T>
struct NotDeducedOf {
    using Type = std::remove_volatile_t<T>;
};
template <class T>
using NotDeduced = typename NotDeducedOf<T>::Type;

template <class T>
volatile Bits<T>* bits_at(volatile T* address)
{
    return reinterpret_cast<volatile Bits<T>*>(address);
}

template <class T>
T atomic_load(const volatile T* address, int order)
{
    const T value = bits_as<T>(__atomic_load_n(bits_at(const_cast<volatile T*>(address)), order));
    spun_at(address, true);
    return value;
}
template <class T>
void atomic_store(volatile T* address, T value, int order)
{
    __atomic_store_n(bits_at(address), bits_as<Bits<T>>(value), order);
    spun(1);
}
template <class T>
T atomic_exchange(volatile T* address, T value, int order)
{
    const auto bits = bits_as<Bits<T>>(value);
    const auto old = __atomic_exchange_n(bits_at(address), bits, order);
    spun_at(address, old == bits);
    return bits_as<T>(old);
}
// Returns whether it exchanged; otherwise `expected` becomes what was there.
template <class T>
bool atomic_compare_exchange(volatile T* address, T& expected, T desired, int success, int failure)
{
    auto old = bits_as<Bits<T>>(expected);
    const bool exchanged =
        __atomic_compare_exchange_n(bits_at(address), &old, bits_as<Bits<T>>(desired), false, success, failure);
    expected = bits_as<T>(old);
    spun_at(address, !exchanged);
    return exchanged;
}
#ifdef __SANITIZE_THREAD__
// Tells the race detector of an atomic operation that reads and writes, before it is done.
extern "C" void nestbed_watched_update(volatile void* address, unsigned long bytes, int order);
#endif

// Replaces the value by next(value), and returns the old one. To the race detector it is one operation.
template <class T, class Next>
__attribute__((no_sanitize("thread"))) T atomic_update(volatile T* address, Next next, int order)
{
#ifdef __SANITIZE_THREAD__
    nestbed_watched_update(address, sizeof(T), order);
#endif
    auto old = __atomic_load_n(bits_at(address), __ATOMIC_RELAXED);
    for (;;) {
        const auto desired = bits_as<Bits<T>>(static_cast<T>(next(bits_as<T>(old))));
        if (__atomic_compare_exchange_n(bits_at(address), &old, desired, false, order, __ATOMIC_RELAXED)) {
            spun_at(address, desired == old);
            return bits_as<T>(old);
        }
    }
}
template <class T>
T atomic_add(volatile T* address, T value, int order)
{
    if constexpr (std::is_integral<T>::value) {
        spun_at(address, value == 0);
        return __atomic_fetch_add(address, value, order);
    } else {
        return atomic_update<T>(
            address, [value](T old) { return old + value; }, order);
    }
}

} // namespace nestbed::program

// NOLINTBEGIN: these names are CUDA's.
// The race detector is told of a barrier by the executor.
__attribute__((no_sanitize("thread"))) inline void __syncthreads(NESTBED_PLACE, unsigned number = 0)
{
    nestbed::program::block_barrier(file, line, number);
}
__attribute__((no_sanitize("thread"))) inline int __syncthreads_count(int predicate, NESTBED_PLACE,
                                                                      unsigned number = 0)
{
    unsigned threads = 0;
    return (int)nestbed::cpu::barrier_count(predicate != 0, threads, file, line, number);
}
__attribute__((no_sanitize("thread"))) inline int __syncthreads_and(int predicate, NESTBED_PLACE, unsigned number = 0)
{
    unsigned threads = 0;
    const unsigned count = nestbed::cpu::barrier_count(predicate != 0, threads, file, line, number);
    return count == threads;
}
__attribute__((no_sanitize("thread"))) inline int __syncthreads_or(int predicate, NESTBED_PLACE, unsigned number = 0)
{
    return __syncthreads_count(predicate, file, line, number) != 0;
}
inline void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    nestbed::program::spun(nestbed::program::kSpin);
}
inline void __threadfence_block()
{
    const nestbed::program::BlockScope<> scope;
    __threadfence();
}
inline void __threadfence_system()
{
    __threadfence();
}
[[noreturn]] inline void __trap()
{
    nestbed::program::fault(cudaErrorLaunchFailure, "__trap() was called");
}
inline void __brkpt() {}
inline void __prof_trigger(int) {}

// The forms with a scope do the same on the executor. The race detector knows the scope of a block.
#define NESTBED_ATOMIC(name, ...)                                                                                    \
    template <class T>                                                                                               \
    nestbed::program::Plain<T> name(T* address, nestbed::program::NotDeduced<T> value)                               \
    {                                                                                                                \
        using Value = nestbed::program::Plain<T>;                                                                    \
        static_assert(std::is_arithmetic<Value>::value && sizeof(T) >= 2,                                            \
                      #name "() takes the address of a number of 2, 4 or 8 bytes");                                  \
        __VA_ARGS__                                                                                                  \
    }                                                                                                                \
    template <class T>                                                                                               \
    nestbed::program::Plain<T> name##_block(T* address, nestbed::program::NotDeduced<T> value)                       \
    {                                                                                                                \
        const nestbed::program::BlockScope<> scope;                                                                  \
        return name(address, value);                                                                                 \
    }                                                                                                                \
    template <class T>                                                                                               \
    nestbed::program::Plain<T> name##_system(T* address, nestbed::program::NotDeduced<T> value)                      \
    {                                                                                                                \
        return name(address, value);                                                                                 \
    }
#define NESTBED_UPDATE(name, next)                                                                                   \
    NESTBED_ATOMIC(name, return nestbed::program::atomic_update<Value>(                                              \
                             address, [value](Value old) { return next; }, __ATOMIC_RELAXED);)
#define NESTBED_BITWISE(name, builtin, is_same)                                                                      \
    NESTBED_ATOMIC(name, const Value old = builtin(address, value, __ATOMIC_RELAXED);                                \
                   nestbed::program::spun_at(address, is_same); return old;)
NESTBED_ATOMIC(atomicAdd, return nestbed::program::atomic_add<Value>(address, value, __ATOMIC_RELAXED);)
NESTBED_ATOMIC(atomicSub, return nestbed::program::atomic_add<Value>(address, static_cast<Value>(Value(0) - value),
                                                                     __ATOMIC_RELAXED);)
NESTBED_ATOMIC(atomicExch, return nestbed::program::atomic_exchange<Value>(address, value, __ATOMIC_RELAXED);)
NESTBED_UPDATE(atomicMin, value < old ? value : old)
NESTBED_UPDATE(atomicMax, old < value ? value : old)
NESTBED_UPDATE(atomicInc, old >= value ? Value(0) : Value(old + 1))
NESTBED_UPDATE(atomicDec, old == 0 || old > value ? value : Value(old - 1))
NESTBED_BITWISE(atomicAnd, __atomic_fetch_and, (old & value) == old)
NESTBED_BITWISE(atomicOr, __atomic_fetch_or, (old | value) == old)
NESTBED_BITWISE(atomicXor, __atomic_fetch_xor, value == 0)
#undef NESTBED_ATOMIC
#undef NESTBED_UPDATE
#undef NESTBED_BITWISE

template <class T>
nestbed::program::Plain<T> atomicCAS(T* address, nestbed::program::NotDeduced<T> expected,
                                     nestbed::program::NotDeduced<T> desired)
{
    static_assert(sizeof(T) >= 2 && sizeof(T) <= 8, "atomicCAS() takes the address of a number of 2, 4 or 8 bytes");
    nestbed::program::atomic_compare_exchange<nestbed::program::Plain<T>>(address, expected, desired,
                                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
template <class T>
nestbed::program::Plain<T> atomicCAS_block(T* address, nestbed::program::NotDeduced<T> expected,
                                           nestbed::program::NotDeduced<T> desired)
{
    const nestbed::program::BlockScope<> scope;
    return atomicCAS(address, expected, desired);
}
template <class T>
nestbed::program::Plain<T> atomicCAS_system(T* address, nestbed::program::NotDeduced<T> expected,
                                            nestbed::program::NotDeduced<T> desired)
{
    return atomicCAS(address, expected, desired);
}
// NOLINTEND
