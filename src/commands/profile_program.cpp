#include "commands/profile_program.hpp"

#include "base/error.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "inspect/program_profile.hpp"
#include "program/build/child.hpp"
#include "run/profiler.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <ostream>
#include <unistd.h>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;

std::string program_path(const Arguments& words)
{
    if (words.empty())
        throw UsageError("profile: no program was given after --; allowed: nestbed profile -- ./my");
    std::string path = find_program(words.front());
    if (path.empty())
        throw UsageError(fmt::format("profile: there is no program '{}'", words.front()));
    return path;
}

// The last message of ncu that says why it counted nothing.
std::string reason_in(const std::string& log)
{
    if (log.find("ERR_NVGPUCTRPERM") != std::string::npos)
        return "it has no permission to read the GPU's counters; https://developer.nvidia.com/ERR_NVGPUCTRPERM "
               "explains how to grant it";
    for (const std::string_view mark : {"==ERROR== ", "==WARNING== "})
        if (const std::size_t begin = log.rfind(mark); begin != std::string::npos) {
            const std::size_t from = begin + mark.size();
            return log.substr(from, log.find_first_of("\r\n", from) - from);
        }
    return "it wrote no report";
}

// Runs ncu with its standard output in a file.
void print_page(const Arguments& command, const fs::path& page, const program::HeldSignals& signals)
{
    const int file = open(page.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
        throw RunError(fmt::format("{}: {}", page.string(), std::strerror(errno)));
    ProgramEnd end;
    try {
        end = program::run_child({.arguments = command, .out = file}, signals);
    } catch (...) {
        close(file);
        throw;
    }
    close(file);
    if (!end.good())
        throw RunError(fmt::format("ncu could not print its report: {}", reason_in(read_text_file(page.string()))));
}

} // namespace

int profile_program(const Arguments& words, const std::string& ncu, bool print, std::ostream& out, std::ostream& err)
{
    Arguments program = words;
    const std::string path = program_path(words);
    program.front() = path;
    if (print) {
        const ProgramProfileCommands commands = program_profile_commands(ncu, "my.ncu-rep", "my.log", program);
        out << shell_text(commands.collect) << '\n'
            << shell_text(commands.source) << " > my.source.csv\n"
            << shell_text(commands.raw) << " > my.raw.csv\n";
        return exit_ok;
    }
    const program::HeldSignals signals;
    const program::TemporaryFolder folder;
    const auto file = [&](const char* name) { return (folder.path() / name).string(); };
    const std::string report = file("my.ncu-rep");
    const ProgramProfileCommands commands = program_profile_commands(ncu, report, file("log"), program);
    out.flush();
    const ProgramEnd end = program::run_child({.arguments = commands.collect, .own_group = false}, signals);
    const std::string log = fs::exists(file("log")) ? read_text_file(file("log")) : "";
    if (!fs::exists(report))
        throw RunError(fmt::format("ncu counted no launch of {}: {}", words.front(), printable(reason_in(log))));
    print_page(commands.source, file("source.csv"), signals);
    print_page(commands.raw, file("raw.csv"), signals);
    const ProgramProfile profile = program_profile(file("source.csv"), read_text_file(file("source.csv")),
                                                   file("raw.csv"), read_text_file(file("raw.csv")));
    out << printable(program_profile_text(profile));
    if (end.good())
        return exit_ok;
    err << fmt::format("nestbed: {}: {}\n", words.front(), end.text());
    return end.signal != 0 ? exit_could_not : end.exit_code;
}

} // namespace nestbed
