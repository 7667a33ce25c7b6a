#include "program/build/steps.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

namespace nestbed::program
{

namespace fs = std::filesystem;

namespace
{

using Words = std::vector<std::string>;

void append(Words& words, const Words& more)
{
    words.insert(words.end(), more.begin(), more.end());
}

// nvcc defines these for C++ files too.
Words nvcc_flags(const Toolchain& toolchain)
{
    return {"-D__NVCC__", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0", "-D__CUDACC_VER_BUILD__=0",
            "-isystem",   toolchain.headers().string()};
}

class Builder
{
  public:
    Builder(const NvccCommand& command, const Toolchain& toolchain, std::string header, std::string folder)
        : command_(command), toolchain_(toolchain), header_(std::move(header)), folder_(std::move(folder))
    {
    }

    Steps build()
    {
        switch (command_.action) {
        case NvccAction::link:
        case NvccAction::shared:
            link();
            break;
        case NvccAction::archive:
            archive();
            break;
        case NvccAction::compile:
            for (const NvccInput& input : command_.inputs)
                if (input.is_source())
                    compile(input, object_of(input), true);
            break;
        case NvccAction::device_link:
            device_link();
            break;
        case NvccAction::preprocess:
        case NvccAction::dependencies:
            for (const NvccInput& input : command_.inputs)
                if (input.is_source())
                    preprocess_only(input);
            break;
        case NvccAction::version:
        case NvccAction::describe:
        case NvccAction::list_gpus:
        case NvccAction::clean:
            break;
        }
        return std::move(made_);
    }

  private:
    std::string in_output_folder(const std::string& name) const
    {
        return command_.output_folder.empty() ? name : (fs::path(command_.output_folder) / name).string();
    }
    // nvcc's default: the name of the source file with .o, in the current folder.
    std::string object_of(const NvccInput& input) const
    {
        return command_.output.empty() ? in_output_folder(fs::path(input.text).stem().string() + ".o")
                                       : command_.output;
    }
    std::string between(const std::string& ending) { return fmt::format("{}/{}{}", folder_, ++files_, ending); }

    Words start(InputKind kind) const
    {
        Words words{toolchain_.compiler};
        if (kind != InputKind::c) {
            append(words, code_flags(command_, toolchain_));
        } else {
            words.insert(words.end(), {"-w"});
            for (const std::string& flag : code_flags(command_, toolchain_))
                if (!flag.starts_with("-std=") && !flag.starts_with("-fplugin=")) // the plugin is for C++
                    words.push_back(flag);
        }
        return words;
    }

    void run(Words words) { made_.steps.push_back({std::move(words)}); }

    Words dependency_words(const std::string& object)
    {
        Words words = command_.dependencies;
        if (std::ranges::find(words, "-MD") == words.end() && std::ranges::find(words, "-MMD") == words.end())
            return {};
        const auto file = std::ranges::find(words, "-MF");
        made_.dependency_file = file != words.end() ? *(file + 1) : fs::path(object).replace_extension(".d").string();
        if (file == words.end())
            words.insert(words.end(), {"-MF", made_.dependency_file});
        if (std::ranges::find(words, "-MT") == words.end())
            words.insert(words.end(), {"-MT", object});
        return words;
    }

    Words preprocessing(const NvccInput& input)
    {
        Words words = start(input.kind);
        if (input.kind == InputKind::cuda)
            append(words, cuda_flags(command_, toolchain_));
        else
            append(words, nvcc_flags(toolchain_));
        append(words, command_.preprocessor);
        append(words, command_.compiler);
        return words;
    }

    void compile(const NvccInput& input, const std::string& object, bool with_dependencies)
    {
        Words words = preprocessing(input);
        const Words dependencies = with_dependencies ? dependency_words(object) : Words{};
        if (input.kind != InputKind::cuda) {
            append(words, dependencies);
            words.insert(words.end(),
                         {"-x", input.kind == InputKind::c ? "c" : "c++", "-c", input.text, "-o", object});
            run(std::move(words));
            return;
        }
        const std::string preprocessed = between(".ii");
        const std::string rewritten = between(".ii");
        append(words, dependencies);
        words.insert(words.end(),
                     {"-fpch-preprocess", "-include", header_, "-E", "-x", "c++", input.text, "-o", preprocessed});
        run(std::move(words));
        run({toolchain_.rewriter().string(), command_.relocatable ? "executor" : "executor-whole", preprocessed,
             rewritten});
        words = start(input.kind);
        append(words, command_.compiler);
        // Places are absolute for the run-time library, as those of the debug information.
        append(words, {"-fmacro-prefix-map==" + fs::current_path().string() + "/", "-fmacro-prefix-map=/=/"});
        if (fs::exists(toolchain_.sides_plugin()))
            words.push_back("-fplugin=" + toolchain_.sides_plugin().string());
        words.insert(words.end(), {"-fpreprocessed", "-x", "c++-cpp-output", "-c", rewritten, "-o", object});
        made_.steps.push_back({.arguments = std::move(words), .preprocessed = preprocessed});
    }

    // Compiles the sources and returns the inputs of the linker, in the order of the command line.
    Words objects()
    {
        Words words;
        for (const NvccInput& input : command_.inputs) {
            if (input.is_source()) {
                const std::string object = between(".o");
                compile(input, object, false);
                words.push_back(object);
            } else if (input.kind == InputKind::linked) {
                words.push_back(input.text);
            }
        }
        return words;
    }

    void link()
    {
        const Words linked = objects();
        const bool shared = command_.action == NvccAction::shared;
        made_.product = command_.output.empty() ? in_output_folder("a.out") : command_.output;
        Words words{toolchain_.compiler};
        if (shared)
            words.insert(words.end(), {"-shared", "-fPIC"});
        words.insert(words.end(), {"-o", made_.product});
        append(words, command_.linker);
        // nvcc puts libraries behind the objects, wherever they stand in its command line.
        const auto is_library = [](const std::string& word) { return word.starts_with("-l"); };
        std::ranges::copy_if(linked, std::back_inserter(words), std::not_fn(is_library));
        std::ranges::copy_if(linked, std::back_inserter(words), is_library);
        // A shared library takes the executor from the program that it is linked to: there must be only one.
        if (!shared && std::ranges::find(words, "-r") == words.end()) {
            append(words, library_folders(command_, toolchain_));
            append(words, libraries());
        }
        made_.steps.push_back({.arguments = std::move(words), .links = !shared});
    }

    Words libraries() const
    {
        Words words;
        if (command_.watched)
            words.insert(words.end(),
                         {"-Wl,--whole-archive", toolchain_.detector().string(), "-Wl,--no-whole-archive"});
        words.push_back(toolchain_.library().string());
        append(words, toolchain_.libraries);
        return words;
    }

    void archive()
    {
        Words words{"/usr/bin/ar", "rcs", command_.output.empty() ? "a.a" : command_.output};
        const std::string file = words.back();
        for (const std::string& object : objects())
            if (!object.starts_with('-'))
                words.push_back(object);
        made_.steps.push_back({std::move(words), file});
    }

    void device_link()
    {
        Words words{toolchain_.compiler};
        if (std::ranges::any_of(command_.compiler,
                                [](const std::string& one) { return one == "-fPIC" || one == "-fpic"; }))
            words.emplace_back("-fPIC");
        words.insert(words.end(), {"-x", "c", "-c", "/dev/null", "-o",
                                   command_.output.empty() ? in_output_folder("a_dlink.o") : command_.output});
        run(std::move(words));
    }

    void preprocess_only(const NvccInput& input)
    {
        Words words = preprocessing(input);
        if (input.kind == InputKind::cuda)
            words.insert(words.end(), {"-include", "cuda_runtime.h"}); // not one that comes and goes
        if (command_.action == NvccAction::preprocess) {
            words.emplace_back("-E");
        } else {
            words.push_back(command_.action_option);
            append(words, command_.dependencies);
        }
        words.insert(words.end(), {"-x", input.kind == InputKind::c ? "c" : "c++", input.text});
        if (!command_.output.empty())
            words.insert(words.end(), {"-o", command_.output});
        run(std::move(words));
    }

    const NvccCommand& command_;
    const Toolchain& toolchain_;
    std::string header_;
    std::string folder_;
    Steps made_;
    int files_ = 0;
};

} // namespace

std::vector<std::string> code_flags(const NvccCommand& command, const Toolchain& toolchain)
{
    if (!command.watched) {
        Words words = toolchain.plain_flags;
        if (command.optimize)
            words.push_back("-O" + *command.optimize);
        words.push_back("-std=" + command.standard);
        return words;
    }
    if (toolchain.watched_flags.empty())
        throw RunError(fmt::format("{} has no race detector; to build it, nestbed needs GCC with its plugin headers "
                                   "(gcc-{}-plugin-dev) and elfutils (libdw-dev)",
                                   toolchain.folder.string(),
                                   toolchain.compiler_version.substr(0, toolchain.compiler_version.find('.'))));
    Words words = toolchain.watched_flags;
    words.push_back("-fplugin=" + toolchain.plugin().string());
    words.push_back("-std=" + command.standard);
    return words;
}

std::vector<std::string> cuda_flags(const NvccCommand& command, const Toolchain& toolchain)
{
    Words words{"-D__CUDACC__"};
    append(words, nvcc_flags(toolchain));
    if (command.relocatable)
        words.emplace_back("-D__CUDACC_RDC__");
    // One compilation serves the host and the device. Kernels need the device's branches; the host rarely asks.
    if (!command.cuda_arch.empty())
        words.push_back("-D__CUDA_ARCH__=" + command.cuda_arch);
    return words;
}

std::vector<std::string> library_folders(const NvccCommand& command, const Toolchain& toolchain)
{
    const fs::path stand_ins = toolchain.folder / "lib";
    return {"-L" + (command.watched ? stand_ins / "races" : stand_ins).string(), "-L" + toolchain.folder.string()};
}

Steps steps_of(const NvccCommand& command, const Toolchain& toolchain, const std::string& header,
               const std::string& folder)
{
    return Builder(command, toolchain, header, folder).build();
}

} // namespace nestbed::program
