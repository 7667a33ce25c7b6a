// Loads that a compiled kernel may execute before griddepcontrol.wait, from what cuobjdump and nvdisasm print of it. nvcc may move a load of
// memory behind `const __restrict__` above the wait, which the source does not show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestbed
{

struct EarlyLoad {
    std::uint64_t address; // in the kernel
    std::string text;      // of the instruction
    std::string place{};   // "FILE:LINE"; empty if not known
};

// A kernel, or a function that is not inlined, with an instruction that waits (ACQBULK).
struct WaitingKernel {
    std::string name; // as the compiler wrote it
    std::string architecture;
    std::vector<EarlyLoad> loads{};
    std::size_t calls = 0;             // before the wait: what they load is not seen
    std::size_t indirect_branches = 0; // before the wait: where they lead is not seen
};

struct EarlyLoads {
    std::size_t functions = 0; // all that the text has
    std::size_t callers = 0;   // that do not wait, and call others, which may
    std::vector<WaitingKernel> waiting{};
};

// Reads what `cuobjdump -sass` or `nvdisasm -c -g` printed, and follows each function from its beginning up to an ACQBULK without a
// predicate. Reports loads of memory that other grids may write: LDG, generic LD, LDGSTS, bulk and tensor copies, textures, surfaces, and
// atomics, which load too. Not loads of constants, parameters, shared and local memory. Throws RunError if the text has no function.
EarlyLoads find_early_loads(std::string_view text);

// {{function, address}: "FILE:LINE"} of what `nvdisasm -c -g` printed; of inlined code the place of the code itself.
std::map<std::pair<std::string, std::uint64_t>, std::string> places_of_sass(std::string_view text);

// Lines of at most 80 characters, but for names.
std::string early_loads_text(const EarlyLoads& found);

} // namespace nestbed
