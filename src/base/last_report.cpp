#include "base/last_report.hpp"

#include "base/start_thread.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

namespace nestbed::last_report
{

namespace
{

sem_t asked;
std::atomic_flag is_asked;
std::atomic<bool> is_written = false;
std::atomic<pid_t> thread_number = 0;

void set_handler(int signal, void (*handler)(int))
{
    struct sigaction action {
    };
    action.sa_handler = handler;
    sigaction(signal, &action, nullptr);
}

void set_mask(int how, const auto& signals)
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : signals)
        sigaddset(&set, signal);
    pthread_sigmask(how, &set, nullptr);
}

void wait_and_write(void (*write)(), void (*too_late)(int))
{
    thread_number = gettid();
    while (sem_wait(&asked) != 0 && errno == EINTR) {
    }
    // Its own. Not before: one that is sent to the process could come here.
    set_mask(SIG_UNBLOCK, std::array{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT});
    set_handler(SIGALRM, too_late);
    set_mask(SIG_UNBLOCK, std::array{SIGALRM}); // the other threads may have blocked it
    alarm(kSeconds);
    write();
    alarm(0);
    is_written = true;
}

} // namespace

void prepare(void (*write)(), void (*too_late)(int signal))
{
    sem_init(&asked, 0, 0);
    // Signals of the process are for the program's own threads, which may have handlers, or wait for them.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    start_thread("the thread that reports at a signal", [write, too_late] {
        wait_and_write(write, too_late);
    }).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ask()
{
    if (!is_asked.test_and_set())
        sem_post(&asked);
}

void wait()
{
    constexpr timespec kTick{.tv_sec = 0, .tv_nsec = 1'000'000};
    while (!is_written)
        nanosleep(&kTick, nullptr);
}

bool is_this_thread()
{
    return thread_number == gettid();
}

void end_by(int signal)
{
    set_handler(signal, SIG_DFL);
    set_mask(SIG_UNBLOCK, std::array{signal});
    static_cast<void>(raise(signal));
    constexpr int kFirst = 128; // as a shell says it
    _exit(kFirst + signal);
}

} // namespace nestbed::last_report
