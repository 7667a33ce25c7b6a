#include "program/build/nvcc_command.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "program/build/nvcc_options.hpp"
#include "program/build/nvcc_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>

namespace nestbed::program
{

namespace fs = std::filesystem;

namespace
{

constexpr int kMaxOptionsFiles = 20; // one may name another one

std::optional<InputKind> kind_of_file(const std::string& path)
{
    static const std::map<std::string_view, InputKind> kinds{
        {".cu", InputKind::cuda},       {".cpp", InputKind::cpp},       {".cc", InputKind::cpp},
        {".cxx", InputKind::cpp},       {".C", InputKind::cpp},         {".c++", InputKind::cpp},
        {".c", InputKind::c},           {".o", InputKind::linked},      {".obj", InputKind::linked},
        {".a", InputKind::linked},      {".so", InputKind::linked},     {".ptx", InputKind::ignored},
        {".cubin", InputKind::ignored}, {".fatbin", InputKind::ignored}};
    if (const auto found = kinds.find(fs::path(path).extension().string()); found != kinds.end())
        return found->second;
    return path.find(".so.") == std::string::npos ? std::nullopt : std::optional(InputKind::linked);
}

class Parser
{
  public:
    explicit Parser(NvccCommand& command) : command_(command) {}

    void take(const std::vector<std::string>& words)
    {
        for (std::size_t index = 0; index < words.size(); ++index) {
            const std::string& word = words[index];
            if (word.starts_with('@') && fs::exists(word.substr(1)))
                take_file(word.substr(1));
            else if (word.size() > 1 && word[0] == '-')
                take_option(words, index);
            else
                take_input(word);
        }
    }

    void finish()
    {
        const bool one_output = command_.action == NvccAction::compile && !command_.output.empty();
        const auto sources = std::ranges::count_if(command_.inputs, &NvccInput::is_source);
        if (one_output && sources > 1)
            throw UsageError(fmt::format("nvcc: -o {} names one file, but {} source files are compiled; allowed: one "
                                         "source file with -c and -o, or several without -o",
                                         command_.output, sources));
        const bool needs_input = command_.action != NvccAction::version && command_.action != NvccAction::list_gpus &&
                                 command_.action != NvccAction::clean && command_.action != NvccAction::describe;
        if (needs_input && command_.inputs.empty())
            throw UsageError("nvcc: no input file was given; allowed: nestbed nvcc my.cu -o my");
        if (is_program_source(command_.output))
            throw UsageError(
                fmt::format("nvcc: -o {} would overwrite a source file; allowed: -o NAME, with the name of "
                            "the program before or after the source file: nestbed nvcc my.cu -o my",
                            command_.output));
    }

  private:
    void take_file(const std::string& path)
    {
        if (++files_ > kMaxOptionsFiles)
            throw UsageError(fmt::format("nvcc: {}: options files name each other; allowed: at most {} of them", path,
                                         kMaxOptionsFiles));
        std::string text;
        try {
            text = read_text_file(path);
        } catch (const RunError& error) {
            throw UsageError(fmt::format("nvcc: options file: {}", error.what()));
        }
        take(words_of(text));
    }

    void take_option(const std::vector<std::string>& words, std::size_t& index)
    {
        const std::string& word = words[index];
        const NvccWord found = find_nvcc_option(word);
        if (found.option == nullptr)
            return take_unknown(word);
        std::string value(found.value);
        const auto next = [&] { return index + 1 < words.size() ? words[index + 1] : std::string(); };
        switch (found.option->value) {
        case NvccValue::none:
            break;
        case NvccValue::one:
        case NvccValue::one_or_glued:
            if (found.has_value)
                break;
            if (index + 1 >= words.size())
                throw UsageError(fmt::format("nvcc: {} was given without its value; allowed: {} VALUE", word, word));
            value = words[++index];
            break;
        case NvccValue::maybe_glued:
            if (!found.has_value && next().size() == 1 && std::isdigit(static_cast<unsigned char>(next()[0])) != 0)
                value = words[++index];
            break;
        }
        apply(*found.option, word, value);
    }

    void take_unknown(const std::string& word)
    {
        if (word.starts_with("-Wl,") || word == "-pthread" || word == "-fopenmp") {
            take_compiler_option(word);
            return;
        }
        if (word.starts_with("-f") || word.starts_with("-W") || word.starts_with("-m")) {
            command_.compiler.push_back(word);
            return;
        }
        const std::vector<std::string> spellings = nvcc_option_spellings();
        const std::vector<std::string_view> allowed(spellings.begin(), spellings.end());
        throw UsageError(
            fmt::format("nvcc: unknown option '{}'{}; allowed: nvcc's options, and -f…, -W… and -m… for g++", word,
                        did_you_mean(word.substr(0, word.find('=')), allowed)));
    }

    // An option of -Xcompiler: g++ gets it when it compiles and when it links.
    void take_compiler_option(const std::string& option)
    {
        if (option.starts_with("-Wl,"))
            command_.inputs.push_back({option, InputKind::linked});
        else if (option.starts_with("-l") && option.size() > 2)
            take_library(option.substr(2));
        else if (option.starts_with("-I") || option.starts_with("-D") || option.starts_with("-U"))
            command_.preprocessor.push_back(option);
        else if (option.starts_with("-O"))
            command_.optimize = option.substr(2);
        else if (option.starts_with("-std="))
            take_standard(option, option.substr(5));
        else {
            command_.compiler.push_back(option);
            command_.linker.push_back(option);
        }
    }

    void take_library(const std::string& name)
    {
        if (needs_library(name))
            command_.inputs.push_back({"-l" + name, InputKind::linked});
    }

    void take_standard(const std::string& word, const std::string& value)
    {
        if (value.starts_with("c") && !value.starts_with("c++")) // -std=c99 of C files
            command_.compiler.push_back(word);
        else
            command_.standard = standard_for(word, value);
    }

    void take_action(const std::string& word, std::string_view name)
    {
        static const std::map<std::string_view, NvccAction> actions{
            {"c", NvccAction::compile},         {"dc", NvccAction::compile},     {"dw", NvccAction::compile},
            {"dlink", NvccAction::device_link}, {"link", NvccAction::link},      {"lib", NvccAction::archive},
            {"E", NvccAction::preprocess},      {"M", NvccAction::dependencies}, {"MM", NvccAction::dependencies},
            {"shared", NvccAction::shared},     {"V", NvccAction::version},      {"code-ls", NvccAction::list_gpus},
            {"arch-ls", NvccAction::list_gpus}, {"clean", NvccAction::clean}};
        const NvccAction action = actions.at(name);
        command_.relocatable = command_.relocatable || name == "dc";
        // -shared changes how the result is linked. `-dc -shared` compiles.
        if (action == NvccAction::shared && command_.action != NvccAction::link)
            return;
        if (!command_.action_option.empty() && command_.action != action && command_.action != NvccAction::shared)
            throw UsageError(fmt::format("nvcc: {} and {} exclude each other; allowed: one of them",
                                         command_.action_option, word));
        command_.action = action;
        command_.action_option = word;
        if (name == "MM" || name == "M")
            command_.action_option = "-" + std::string(name);
    }

    void apply(const NvccOption& option, const std::string& word, const std::string& value)
    {
        switch (option.use) {
        case NvccUse::ignored:
            break;
        case NvccUse::preprocessor:
            command_.preprocessor.insert(command_.preprocessor.end(), {std::string(option.passed_as), value});
            break;
        case NvccUse::include_path:
            for (const std::string& folder : split(value, ','))
                if (!is_toolkit_folder(folder))
                    command_.preprocessor.insert(command_.preprocessor.end(),
                                                 {std::string(option.passed_as), folder});
            break;
        case NvccUse::compiler:
            command_.compiler.push_back(std::string(option.passed_as) + value);
            break;
        case NvccUse::compiler_list:
            for (const std::string& one : list_of(value))
                take_compiler_option(one);
            break;
        case NvccUse::linker:
            command_.linker.emplace_back(option.passed_as);
            break;
        case NvccUse::linker_list:
            for (const std::string& one : list_of(value))
                command_.inputs.push_back({"-Wl," + one, InputKind::linked});
            break;
        case NvccUse::library:
            for (const std::string& name : split(value, ','))
                take_library(name);
            break;
        case NvccUse::library_path:
            for (const std::string& folder : split(value, ','))
                if (!is_toolkit_folder(folder))
                    command_.linker.push_back(std::string(option.passed_as) + folder);
            break;
        case NvccUse::standard:
            take_standard(word, value);
            break;
        case NvccUse::optimize:
            command_.optimize = value;
            break;
        case NvccUse::language:
            take_language(word, value);
            break;
        case NvccUse::output:
            if (value.empty())
                throw UsageError("nvcc: -o needs the name of a file; allowed: -o FILE");
            command_.output = value;
            break;
        case NvccUse::output_folder:
            command_.output_folder = value;
            break;
        case NvccUse::action:
            take_action(word, option.short_name);
            break;
        case NvccUse::dependencies:
            command_.dependencies.emplace_back(option.passed_as);
            if (option.value == NvccValue::one)
                command_.dependencies.push_back(value);
            break;
        case NvccUse::relocatable:
            if (value != "true" && value != "false")
                throw UsageError(fmt::format("nvcc: {} '{}'; allowed: -rdc=true, -rdc=false", word, value));
            command_.relocatable = value == "true";
            break;
        case NvccUse::default_stream:
            if (value != "legacy" && value != "null" && value != "per-thread")
                throw UsageError(
                    fmt::format("nvcc: --default-stream '{}'; allowed: legacy, null, per-thread", value));
            if (value == "per-thread")
                command_.preprocessor.emplace_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"); // as nvcc does
            break;
        case NvccUse::options_file:
            for (const std::string& path : split(value, ','))
                take_file(path);
            break;
        case NvccUse::dry_run:
            command_.dry_run = true;
            break;
        case NvccUse::verbose:
            command_.verbose = true;
            break;
        case NvccUse::run:
            command_.run = true;
            break;
        case NvccUse::watched:
            command_.watched = true;
            break;
        case NvccUse::architecture:
            if (value != "none" && (value.size() < 3 || value.find_first_not_of("0123456789") != std::string::npos))
                throw UsageError(
                    fmt::format("nvcc: {}: '{}' is not a value of __CUDA_ARCH__; allowed: a number such as 900, none",
                                word, value));
            command_.cuda_arch = value == "none" ? "" : value;
            break;
        case NvccUse::refused:
            throw UsageError(
                fmt::format("nvcc: {}: the executor has no GPU code; allowed: -c, -dc, -dlink, -lib, -shared, "
                            "-E, -M, or none of them to link a program",
                            word));
        }
    }

    void take_language(const std::string& word, const std::string& value)
    {
        static const std::map<std::string_view, InputKind> languages{
            {"cu", InputKind::cuda}, {"c++", InputKind::cpp}, {"c", InputKind::c}};
        const auto found = languages.find(value);
        if (found == languages.end())
            throw UsageError(fmt::format("nvcc: {}: there is no language '{}'; allowed: cu, c++, c", word, value));
        language_ = found->second;
    }

    void take_input(const std::string& path)
    {
        if (path == "__cmake_determine_cuda") { // what CMake calls nvcc with, and -v, to learn its folders
            command_.action = NvccAction::describe;
            return;
        }
        const std::string extension = fs::path(path).extension().string();
        std::optional<InputKind> kind = kind_of_file(path);
        if (language_ && kind != InputKind::linked)
            kind = language_;
        if (!kind)
            throw UsageError(
                fmt::format("nvcc: {}: not known what to do with a file of this name{}; allowed: .cu .cpp .cc .cxx "
                            ".c .o .a .so, or -x cu before it",
                            path,
                            extension == ".cuh" || extension == ".h" || extension == ".hpp"
                                ? " (a header is included, not compiled)"
                                : ""));
        command_.inputs.push_back({path, *kind});
    }

    NvccCommand& command_;
    std::optional<InputKind> language_; // of -x
    int files_ = 0;
};

} // namespace

NvccCommand parse_nvcc_command(const std::vector<std::string>& words, const NvccEnvironment& environment)
{
    NvccCommand command;
    command.watched = environment.watched;
    Parser parser(command);
    parser.take(words_of(environment.prepended));
    parser.take(words);
    parser.take(words_of(environment.appended));
    parser.finish();
    return command;
}

bool is_nvcc_input(const std::string& path)
{
    return kind_of_file(path).has_value();
}

bool is_program_source(const std::string& path)
{
    static constexpr std::array<std::string_view, 6> kExtensions{".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c"};
    return std::ranges::find(kExtensions, fs::path(path).extension().string()) != kExtensions.end();
}

} // namespace nestbed::program
