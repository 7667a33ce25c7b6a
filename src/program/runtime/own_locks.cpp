// The locks of nestbed's own code, whose calls the build gives these names (program/CMakeLists.txt): in a watched program those of the C
// library's names are locks of the program, which order its threads.
#include <pthread.h>
#include <semaphore.h>

#undef pthread_mutex_lock
#undef pthread_mutex_trylock
#undef pthread_mutex_unlock
#undef sem_post
#undef sem_wait

extern "C" {
int pthread_mutex_lock(pthread_mutex_t* lock) noexcept;
int pthread_mutex_trylock(pthread_mutex_t* lock) noexcept;
int pthread_mutex_unlock(pthread_mutex_t* lock) noexcept;
int sem_post(sem_t* semaphore) noexcept;
int sem_wait(sem_t* semaphore);

// Of a watched program: the C library's (program/races/host_threads.cpp).
int nestbed_next_mutex_lock(pthread_mutex_t* lock) __attribute__((weak));
int nestbed_next_mutex_trylock(pthread_mutex_t* lock) __attribute__((weak));
int nestbed_next_mutex_unlock(pthread_mutex_t* lock) __attribute__((weak));
int nestbed_next_sem_post(sem_t* semaphore) __attribute__((weak));
int nestbed_next_sem_wait(sem_t* semaphore) __attribute__((weak));

#define OWN(name, next, type, ...)                                                                                   \
    int nestbed_own_##name(type* of) __VA_ARGS__                                                                     \
    {                                                                                                                \
        return nestbed_next_##name == nullptr ? next(of) : nestbed_next_##name(of);                                  \
    }
OWN(mutex_lock, pthread_mutex_lock, pthread_mutex_t, noexcept)
OWN(mutex_trylock, pthread_mutex_trylock, pthread_mutex_t, noexcept)
OWN(mutex_unlock, pthread_mutex_unlock, pthread_mutex_t, noexcept)
OWN(sem_post, sem_post, sem_t, noexcept)
OWN(sem_wait, sem_wait, sem_t, )
}
