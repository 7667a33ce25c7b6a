#include "program/count/counted_build.hpp"

#include "base/build_line.hpp"
#include "base/error.hpp"
#include "base/subprocess.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ostream>
#include <sstream>

namespace nestbed::program
{

namespace fs = std::filesystem;

namespace
{

std::string variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string_view header_of(Recorded recorded)
{
    return recorded == Recorded::trace ? "nestbed_trace.cuh" : "nestbed_count.cuh";
}

// The path of the program that builds. Throws UsageError if there is none.
std::string builder_path(Recorded recorded, const std::vector<std::string>& words)
{
    const std::string_view command = recorded == Recorded::trace ? "trace" : "count";
    if (words.empty())
        throw UsageError(fmt::format("no command was given after --; allowed: nestbed {} -- make", command));
    std::string path = find_program(words.front());
    if (!path.empty())
        return path;
    if (words.front() == "nvcc")
        throw UsageError(
            fmt::format("nvcc was not found on the PATH; it is the compiler of the CUDA toolkit, and `nestbed {}` "
                        "needs it; without it: nestbed cpu",
                        command));
    throw UsageError(
        fmt::format("there is no program '{}'; allowed after --: the command that builds your program, such as make",
                    words.front()));
}

void say_what_was_rewritten(Recorded recorded, const RewrittenFiles& rewritten, const std::vector<std::string>& words,
                            bool succeeded, std::ostream& err)
{
    if (rewritten.launches > 0) {
        if (!succeeded) { // the errors say why
            for (const std::string& hint : rewritten.hints)
                err << printable(fmt::format("nestbed: {}\n", hint));
            return;
        }
        err << fmt::format(
            "nestbed: launches found: {}, in CUDA files: {}. The program prints its table when it ends{}\n",
            rewritten.launches, rewritten.with_launches,
            recorded == Recorded::trace ? ", and writes nestbed-trace.json" : "");
        return;
    }
    if (fs::path(words.front()).filename() == "cmake" && std::ranges::find(words, "--build") == words.end()) {
        err << fmt::format(
            "nestbed: cmake compiled nothing of the program. Build in the same way: nestbed {} -- cmake "
            "--build ...\n",
            recorded == Recorded::trace ? "trace" : "count");
        return;
    }
    if (rewritten.files > 0) {
        err << fmt::format(
            "nestbed: no launch was found in the CUDA files ({}). If the others were up to date, clean "
            "first (make clean). Launches in libraries are not counted\n",
            rewritten.files);
        return;
    }
    if (find_program("nvcc").empty())
        err << "nestbed: nvcc was not found on the PATH; it is the compiler of the CUDA toolkit\n";
    if (succeeded)
        err << printable(
            fmt::format("nestbed: '{}' compiled no CUDA file by nvcc, so nothing is counted. If all files "
                        "were up to date, clean first (make clean), or touch the CUDA files\n",
                        fmt::join(words, " ")));
}

} // namespace

std::map<std::string, std::string> counting_environment(Recorded recorded, const fs::path& folder,
                                                        const std::string& prepended, const fs::path& log)
{
    const std::string path = folder.string();
    if (path.find_first_of(" \t\"'\\") != std::string::npos)
        throw RunError(fmt::format("{}: nvcc cannot take a path with blanks or quotes; allowed: install nestbed in "
                                   "another folder",
                                   path));
    return {{"NESTBED_COUNT_STRICT", recorded == Recorded::counts_strictly ? "1" : ""},
            {"NVCC_PREPEND_FLAGS", fmt::format("-ccbin={0}/compilers -include={0}/count/{1}{2}{3}", path,
                                               header_of(recorded), prepended.empty() ? "" : " ", prepended)},
            {"NESTBED_COUNT_LOG", log.string()}};
}

RewrittenFiles read_rewritten(const std::string& log_text)
{
    std::map<std::string, std::size_t> launches; // by file
    RewrittenFiles rewritten;
    std::istringstream lines(log_text);
    for (std::string line; std::getline(lines, line);) {
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
        if (error != std::errc{} || *end != ' ') {
            if (line.find(": ") != std::string::npos && // else a write that another one interrupted
                std::ranges::find(rewritten.hints, line) == rewritten.hints.end())
                rewritten.hints.push_back(line);
            continue;
        }
        std::size_t& most = launches[end + 1];
        most = std::max(most, number);
    }
    rewritten.files = launches.size();
    for (const auto& [file, number] : launches) {
        rewritten.launches += number;
        rewritten.with_launches += number > 0;
    }
    return rewritten;
}

int run_counted_build(Recorded recorded, const std::vector<std::string>& words, const fs::path& folder,
                      const HeldSignals& signals, std::ostream& err, int messages)
{
    std::vector<std::string> arguments = words;
    const std::string builder = builder_path(recorded, words);
    arguments.front() = builder;
    for (const fs::path& file :
         {folder / "count" / header_of(recorded), folder / "compilers" / "g++", folder / "nestbed_rewrite"})
        if (!fs::exists(file))
            throw RunError(
                fmt::format("{} does not exist; to build it: {}", file.string(), build_line(folder.parent_path())));
    const TemporaryFolder temporary;
    const fs::path log = temporary.path() / "rewritten";
    const ProgramEnd end =
        run_child({.arguments = arguments,
                   .environment = counting_environment(recorded, folder, variable("NVCC_PREPEND_FLAGS"), log),
                   .error = messages,
                   .own_group = false},
                  signals);
    if (end.signal != 0)
        throw RunError(fmt::format("{}: {}", words.front(), end.text()));
    const RewrittenFiles rewritten = read_rewritten(fs::exists(log) ? read_text_file(log.string()) : "");
    say_what_was_rewritten(recorded, rewritten, words, end.exit_code == 0, err);
    return end.exit_code;
}

} // namespace nestbed::program
