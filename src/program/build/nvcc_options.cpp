#include "program/build/nvcc_options.hpp"

#include <algorithm>
#include <array>

namespace nestbed::program
{

namespace
{

using enum NvccUse;
using enum NvccValue;

// nvcc 13.0's options, and those of earlier versions that Makefiles still have. `nvcc --help` has their meaning.
constexpr std::array kOptions = std::to_array<NvccOption>({
    // what is made
    {"compile", "c", none, action},
    {"device-c", "dc", none, action},
    {"device-w", "dw", none, action},
    {"device-link", "dlink", none, action},
    {"link", "link", none, action},
    {"lib", "lib", none, action},
    {"preprocess", "E", none, action},
    {"generate-dependencies", "M", none, action},
    {"generate-nonsystem-dependencies", "MM", none, action},
    {"shared", "shared", none, action},
    {"version", "V", none, action},
    {"clean-targets", "clean", none, action},
    {"list-gpu-code", "code-ls", none, action},
    {"list-gpu-arch", "arch-ls", none, action},
    {"cuda", "cuda", none, refused},
    {"cubin", "cubin", none, refused},
    {"fatbin", "fatbin", none, refused},
    {"ptx", "ptx", none, refused},
    {"optix-ir", "optix-ir", none, refused},
    {"ltoir", "ltoir", none, refused},
    {"run", "run", none, run},
    {"dryrun", "dryrun", none, dry_run},
    {"verbose", "v", none, verbose},
    // files
    {"output-file", "o", one_or_glued, output},
    {"output-directory", "odir", one, output_folder},
    {"options-file", "optf", one, options_file},
    {"x", "x", one_or_glued, language},
    // the preprocessor
    {"define-macro", "D", one_or_glued, preprocessor, "-D"},
    {"undefine-macro", "U", one_or_glued, preprocessor, "-U"},
    {"include-path", "I", one_or_glued, include_path, "-I"},
    {"system-include", "isystem", one_or_glued, include_path, "-isystem"},
    {"pre-include", "include", one, preprocessor, "-include"},
    {"generate-dependencies-with-compile", "MD", none, dependencies, "-MD"},
    {"generate-nonsystem-dependencies-with-compile", "MMD", none, dependencies, "-MMD"},
    {"dependency-output", "MF", one, dependencies, "-MF"},
    {"dependency-target-name", "MT", one, dependencies, "-MT"},
    {"generate-dependency-targets", "MP", none, dependencies, "-MP"},
    // the compiler
    {"std", "std", one, standard},
    {"optimize", "O", maybe_glued, optimize},
    {"compiler-options", "Xcompiler", one, compiler_list},
    {"ftemplate-depth", "ftemplate-depth", one, compiler, "-ftemplate-depth="},
    {"ftemplate-backtrace-limit", "ftemplate-backtrace-limit", one, compiler, "-ftemplate-backtrace-limit="},
    {"no-exceptions", "noeh", none, compiler, "-fno-exceptions"},
    {"profile", "pg", none, ignored},
    {"debug", "g", none, ignored}, // line numbers are always there
    {"machine", "m", one, ignored},
    {"m64", "m64", none, ignored},
    {"relocatable-device-code", "rdc", one, relocatable},
    {"frandom-seed", "frandom-seed", one, compiler, "-frandom-seed="},
    // the linker
    {"library", "l", one_or_glued, library},
    {"library-path", "L", one_or_glued, library_path, "-L"},
    {"linker-options", "Xlinker", one, linker_list},
    {"relocatable-link", "r", none, linker, "-r"},
    // nestbed's own
    {"nestbed-races", "", none, watched},
    {"nestbed-cuda-arch", "", one, architecture},
    // what is about GPU code, or about how nvcc works
    {"gpu-architecture", "arch", one},
    {"gpu-code", "code", one},
    {"generate-code", "gencode", one},
    {"entries", "e", one},
    {"maxrregcount", "maxrregcount", one},
    {"use_fast_math", "use_fast_math"},
    {"ftz", "ftz", one},
    {"prec-div", "prec-div", one},
    {"prec-sqrt", "prec-sqrt", one},
    {"fmad", "fmad", one},
    {"extra-device-vectorization", "extra-device-vectorization"},
    {"default-stream", "default-stream", one, default_stream},
    {"ptxas-options", "Xptxas", one},
    {"nvlink-options", "Xnvlink", one},
    {"archive-options", "Xarchive", one},
    {"device-debug", "G"},
    {"generate-line-info", "lineinfo"},
    {"optimization-info", "opt-info", one},
    {"Ofast-compile", "Ofc", one},
    {"dopt", "dopt", one},
    {"dlink-time-opt", "dlto"},
    {"lto", "lto"},
    {"gen-opt-lto", "gen-opt-lto"},
    {"cudart", "cudart", one},
    {"cudadevrt", "cudadevrt", one},
    {"libdevice-directory", "ldir", one},
    {"target-directory", "target-dir", one},
    {"compiler-bindir", "ccbin", one},
    {"allow-unsupported-compiler", "allow-unsupported-compiler"},
    {"archiver-binary", "arbin", one},
    {"use-local-env", "use-local-env"},
    {"force-cl-env-setup", "force-cl-env-setup"},
    {"objdir-as-tempdir", "objtemp"},
    {"no-host-device-initializer-list", "nohdinitlist"},
    {"no-host-device-move-forward", "nohdmoveforward"},
    {"expt-relaxed-constexpr", "expt-relaxed-constexpr"},
    {"extended-lambda", "extended-lambda"},
    {"expt-extended-lambda", "expt-extended-lambda"},
    {"static-global-template-stub", "static-global-template-stub", one},
    {"device-entity-has-hidden-visibility", "device-entity-has-hidden-visibility", one},
    {"forward-unknown-to-host-compiler", "forward-unknown-to-host-compiler"},
    {"forward-unknown-to-host-linker", "forward-unknown-to-host-linker"},
    {"forward-unknown-opts", "forward-unknown-opts"},
    {"dont-use-profile", "noprof"},
    {"threads", "t", one},
    {"split-compile", "split-compile", one},
    {"split-compile-extended", "split-compile-extended", one},
    {"fdevice-syntax-only", "fdevice-syntax-only"},
    {"fdevice-time-trace", "fdevice-time-trace", one},
    {"keep", "keep"},
    {"keep-dir", "keep-dir", one},
    {"save-temps", "save-temps"},
    {"time", "time", one},
    {"run-args", "run-args", one},
    {"no-align-double", "no-align-double"},
    {"no-device-link", "nodlink"},
    {"disable-warnings", "w"},
    {"keep-device-functions", "keep-device-functions"},
    {"source-in-ptx", "src-in-ptx"},
    {"restrict", "restrict"},
    {"Wreorder", "Wreorder"},
    {"Wdefault-stream-launch", "Wdefault-stream-launch"},
    {"Wmissing-launch-bounds", "Wmissing-launch-bounds"},
    {"Wext-lambda-captures-this", "Wext-lambda-captures-this"},
    {"Wno-deprecated-declarations", "Wno-deprecated-declarations"},
    {"Wno-deprecated-gpu-targets", "Wno-deprecated-gpu-targets"},
    {"Werror", "Werror", one},
    {"resource-usage", "res-usage"},
    {"extensible-whole-program", "ewp"},
    {"no-compress", "no-compress"},
    {"display-error-number", "err-no"},
    {"no-display-error-number", "no-err-no"},
    {"diag-error", "diag-error", one},
    {"diag-suppress", "diag-suppress", one},
    {"diag-warn", "diag-warn", one},
    {"host-linker-script", "hls", one},
    {"augment-host-linker-script", "aug-hls"},
    {"brief-diagnostics", "brief-diag", one},
    {"jump-table-density", "jtd", one},
    {"relocatable-ptx", "reloc-ptx"},
    {"device-stack-protector", "device-stack-protector", one},
    {"compress-mode", "compress-mode", one},
    {"sanitize", "sanitize", one},
    {"jobserver", "jobserver"},
});

} // namespace

NvccWord find_nvcc_option(std::string_view word)
{
    if (!word.starts_with('-'))
        return {};
    std::string_view name = word.substr(word.starts_with("--") ? 2 : 1);
    const std::size_t equals = name.find('=');
    const std::string_view whole = name;
    const std::string_view value = equals == std::string_view::npos ? "" : name.substr(equals + 1);
    name = name.substr(0, equals);
    // "-arch=sm_90", "--gpu-architecture=sm_90". nvcc takes long names with one dash too.
    for (const NvccOption& option : kOptions)
        if (name == option.long_name ||
            (!word.starts_with("--") && !option.short_name.empty() && name == option.short_name))
            if (equals == std::string_view::npos || option.value != none)
                return {&option, value, equals != std::string_view::npos};
    if (word.starts_with("--"))
        return {};
    // "-Iinclude", "-DN=3", "-O2"
    for (const NvccOption& option : kOptions)
        if ((option.value == one_or_glued || option.value == maybe_glued) && whole.starts_with(option.short_name))
            return {&option, whole.substr(option.short_name.size()), true};
    return {};
}

std::vector<std::string> nvcc_option_spellings()
{
    std::vector<std::string> spellings;
    for (const NvccOption& option : kOptions) {
        spellings.push_back("--" + std::string(option.long_name));
        if (!option.short_name.empty())
            spellings.push_back("-" + std::string(option.short_name));
    }
    return spellings;
}

} // namespace nestbed::program
