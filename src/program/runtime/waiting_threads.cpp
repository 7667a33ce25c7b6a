// Says where the threads wait that nobody wakes.
#include "device/cpu/standstill.hpp"

#include "base/reported_place.hpp"
#include "device/cpu/executor_state.hpp"
#include "device/cpu/interruptible.hpp"
#include "program/runtime/heap.hpp"
#include "program/runtime/late_work.hpp"
#include "program/runtime/running.hpp"
#include "program/runtime/state.hpp"
#include "program/runtime/waiting_threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>
#include <utility>

// Of the linker: the code of the program is between them.
extern const char __executable_start; // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)
extern const char etext;              // NOLINT(readability-identifier-naming)

namespace nestbed::program
{

namespace
{

// The text of "my.cu:12", without blanks around it; empty: it cannot be read.
std::string text_of_line(const std::string& place)
{
    const std::size_t colon = place.rfind(':');
    if (colon == std::string::npos)
        return "";
    std::ifstream file(place.substr(0, colon));
    std::string line;
    for (unsigned long rest = std::strtoul(place.c_str() + colon + 1, nullptr, 10); rest > 0; --rest)
        if (!std::getline(file, line))
            return "";
    constexpr std::size_t kMaximum = 100;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos)
        return "";
    line = line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
    if (line.size() > kMaximum) {
        line.resize(kMaximum);
        line += "…";
    }
    return line;
}

// The place of the user's call through which a thread gave way. `stack`: where the return address of the last call is; the user's is above it,
// behind those of functions of CUDA that are not inlined.
std::string place_of(const void* stack)
{
    constexpr int kWords = 40; // fewer than the frames of every thread have
    static std::map<std::uintptr_t, std::string> known;
    const auto* const words = static_cast<const std::uintptr_t*>(stack);
    for (int word = 0; word < kWords; ++word) {
        const std::uintptr_t address = words[word];
        if (address <= reinterpret_cast<std::uintptr_t>(&__executable_start) ||
            address >= reinterpret_cast<std::uintptr_t>(&etext))
            continue;
        auto place = known.find(address);
        if (place == known.end())
            // NOLINTNEXTLINE(performance-no-int-to-ptr)
            place = known.emplace(address, source_of(reinterpret_cast<const void*>(address - 1))).first;
        if (!place->second.empty())
            return place->second;
    }
    return "";
}

cpu::LastRead read_last(const cpu::ThreadContext& thread)
{
    if (cpu::interruptible != nullptr && thread.observed != nullptr)
        return cpu::interruptible->last_read(thread.observed);
    const volatile void* const address = thread.program.waits_for;
    if (address == nullptr)
        return {};
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    Heap& of = heap();
    const std::lock_guard lock(of.mutex);
    const Allocation* const found = of.at(at);
    if (found == nullptr)
        return {};
    return {.memory = at == found->begin ? found->name : fmt::format("{}, byte {}", found->name, at - found->begin)};
}

std::string counted(std::size_t count, std::string_view what)
{
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

class Program final : public cpu::UsersProgram
{
  public:
    std::uint64_t contents() override
    {
        Heap& of = heap();
        const std::lock_guard lock(of.mutex);
        std::uint64_t number = 0;
        for (const auto& [begin, allocation] : of.by_begin)
            number = cpu::number_for(allocation.address(), allocation.bytes, number);
        return number;
    }

    bool host_may_write() override
    {
        // The watchdog, and the thread of last_report.
        const std::size_t own =
            (environment().watchdog_s > 0 ? 2 : 1) + state().executor.workers() + (is_helper_idle() ? 1 : 0);
        std::error_code none;
        const std::filesystem::directory_iterator tasks("/proc/self/task", none);
        return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks))) > own;
    }

    std::string described(const cpu::WaitingThreads& threads) override
    {
        struct Group {
            const cpu::ThreadContext* first = nullptr;
            std::size_t count = 0;
        };
        std::map<std::tuple<std::string, std::string, std::string>, Group> groups; // by kernel, line, memory
        bool is_plain = false;
        for (const cpu::Carrier* carrier : threads.in_loops) {
            const cpu::ThreadContext& thread = carrier->context;
            const cpu::LastRead read = read_last(thread);
            const std::string place = read.place.empty() ? place_of(thread.gave_way_at) : read.place;
            is_plain |= read.is_plain;
            const auto* const grid = static_cast<const GridRecord*>(thread.program.grid);
            Group& group = groups[{grid == nullptr ? "a kernel" : grid->kernel, place, read.memory}];
            group.first = group.count++ == 0 ? &thread : group.first;
        }
        std::string text =
            fmt::format("deadlock: {} in loops for memory that no thread will change, because every other thread "
                        "waits too or has "
                        "ended:",
                        threads.in_loops.size() == 1 ? "1 thread waits"
                                                     : fmt::format("{} threads wait", threads.in_loops.size()));
        constexpr std::size_t kMaximum = 8;
        std::size_t written = 0;
        for (const auto& [key, group] : groups) {
            const auto& [kernel, line, memory] = key;
            if (written++ == kMaximum) {
                text += fmt::format("\n  and at {} more", counted(groups.size() - kMaximum, "place"));
                break;
            }
            text += fmt::format("\n  {} of kernel {}{}{}, the first is block ({},{},{}), thread ({},{},{})",
                                counted(group.count, "thread"), kernel, line.empty() ? "" : " at " + line,
                                memory.empty() ? "" : " for " + memory, group.first->block_index.x,
                                group.first->block_index.y, group.first->block_index.z, group.first->thread_index.x,
                                group.first->thread_index.y, group.first->thread_index.z);
            if (const std::string source = text_of_line(line); !source.empty())
                text += "\n      " + source;
        }
        return text + others(threads) + advice(threads, is_plain);
    }

  private:
    static std::string others(const cpu::WaitingThreads& threads)
    {
        std::string text;
        if (threads.at_barrier != 0) {
            const cpu::CallPlace place = threads.at_barriers.front()->barrier_place;
            text += fmt::format("\n  {} at a barrier{}", counted(threads.at_barrier, "thread"),
                                place.file == nullptr ? ""
                                                      : fmt::format(" ({})", reported_place(place.file, place.line)));
        }
        if (threads.at_warp != 0)
            text += fmt::format("\n  {} for other lanes of the warp (__syncwarp(), a shuffle or a vote)",
                                counted(threads.at_warp, "thread"));
        if (threads.for_children != 0)
            text += fmt::format("\n  {} for children", counted(threads.for_children, "thread"));
        if (threads.launches != 0)
            text += fmt::format("\n  {} cannot begin before the kernel goes on",
                                threads.launches == 1 ? "1 launch" : fmt::format("{} launches", threads.launches));
        return text;
    }

    static std::string advice(const cpu::WaitingThreads& threads, bool is_plain)
    {
        std::string text;
        if (threads.held_back)
            text +=
                "\nBy this schedule a child runs to its end before the thread goes on that launched it, so it cannot "
                "wait for its parent: try another schedule, as NESTBED_SCHEDULE=random:1.";
        else
            text += "\nThe kernel was ended. On a GPU it hangs, unless the host writes that memory meanwhile, or "
                    "launches "
                    "beside it a kernel that does: here the host goes on when the kernel has ended.";
        if (is_plain)
            text +=
                "\nThe last read is a plain one: nvcc may move it out of the loop, which then never ends. Make it "
                "volatile or atomic.";
        return text;
    }
};

} // namespace

cpu::UsersProgram& users_program()
{
    static Program program;
    return program;
}

} // namespace nestbed::program
