// The options of nvcc, and what the executor does with each of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nestbed::program
{

// What becomes of an option. `passed_as` (below) is the option for g++, before its value.
enum class NvccUse {
    ignored,       // it is about GPU code: -arch, -Xptxas
    preprocessor,  // for g++ when it preprocesses and when it compiles: -D
    include_path,  // -I, -isystem, unless it is a folder of a CUDA toolkit
    compiler,      // for g++ when it compiles: -w
    compiler_list, // -Xcompiler: a list of options, for compiling and linking
    linker,        // for g++ when it links: -r
    linker_list,   // -Xlinker: a list of options
    library,       // -l
    library_path,  // -L, unless it is a folder of a CUDA toolkit
    standard,      // -std
    optimize,      // -O
    language,      // -x
    output,        // -o
    output_folder, // -odir
    action,        // what is made: -c, -dlink, -lib
    dependencies,  // -MD, -MF …: for g++ when it preprocesses
    relocatable,   // -rdc
    default_stream,
    options_file, // -optf
    dry_run,      // -dryrun: prints the steps, runs none
    verbose,      // -v: prints the steps and runs them
    run,          // -run
    watched,      // --nestbed-races: nestbed's own, code that the race detector sees
    architecture, // --nestbed-cuda-arch: nestbed's own, the value of __CUDA_ARCH__
    refused,      // its result is GPU code, which the executor does not have: -ptx
};

enum class NvccValue {
    none,
    one,          // "-o FILE", "--output-file=FILE"
    one_or_glued, // also "-IFOLDER"
    maybe_glued,  // "-O", "-O2", or with the long name "--optimize 2"
};

struct NvccOption {
    std::string_view long_name;  // "output-file": written with two dashes
    std::string_view short_name; // "o": written with one dash; empty: there is none
    NvccValue value = NvccValue::none;
    NvccUse use = NvccUse::ignored;
    std::string_view passed_as{};
};

// An option of a word such as "-arch=sm_90", and the value in that word.
struct NvccWord {
    const NvccOption* option = nullptr; // nullptr: nvcc has no such option
    std::string_view value;
    bool has_value = false;
};
NvccWord find_nvcc_option(std::string_view word);

// All spellings, for a suggestion: "-arch", "--gpu-architecture", …
std::vector<std::string> nvcc_option_spellings();

} // namespace nestbed::program
