#include "program/runtime/workers.hpp"

#include "program/runtime/running.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <ucontext.h>

namespace nestbed::program
{

namespace
{

// Programs rarely use this signal, and its default is to do nothing.
constexpr int kAskingSignal = SIGURG;

struct Answer {
    std::array<char, 256> kernel{}, launched_at{};
    uint3 block{}, thread{};
    const void* code = nullptr;
    std::atomic<bool> given = false;
};
Answer answer;

void copy_text(std::array<char, 256>& to, const std::string& from)
{
    const std::size_t length = std::min(from.size(), to.size() - 1);
    std::memcpy(to.data(), from.data(), length);
    to.at(length) = '\0';
}

// Runs in the worker that is asked.
void give_answer(int /*signal*/, siginfo_t* /*info*/, void* context)
{
    const cpu::ThreadContext* const thread = cpu::current_thread;
    const auto* const grid = thread == nullptr ? nullptr : static_cast<const GridRecord*>(thread->program.grid);
    answer.kernel[0] = '\0';
    if (grid != nullptr) {
        copy_text(answer.kernel, grid->kernel);
        copy_text(answer.launched_at, grid->place);
        answer.block = thread->block_index;
        answer.thread = thread->thread_index;
    }
#ifdef __x86_64__
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    answer.code = reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    answer.code = reinterpret_cast<const void*>(static_cast<const ucontext_t*>(context)->uc_mcontext.pc);
#else
    static_cast<void>(context);
#endif
    answer.given = true;
}

struct Workers {
    std::mutex mutex;
    std::vector<pthread_t> threads;
};
Workers& workers()
{
    static Workers& of_process = *new Workers; // the watchdog uses them until the process ends
    return of_process;
}

class Registration
{
  public:
    Registration()
    {
        prepare_for_crashes();
        const std::lock_guard lock(workers().mutex);
        workers().threads.push_back(pthread_self());
    }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration()
    {
        const std::lock_guard lock(workers().mutex);
        std::erase(workers().threads, pthread_self());
    }
};

} // namespace

void register_worker()
{
    thread_local const Registration of_thread;
    static_cast<void>(of_thread);
}

std::vector<WhereAWorkerIs> where_workers_are()
{
    struct sigaction action {
    };
    action.sa_sigaction = give_answer;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigaction(kAskingSignal, &action, nullptr);
    std::vector<WhereAWorkerIs> found;
    const std::lock_guard lock(workers().mutex);
    for (const pthread_t worker : workers().threads) {
        answer.given = false;
        if (pthread_kill(worker, kAskingSignal) != 0)
            continue;
        constexpr int kMaxWaits = 1000;
        for (int wait = 0; wait < kMaxWaits && !answer.given; ++wait)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (!answer.given || answer.kernel[0] == '\0')
            continue;
        found.push_back({.kernel = answer.kernel.data(),
                         .launched_at = answer.launched_at.data(),
                         .thread = fmt::format("block ({},{},{}), thread ({},{},{})", answer.block.x, answer.block.y,
                                               answer.block.z, answer.thread.x, answer.thread.y, answer.thread.z),
                         .code = answer.code});
    }
    return found;
}

} // namespace nestbed::program
