// The functions of the C library by which a watched program starts threads of the host and orders them. They are those of the program, its
// libraries and the C++ library, because the linker takes them before those of the C library, which they call. nestbed's own locks are
// others (program/runtime/own_locks.cpp).
#include "base/start_thread.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <atomic>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <string_view>
#include <threads.h>
#include <utility>

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier,bugprone-macro-parentheses): names of the libraries
#undef pthread_mutex_lock
#undef pthread_mutex_unlock
#undef pthread_mutex_trylock
#undef sem_post
#undef sem_wait

extern "C" {
// device/races/hooks.cpp
void* nestbed_host_makes_thread(const void* place);
void nestbed_host_expects_others();
void nestbed_host_thread_begins(void* thread);
void nestbed_host_thread_joined(void* thread);
void nestbed_host_thread_ends(void* thread);
void nestbed_host_forks(bool is_done);
void nestbed_host_releases(const void* lock);
void nestbed_host_acquires(const void* lock);
void nestbed_host_writes_guard(const void* guard);

int pthread_mutex_lock(pthread_mutex_t* lock) noexcept;
int pthread_mutex_unlock(pthread_mutex_t* lock) noexcept;
int pthread_mutex_trylock(pthread_mutex_t* lock) noexcept;
int sem_post(sem_t* semaphore) noexcept;
int sem_wait(sem_t* semaphore);
int __cxa_guard_acquire(char* guard);
void __cxa_guard_release(char* guard);
void __cxa_guard_abort(char* guard);
}

// The C library's.
#define NEXT(name)                                                                                                   \
    [] {                                                                                                             \
        static constinit decltype(&::name) function = nullptr;                                                       \
        if (function == nullptr)                                                                                     \
            function = reinterpret_cast<decltype(&::name)>(dlsym(RTLD_NEXT, #name));                                 \
        return function;                                                                                             \
    }()

namespace
{

struct Start {
    void* (*routine)(void*);
    void* argument;
    void* watched; // the detector's
};

// Those that can be joined.
struct Thread {
    void* watched = nullptr;
    bool has_ended = false;
};
struct Joinable {
    std::mutex mutex;
    std::map<pthread_t, Thread> watched;
};
Joinable& joinable()
{
    static Joinable& of_process = *new Joinable;
    return of_process;
}

Thread taken(pthread_t thread)
{
    const std::lock_guard lock(joinable().mutex);
    const auto found = joinable().watched.extract(thread);
    return found.empty() ? Thread{} : found.mapped();
}

void joined(pthread_t thread)
{
    if (const Thread of = taken(thread); of.watched != nullptr)
        nestbed_host_thread_joined(of.watched);
}

// A thread that nobody can join tells its end itself.
void ends(void* watched)
{
    {
        const std::lock_guard lock(joinable().mutex);
        const auto own = joinable().watched.find(pthread_self());
        if (own != joinable().watched.end() && own->second.watched == watched) {
            own->second.has_ended = true;
            return;
        }
    }
    nestbed_host_thread_ends(watched);
}

void* begin(void* of)
{
    const std::unique_ptr<Start> owned(static_cast<Start*>(of));
    const Start start = *owned;
    nestbed_host_thread_begins(start.watched);
    const struct Ended { // also where the thread is cancelled
        void* watched;
        ~Ended() { ends(watched); }
    } ended{start.watched};
    return start.routine(start.argument);
}

// The child has one thread, and no other one is at work in the detector.
void watch_forks()
{
    static std::once_flag is_watched;
    std::call_once(is_watched, [] {
        const auto after = [] {
            nestbed_host_forks(true);
            joinable().mutex.unlock();
        };
        pthread_atfork(
            [] {
                joinable().mutex.lock();
                nestbed_host_forks(false);
            },
            after, after);
    });
}

void say_unwatched(std::string_view starter)
{
    nestbed::program::say(fmt::format("{} starts threads, whose accesses are not watched", starter));
}

// A library of the system orders its threads by means that are not seen here, as OpenMP's does. The C++ library starts those of the program.
bool is_of_library(const void* place)
{
    Dl_info object{};
    if (dladdr(place, &object) == 0 || object.dli_fname == nullptr)
        return false;
    const std::string_view name = object.dli_fname;
    if (!name.starts_with("/lib") && !name.starts_with("/usr/lib"))
        return false;
    const std::string_view file = name.substr(name.rfind('/') + 1);
    if (file.starts_with("libstdc++"))
        return false;
    static std::atomic_flag is_said;
    if (!is_said.test_and_set())
        say_unwatched(file);
    return true;
}

int has_locked(int error, const void* lock)
{
    if (error == 0)
        nestbed_host_acquires(lock);
    return error;
}

const void* of_spinning(pthread_spinlock_t* lock)
{
    return const_cast<const int*>(lock); // it is volatile
}

// What readers of a lock release, for those who write.
const void* of_readers(const pthread_rwlock_t* lock)
{
    return reinterpret_cast<const char*>(lock) + 1;
}

int has_locked_for_writing(int error, const pthread_rwlock_t* lock)
{
    return has_locked(error, lock) == 0 ? has_locked(0, of_readers(lock)) : error;
}

template <class Wait>
int wait_unlocked(const pthread_mutex_t* mutex, const Wait& wait)
{
    nestbed_host_releases(mutex);
    const struct Locked { // also after a time-out, and where the thread is cancelled
        const pthread_mutex_t* mutex;
        ~Locked() { nestbed_host_acquires(mutex); }
    } locked{mutex};
    return wait();
}

thread_local void (*routine_of_once)() = nullptr;
thread_local pthread_once_t* running_once = nullptr;

} // namespace

extern "C" {

// ---- threads ----

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) noexcept
{
    const void* const place = __builtin_return_address(0);
    if (nestbed::is_starting_own_thread)
        return NEXT(pthread_create)(thread, attributes, routine, argument);
    watch_forks();
    if (is_of_library(place)) {
        nestbed_host_expects_others();
        return NEXT(pthread_create)(thread, attributes, routine, argument);
    }
    auto start = std::make_unique<Start>(Start{routine, argument, nestbed_host_makes_thread(place)});
    void* const watched = start->watched;
    const std::lock_guard lock(joinable().mutex); // the thread may be joined by another one at once
    const int error = NEXT(pthread_create)(thread, attributes, begin, start.get());
    if (error != 0) {
        nestbed_host_thread_joined(watched);
        return error;
    }
    static_cast<void>(start.release()); // begin() owns it
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes != nullptr)
        pthread_attr_getdetachstate(attributes, &state);
    if (state == PTHREAD_CREATE_JOINABLE)
        joinable().watched.insert_or_assign(*thread, Thread{watched});
    return 0;
}

int pthread_detach(pthread_t thread) noexcept
{
    if (const Thread of = taken(thread); of.has_ended)
        nestbed_host_thread_ends(of.watched);
    return NEXT(pthread_detach)(thread);
}

// Its locks are not seen, either.
int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument)
{
    static std::atomic_flag is_said;
    if (!is_said.test_and_set())
        say_unwatched("thrd_create()");
    watch_forks();
    nestbed_host_expects_others();
    return NEXT(thrd_create)(thread, routine, argument);
}

int pthread_join(pthread_t thread, void** result)
{
    const int error = NEXT(pthread_join)(thread, result);
    if (error == 0)
        joined(thread);
    return error;
}

int pthread_tryjoin_np(pthread_t thread, void** result) noexcept
{
    const int error = NEXT(pthread_tryjoin_np)(thread, result);
    if (error == 0)
        joined(thread);
    return error;
}

int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until)
{
    const int error = NEXT(pthread_timedjoin_np)(thread, result, until);
    if (error == 0)
        joined(thread);
    return error;
}

// ---- locks ----

int pthread_mutex_lock(pthread_mutex_t* lock) noexcept
{
    return has_locked(NEXT(pthread_mutex_lock)(lock), lock);
}
int pthread_mutex_trylock(pthread_mutex_t* lock) noexcept
{
    return has_locked(NEXT(pthread_mutex_trylock)(lock), lock);
}
int pthread_mutex_timedlock(pthread_mutex_t* lock, const timespec* until) noexcept
{
    return has_locked(NEXT(pthread_mutex_timedlock)(lock, until), lock);
}
int pthread_mutex_clocklock(pthread_mutex_t* lock, clockid_t clock, const timespec* until) noexcept
{
    return has_locked(NEXT(pthread_mutex_clocklock)(lock, clock, until), lock);
}
int pthread_mutex_unlock(pthread_mutex_t* lock) noexcept
{
    nestbed_host_releases(lock);
    return NEXT(pthread_mutex_unlock)(lock);
}
// For program/runtime/own_locks.cpp.
#define OF_OWN(name, next, type)                                                                                     \
    int nestbed_next_##name(type* of);                                                                               \
    int nestbed_next_##name(type* of)                                                                                \
    {                                                                                                                \
        return NEXT(next)(of);                                                                                       \
    }
OF_OWN(mutex_lock, pthread_mutex_lock, pthread_mutex_t)
OF_OWN(mutex_trylock, pthread_mutex_trylock, pthread_mutex_t)
OF_OWN(mutex_unlock, pthread_mutex_unlock, pthread_mutex_t)
OF_OWN(sem_post, sem_post, sem_t)
OF_OWN(sem_wait, sem_wait, sem_t)

int pthread_spin_lock(pthread_spinlock_t* lock) noexcept
{
    return has_locked(NEXT(pthread_spin_lock)(lock), of_spinning(lock));
}
int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept
{
    return has_locked(NEXT(pthread_spin_trylock)(lock), of_spinning(lock));
}
int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept
{
    nestbed_host_releases(of_spinning(lock));
    return NEXT(pthread_spin_unlock)(lock);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept
{
    return has_locked(NEXT(pthread_rwlock_rdlock)(lock), lock);
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept
{
    return has_locked(NEXT(pthread_rwlock_tryrdlock)(lock), lock);
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) noexcept
{
    return has_locked(NEXT(pthread_rwlock_timedrdlock)(lock, until), lock);
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* until) noexcept
{
    return has_locked(NEXT(pthread_rwlock_clockrdlock)(lock, clock, until), lock);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept
{
    return has_locked_for_writing(NEXT(pthread_rwlock_wrlock)(lock), lock);
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept
{
    return has_locked_for_writing(NEXT(pthread_rwlock_trywrlock)(lock), lock);
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) noexcept
{
    return has_locked_for_writing(NEXT(pthread_rwlock_timedwrlock)(lock, until), lock);
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* until) noexcept
{
    return has_locked_for_writing(NEXT(pthread_rwlock_clockwrlock)(lock, clock, until), lock);
}
int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept
{
    const bool is_written = lock->__data.__cur_writer != 0; // glibc's; else the caller reads
    nestbed_host_releases(is_written ? lock : of_readers(lock));
    return NEXT(pthread_rwlock_unlock)(lock);
}

// ---- waiting for others ----

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex)
{
    return wait_unlocked(mutex, [=] { return NEXT(pthread_cond_wait)(condition, mutex); });
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until)
{
    return wait_unlocked(mutex, [=] { return NEXT(pthread_cond_timedwait)(condition, mutex, until); });
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until)
{
    return wait_unlocked(mutex, [=] { return NEXT(pthread_cond_clockwait)(condition, mutex, clock, until); });
}
int pthread_barrier_wait(pthread_barrier_t* barrier) noexcept
{
    nestbed_host_releases(barrier);
    const int result = NEXT(pthread_barrier_wait)(barrier);
    nestbed_host_acquires(barrier);
    return result;
}
int pthread_once(pthread_once_t* once, void (*routine)())
{
    void (*const outer_routine)() = std::exchange(routine_of_once, routine);
    pthread_once_t* const outer = std::exchange(running_once, once);
    const auto restore = [&] {
        routine_of_once = outer_routine;
        running_once = outer;
    };
    int error = 0;
    try {
        error = NEXT(pthread_once)(once, [] {
            pthread_once_t* const own = running_once;
            routine_of_once();
            nestbed_host_releases(own);
        });
    } catch (...) {
        restore();
        throw;
    }
    restore();
    return has_locked(error, once);
}
int sem_post(sem_t* semaphore) noexcept
{
    nestbed_host_releases(semaphore);
    return NEXT(sem_post)(semaphore);
}
int sem_wait(sem_t* semaphore)
{
    return has_locked(NEXT(sem_wait)(semaphore), semaphore);
}
int sem_trywait(sem_t* semaphore) noexcept
{
    return has_locked(NEXT(sem_trywait)(semaphore), semaphore);
}
int sem_timedwait(sem_t* semaphore, const timespec* until)
{
    return has_locked(NEXT(sem_timedwait)(semaphore, until), semaphore);
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until)
{
    return has_locked(NEXT(sem_clockwait)(semaphore, clock, until), semaphore);
}

// ---- static variables of functions (Itanium C++ ABI, "One-time Construction API"): byte 0 of the guard says that it is made ----

int __cxa_guard_acquire(char* guard)
{
    int result = 0;
    if (const auto next = NEXT(__cxa_guard_acquire); next != nullptr)
        result = next(guard);
    else // the C++ library is a static one
        while (std::atomic_ref(guard[0]).load() == 0 && (result = std::atomic_ref(guard[1]).exchange(1) ^ 1) == 0)
            sched_yield();
    nestbed_host_acquires(guard);
    return result;
}
void __cxa_guard_release(char* guard)
{
    nestbed_host_releases(guard);
    nestbed_host_writes_guard(guard); // which code reads without a call
    if (const auto next = NEXT(__cxa_guard_release); next != nullptr)
        return next(guard);
    std::atomic_ref(guard[0]).store(1);
    std::atomic_ref(guard[1]).store(0);
}
void __cxa_guard_abort(char* guard)
{
    if (const auto next = NEXT(__cxa_guard_abort); next != nullptr)
        return next(guard);
    std::atomic_ref(guard[1]).store(0);
}
}
// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier,bugprone-macro-parentheses)
