// The functions that g++ -fsanitize=thread calls at every access of memory that it compiles, and at every atomic operation: their names and
// arguments are the compiler's (GCC, gcc/sanitizer.def). ThreadSanitizer's own library is not linked. They do the atomic operations.
#include "device/cpu/executor_state.hpp"
#include "device/cpu/fiber.hpp"
#include "device/races/detector.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace nestbed::races
{

namespace
{

// Never destroyed: a program may ask for the races at its very end. Made by watch(), or earlier. No static variable of a function: the look
// whether it has been made would be part of every access.
constinit Detector* made = nullptr;
[[gnu::noinline]] void make_detector()
{
    made = std::make_unique<Detector>().release();
}
inline Detector& detector()
{
    if (made == nullptr) [[unlikely]]
        make_detector();
    return *made;
}

// Before the program's own constructors, which may launch kernels.
__attribute__((constructor(101))) void watch()
{
    detector().host_begins();
    cpu::observer = &detector();
    cpu::interruptible = &detector();
}

[[gnu::always_inline]] inline WatchedThread* watched()
{
    if (cpu::current_thread == nullptr || Busy::now())
        return nullptr;
    return static_cast<WatchedThread*>(cpu::current_thread->observed);
}

// The program's own code, outside of kernels.
[[gnu::always_inline]] inline bool is_host()
{
    return cpu::current_thread == nullptr && Detector::this_host() != nullptr && !Busy::now();
}

std::uintptr_t number(const volatile void* address)
{
    return reinterpret_cast<std::uintptr_t>(address);
}

// What GCC takes the address for a multiple of, where it takes it to be aligned: the alignment of a type of 16 bytes may be 8.
constexpr std::size_t alignment_of(std::size_t bytes)
{
    return std::min(bytes, sizeof(std::uint64_t));
}

// Before an access that would destroy what the executor works with: the thread does not go on, and the run of the kernel ends.
[[gnu::noinline, gnu::cold]] void end_as_illegal()
{
    const cpu::Fault fault = cpu::fault_of(*cpu::current_thread, detector().take_illegal());
    cpu::current_carrier()->end_by(std::make_exception_ptr(cpu::IllegalAccess(fault.what(), fault.names_kernel())));
}
inline void end_if_illegal()
{
    if (detector().is_illegal()) [[unlikely]]
        end_as_illegal();
}

// `alignment`: what the address must be a multiple of; 0: GCC knows the address, and that it is no multiple of the size, or the
// access is of several elements. `is_object`: see Detector::accesses().
void access(const volatile void* address, std::size_t bytes, AccessKind kind, const void* place,
            std::size_t alignment = 1, bool is_object = false)
{
    WatchedThread* const thread = bytes == 0 ? nullptr : watched();
    if (thread == nullptr) {
        if (bytes != 0 && Detector::checks_host_at(number(address)) && is_host()) {
            const Busy busy;
            detector().host_accesses(number(address), bytes, writes(kind), place);
        }
        return;
    }
    {
        const Busy busy;
        is_object |= std::exchange(thread->reads_object, false);
        detector().accesses(*thread, number(address), bytes, kind, !writes(kind), place, alignment, false, is_object);
    }
    end_if_illegal();
}

void access_beyond_local(std::ptrdiff_t offset, std::size_t bytes, const LocalVariable& variable, bool is_write,
                         const void* place)
{
    WatchedThread* const thread = watched();
    if (thread == nullptr)
        return;
    {
        const Busy busy;
        detector().accesses_beyond_local(*thread, offset, bytes, variable, is_write ? write_access : read_access,
                                         place);
    }
    end_if_illegal();
}

bool acquires(int order)
{
    return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE;
}
bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

// Not inlined: its frame has the registers that the kernel keeps.
[[gnu::noinline]] void give_way()
{
    __builtin_unwind_init();
    cpu::Carrier& carrier = *cpu::current_carrier();
    carrier.context.gave_way_at =
        static_cast<const void* const*>(__builtin_frame_address(0)) + 1; // of the return address
    carrier.gives_way_in(__builtin_frame_address(0));
    carrier.stop_without_unwinding(cpu::Carrier::Stop::gave_way);
    asm volatile(""); // no tail call: the frame stays
}

// A thread waits for another one if it reads one address again and again by atomic reads, or by exchanges that change nothing, or if it
// makes many volatile reads, of whatever addresses (then `address` is null). The other threads must run meanwhile, so it gives way. Do
// not call this between an access and the detector's note of it. The compiler takes these functions for such that throw nothing.
void may_wait(const volatile void* address)
{
    constexpr std::uint32_t kReads = 128;
    WatchedThread* const thread = watched();
    if (thread == nullptr)
        return;
    if (std::exchange(thread->may_wait_for, address) != address)
        thread->reads_that_may_wait = 0;
    if (++thread->reads_that_may_wait % kReads == 0)
        give_way();
}

enum class Atomic : std::uint8_t { load, store, exchange, update };

void note_atomic(const volatile void* address, std::size_t bytes, Atomic what, int order, const void* place,
                 bool is_volatile = false)
{
    WatchedThread* const thread = watched();
    const bool is_load = what == Atomic::load;
    const AccessKind kind = is_volatile ? (is_load ? races::volatile_read : races::volatile_write)
                            : is_load   ? atomic_read
                                        : atomic_write;
    // What an exchange reads may not matter to the program.
    const bool reads = what == Atomic::load || what == Atomic::update;
    if (thread == nullptr) {
        if ((!Detector::checks_host_at(number(address)) && !Detector::has_several_actors_of_host()) || !is_host())
            return;
        const Busy busy;
        // The host's processor keeps the order of its volatile accesses.
        detector().host_atomic(number(address), bytes, kind,
                               {.reads = what != Atomic::store,
                                .writes = what != Atomic::load,
                                .acquires = is_volatile || acquires(order),
                                .releases = is_volatile || releases(order)},
                               place);
        return;
    }
    const Busy busy;
    const bool in_block = cpu::current_thread->in_block_scope;
    if (!detector().accesses(*thread, number(address), bytes, kind, reads, place, bytes, in_block))
        return;
    if (what != Atomic::store)
        detector().reads_atomically(*thread, number(address), acquires(order), what != Atomic::load, in_block);
    if (what != Atomic::load)
        detector().writes_atomically(*thread, number(address), releases(order), what != Atomic::store, in_block);
    if (kind == races::volatile_read && Busy::has_others()) [[unlikely]]
        thread->read_volatile = number(address);
}

void atomic(const volatile void* address, std::size_t bytes, Atomic what, int order, const void* place,
            bool is_volatile = false)
{
    note_atomic(address, bytes, what, order, place, is_volatile);
    end_if_illegal();
}

// Behind it. Another thread of the host may have written after atomic() had looked, and before the read.
void after_read(const volatile void* address, int order)
{
    if (!Busy::has_others()) [[likely]]
        return;
    if (WatchedThread* const thread = watched(); thread != nullptr) {
        const Busy busy;
        detector().reads_atomically(*thread, number(address), acquires(order), false,
                                    cpu::current_thread->in_block_scope);
    } else if (is_host()) {
        const Busy busy;
        detector().host_has_read(number(address), acquires(order));
    }
}

// What a compare-and-exchange is becomes known when it is done, which it is not at a null pointer.
// Another thread of the host may see its value before that.
void before_exchange(const volatile void* address, std::size_t bytes, int order, const void* place)
{
    constexpr std::uintptr_t kNowhere = 1U << 16U;
    if (number(address) < kNowhere) [[unlikely]]
        atomic(address, bytes, Atomic::update, __ATOMIC_RELAXED, place);
    else if (Busy::has_others() && releases(order) && watched() == nullptr && is_host()) {
        const Busy busy;
        detector().host_may_release(number(address));
    }
}

// An access of a volatile variable has the order of a relaxed atomic one (PTX ISA, "ld.volatile" and "st.volatile").
void reads_volatile(const volatile void* address, std::size_t bytes, const void* place)
{
    may_wait(nullptr); // before the read: it sees what the others write
    atomic(address, bytes, Atomic::load, __ATOMIC_RELAXED, place, true);
}

} // namespace

} // namespace nestbed::races

// NOLINTBEGIN: the names are the compiler's.
using nestbed::races::Atomic;

#define PLACE __builtin_return_address(0)

#define ACCESSES(bytes)                                                                                              \
    void __tsan_read##bytes(void* address)                                                                           \
    {                                                                                                                \
        nestbed::races::access(address, bytes, nestbed::races::read_access, PLACE,                                   \
                               nestbed::races::alignment_of(bytes));                                                 \
    }                                                                                                                \
    void __tsan_write##bytes(void* address)                                                                          \
    {                                                                                                                \
        nestbed::races::access(address, bytes, nestbed::races::write_access, PLACE,                                  \
                               nestbed::races::alignment_of(bytes));                                                 \
    }                                                                                                                \
    void __tsan_unaligned_read##bytes(void* address)                                                                 \
    {                                                                                                                \
        nestbed::races::access(address, bytes, nestbed::races::read_access, PLACE, 0);                               \
    }                                                                                                                \
    void __tsan_unaligned_write##bytes(void* address)                                                                \
    {                                                                                                                \
        nestbed::races::access(address, bytes, nestbed::races::write_access, PLACE, 0);                              \
    }                                                                                                                \
    void __tsan_volatile_read##bytes(void* address)                                                                  \
    {                                                                                                                \
        nestbed::races::reads_volatile(address, bytes, PLACE);                                                       \
    }                                                                                                                \
    void __tsan_volatile_write##bytes(void* address)                                                                 \
    {                                                                                                                \
        nestbed::races::atomic(address, bytes, Atomic::store, __ATOMIC_RELAXED, PLACE, true);                        \
    }

#define UPDATE(bits, name, T)                                                                                        \
    T __tsan_atomic##bits##_##name(volatile T* address, T value, int order)                                          \
    {                                                                                                                \
        nestbed::races::atomic(address, sizeof(T), Atomic::update, order, PLACE);                                    \
        const T before = __atomic_##name(address, value, __ATOMIC_SEQ_CST);                                          \
        nestbed::races::after_read(address, order);                                                                  \
        return before;                                                                                               \
    }

#define COMPARE_EXCHANGE(bits, form, T)                                                                              \
    bool __tsan_atomic##bits##_compare_exchange_##form(volatile T* address, T* expected, T value, int order,         \
                                                       int failed_order)                                             \
    {                                                                                                                \
        nestbed::races::before_exchange(address, sizeof(T), order, PLACE);                                           \
        const bool done =                                                                                            \
            __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
        nestbed::races::atomic(address, sizeof(T), done ? Atomic::update : Atomic::load,                             \
                               done ? order : failed_order, PLACE);                                                  \
        if (!done)                                                                                                   \
            nestbed::races::may_wait(address);                                                                       \
        return done;                                                                                                 \
    }

#define ATOMICS(bits, T)                                                                                             \
    T __tsan_atomic##bits##_load(const volatile T* address, int order)                                               \
    {                                                                                                                \
        nestbed::races::may_wait(address);                                                                           \
        nestbed::races::atomic(address, sizeof(T), Atomic::load, order, PLACE);                                      \
        const T value = __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                  \
        nestbed::races::after_read(address, order);                                                                  \
        return value;                                                                                                \
    }                                                                                                                \
    void __tsan_atomic##bits##_store(volatile T* address, T value, int order)                                        \
    {                                                                                                                \
        nestbed::races::atomic(address, sizeof(T), Atomic::store, order, PLACE);                                     \
        __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                          \
    }                                                                                                                \
    T __tsan_atomic##bits##_exchange(volatile T* address, T value, int order)                                        \
    {                                                                                                                \
        nestbed::races::atomic(address, sizeof(T), Atomic::exchange, order, PLACE);                                  \
        const T before = __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                      \
        nestbed::races::after_read(address, order);                                                                  \
        if (before == value)                                                                                         \
            nestbed::races::may_wait(address);                                                                       \
        return before;                                                                                               \
    }                                                                                                                \
    UPDATE(bits, fetch_add, T)                                                                                       \
    UPDATE(bits, fetch_sub, T)                                                                                       \
    UPDATE(bits, fetch_and, T)                                                                                       \
    UPDATE(bits, fetch_or, T)                                                                                        \
    UPDATE(bits, fetch_xor, T)                                                                                       \
    UPDATE(bits, fetch_nand, T)                                                                                      \
    COMPARE_EXCHANGE(bits, strong, T)                                                                                \
    COMPARE_EXCHANGE(bits, weak, T)

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void* caller)
{
    if (nestbed::races::WatchedThread* const thread = nestbed::races::watched()) {
        const nestbed::races::Busy busy;
        nestbed::races::detector().enters(*thread, caller);
    } else if (nestbed::races::is_host()) {
        nestbed::races::Detector::host_enters(caller);
    }
}
void __tsan_func_exit(void*)
{
    if (nestbed::races::WatchedThread* const thread = nestbed::races::watched()) {
        const nestbed::races::Busy busy;
        nestbed::races::detector().leaves(*thread);
    } else if (nestbed::races::is_host()) {
        nestbed::races::Detector::host_leaves();
    }
}
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
void __tsan_read_range(void* address, unsigned long bytes)
{
    nestbed::races::access(address, bytes, nestbed::races::read_access, PLACE, 0, true);
}
void __tsan_write_range(void* address, unsigned long bytes)
{
    nestbed::races::access(address, bytes, nestbed::races::write_access, PLACE, 0);
}
// What memcpy, memmove and memset are in watched code: see device/cpu/cuda_language.hpp.
void* nestbed_watched_memcpy(void* to, const void* from, unsigned long bytes)
{
    nestbed::races::access(from, bytes, nestbed::races::read_access, PLACE, 1, true);
    nestbed::races::access(to, bytes, nestbed::races::write_access, PLACE);
    return std::memcpy(to, from, bytes);
}
void* nestbed_watched_memmove(void* to, const void* from, unsigned long bytes)
{
    nestbed::races::access(from, bytes, nestbed::races::read_access, PLACE, 1, true);
    nestbed::races::access(to, bytes, nestbed::races::write_access, PLACE);
    return std::memmove(to, from, bytes);
}
void* nestbed_watched_memset(void* to, int byte, unsigned long bytes)
{
    nestbed::races::access(to, bytes, nestbed::races::write_access, PLACE);
    return std::memset(to, byte, bytes);
}
// For program/races/host_threads.cpp.
void* nestbed_host_makes_thread(const void* place)
{
    return &nestbed::races::detector().host_makes_thread(place);
}
void nestbed_host_expects_others()
{
    nestbed::races::Busy::expect_others();
}
void nestbed_host_thread_begins(void* thread)
{
    nestbed::races::Detector::host_thread_begins(*static_cast<nestbed::races::HostThread*>(thread));
}
void nestbed_host_thread_joined(void* thread)
{
    nestbed::races::detector().host_thread_joined(*static_cast<nestbed::races::HostThread*>(thread));
}
void nestbed_host_thread_ends(void* thread)
{
    nestbed::races::detector().host_thread_ends(*static_cast<nestbed::races::HostThread*>(thread));
}
// Before a fork, and behind it.
void nestbed_host_forks(bool is_done)
{
    static std::optional<nestbed::races::Busy> busy;
    if (is_done)
        busy.reset();
    else
        busy.emplace();
}
void nestbed_host_writes_guard(const void* guard)
{
    if (nestbed::races::Busy::has_others() && nestbed::races::is_host()) {
        const nestbed::races::Busy busy;
        nestbed::races::detector().host_may_release(nestbed::races::number(guard));
    }
}
void nestbed_host_releases(const void* lock)
{
    if (nestbed::races::Detector::has_several_actors_of_host() && nestbed::races::is_host()) {
        const nestbed::races::Busy busy;
        nestbed::races::detector().host_releases(nestbed::races::number(lock));
    }
}
void nestbed_host_acquires(const void* lock)
{
    if (nestbed::races::Detector::has_several_actors_of_host() && nestbed::races::is_host()) {
        const nestbed::races::Busy busy;
        nestbed::races::detector().host_acquires(nestbed::races::number(lock));
    }
}
// Before a read of a structure that GCC reports as that of one number.
void nestbed_watched_object()
{
    if (nestbed::races::WatchedThread* const thread = nestbed::races::watched())
        thread->reads_object = true;
}
// Before an access to a part of a local variable that an index chooses. See compiler_plugin.cc.
void nestbed_watched_local(long offset, unsigned long bytes, unsigned long size, unsigned long element,
                           const char* name, int is_write)
{
    if (bytes <= size && static_cast<unsigned long>(offset) <= size - bytes) [[likely]]
        return;
    nestbed::races::access_beyond_local(offset, bytes, {.name = name, .bytes = size, .element = element},
                                        is_write != 0, PLACE);
}
// Before an access to a whole structure that is aligned more than its members.
void nestbed_watched_alignment(const void* address, unsigned long alignment, unsigned long bytes, int is_write)
{
    nestbed::races::WatchedThread* const thread =
        nestbed::races::number(address) % alignment == 0 ? nullptr : nestbed::races::watched();
    if (thread == nullptr) [[likely]]
        return;
    {
        const nestbed::races::Busy busy;
        nestbed::races::detector().accesses_misaligned(
            *thread, nestbed::races::number(address), bytes,
            is_write != 0 ? nestbed::races::write_access : nestbed::races::read_access, alignment, PLACE);
    }
    nestbed::races::end_if_illegal();
}
// An access by a function of CUDA that is not watched itself.
void nestbed_observe_read(const void* from, unsigned long bytes, const void* place)
{
    nestbed::races::access(from, bytes, nestbed::races::read_access, place, 1, true);
}
void nestbed_observe_write(void* to, unsigned long bytes, const void* place)
{
    nestbed::races::access(to, bytes, nestbed::races::write_access, place);
}
// A destructor writes the pointer that is there already.
void __tsan_vptr_update(void** address, void* value)
{
    if (*address != value)
        nestbed::races::access(address, sizeof value, nestbed::races::write_access, PLACE);
}
// What program/include/nestbed/program/atomics.hpp updates in a loop is one atomic operation.
void nestbed_watched_update(volatile void* address, unsigned long bytes, int order)
{
    nestbed::races::atomic(address, bytes, Atomic::update, order, PLACE);
}
// Before a read by __ldg().
void nestbed_watched_read_only(const void* address, unsigned long bytes)
{
    if (nestbed::races::WatchedThread* const thread = nestbed::races::watched()) {
        const nestbed::races::Busy busy;
        nestbed::races::detector().reads_read_only(*thread, nestbed::races::number(address), bytes, PLACE);
    }
}
void __tsan_vptr_read(void**) {}
ATOMICS(8, unsigned char)
ATOMICS(16, unsigned short)
ATOMICS(32, unsigned)
ATOMICS(64, unsigned long)
void __tsan_atomic_thread_fence(int order)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (nestbed::races::WatchedThread* const thread = nestbed::races::watched()) {
        const nestbed::races::Busy busy;
        nestbed::races::detector().fences(*thread, nestbed::races::acquires(order), nestbed::races::releases(order),
                                          order == __ATOMIC_SEQ_CST, nestbed::cpu::current_thread->in_block_scope);
    } else if (nestbed::races::Detector::has_several_actors_of_host() && nestbed::races::is_host()) {
        const nestbed::races::Busy busy;
        nestbed::races::detector().host_fences(nestbed::races::acquires(order), nestbed::races::releases(order),
                                               order == __ATOMIC_SEQ_CST);
    }
}
void __tsan_atomic_signal_fence(int) {}
}
// NOLINTEND
