#include "program/runtime/running.hpp"

#include "base/reported_place.hpp"
#include "program/runtime/recursion_stack.hpp"
#include "program/runtime/state.hpp"

#include <array>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace nestbed::program
{

RunningThread::RunningThread(GridRecord& grid) : grid_(grid)
{
    register_worker();
    cpu::current_thread->program.grid = cpu::current_thread->program.latest_grid = &grid;
    begin_stack();
    if (state().ledger.keeps_grids() && grid.begun_ns == 0) {
        std::uint64_t not_begun = 0;
        grid.begun_ns.compare_exchange_strong(not_begun, now_ns());
    }
}

RunningThread::~RunningThread()
{
    if (state().ledger.keeps_grids()) {
        const std::uint64_t now = now_ns();
        std::uint64_t last = grid_.ended_ns;
        while (last < now && !grid_.ended_ns.compare_exchange_weak(last, now)) {
        }
    }
    cpu::current_thread->program.grid = nullptr;
    made_progress();
}

void block_barrier(const char* file, unsigned line, unsigned number)
{
    made_progress();
    cpu::barrier(file, line, number);
}

namespace
{

// That stand in for CUDA's: their functions are inlined into the user's.
bool is_of_headers(std::string_view place)
{
    static constexpr std::string_view kFolder = "/program/include/";
    const std::size_t folder = place.find(kFolder);
    return folder != std::string_view::npos &&
           std::filesystem::exists(std::string(place.substr(0, folder + kFolder.size())) + "nestbed/program.hpp");
}

} // namespace

std::string source_of(const void* code)
{
    Dl_info object{};
    if (dladdr(code, &object) == 0 || object.dli_fname == nullptr)
        return "";
    // A program that is not position-independent has addresses of its file.
    const auto address = reinterpret_cast<std::uintptr_t>(code);
    const auto base = reinterpret_cast<std::uintptr_t>(object.dli_fbase);
    constexpr std::uintptr_t kFixedBase = 0x400000;
    Dl_info own{};
    const bool is_of_program = // or of a shared library: the executor is in the program
        dladdr(reinterpret_cast<const void*>(&source_of), &own) == 0 || own.dli_fbase == object.dli_fbase;
    const std::string_view name = object.dli_fname;
    if (!is_of_program && (name.starts_with("/lib") || name.starts_with("/usr/lib")))
        return ""; // no line of the user's
    std::string file = fmt::format("\"$(readlink /proc/{}/exe)\"", getpid());
    if (!is_of_program) {
        file = "'";
        for (const char byte : name)
            file += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
        file += "'";
    }
    const std::string command =
        fmt::format("addr2line -i -e {} {:#x} 2>/dev/null", file, base == kFixedBase ? address : address - base);
    // NOLINTNEXTLINE(cert-env33-c): addr2line is of binutils, which come with the compiler
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr)
        return "";
    std::string found;
    std::array<char, 4096> buffer{};
    while (found.empty() && std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
        std::string_view line = buffer.data();
        line = line.substr(0, line.find_first_of(" \n"));
        if (!line.starts_with("??") && !is_of_headers(line) && !line.ends_with(":?") && !line.ends_with(":0"))
            found = line;
    }
    pclose(pipe);
    return reported_path(found);
}

} // namespace nestbed::program
