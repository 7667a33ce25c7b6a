#include "cli/bug_report.hpp"

#include "base/error.hpp"
#include "base/subprocess.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "base/version.hpp"
#include "device/backends.hpp"
#include "model/modules.hpp"
#include "program/build/program_folder.hpp"
#include "program/build/toolchain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <gnu/libc-version.h>
#include <memory>
#include <pwd.h>
#include <sys/utsname.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;

constexpr std::chrono::seconds kMaxTime{20};
constexpr std::string_view kNone = "none";

// What a program prints, without the line break at its end. Says so if it is not found or fails.
std::string printed_by(const std::string& name, const std::vector<std::string>& arguments)
{
    std::vector<std::string> words{find_program(name)};
    if (words.front().empty())
        return std::string(kNone);
    words.insert(words.end(), arguments.begin(), arguments.end());
    const TemporaryFolder folder;
    const std::string out = folder.path() / "out";
    const ProgramEnd end = run_program(words, {.out_path = out, .error_path = "/dev/null"}, kMaxTime);
    std::string text = read_text_file(out);
    text.erase(text.find_last_not_of('\n') + 1);
    return end.good() ? text : fmt::format("{}: {}", words.front(), end.text());
}

// The text, or why there is none.
template <class Function>
std::string text_or_error(const Function& text)
{
    try {
        return text();
    } catch (const RunError& error) {
        return error.what();
    }
}

std::string system_text()
{
    std::string name = "Linux";
    if (const fs::path file = "/etc/os-release"; fs::exists(file))
        for (const std::string& text = read_text_file(file); const std::string_view line : split_lines(text))
            if (constexpr std::string_view kKey = "PRETTY_NAME="; line.starts_with(kKey))
                name = line.substr(kKey.size());
    std::erase(name, '"');
    utsname system{};
    uname(&system);
    return fmt::format("{}, {} {} {}, glibc {}", name, system.sysname, system.release, system.machine,
                       gnu_get_libc_version());
}

std::string executor_text()
{
    const std::unique_ptr<LocalSession> session = open_session(BackendKind::cpu, {});
    const DeviceFacts& facts = session->facts();
    return fmt::format("{}, {} workers, {}", facts.name, facts.multiprocessors,
                       format_bytes(static_cast<double>(facts.memory_bytes)));
}

std::string toolchain_text()
{
    const program::Toolchain toolchain = program::read_toolchain(program::program_folder());
    return fmt::format("{} {}{}", toolchain.compiler, toolchain.compiler_version,
                       toolchain.watched_flags.empty() ? ", without the race detector" : "");
}

std::string toolkit_text()
{
    const std::string said = printed_by("nvcc", {"--version"});
    const std::size_t place = said.rfind("release ");
    return place == std::string::npos
               ? said
               : fmt::format("{} {}", find_program("nvcc"), said.substr(place, said.find('\n', place) - place));
}

struct PrivateNames {
    std::vector<std::string> homes{}, users{}, machines{};
};

PrivateNames private_names()
{
    PrivateNames names;
    const auto add = [](std::vector<std::string>& to, const char* name) {
        if (name != nullptr && std::string_view(name).size() > 1) // no home of "/"
            to.emplace_back(name);
    };
    for (const char* variable : {"USER", "LOGNAME", "SUDO_USER"})
        add(names.users, std::getenv(variable));
    add(names.homes, std::getenv("HOME"));
    if (const passwd* const user = getpwuid(getuid())) {
        add(names.users, user->pw_name);
        add(names.homes, user->pw_dir);
    }
    for (const std::string& home : std::vector<std::string>(names.homes)) {
        std::error_code error;
        if (const fs::path canonical = fs::canonical(home, error); !error)
            names.homes.push_back(canonical);
    }
    utsname system{};
    uname(&system);
    add(names.machines, system.nodename);
    add(names.machines, std::string(system.nodename).substr(0, std::string_view(system.nodename).find('.')).c_str());
    return names;
}

// Replaces `name` where it is no part of a longer word.
void replace_name(std::string& text, const std::string& name, std::string_view by)
{
    const auto is_inside = [&](std::size_t place) {
        return place < text.size() && std::isalnum(static_cast<unsigned char>(text[place])) != 0;
    };
    for (std::size_t place = text.find(name); place != std::string::npos; place = text.find(name, place + 1))
        if ((place == 0 || !is_inside(place - 1)) && !is_inside(place + name.size()))
            text.replace(place, name.size(), by);
}

// The text without private names. What is a part of another word stays.
std::string without_names(std::string text, const PrivateNames& names)
{
    const std::array<std::pair<const std::vector<std::string>&, std::string_view>, 3> kinds{
        {{names.homes, "~"}, {names.users, "USER"}, {names.machines, "MACHINE"}}};
    for (const auto& [kind, by] : kinds) {
        std::vector<std::string> longest_first = kind;
        std::ranges::sort(longest_first, std::greater{}, &std::string::size);
        for (const std::string& name : longest_first)
            replace_name(text, name, by);
    }
    return text;
}

} // namespace

std::string info_line(std::string_view what, std::string_view value)
{
    return fmt::format("  {:<24}{}\n", what, value);
}

std::string build_text()
{
    return fmt::format("nestbed {} ({}, {})\n", kVersion, kGit, kBuild) + info_line("compiler", kCompiler) +
           info_line("nvcc", std::string_view(kNvcc).empty() ? "none: CPU-only build" : kNvcc);
}

std::string bug_report()
{
    const PrivateNames names = private_names();
    std::string text = "```\n" + build_text();
    const auto add = [&](std::string_view what, const std::string& value) {
        std::string one_line = printable(without_names(value, names));
        std::ranges::replace(one_line, '\n', ';');
        text += info_line(what, one_line);
    };
    const std::string reason = why_not_cuda();
    add("cuda", reason.empty() ? "usable" : fmt::format("not usable: {}", reason));
    add("GPU, capability, driver",
        printed_by("nvidia-smi", {"--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader"}));
    add("nvcc on the PATH", toolkit_text());
    add("executor on", text_or_error(executor_text));
    add("users' programs by", text_or_error(toolchain_text));
    const std::string missing = missing_modules_text();
    add("missing modules", missing.empty() ? std::string(kNone) : missing);
    add("system", system_text());
    add("figures by", printed_by("/usr/bin/python3", {"-c", R"(
import importlib.metadata as known, platform
def text_of(name):
    try:
        return f"{name} {known.version(name)}"
    except known.PackageNotFoundError:
        return f"no {name}"
print("python3", platform.python_version() + ",", ", ".join(map(text_of, ("pandas", "matplotlib", "scipy", "plotly"))))
)"}));
    std::vector<std::string> variables;
    for (char** entry = environ; *entry != nullptr; ++entry)
        if (std::string_view(*entry).starts_with("NESTBED_"))
            variables.emplace_back(*entry);
    std::ranges::sort(variables);
    for (const std::string& variable : variables) {
        const std::size_t equals = variable.find('=');
        add(variable.substr(0, equals), variable.substr(equals + 1));
    }
    return text + "```\n";
}

} // namespace nestbed
