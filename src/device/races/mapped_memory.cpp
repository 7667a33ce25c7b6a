#include "device/races/mapped_memory.hpp"

#include <link.h>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace nestbed::races
{

namespace
{

struct Search {
    std::uintptr_t address = 0;
    bool is_found = false;
};

bool is_of_system(std::string_view path)
{
    return path.starts_with("/lib") || path.starts_with("/usr/lib");
}

int search_module(dl_phdr_info* object, std::size_t /*size*/, void* of)
{
    auto& search = *static_cast<Search*>(of);
    const std::string_view path = object->dlpi_name; // empty: the program, whose variables the detector knows
    for (std::size_t number = 0; number < object->dlpi_phnum; ++number) {
        const auto& part = object->dlpi_phdr[number];
        const bool is_constant =
            part.p_type == PT_GNU_RELRO || (part.p_type == PT_LOAD && (part.p_flags & PF_W) == 0);
        const bool is_of_user = part.p_type == PT_LOAD && !path.empty() && !is_of_system(path);
        if (search.address - (object->dlpi_addr + part.p_vaddr) < part.p_memsz && (is_constant || is_of_user))
            search.is_found = true;
    }
    return search.is_found ? 1 : 0;
}

} // namespace

bool is_of_module(std::uintptr_t address)
{
    Search search{.address = address};
    dl_iterate_phdr(search_module, &search);
    return search.is_found;
}

bool has_memory(std::uintptr_t address)
{
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return msync(reinterpret_cast<void*>(address / page * page), 1, MS_ASYNC) == 0;
}

} // namespace nestbed::races
