#include "cli/program_request.hpp"

#include "base/error.hpp"
#include "base/new_file.hpp"
#include "cli/help.hpp"
#include "cli/kernel_driver.hpp"
#include "model/schedule.hpp"
#include "plan/axis.hpp"
#include "program/build/nvcc.hpp"
#include "program/build/nvcc_options.hpp"
#include "program/build/program_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <unistd.h>

namespace nestbed
{

namespace fs = std::filesystem;

namespace
{

const Options& all_program_options()
{
    static const Options options{
        {.name = "schedule",
         .value = "NAME",
         .help = "the order in which threads and grids run: fifo, eager or random:SEED",
         .default_text = "fifo"},
        {.name = "pending-limit",
         .value = "N",
         .help = "limit of launches that wait to start, as cudaDeviceSetLimit() sets it",
         .default_text = "2048, or what the program sets"},
        {.name = "workers", .value = "N", .help = "threads of the CPU that run blocks", .default_text = "1"},
        {.name = "zero-memory",
         .value = "",
         .help = "cudaMalloc() returns memory that is zero, not 0xFF: for programs that rely on that"},
        {.name = "strict",
         .value = "",
         .help = "warnings about barriers in branches and shuffles from absent lanes are errors"},
        {.name = "tree", .value = "", .help = "print the launch tree at the end"},
        {.name = "trace", .value = "FILE", .help = "write a timeline, for chrome://tracing and Perfetto"},
        {.name = "suppressions",
         .value = "FILE",
         .help = "races that are known: one per line, as in a comment `// nestbed: benign`"},
        {.name = "timeout", .value = "S", .help = "end the program after S seconds; 0: never", .default_text = "60"}};
    return options;
}

bool is_named(const Option& option, const std::string& word)
{
    return word.substr(0, word.find('=')) == "--" + option.name;
}

// A switch is in `given` only if it was given; an option also has a value.
bool is_own(const std::string& word, const Options& options, bool& takes_value)
{
    for (const Option& option : options) {
        if (!is_named(option, word) && (option.letter == 0 || word != std::string{'-', option.letter}))
            continue;
        takes_value = !option.value.empty() && word.find('=') == std::string::npos;
        return true;
    }
    return false;
}

[[noreturn]] void refuse_argument(const Command& command, const Arguments& sources, const std::string& word)
{
    throw UsageError(
        fmt::format("{}: '{}' is not a source file, a library or an option; the program's arguments stand "
                    "after --: nestbed {} {} -- {}",
                    command.name, word, command.name, fmt::join(sources, " "), word));
}

} // namespace

ProgramRequest read_request(const Command& command, const Arguments& arguments)
{
    SplitArguments split = split_at_dashes(arguments);
    ProgramRequest request{.after = std::move(split.after)};
    const Arguments& words = split.before;
    Arguments own;
    Options options = command.options;
    if (command.name != "cpu") // has them in its help
        std::ranges::move(kernel_options(), std::back_inserter(options));
    for (const Option& setting : command.settings)
        if (setting.name == "schedule" || setting.name == "pending-limit")
            options.push_back(setting);
    Arguments sources;
    std::string refused;
    // After -x nvcc takes a file of any name.
    const bool any_file = std::ranges::any_of(
        words, [](const std::string& word) { return word.starts_with("-x") || word.starts_with("--x"); });
    for (std::size_t index = 0; index < words.size(); ++index) {
        bool takes_value = false;
        const bool has_next = index + 1 < words.size();
        if (is_own(words[index], options, takes_value)) {
            own.push_back(words[index]);
            if (takes_value && has_next)
                own.push_back(words[++index]);
            continue;
        }
        request.nvcc.push_back(words[index]);
        if (const program::NvccWord found = program::find_nvcc_option(words[index]); found.option != nullptr) {
            const auto value = found.option->value;
            if (!found.has_value && has_next &&
                (value == program::NvccValue::one || value == program::NvccValue::one_or_glued))
                request.nvcc.push_back(words[++index]);
        } else if (words[index].starts_with("--")) { // neither nvcc's nor ours: the parser knows what to say
            own.push_back(words[index]);
        } else if (program::is_program_source(words[index])) {
            if (!fs::exists(words[index]))
                throw UsageError(fmt::format("{}: there is no file {}", command.name, words[index]));
            request.has_source = true;
            sources.push_back(words[index]);
        } else if (request.has_source && !any_file && !words[index].starts_with('-') &&
                   !words[index].starts_with('@') && !program::is_nvcc_input(words[index])) {
            refused = words[index];
        }
        if (!refused.empty())
            break;
    }
    for (const std::string& word : own)
        if (std::ranges::any_of(command.settings, [&](const Option& one) { return is_named(one, word); }) &&
            std::ranges::none_of(options, [&](const Option& one) { return is_named(one, word); }))
            throw UsageError(
                fmt::format("{} is for the strategies of nestbed, not for a program; allowed: nestbed {} "
                            "--strategy NAME {}",
                            word, command.name, word));
    request.given = parse_arguments(own, options, 0, usage_of(command));
    if (!refused.empty())
        refuse_argument(command, sources, refused);
    for (const Option& option : kernel_options())
        if (request.given.contains(option.name) && !(request.given.contains("kernel") && request.has_source))
            throw UsageError(
                fmt::format("--{}: allowed: with --kernel NAME, and a file that has this kernel: nestbed "
                            "{} my.cu --kernel NAME --grid 4 --block 64 --arg int:256 --arg int=256",
                            option.name, command.name));
    return request;
}

Options program_options(const std::vector<std::string_view>& names)
{
    Options options;
    for (const std::string_view name : names)
        options.push_back(*std::ranges::find(all_program_options(), name, &Option::name));
    return options;
}

std::uint64_t program_number(const Given& given, const std::string& name, std::uint64_t default_value,
                             std::uint64_t most)
{
    const std::string allowed = fmt::format("a whole number from 0 to {}", most);
    const std::string text = only_value(given, name, std::to_string(default_value), allowed);
    return parse_number({.key = name, .value = text}, 0, most);
}

std::map<std::string, std::string> program_environment(const Given& given)
{
    std::map<std::string, std::string> environment;
    if (given.contains("schedule"))
        environment["NESTBED_SCHEDULE"] =
            name_of(parse_schedule(only_value(given, "schedule", "", "fifo, eager, random:SEED")));
    constexpr std::uint64_t kMaxPending = 1U << 30;
    if (given.contains("pending-limit"))
        environment["NESTBED_PENDING_LIMIT"] = std::to_string(program_number(given, "pending-limit", 0, kMaxPending));
    if (given.contains("workers"))
        environment["NESTBED_WORKERS"] = std::to_string(program_number(given, "workers", 1, kMaxWorkers));
    if (given.contains("strict"))
        environment["NESTBED_STRICT"] = "1";
    if (given.contains("zero-memory"))
        environment["NESTBED_ZERO_MEMORY"] = "1";
    if (given.contains("tree"))
        environment["NESTBED_TREE"] = "1";
    if (given.contains("trace"))
        environment["NESTBED_TRACE"] = fs::absolute(only_value(given, "trace", "", "a file's name")).string();
    if (given.contains("suppressions")) {
        const std::string path = only_value(given, "suppressions", "", "a file's name");
        if (!fs::exists(path))
            throw UsageError(fmt::format("--suppressions {}: there is no such file", path));
        environment["NESTBED_SUPPRESSIONS"] = fs::absolute(path).string();
    }
    return environment;
}

std::chrono::milliseconds program_timeout(const Given& given)
{
    constexpr std::uint64_t kDefault = 60;
    constexpr std::uint64_t kMaximum = 86'400;
    const std::chrono::seconds seconds(program_number(given, "timeout", kDefault, kMaximum));
    return seconds.count() == 0 ? std::chrono::hours(24 * 365) : seconds;
}

Arguments nvcc_words(const ProgramRequest& request, const TemporaryFolder& folder, std::ostream& out)
{
    Arguments words = request.nvcc;
    if (request.given.contains("kernel")) {
        const auto source = std::ranges::find_if(words, program::is_program_source);
        const std::string text = kernel_driver(request.given, fs::absolute(*source));
        const std::string copy = only_value(request.given, "driver", "");
        if (copy == "-")
            out << text << std::flush;
        else if (!copy.empty())
            write_new_file(copy, text, "the driver", "--driver");
        *source = (folder.path() / "driver.cu").string();
        write_new_file(*source, text, "the driver");
    }
    return words;
}

fs::path build_program(const ProgramRequest& request, bool watched, const TemporaryFolder& folder,
                       const HeldSignals& signals, std::ostream& out, std::ostream& err)
{
    program::NvccCommand command =
        program::parse_nvcc_command(nvcc_words(request, folder, out), program::nvcc_environment());
    command.watched = watched || command.watched;
    if (command.action != program::NvccAction::link)
        throw UsageError(
            fmt::format("{} makes no program that could run; allowed: source files, and options such as -I, "
                        "-D and -std",
                        command.action_option));
    if (command.output.empty()) {
        const auto source = std::ranges::find_if(command.inputs, &program::NvccInput::is_source);
        command.output = (folder.path() / fs::path(source->text).stem()).string();
    }
    if (!request.given.contains("kernel"))
        return program::run_nvcc(command, program::program_folder(), signals, out, err) == exit_ok
                   ? fs::absolute(command.output)
                   : fs::path();
    // The compiler's messages are of a file that the user has not written.
    std::ostringstream messages;
    const int code = program::run_nvcc(command, program::program_folder(), signals, out, messages);
    if (code != exit_ok)
        refuse_by_compiler(request.given, *std::ranges::find_if(request.nvcc, program::is_program_source),
                           messages.str());
    err << messages.str();
    return code == exit_ok ? fs::absolute(command.output) : fs::path();
}

ProgramEnd run_program_of_user(const fs::path& path, const Arguments& arguments,
                               const std::map<std::string, std::string>& environment,
                               std::optional<std::chrono::milliseconds> timeout, const HeldSignals& signals, int out)
{
    Arguments words{path.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    // A program that reads from the terminal must be in the terminal's group.
    return run_child({.arguments = words,
                      .environment = environment,
                      .out = out,
                      .timeout = timeout,
                      .own_group = isatty(STDIN_FILENO) == 0},
                     signals);
}

int run_build(const Arguments& words, bool watched, const HeldSignals& signals, std::ostream& err)
{
    if (words.empty())
        throw UsageError("no command was given after --; allowed: nestbed cpu -- make");
    const fs::path folder = program::program_folder();
    // The command itself may be nvcc: then it is the one that stands first on the path of the build.
    const fs::path ours = folder / "bin" / words.front();
    const std::string path = fs::path(words.front()).filename() == words.front() && fs::exists(ours)
                                 ? ours.string()
                                 : find_program(words.front());
    if (path.empty())
        throw UsageError(
            fmt::format("there is no program '{}'; allowed after --: the command that builds your program, such "
                        "as make",
                        words.front()));
    const TemporaryFolder temporary;
    const fs::path calls = temporary.path() / "calls";
    const auto before = [](const std::string& first, const char* name, const std::string& default_text) {
        const char* const value = std::getenv(name);
        const std::string rest = value == nullptr ? default_text : value;
        return rest.empty() ? first : first + ":" + rest;
    };
    const fs::path libraries = watched ? folder / "lib" / "races" : folder / "lib";
    const std::string nvcc = (folder / "bin" / "nvcc").string();
    std::map<std::string, std::string> environment{
        {"PATH", before((folder / "bin").string(), "PATH", "/usr/bin:/bin")},
        // For files that the build compiles and links with g++ itself, where there is no CUDA toolkit.
        {"CPLUS_INCLUDE_PATH", before((folder / "include").string(), "CPLUS_INCLUDE_PATH", "")},
        {"LIBRARY_PATH", before(fmt::format("{}:{}", libraries.string(), folder.string()), "LIBRARY_PATH", "")},
        {"NVCC", nvcc},
        {"CUDACXX", nvcc},
        {"NESTBED_WATCH", watched ? "1" : "0"},
        {program::kCallsVariable, calls.string()}};
    Arguments arguments = words;
    arguments.front() = path;
    const ProgramEnd end =
        run_child({.arguments = arguments, .environment = environment, .own_group = false}, signals);
    if (end.signal != 0)
        throw RunError(fmt::format("{}: {}", words.front(), end.text()));
    if (!fs::exists(calls))
        err << fmt::format(
            "nestbed: '{}' called no nvcc through the PATH, so nothing was built for the executor. If a Makefile "
            "has the path of nvcc, set its variable: make NVCC=nvcc. If all files were up to date, remove them "
            "first: make clean\n",
            fmt::join(words, " "));
    return end.exit_code == 0 && !fs::exists(calls) ? exit_could_not : end.exit_code;
}

} // namespace nestbed
