// The host's shadows of variables of the device: what the host reads and writes by the name of a __device__ or __constant__ variable (CUDA
// guide, "Variable Memory Space Specifiers"). As nvcc's, they begin as zeros.
#include "base/reported_place.hpp"
#include "program/runtime/state.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

namespace nestbed::program
{

namespace
{

enum class Use : int { read, write, passed, address };

struct Shadows {
    std::mutex mutex;
    std::map<void*, std::unique_ptr<std::byte[]>> of_variables;
    std::map<const void*, void*> variables; // by shadow
    std::set<std::tuple<std::string, int, std::string, int>> said;
};
Shadows& shadows()
{
    static Shadows& of_process = *new Shadows; // programs use CUDA in destructors
    return of_process;
}

const char* text_of(Use use)
{
    switch (use) {
    case Use::read:
        return "the host reads its own copy of the {}, which has nothing of the device's; cudaMemcpyFromSymbol() "
               "reads "
               "the variable";
    case Use::write:
        return "the host writes its own copy of the {}, which the device does not see; cudaMemcpyToSymbol() writes "
               "the "
               "variable";
    case Use::passed:
        return "the host passes the address of its own copy of the {}; cudaGetSymbolAddress() returns the address on "
               "the device";
    case Use::address:
        break;
    }
    return ""; // not known to be wrong
}

} // namespace

void* variable_of_symbol(const void* symbol)
{
    Shadows& of = shadows();
    const std::lock_guard lock(of.mutex);
    const auto found = of.variables.find(symbol);
    return found == of.variables.end() ? const_cast<void*>(symbol) : found->second;
}

} // namespace nestbed::program

// The compiler's plugin (sides_plugin.cc) calls it. Returns the shadow.
extern "C" void* nestbed_host_names(void* variable, std::size_t bytes, const char* name, const char* file, int line,
                                    int use)
{
    using namespace nestbed::program; // NOLINT(google-build-using-namespace)
    if (nestbed::cpu::in_kernel())
        return variable; // of a function of the host that a kernel calls by a pointer
    Shadows& of = shadows();
    const std::lock_guard lock(of.mutex);
    if (const std::string form = text_of(static_cast<Use>(use));
        !form.empty() && of.said.emplace(file, line, name, use).second) {
        const std::string place = nestbed::reported_place(file, line);
        const std::string text = fmt::format(fmt::runtime(form), name);
        note_finding({.kind = "copy of the host", .place = place, .text = text});
        say(fmt::format("{}: {}", place, text));
    }
    std::unique_ptr<std::byte[]>& shadow = of.of_variables[variable];
    if (shadow == nullptr) {
        shadow = std::make_unique<std::byte[]>(bytes);
        of.variables.emplace(shadow.get(), variable);
    }
    return shadow.get();
}
