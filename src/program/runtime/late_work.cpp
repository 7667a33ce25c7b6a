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
    std::function<void()> run; // empty: it has run, or runs
    LateWorks after;
    bool is_function = false;  // of the host, or behind one
    std::thread::id runs_in{}; // none: it does not run
};

namespace
{

struct Queue {
    LateWorks waiting; // in the order of the calls
    std::map<std::uint64_t, LateWorks> last;
    std::uint64_t drawn = 0;
    bool is_apart = false;
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
    constexpr std::chrono::microseconds kTick(50);
    while (work.runs_in != std::thread::id() && work.runs_in != std::this_thread::get_id()) {
        const RunningLock::Released released(state().running);
        std::this_thread::sleep_for(kTick);
    }
    if (!work.run)
        return;
    const std::function<void()> own = std::exchange(work.run, nullptr);
    work.runs_in = std::this_thread::get_id();
    run(std::exchange(work.after, {}));
    own();
    work.runs_in = {};
}

void forget_what_has_run(LateWorks& works)
{
    std::erase_if(works, [](const std::shared_ptr<LateWork>& work) {
        return !work->run && work->runs_in == std::thread::id();
    });
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
    const LateWorks works = queue().waiting; // one that runs in another thread stays there
    run(works);
    for (auto& [stream, last] : queue().last)
        forget_what_has_run(last);
    std::erase_if(queue().last, [](const auto& of) { return of.second.empty(); });
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
    Queue outer = std::exchange(queue(), {.drawn = queue().drawn, .is_apart = true});
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

void call_unlocked(const std::function<void()>& call)
{
    if (queue().is_apart) // whose queue is no one else's
        return call();
    const RunningLock::Released released(state().running);
    call();
}

namespace
{

void put(std::uint64_t stream, std::function<void()> work, bool is_function)
{
    LateWorks before = works_in(stream);
    const auto is_behind_one = [](const std::shared_ptr<LateWork>& earlier) { return earlier->is_function; };
    is_function |= std::ranges::any_of(before, is_behind_one);
    if (cpu::observer != nullptr || (!runs_late() && (!is_function || queue().is_apart))) {
        run(before);
        if (!is_function)
            return work();
        const auto now = std::make_shared<LateWork>(LateWork{.run = std::move(work)});
        queue().waiting.push_back(now);
        queue().last[stream] = {now};
        return run(LateWorks{now});
    }
    static std::once_flag is_helped;
    std::call_once(is_helped, [] {
        start_thread("the thread that helps a host that waits", help_who_does_not_call).detach();
        has_helper = true;
    });
    Queue& of = queue();
    constexpr std::size_t kMaxWaiting = 64;
    constexpr std::size_t kMaxBehindFunctions = 1024; // a GPU's queue is full some time, too
    const auto without_functions = [&] {
        LateWorks works = of.waiting;
        std::erase_if(works, is_behind_one);
        return works;
    };
    if (of.waiting.size() >= kMaxBehindFunctions)
        run_all_works();
    else if (of.waiting.size() >= kMaxWaiting)
        run(without_functions());
    const auto late = std::make_shared<LateWork>(LateWork{std::move(work), works_in(stream), is_function});
    of.waiting.push_back(late);
    of.last[stream] = {late};
    constexpr std::uint64_t kOneIn = 3; // of the calls lets something run
    ++calls;
    const std::uint64_t draw = split_mix(environment().schedule.seed, of.drawn++);
    if (draw % kOneIn != 0)
        return;
    if (const LateWorks works = without_functions(); !works.empty())
        run(LateWorks{works[draw / kOneIn % works.size()]});
}

} // namespace

void put_into(std::uint64_t stream, std::function<void()> work)
{
    put(stream, std::move(work), false);
}

void put_function_into(std::uint64_t stream, std::function<void()> work)
{
    put(stream, std::move(work), true);
}

} // namespace nestbed::program
