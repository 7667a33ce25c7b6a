#include "program/runtime/late_work.hpp"

#include "base/split_mix.hpp"
#include "base/start_thread.hpp"
#include "device/cpu/observer.hpp"
#include "program/include/nestbed/program/print.hpp"
#include "program/runtime/state.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace nestbed::program
{

struct LateWork {
    std::function<void()> run; // empty: it has run
    LateWorks after;
};

namespace
{

struct Queue {
    LateWorks waiting; // in the order of the calls
    std::map<std::uint64_t, LateWorks> last;
    std::uint64_t drawn = 0;
};
Queue& queue()
{
    static Queue& of_process = *new Queue; // programs use streams in destructors
    return of_process;
}

bool do_kernels_print = false;
std::atomic<std::uint64_t> calls = 0;
std::atomic<bool> has_helper = false, helps = false, is_ending = false;

thread_local bool is_helper = false;

// An observer sees the accesses of the host after those of the kernels that it has not waited for. What kernels print would come later than
// by other schedules.
bool runs_late()
{
    return environment().schedule.order == Schedule::Order::random && cpu::observer == nullptr && !do_kernels_print;
}

// A host may wait for what a kernel writes without any call of CUDA.
[[noreturn]] void help_who_does_not_call()
{
    constexpr std::chrono::milliseconds kPatience(300);
    is_helper = true;
    for (std::uint64_t seen = calls;; seen = calls) {
        std::this_thread::sleep_for(kPatience);
        if (calls != seen)
            continue;
        helps = true;
        if (const std::unique_lock lock(state().running, std::try_to_lock); lock.owns_lock() && !is_ending)
            run_all_works();
        helps = false;
    }
}

void run(LateWork& work)
{
    if (!work.run)
        return;
    const std::function<void()> own = std::exchange(work.run, nullptr);
    run(std::exchange(work.after, {}));
    own();
}

void forget_what_has_run(LateWorks& works)
{
    std::erase_if(works, [](const std::shared_ptr<LateWork>& work) { return !work->run; });
}

} // namespace

void run(const LateWorks& works)
{
    for (const std::shared_ptr<LateWork>& work : works)
        run(*work);
    forget_what_has_run(queue().waiting);
}

void run_all_works()
{
    ++calls;
    run(std::exchange(queue().waiting, {}));
    queue().last.clear();
}

LateWorks works_in(std::uint64_t stream)
{
    LateWorks& works = queue().last[stream];
    forget_what_has_run(works);
    return works;
}

void let_wait(std::uint64_t stream, const LateWorks& earlier)
{
    LateWorks& works = queue().last[stream];
    works.insert(works.end(), earlier.begin(), earlier.end());
}

void run_apart(const std::function<void()>& work)
{
    Queue outer = std::exchange(queue(), {.drawn = queue().drawn});
    work();
    run_all_works();
    outer.drawn = queue().drawn;
    queue() = std::move(outer);
}

bool kernels_print()
{
    return do_kernels_print = true;
}

bool is_helper_idle()
{
    return has_helper && !helps;
}

void end_help()
{
    is_ending = true;
    while (helps && !is_helper) // a kernel may end the program
        std::this_thread::yield();
}

void put_into(std::uint64_t stream, std::function<void()> work)
{
    if (!runs_late())
        return work();
    static std::once_flag is_helped;
    std::call_once(is_helped, [] {
        start_thread("the thread that helps a host that waits", help_who_does_not_call).detach();
        has_helper = true;
    });
    Queue& of = queue();
    constexpr std::size_t kMaxWaiting = 64;
    if (of.waiting.size() == kMaxWaiting)
        run_all_works();
    const auto late = std::make_shared<LateWork>(LateWork{std::move(work), works_in(stream)});
    of.waiting.push_back(late);
    of.last[stream] = {late};
    constexpr std::uint64_t kOneIn = 3; // of the calls lets something run
    ++calls;
    const std::uint64_t draw = split_mix(environment().schedule.seed, of.drawn++);
    if (draw % kOneIn == 0)
        run({of.waiting[draw / kOneIn % of.waiting.size()]});
}

} // namespace nestbed::program
