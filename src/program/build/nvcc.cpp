#include "program/build/nvcc.hpp"

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "base/temporary_folder.hpp"
#include "base/terminal.hpp"
#include "base/text_file.hpp"
#include "program/build/compiler_messages.hpp"
#include "program/build/precompiled.hpp"
#include "program/build/steps.hpp"
#include "program/build/toolchain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iostream>
#include <unistd.h>

namespace nestbed::program
{

namespace fs = std::filesystem;

namespace
{

// All flags that a precompiled header must have been compiled with too.
std::vector<std::string> header_flags(const NvccCommand& command, const Toolchain& toolchain)
{
    std::vector<std::string> flags = code_flags(command, toolchain);
    const std::vector<std::string> cuda = cuda_flags(command, toolchain);
    flags.insert(flags.end(), cuda.begin(), cuda.end());
    for (const std::string& one : command.compiler)
        if (one.starts_with("-f") || one.starts_with("-m") || one == "-pthread")
            flags.push_back(one);
    return flags;
}

void check_inputs(const NvccCommand& command)
{
    for (const NvccInput& input : command.inputs) {
        if (input.text.starts_with('-'))
            continue;
        if (!fs::exists(input.text))
            throw UsageError(fmt::format("nvcc: there is no file {}{}", input.text,
                                         input.is_source() ? "" : "; it must be compiled before it is linked"));
        if (fs::is_directory(input.text))
            throw UsageError(fmt::format("nvcc: {} is a folder; allowed: source files, .o, .a, .so", input.text));
    }
}

std::string text_of_variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// What CMake reads of nvcc: the toolkit's folder, the default architecture, and which words of the command that links are those of
// CUDA's libraries.
std::string folders_text(const NvccCommand& command, const Toolchain& toolchain)
{
    const std::string folder = toolchain.folder.string();
    return fmt::format("#$ TOP={}\n#$ NVVMIR_LIBRARY_DIR={}/nvvm/libdevice\n#$ PATH={}\n#$ INCLUDES=-I{}\n"
                       "#$ LIBRARIES={}\n#$ DEFAULT=-arch compute_90\n",
                       folder, folder, text_of_variable("PATH"), toolchain.headers().string(),
                       fmt::join(library_folders(command, toolchain), " "));
}

} // namespace

NvccEnvironment nvcc_environment()
{
    const std::string watch = text_of_variable("NESTBED_WATCH");
    if (!watch.empty() && watch != "0" && watch != "1")
        throw UsageError(fmt::format("NESTBED_WATCH is '{}'; allowed: 0, 1", watch));
    return {.prepended = text_of_variable("NVCC_PREPEND_FLAGS"),
            .appended = text_of_variable("NVCC_APPEND_FLAGS"),
            .watched = watch == "1"};
}

void note_call()
{
    const std::string path = text_of_variable(kCallsVariable);
    if (path.empty())
        return;
    std::ofstream file(path, std::ios::app);
    file << "nvcc\n" << std::flush;
    if (!file)
        throw RunError(fmt::format("{}: {} could not be written", kCallsVariable, path));
}

namespace
{

// `messages`: a file for what the compiler prints, before the user sees it.
ProgramEnd run_step(const Step& step, const NvccCommand& command, const fs::path& messages,
                    const HeldSignals& signals, std::ostream& err)
{
    if (step.preprocessed.empty() && !step.links)
        return run_child({.arguments = step.arguments, .environment = {}}, signals);
    const Descriptor file(open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)); // NOLINT(*-vararg)
    if (file < 0)
        throw RunError(fmt::format("{} could not be written", messages.string()));
    const ProgramEnd end = run_child({.arguments = step.arguments, .environment = {}, .error = file}, signals);
    const std::string text = read_text_file(messages.string());
    if (text.empty())
        return end;
    const auto source = std::ranges::find_if(command.inputs, &NvccInput::is_source);
    const std::string shown = step.links
                                  ? with_hint_of_main(text, source == command.inputs.end() ? "k.cu" : source->text)
                                  : with_source_columns(text, read_text_file(step.preprocessed));
    const bool is_terminal = &err == &std::cerr && terminal_of(STDERR_FILENO).colour; // else somebody reads them
    err << (is_terminal ? in_compiler_colours(shown) : shown) << std::flush;
    return end;
}

} // namespace

int run_nvcc(const NvccCommand& command, const fs::path& folder, const HeldSignals& signals, std::ostream& out,
             std::ostream& err)
{
    if (command.action == NvccAction::version) {
        out << nvcc_version_text();
        return exit_ok;
    }
    if (command.action == NvccAction::list_gpus) {
        out << (command.action_option.ends_with("code") || command.action_option == "-code-ls" ? "sm_90\n"
                                                                                               : "compute_90\n");
        return exit_ok;
    }
    if (command.action == NvccAction::clean)
        return exit_ok;
    const Toolchain toolchain = read_toolchain(folder);
    if (command.dry_run || command.verbose)
        err << folders_text(command, toolchain) << std::flush;
    if (command.action == NvccAction::describe)
        return exit_ok;
    check_inputs(command);
    const TemporaryFolder temporary;
    std::string header;
    if (std::ranges::any_of(command.inputs, [](const NvccInput& input) { return input.kind == InputKind::cuda; }))
        header = header_for(toolchain, header_flags(command, toolchain), temporary.path());
    const Steps steps = steps_of(command, toolchain, header, temporary.path().string());
    for (const Step& step : steps.steps) {
        if (command.dry_run || command.verbose)
            err << fmt::format("#$ {}\n", fmt::join(step.arguments, " ")) << std::flush;
        if (command.dry_run)
            continue;
        std::error_code ignored;
        if (!step.removes.empty())
            fs::remove(step.removes, ignored);
        out.flush();
        const ProgramEnd end = run_step(step, command, temporary.path() / "messages", signals, err);
        if (end.signal != 0)
            throw RunError(fmt::format("{}: {}", step.arguments.front(), end.text()));
        if (!end.good())
            return exit_could_not;
    }
    if (command.dry_run)
        return exit_ok;
    if (!steps.dependency_file.empty() && !header.empty())
        remove_header_from_rule(steps.dependency_file, header);
    if (command.run && !steps.product.empty() && command.action == NvccAction::link) {
        const ProgramEnd end =
            run_child({.arguments = {fs::absolute(steps.product).string()}, .environment = {}}, signals);
        if (end.signal != 0)
            throw RunError(fmt::format("{}: {}", steps.product, end.text()));
        return end.exit_code;
    }
    return exit_ok;
}

std::string nvcc_version_text()
{
    return "nvcc: NVIDIA (R) Cuda compiler driver, in place of which nestbed builds for its executor, without a GPU\n"
           "Cuda compilation tools, release 13.0, V13.0.0\n";
}

void precompile_default(const fs::path& folder)
{
    const Toolchain toolchain = read_toolchain(folder);
    NvccCommand command;
    precompile(toolchain, header_flags(command, toolchain));
    if (toolchain.watched_flags.empty())
        return;
    command.watched = true;
    precompile(toolchain, header_flags(command, toolchain));
}

} // namespace nestbed::program
