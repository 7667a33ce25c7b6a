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

struct PrivateName {
    std::string name;
    std::string_view by;
    bool is_machine = false; // then a domain may be behind it
};

bool is_word(char character)
{
    return std::isalnum(static_cast<unsigned char>(character)) != 0;
}

// The longest first: a name may begin as another does, such as that of the machine as that of its user.
std::vector<PrivateName> private_names()
{
    std::vector<PrivateName> names;
    const auto add = [&](std::string_view name, std::string_view by, bool is_machine = false) {
        while (name.ends_with('/'))
            name.remove_suffix(1);
        if (name.size() > 1)
            names.push_back({std::string(name), by, is_machine});
    };
    const auto add_home = [&](const char* home) {
        add(home, "~");
        std::error_code error;
        if (const fs::path canonical = fs::canonical(home, error); !error)
            add(canonical.string(), "~");
    };
    for (const char* variable : {"USER", "LOGNAME", "SUDO_USER"})
        if (const char* const user = std::getenv(variable))
            add(user, "USER");
    if (const char* const home = std::getenv("HOME"))
        add_home(home);
    if (const passwd* const user = getpwuid(getuid())) {
        add(user->pw_name, "USER");
        add_home(user->pw_dir);
    }
    utsname system{};
    uname(&system);
    const std::string_view machine = system.nodename;
    const std::size_t dot = machine.find('.');
    add(machine, "MACHINE", true);
    add(machine.substr(0, dot), "MACHINE", true);
    if (dot != std::string_view::npos)
        add(machine.substr(dot + 1), "DOMAIN");
    std::ranges::stable_sort(names, std::greater{}, [](const PrivateName& name) { return name.name.size(); });
    return names;
}

// Whether the name begins at this place, in capitals or not, and is no part of a longer word.
bool is_at(std::string_view text, std::size_t place, std::string_view name)
{
    const auto same = [](unsigned char one, unsigned char other) { return std::tolower(one) == std::tolower(other); };
    const std::string_view rest = text.substr(place);
    return rest.size() >= name.size() && std::ranges::equal(rest.substr(0, name.size()), name, same) &&
           (place == 0 || !is_word(text[place - 1])) && (rest.size() == name.size() || !is_word(rest[name.size()]));
}

// Where the domain that begins here ends: ".corp.example".
std::size_t end_of_domain(std::string_view text, std::size_t place)
{
    while (place + 1 < text.size() && text[place] == '.' && is_word(text[place + 1]))
        for (++place; place < text.size() && (is_word(text[place]) || text[place] == '-');)
            ++place;
    return place;
}

// The text without private names. What is a part of another word stays.
std::string without_names(std::string_view text, const std::vector<PrivateName>& names)
{
    std::string result;
    for (std::size_t place = 0; place < text.size();) {
        const auto found = std::ranges::find_if(
            names, [&](const PrivateName& private_name) { return is_at(text, place, private_name.name); });
        if (found == names.end()) {
            result += text[place++];
            continue;
        }
        result += found->by;
        place += found->name.size();
        if (found->is_machine)
            place = end_of_domain(text, place);
    }
    return result;
}

// The variables whose values are no paths. Of others, the report says only that they are set.
constexpr std::array<std::string_view, 10> kShownVariables{
    "NESTBED_PENDING_LIMIT", "NESTBED_PREEMPTIONS", "NESTBED_SCHEDULE", "NESTBED_STACK_BYTES",
    "NESTBED_STRICT",        "NESTBED_TREE",        "NESTBED_WATCH",    "NESTBED_WATCHDOG_S",
    "NESTBED_WORKERS",       "NESTBED_ZERO_MEMORY"};

std::string shown_value(std::string_view variable, std::string_view value)
{
    const bool shown = std::ranges::find(kShownVariables, variable) != kShownVariables.end() &&
                       value.find('/') == std::string_view::npos;
    return shown ? std::string(value) : "set";
}

} // namespace

std::string info_line(std::string_view what, std::string_view value)
{
    return fmt::format("  {:<24}{}\n", what, value);
}

std::string build_text()
{
    return fmt::format("nestbed {} ({}, {})\n", kVersion, kGit, kBuild) + info_line("compiler", kCompiler) +
           info_line("CUDA code by nvcc", std::string_view(kNvcc).empty() ? "none" : kNvcc);
}

std::string bug_report()
{
    const std::vector<PrivateName> names = private_names();
    std::string text = "```\n" + build_text();
    const auto clean = [&](std::string_view value) {
        std::string one_line = printable(without_names(value, names));
        std::ranges::replace(one_line, '\n', ';');
        std::ranges::replace(one_line, '`', '\''); // three would end the block
        return one_line;
    };
    const auto add = [&](std::string_view what, std::string_view value) { text += info_line(what, clean(value)); };
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
        const std::string name = variable.substr(0, equals);
        add(clean(name), shown_value(name, std::string_view(variable).substr(equals + 1)));
    }
    return text + "```\n";
}

} // namespace nestbed
