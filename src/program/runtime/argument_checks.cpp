// What the arguments of a launch point to. Types are not known here: each word counts that could be a pointer, so an uninitialised one, too.
#include "program/runtime/argument_checks.hpp"

#include "device/cpu/observer.hpp"
#include "device/cpu/own_memory.hpp"
#include "program/runtime/memory.hpp"
#include "program/runtime/state.hpp"
#include "program/runtime/variables.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace nestbed::program
{

namespace
{

template <class Use>
void for_each_word(const void* arguments, std::size_t bytes, const Use& use)
{
    for (std::size_t at = 0; at + sizeof(void*) <= bytes; at += sizeof(void*)) {
        const void* word = nullptr;
        std::memcpy(&word, static_cast<const std::byte*>(arguments) + at, sizeof word);
        use(word);
    }
}

// The warning comes once per launch of the source and text.
void warn(const char* kernel, Place place, const std::string& text)
{
    static std::mutex mutex;
    static auto& warned = *new std::set<std::pair<std::string, std::string>>; // as the state, never destroyed
    const std::lock_guard lock(mutex);
    if (warned.emplace(spelled(place), text).second)
        say(fmt::format("{}: warning: an argument of the launch of {} points to {}", spelled(place), kernel, text));
}

// Whether a line of /proc/self/maps is of the heap, a stack, or large memory of malloc() around the address.
bool is_anonymous_around(const std::string& line, std::uintptr_t address)
{
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::string access;
    std::istringstream(line) >> std::hex >> begin >> dash >> end >> access;
    return begin <= address && address < end && access.starts_with("rw") && line.find('/') == std::string::npos;
}

bool is_memory_of_host(const void* word)
{
    constexpr std::uintptr_t kMin = 1U << 16U;
    constexpr std::uintptr_t kEnd = 1ULL << 47U;
    const auto address = reinterpret_cast<std::uintptr_t>(word);
    if (address < kMin || address >= kEnd || allocation_at(word) || kind_of_variable(word) || is_event(word) ||
        is_executable_graph(word))
        return false;
    if (is_host_variable(word))
        return true;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (is_anonymous_around(line, address))
            return true;
    return false;
}

} // namespace

void warn_of_own_memory(const char* kernel, Place place, const void* arguments, std::size_t bytes)
{
    for_each_word(arguments, bytes, [&](const void* word) {
        const cpu::OwnMemory own = cpu::own_memory_for_child(word);
        if (own != cpu::OwnMemory::none)
            warn(kernel, place,
                 fmt::format("{}, which a child cannot use", own == cpu::OwnMemory::of_thread
                                                                 ? "local memory of the launching thread"
                                                                 : "shared memory of the launching block"));
    });
}

HostArguments::HostArguments(const char* kernel, Place place, const void* arguments, std::size_t bytes)
{
    if (sticky_error() != cudaSuccess)
        return;                         // cudaMalloc() has failed too, and there will be no launch
    constexpr unsigned kMaxLooked = 16; // at one launch of the source: looking takes a while
    static std::mutex mutex;
    static auto& looked = *new std::map<std::string, unsigned>;
    {
        const std::lock_guard lock(mutex);
        if (++looked[spelled(place)] > kMaxLooked)
            return;
    }
    for_each_word(arguments, bytes, [&](const void* word) {
        if (!is_memory_of_host(word))
            return;
        warn(kernel, place, "memory of the host, which kernels of most GPUs cannot use; allocate it by cudaMalloc()");
        if (cpu::observer == nullptr || is_host_variable(word)) // which it knows
            return;
        // How much it is is not known.
        cpu::observer->memory(
            {.begin = word, .bytes = 1, .name = "what an argument of the launch points to", .is_of_host = true});
        watched_.push_back(word);
    });
}

HostArguments::~HostArguments()
{
    for (const void* const memory : watched_)
        cpu::observer->forget(memory);
}

} // namespace nestbed::program
