// The static shared memory of a kernel: that of the variables which its function, and those that it calls, name. nvcc sums the same
// ones. Which they are is read from the machine code: no token says which instance of a template a kernel calls.
#include "program/runtime/static_shared.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace nestbed::program
{

namespace
{

struct Code { // of a function
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    bool is_nestbeds = false; // and calls no function of the user
};

// What a file of the program, or a shared library, has.
class Module
{
  public:
    Module(const char* file, std::uintptr_t base)
    {
        std::ifstream stream(file, std::ios::binary);
        const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
        read(bytes, base);
    }

    // Of the variables that are reached from the function with the address in it, and not by another kernel.
    std::size_t shared_bytes(const void* code, const Kernel& kernel) const
    {
        const Code* const first = function_with(reinterpret_cast<std::uintptr_t>(code));
        if (first == nullptr)
            return 0;
        std::vector<const Code*> to_read{first};
        std::set<const Code*> known{first};
        std::set<std::uintptr_t> variables;
        while (!to_read.empty()) {
            const Code& of = *to_read.back();
            to_read.pop_back();
            const std::vector<std::uintptr_t> named = named_by(of);
            if (std::ranges::any_of(named, [&](std::uintptr_t address) {
                    return kernels_.contains(address) && address != reinterpret_cast<std::uintptr_t>(&kernel);
                }))
                continue; // another kernel
            for (const std::uintptr_t address : named) {
                if (variables_.contains(address))
                    variables.insert(address);
                const Code* const callee = function_with(address);
                if (callee != nullptr && callee->begin == address && !callee->is_nestbeds &&
                    known.insert(callee).second)
                    to_read.push_back(callee);
            }
        }
        std::size_t bytes = 0;
        for (const std::uintptr_t variable : variables)
            bytes += reinterpret_cast<const SharedKey*>(variable)->bytes; // NOLINT(performance-no-int-to-ptr)
        return bytes;
    }

  private:
    template <class T>
    static T read_at(const std::vector<char>& bytes, std::size_t offset)
    {
        T value{};
        if (offset <= bytes.size() && sizeof value <= bytes.size() - offset)
            std::memcpy(&value, bytes.data() + offset, sizeof value);
        return value;
    }

    void read(const std::vector<char>& bytes, std::uintptr_t base)
    {
        const auto header = read_at<Elf64_Ehdr>(bytes, 0);
        if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
            return;
        bias_ = header.e_type == ET_DYN ? base : 0;
        for (std::size_t section = 0; section < header.e_shnum; ++section) {
            const auto table = read_at<Elf64_Shdr>(bytes, header.e_shoff + section * sizeof(Elf64_Shdr));
            if (table.sh_type != SHT_SYMTAB)
                continue;
            const auto names = read_at<Elf64_Shdr>(bytes, header.e_shoff + table.sh_link * sizeof(Elf64_Shdr));
            for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
                const auto symbol = read_at<Elf64_Sym>(bytes, table.sh_offset + at);
                const std::size_t name = names.sh_offset + symbol.st_name;
                if (symbol.st_shndx != SHN_UNDEF && symbol.st_size != 0 && name < bytes.size())
                    add(symbol,
                        std::string_view(bytes.data() + name, strnlen(bytes.data() + name, bytes.size() - name)));
            }
        }
        std::ranges::sort(functions_, {}, &Code::begin);
    }

    void add(const Elf64_Sym& symbol, std::string_view name)
    {
        const std::uintptr_t begin = bias_ + symbol.st_value;
        const auto type = ELF64_ST_TYPE(symbol.st_info);
        if (type == STT_FUNC) {
            // kernel() calls the body of a kernel.
            const bool is_nestbeds =
                name.starts_with("_ZN7nestbed") && !name.starts_with("_ZN7nestbed7program6kernelI");
            functions_.push_back({begin, begin + symbol.st_size, is_nestbeds});
        } else if (type == STT_OBJECT || ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE) {
            if (name.find("nestbed_key_of_") != name.npos)
                variables_.insert(begin);
            else if (name.find("nestbed_kernel") != name.npos)
                kernels_.insert(begin);
        }
    }

    const Code* function_with(std::uintptr_t address) const
    {
        const auto after = std::ranges::upper_bound(functions_, address, {}, &Code::begin);
        return after != functions_.begin() && address < std::prev(after)->end ? &*std::prev(after) : nullptr;
    }

    // The functions and variables whose addresses are in the code.
    std::vector<std::uintptr_t> named_by(const Code& of) const
    {
        std::vector<std::uintptr_t> found;
#ifdef __x86_64__
        constexpr std::size_t kBytes = sizeof(std::int32_t);
        const auto add_if_named = [&](std::uintptr_t address) {
            if (variables_.contains(address) || kernels_.contains(address) ||
                std::ranges::binary_search(functions_, address, {}, &Code::begin))
                found.push_back(address);
        };
        const auto* const code =
            reinterpret_cast<const unsigned char*>(of.begin); // NOLINT(performance-no-int-to-ptr)
        for (std::size_t at = 1; at + kBytes <= of.end - of.begin; ++at) {
            std::int32_t number = 0;
            std::memcpy(&number, code + at, kBytes);
            if (is_before_distance(at > 1 ? code[at - 2] : 0, code[at - 1]))
                add_if_named(of.begin + at + kBytes + static_cast<std::uintptr_t>(std::intptr_t{number}));
            if (bias_ == 0)
                add_if_named(static_cast<std::uint32_t>(number));
        }
#else
        static_cast<void>(of);
#endif
        return found;
    }

    // Whether the bytes, which are before four others, are of an instruction that adds those to its own address: call and jmp, jumps
    // with a condition, lea.
    static bool is_before_distance(unsigned char first, unsigned char second)
    {
        constexpr unsigned kCall = 0xE8;
        constexpr unsigned kJump = 0xE9;
        constexpr unsigned kLea = 0x8D;
        return second == kCall || second == kJump || (first == 0x0F && (second & 0xF0U) == 0x80) ||
               (first == kLea && (second & 0xC7U) == 0x05); // NOLINT(*-magic-numbers): two-byte jumps; of %rip
    }

    std::uintptr_t bias_ = 0;
    std::vector<Code> functions_; // sorted
    std::unordered_set<std::uintptr_t> variables_;
    std::unordered_set<std::uintptr_t> kernels_;
};

} // namespace

std::size_t static_shared_bytes(Kernel& kernel, const void* code)
{
    static std::mutex& mutex = *new std::mutex;
    static auto& modules = *new std::map<const void*, Module>;
    const std::lock_guard lock(mutex);
    if (kernel.static_bytes >= 0)
        return static_cast<std::size_t>(kernel.static_bytes);
    Dl_info object{};
    Dl_info own{};
    if (dladdr(code, &object) == 0)
        return 0;
    const bool is_of_program = // or of a shared library: the executor is in the program
        dladdr(reinterpret_cast<const void*>(&static_shared_bytes), &own) == 0 || own.dli_fbase == object.dli_fbase;
    const char* const file = is_of_program ? "/proc/self/exe" : object.dli_fname;
    const auto base = reinterpret_cast<std::uintptr_t>(object.dli_fbase);
    const Module& module = modules.try_emplace(object.dli_fbase, file, base).first->second;
    kernel.static_bytes = static_cast<int>(module.shared_bytes(code, kernel));
    return static_cast<std::size_t>(kernel.static_bytes);
}

} // namespace nestbed::program
