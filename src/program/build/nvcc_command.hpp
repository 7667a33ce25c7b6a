// nvcc's command line as the executor understands it. Pure: reads no file but those that options name.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace nestbed::program
{

enum class NvccAction {
    link,         // compile and link: no option
    compile,      // -c, -dc, -dw
    device_link,  // -dlink: an empty object, because there is no GPU code
    preprocess,   // -E
    dependencies, // -M, -MM: only lists them
    shared,       // -shared
    archive,      // -lib
    version,      // --version
    describe,     // only the folders that -v prints
    list_gpus,    // --list-gpu-arch, --list-gpu-code
    clean,        // -clean: removes nothing, because no step leaves a file
};

enum class InputKind {
    cuda,    // .cu
    cpp,     // .cpp, .cc, .cxx
    c,       // .c
    linked,  // .o, .a, .so, and -lNAME, -Wl,… in the order of the command line
    ignored, // .ptx, .cubin, .fatbin in a link
};

struct NvccInput {
    std::string text; // a path; of `linked` also an option for the linker
    InputKind kind = InputKind::linked;
    bool is_source() const { return kind == InputKind::cuda || kind == InputKind::cpp || kind == InputKind::c; }
    bool operator==(const NvccInput&) const = default;
};

struct NvccCommand {
    NvccAction action = NvccAction::link;
    std::string action_option; // as written: "-M"
    std::string output;        // -o; empty: nvcc's default
    std::string output_folder; // -odir
    std::vector<NvccInput> inputs;
    std::vector<std::string> preprocessor; // -D, -U, -I, -isystem, -include
    std::vector<std::string> compiler;     // of -Xcompiler, and what nvcc passes on
    std::vector<std::string> linker;       // -L, and -Xcompiler's, which also link: -fopenmp
    std::vector<std::string> dependencies; // -MD, -MF FILE …
    std::string standard = "gnu++17";    // for -std=; nvcc 13's default, also for older ones: the headers need C++17
    std::optional<std::string> optimize; // "2" of -O2
    std::string cuda_arch = "900";       // the value of __CUDA_ARCH__; empty: not defined
    bool relocatable = false;            // -rdc=true, -dc
    bool watched = false;                // the race detector sees the accesses
    bool dry_run = false;
    bool verbose = false;
    bool run = false; // -run: the result is run
};

// What the environment adds (nvcc.hpp reads it).
struct NvccEnvironment {
    std::string prepended; // NVCC_PREPEND_FLAGS
    std::string appended;  // NVCC_APPEND_FLAGS
    bool watched = false;  // NESTBED_WATCH=1
};

// Throws UsageError: it names the option and says what is allowed.
NvccCommand parse_nvcc_command(const std::vector<std::string>& words, const NvccEnvironment& environment = {});

// Whether nvcc takes a file of this name without -x: a source file, an object file or a library.
bool is_nvcc_input(const std::string& path);

// Whether this is a source file of a CUDA program by its name: .cu .cuh .cpp .cc .cxx .c
bool is_program_source(const std::string& path);

} // namespace nestbed::program
