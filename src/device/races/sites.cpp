#include "device/races/sites.hpp"

#include <elfutils/libdwfl.h>

#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <mutex>
#include <string_view>
#include <unistd.h>

extern "C" char __data_start; // NOLINT: the linker's name of where the program's variables begin

namespace nestbed::races
{

namespace
{

struct EndDwfl {
    void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

Dwfl* debug_information()
{
    static char* no_path = nullptr;
    static const Dwfl_Callbacks callbacks{.find_elf = dwfl_linux_proc_find_elf,
                                          .find_debuginfo = dwfl_standard_find_debuginfo,
                                          .section_address = nullptr,
                                          .debuginfo_path = &no_path};
    static const std::unique_ptr<Dwfl, EndDwfl> dwfl = [] {
        std::unique_ptr<Dwfl, EndDwfl> begun(dwfl_begin(&callbacks));
        dwfl_report_begin(begun.get());
        dwfl_linux_proc_report(begun.get(), getpid());
        dwfl_report_end(begun.get(), nullptr, nullptr);
        return begun;
    }();
    return dwfl.get();
}

std::string relative_to_project(std::string_view file)
{
    constexpr std::string_view kProject = NESTBED_PROJECT_FOLDER "/";
    constexpr std::string_view kAbove = "../";
    while (file.starts_with(kAbove)) // relative to the build folder, as ccache may have it
        file.remove_prefix(kAbove.size());
    return std::string(file.starts_with(kProject) ? file.substr(kProject.size()) : file);
}

// How a kernel's words reach the executor, and the library: no place where somebody writes a kernel.
bool is_plumbing(std::string_view file)
{
    constexpr std::array kPlumbing{"src/device/cpu/", "src/device/nest.hpp", "src/device/language.hpp",
                                   "src/device/trace_buffer.hpp", "/usr/"};
    for (const std::string_view folder : kPlumbing)
        if (file.starts_with(folder))
            return true;
    return file.empty();
}

} // namespace

SourcePlace source_place(const void* address)
{
    const auto before = reinterpret_cast<Dwarf_Addr>(address) - 1;
    Dwfl_Module* const module = dwfl_addrmodule(debug_information(), before);
    Dwfl_Line* const line = module == nullptr ? nullptr : dwfl_module_getsrc(module, before);
    int number = 0;
    const char* const file =
        line == nullptr ? nullptr : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
    if (file == nullptr)
        return {};
    return {relative_to_project(file), static_cast<unsigned>(number)};
}

std::string variable_at(std::uintptr_t address)
{
    // The library takes for a module what is mapped from its file. Variables without a value in the file may lie behind.
    Dwfl_Module* const module = dwfl_addrmodule(debug_information(), reinterpret_cast<std::uintptr_t>(&__data_start));
    GElf_Off offset = 0;
    GElf_Sym symbol{};
    const char* const name = module == nullptr
                                 ? nullptr
                                 : dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name == nullptr)
        return "a variable";
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> readable(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                               &std::free);
    const std::string text = readable ? readable.get() : name;
    return offset == 0 ? text : text + ", byte " + std::to_string(offset);
}

std::uint32_t Sites::at(std::uint32_t node, const void* address)
{
    const auto [found, added] = numbers_.try_emplace({node, address}, static_cast<std::uint32_t>(sites_.size()));
    if (added)
        sites_.push_back({node, address});
    return found->second;
}

std::vector<SourcePlace> Sites::places(std::uint32_t site) const
{
    std::vector<SourcePlace> all;
    std::vector<SourcePlace> own;
    for (; site != 0; site = sites_[site].caller) {
        all.push_back(source_place(sites_[site].address));
        if (!is_plumbing(all.back().file))
            own.push_back(all.back());
    }
    if (!own.empty())
        return own;
    return all.empty() ? std::vector{SourcePlace{}} : all;
}

} // namespace nestbed::races
