#include "program/runtime/variables.hpp"

#include "device/cpu/observer.hpp"
#include "program/runtime/running.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

// Static variables of the host, which the compiler's plugin lists (sides_plugin.cc); the linker's names.
struct HostVariable {
    const char* begin;
    std::size_t bytes;
    const char* name;
};
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" __attribute__((weak)) const HostVariable __start_nestbed_host_variables, __stop_nestbed_host_variables;

namespace nestbed::program
{

namespace
{

std::span<const HostVariable> host_variables()
{
    return {&__start_nestbed_host_variables, &__stop_nestbed_host_variables};
}

[[maybe_unused]] const bool host_variables_are_known = [] {
    if (cpu::observer != nullptr)
        for (const HostVariable& each : host_variables())
            cpu::observer->memory({.begin = each.begin,
                                   .bytes = each.bytes,
                                   .name = each.name,
                                   .is_of_host = true,
                                   .is_variable = true});
    return true;
}();

struct Variable {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::string name;
    VariableKind kind = VariableKind::device;
};

struct Pad {
    char* begin = nullptr;
    std::size_t bytes = 0;
    bool is_opened = false;
};

// Known before main(), or when a shared library is loaded. Never destroyed.
std::vector<Variable>& variables()
{
    static auto& all = *new std::vector<Variable>;
    return all;
}
// nullptr: there is none. The handler of a signal looks at it, so that it is not made there.
constinit std::vector<Pad>* pads = nullptr;

// Of its first byte the address is this far.
std::ptrdiff_t offset_of(std::uintptr_t address, const Variable& variable)
{
    return static_cast<std::ptrdiff_t>(address - variable.begin);
}

// "byte 70000 of table (40 bytes)"
std::string nearest_to(std::uintptr_t address)
{
    const auto distance = [address](const Variable& variable) {
        const std::ptrdiff_t offset = offset_of(address, variable);
        return offset < 0 ? static_cast<std::size_t>(-offset) : static_cast<std::size_t>(offset) - variable.bytes + 1;
    };
    const auto nearest = std::ranges::min_element(variables(), {}, distance);
    if (nearest == variables().end())
        return "no variable";
    return fmt::format("byte {} of {} ({} bytes)", offset_of(address, *nearest), nearest->name, nearest->bytes);
}

} // namespace

bool known_variable(const void* begin, std::size_t bytes, std::size_t element_bytes, const char* name,
                    VariableKind kind)
{
    if (cpu::observer != nullptr)
        cpu::observer->memory(
            {.begin = begin,
             .bytes = bytes,
             .element = element_bytes,
             .name = name,
             .by_host = kind == VariableKind::managed ? cpu::HostAccess::ordered : cpu::HostAccess::unchecked,
             .is_variable = true,
             .is_constant = kind == VariableKind::constant});
    variables().push_back({reinterpret_cast<std::uintptr_t>(begin), bytes, name, kind});
    return true;
}

std::optional<VariableKind> kind_of_variable(const void* address)
{
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto found =
        std::ranges::find_if(variables(), [at](const Variable& one) { return at - one.begin < one.bytes; });
    return found == variables().end() ? std::nullopt : std::optional(found->kind);
}

bool is_host_variable(const void* address)
{
    return std::ranges::any_of(host_variables(), [address](const HostVariable& one) {
        return static_cast<std::size_t>(static_cast<const char*>(address) - one.begin) < one.bytes;
    });
}

// An observer sees the accesses itself.
bool known_pad(char* begin, std::size_t bytes)
{
    const bool is_of_pages =
        reinterpret_cast<std::uintptr_t>(begin) % static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) == 0;
    if (cpu::observer == nullptr && is_of_pages && mprotect(begin, bytes, PROT_NONE) == 0) {
        if (pads == nullptr)
            pads = std::make_unique<std::vector<Pad>>().release();
        pads->push_back({begin, bytes});
    }
    return true;
}

bool report_pad_access(const void* address, std::optional<bool> write, const void* code)
{
    if (pads == nullptr)
        return false;
    const auto pad = std::ranges::find_if(*pads, [address](const Pad& each) {
        return static_cast<std::size_t>(static_cast<const char*>(address) - each.begin) < each.bytes;
    });
    if (pad == pads->end())
        return false;
    if (std::exchange(pad->is_opened, true))
        return true; // another thread was as fast
    if (mprotect(pad->begin, pad->bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    const cpu::ThreadContext* const thread = cpu::current_thread;
    const std::string line = source_of(code);
    const std::string text = fmt::format("{}{}: {} of {}", thread == nullptr ? "the host" : described(*thread),
                                         line.empty() ? "" : ", at " + line,
                                         !write   ? "access"
                                         : *write ? "write"
                                                  : "read",
                                         nearest_to(reinterpret_cast<std::uintptr_t>(address)));
    note_finding({.kind = "out of bounds", .place = line, .text = text});
    say(fmt::format("out of bounds: {}. Later ones are not reported; `nestbed races` reports all", text));
    return true;
}

} // namespace nestbed::program
