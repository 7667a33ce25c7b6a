#include "device/races/sites.hpp"
#include "base/reported_place.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>
#include <unistd.h>
#include <utility>

// Where the program's variables without a value begin: the linker's name.
extern "C" char __bss_start; // NOLINT

namespace nestbed::races
{

namespace
{

// Never ended: a program may ask for places at its very end.
Dwfl* debug_information()
{
    static char* no_path = nullptr;
    static const Dwfl_Callbacks callbacks{.find_elf = dwfl_linux_proc_find_elf,
                                          .find_debuginfo = dwfl_standard_find_debuginfo,
                                          .section_address = nullptr,
                                          .debuginfo_path = &no_path};
    static Dwfl* const dwfl = [] {
        Dwfl* const begun = dwfl_begin(&callbacks);
        dwfl_report_begin(begun);
        dwfl_linux_proc_report(begun, getpid());
        dwfl_report_end(begun, nullptr, nullptr);
        return begun;
    }();
    return dwfl;
}

#ifdef NESTBED_PROJECT_FOLDER

std::string relative(std::string_view file, const char*)
{
    constexpr std::string_view kProject = NESTBED_PROJECT_FOLDER "/";
    constexpr std::string_view kAbove = "../";
    while (file.starts_with(kAbove)) // relative to the build folder, as ccache may have it
        file.remove_prefix(kAbove.size());
    return std::string(file.starts_with(kProject) ? file.substr(kProject.size()) : file);
}

// How a kernel's words reach the executor, and the library: no place where somebody writes a kernel. A workload that is built outside of
// the repository has copies of the headers.
bool is_plumbing(std::string_view file)
{
    constexpr std::array kPlumbing{"device/cpu/", "device/nest.hpp", "device/language.hpp",
                                   "device/trace_buffer.hpp"};
    constexpr std::string_view kSource = "src/";
    constexpr std::string_view kCopies = "program/workload/include/";
    const std::size_t copies = file.find(kCopies);
    const std::string_view header = copies != std::string_view::npos ? file.substr(copies + kCopies.size())
                                    : file.starts_with(kSource)      ? file.substr(kSource.size())
                                                                     : "";
    return file.empty() || file.starts_with("/usr/") ||
           std::ranges::any_of(kPlumbing, [&](std::string_view folder) { return header.starts_with(folder); });
}

#else // a program of a user

std::string relative(std::string_view file, const char* compiled_in)
{
    const std::filesystem::path path(file);
    return reported_path(path.is_relative() && compiled_in != nullptr ? (compiled_in / path).string() : file);
}

// Where the headers are that stand in for CUDA's: this program has been compiled with them.
std::string folder_of_headers()
{
    constexpr std::string_view kHeader = "/nestbed/program/launch.hpp"; // each kernel has code of it
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* unit = dwfl_nextcu(debug_information(), nullptr, &bias); unit != nullptr;
         unit = dwfl_nextcu(debug_information(), unit, &bias)) {
        Dwarf_Attribute folder{};
        const char* const compiled_in = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &folder));
        Dwarf_Files* files = nullptr;
        std::size_t count = 0;
        if (dwarf_getsrcfiles(unit, &files, &count) != 0)
            continue;
        for (std::size_t number = 0; number < count; ++number) {
            const char* const name = dwarf_filesrc(files, number, nullptr, nullptr);
            if (name == nullptr || !std::string_view(name).ends_with(kHeader))
                continue;
            const std::string header = relative(name, compiled_in);
            return header.substr(0, header.size() - kHeader.size() + 1);
        }
    }
    return "/usr/";
}

bool is_of_headers(std::string_view file)
{
    static const std::string& headers = *std::make_unique<std::string>(folder_of_headers()).release();
    return file.starts_with(headers);
}

// The stand-in headers and the library: no place where somebody writes a kernel.
bool is_plumbing(std::string_view file)
{
    return file.empty() || is_of_headers(file) || file.starts_with("/usr/");
}

// Not a variable of the user: what the linker has copied from a library, as std::cout, and what the rewriter and the compiler's own
// objects have added.
bool is_of_others(std::string_view name)
{
    constexpr std::array kOthers{"nestbed_kernel", "nestbed_known_", "nestbed_pads_are_known", "@",
                                 "__dso_handle",   "completed."};
    return std::ranges::any_of(kOthers, [&](const char* part) { return name.find(part) != std::string_view::npos; });
}

// The program's own variables: where they begin and end. Those of the library are behind them, once among those with a value and once among
// those without, because the linker takes files in the order in which they are named: behind the last pad.
struct Variables {
    std::map<std::uintptr_t, std::uintptr_t> ends; // by their begin
    std::uintptr_t data_end = 0, zeros_end = 0;    // of the last pads; 0: there is none

    bool are_of_library(std::uintptr_t address) const
    {
        const auto zeros = reinterpret_cast<std::uintptr_t>(&__bss_start);
        return address < zeros ? data_end != 0 && address >= data_end : zeros_end != 0 && address >= zeros_end;
    }
};

const Variables& variables()
{
    static const Variables& found = *[] {
        auto all = std::make_unique<Variables>();
        Dl_info own{};
        const bool is_found = dladdr(reinterpret_cast<const void*>(&is_plumbing), &own) != 0;
        Dwfl_Module* const module =
            is_found ? dwfl_addrmodule(debug_information(), reinterpret_cast<std::uintptr_t>(own.dli_fbase))
                     : nullptr;
        const int count = module == nullptr ? 0 : dwfl_module_getsymtab(module);
        for (int number = 0; number < count; ++number) {
            GElf_Sym symbol{};
            GElf_Addr begin = 0;
            const char* const name =
                dwfl_module_getsym_info(module, number, &symbol, &begin, nullptr, nullptr, nullptr);
            if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0 ||
                is_of_others(name))
                continue;
            const std::uintptr_t end = begin + symbol.st_size;
            const bool is_pad = std::string_view(name).find("nestbed_pad") != std::string_view::npos;
            std::uintptr_t& pads_end =
                begin < reinterpret_cast<std::uintptr_t>(&__bss_start) ? all->data_end : all->zeros_end;
            std::uintptr_t& kept = is_pad ? pads_end : all->ends[begin];
            kept = std::max(kept, end);
        }
        std::erase_if(all->ends, [&](const auto& variable) { return all->are_of_library(variable.first); });
        return all.release();
    }();
    return found;
}

#endif

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
    return {relative(file, dwfl_line_comp_dir(line)), static_cast<unsigned>(number)};
}

SourcePlace place_of_call(const char* file, unsigned line)
{
    return file == nullptr ? SourcePlace{} : SourcePlace{relative(file, nullptr), line};
}

#ifdef NESTBED_PROJECT_FOLDER
NearVariable near_variable(std::uintptr_t address, std::size_t /*bytes*/)
{
    return {address, 0};
}
bool are_of_library(std::uintptr_t /*address*/, std::size_t /*bytes*/)
{
    return false;
}
#else
NearVariable near_variable(std::uintptr_t address, std::size_t bytes)
{
    const auto& ends = variables().ends;
    const auto after = ends.upper_bound(address);
    const auto before = after == ends.begin() ? ends.end() : std::prev(after);
    if (before == ends.end() && after == ends.end())
        return {address, 0};
    const std::uintptr_t end = address + bytes;
    if (before != ends.end() && end <= before->second)
        return {before->first, 0};
    if (before == ends.end() || (after != ends.end() && after->first - address < end - before->second))
        return {after->first, -static_cast<std::ptrdiff_t>(after->first - address)};
    return {before->first, static_cast<std::ptrdiff_t>(end - before->second)};
}

bool are_of_library(std::uintptr_t address, std::size_t bytes)
{
    return variables().are_of_library(address) || variables().are_of_library(address + bytes - 1);
}
#endif

std::string variable_at(std::uintptr_t address)
{
    std::ptrdiff_t offset_outside = 0;
    if (const NearVariable near = near_variable(address, 1); near.beyond != 0)
        offset_outside = static_cast<std::ptrdiff_t>(std::exchange(address, near.begin) - near.begin);
    // The library takes for a module what is mapped from its file. Variables without a value in the file may lie behind.
    Dl_info object{};
    const bool found =
        dladdr(reinterpret_cast<const void*>(address), &object) != 0; // NOLINT(performance-no-int-to-ptr)
    Dwfl_Module* const module =
        found ? dwfl_addrmodule(debug_information(), reinterpret_cast<std::uintptr_t>(object.dli_fbase)) : nullptr;
    GElf_Off offset = 0;
    GElf_Sym symbol{};
    const char* const name = module == nullptr
                                 ? nullptr
                                 : dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name == nullptr)
        return "a variable";
    // Without the prefix it is a variable of C or of the global namespace; "v" would be read as the type void.
    const bool mangled = std::string_view(name).starts_with("_Z");
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> readable(
        mangled ? abi::__cxa_demangle(name, nullptr, nullptr, &status) : nullptr, &std::free);
    const std::string text = readable ? readable.get() : name;
    const std::ptrdiff_t byte = static_cast<std::ptrdiff_t>(offset) + offset_outside;
    return byte == 0 ? text : text + ", byte " + std::to_string(byte);
}

std::uint32_t Sites::looked_up(std::uint32_t node, const void* address)
{
    const auto [found, added] = numbers_.try_emplace({node, address}, static_cast<std::uint32_t>(sites_.size()));
    if (added)
        sites_.push_back({node, address});
    latest_[Hash{}({node, address}) >> (kHashBits - kLatestBits)] = {address, node, found->second};
    return found->second;
}

bool Sites::is_of_user(std::uint32_t site)
{
#ifdef NESTBED_PROJECT_FOLDER
    static_cast<void>(site);
    return false;
#else
    const auto [known, is_new] = of_user_.try_emplace(site, false);
    if (!is_new)
        return known->second;
    for (; site != 0; site = sites_[site].caller) {
        const std::string file = source_place(sites_[site].address).file;
        if (is_of_headers(file))
            break;
        if (!is_plumbing(file))
            return known->second = true;
    }
    return false;
#endif
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
