// `nestbed trace` of a user's program: builds it, runs it, and reads the trace that it wrote.
#include "cli/trace_program.hpp"

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "base/new_file.hpp"
#include "base/standard_streams.hpp"
#include "base/subprocess.hpp"
#include "base/temporary_folder.hpp"
#include "base/text_file.hpp"
#include "cli/data_folders.hpp"
#include "cli/program_request.hpp"
#include "cli/run_options.hpp"
#include "inspect/launch_summary.hpp"
#include "inspect/level_prices.hpp"
#include "program/build/program_folder.hpp"
#include "program/count/counted_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <unistd.h>
#include <vector>

namespace nestbed
{

LaunchTrace trace_of_program(const Given& given, std::initializer_list<std::string_view> allowed)
{
    for (const auto& [name, values] : given)
        if (name != "from" && !values.empty() && std::ranges::find(allowed, name) == allowed.end())
            throw UsageError(
                fmt::format("--from cannot be combined with {}; allowed: {}",
                            name == "argument" ? fmt::format("'{}'", values.front()) : "--" + name,
                            allowed.size() == 0 ? "nothing" : fmt::format("--{}", fmt::join(allowed, ", --"))));
    return read_launch_trace(only_value(given, "from", "", "a file's name"));
}

namespace
{

// The logs in which the prices of a level may be: the user's own first.
std::vector<std::string> ladder_logs()
{
    std::vector<std::string> logs{std::string(kDefaultFolder) + "/ladder.csv"};
    for (const std::filesystem::path& results : data_folders("results"))
        if (std::filesystem::is_directory(results))
            for (const auto& folder : std::filesystem::directory_iterator(results))
                logs.push_back((folder.path() / "ladder.csv").string());
    return logs;
}

} // namespace

int trace_from(const Given& given, std::ostream& out)
{
    const LaunchTrace traced = trace_of_program(given, {"output", "overwrite", "csv"});
    const LaunchSummary summary = summary_of(traced);
    const std::string name = only_value(given, "output", given.contains("csv") ? "nestbed-trace.csv" : "");
    const bool rows = given.contains("csv") || name.ends_with(".csv");
    const auto text = [&] { return rows ? launch_trace_csv(traced) : launch_trace_json(traced); };
    if (name == "-" || is_open_on(STDOUT_FILENO, name)) {
        out << text();
        return exit_ok;
    }
    if (!name.empty())
        OutputFile(name, given.contains("overwrite")).write(text(), "the trace");
    out << summary_text(summary, traced);
    const LevelCost cost = level_cost(summary.chain, traced.grids);
    if (cost.levels > 0 && !traced.devices.empty()) {
        const std::uint32_t device = traced.grids[summary.chain.grids.back()].device;
        const auto of = std::ranges::find(traced.devices, device, &TracedDevice::number);
        if (of != traced.devices.end())
            out << advice_text(cost, find_level_prices(ladder_logs(), of->name, cost.blocks));
    }
    if (!name.empty() && !rows)
        out << fmt::format(kHowToOpen, name);
    return exit_ok;
}

namespace
{

bool has_gpu()
{
    return std::filesystem::exists("/dev/nvidiactl") || std::filesystem::exists("/dev/dxg"); // the latter in WSL
}

// An option of nvcc, with its value in the next word or behind an equals sign. (-optf and -odir are not -o.)
bool is_given(const Arguments& words, std::initializer_list<std::string_view> options)
{
    return std::ranges::any_of(words, [&](const std::string& word) {
        return std::ranges::find(options, std::string_view(word).substr(0, word.find('='))) != options.end();
    });
}

// Builds with nvcc, with what a program of one file needs if nothing else is said. `has_driver`: what the compiler prints is of a file
// that the user has not written, and only wanted if the build fails.
std::filesystem::path build_traced(Arguments words, bool has_driver, const TemporaryFolder& folder,
                                   const HeldSignals& signals, std::ostream& err)
{
    words.insert(words.begin(), "nvcc");
    if (!is_given(words, {"-rdc", "--rdc", "-dc", "--relocatable-device-code"}))
        words.push_back("-rdc=true");
    if (!is_given(words, {"-arch", "--arch", "-gencode", "--gencode", "--generate-code", "--gpu-architecture"}))
        words.push_back("-arch=native");
    std::filesystem::path program = folder.path() / "program";
    words.insert(words.end(), {"-o", program.string()});
    const std::filesystem::path messages = folder.path() / "messages";
    const Descriptor file(open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)); // NOLINT(*-vararg)
    const int code = program::run_counted_build(program::Recorded::trace, words, program::program_folder(), signals,
                                                err, has_driver && file >= 0 ? file : STDERR_FILENO);
    if (code == exit_ok)
        return program;
    if (has_driver && file >= 0)
        err << read_text_file(messages.string());
    return {};
}

int trace_program(const Arguments& arguments, const Given& /*given*/, std::ostream& out, std::ostream& err)
{
    const ProgramRequest request = read_request(trace_program_command(), arguments);
    const HeldSignals signals;
    out.flush();
    if (!request.has_source) {
        if (!split_at_dashes(arguments).before.empty())
            throw UsageError(fmt::format("trace: '{}' was not expected before --; allowed: nestbed trace my.cu "
                                         "[-- arguments], nestbed trace -- make",
                                         arguments.front()));
        return program::run_counted_build(program::Recorded::trace, *request.after, program::program_folder(),
                                          signals, err);
    }
    if (is_given(request.nvcc, {"-o", "--output-file"}))
        throw UsageError(
            "trace: the program runs at once and is not kept; allowed: no -o, or nestbed trace -- nvcc …");
    const bool on_gpu = has_gpu() && !find_program("nvcc").empty();
    const TemporaryFolder folder;
    const std::filesystem::path path = on_gpu ? build_traced(nvcc_words(request, folder, out),
                                                             request.given.contains("kernel"), folder, signals, err)
                                              : build_program(request, false, folder, signals, out, err);
    if (path.empty())
        return exit_could_not;
    if (!on_gpu)
        err << "nestbed: there is no GPU, or no nvcc on the PATH: the program runs on the executor\n";
    const bool rows = request.given.contains("csv");
    std::map<std::string, std::string> environment;
    if (const char* const named = std::getenv("NESTBED_TRACE"); rows || named == nullptr || *named == 0)
        environment["NESTBED_TRACE"] = rows ? "nestbed-trace.csv" : "nestbed-trace.json";
    out.flush();
    const ProgramEnd end = run_program_of_user(path, request.after.value_or(Arguments{}), environment, {}, signals);
    if (end.signal != 0)
        throw RunError(fmt::format("{}: {}", request.nvcc.front(), end.text()));
    if (!on_gpu && !rows && environment.contains("NESTBED_TRACE"))
        err << fmt::format(kHowToOpen, environment.at("NESTBED_TRACE"));
    return end.exit_code;
}

} // namespace

Option csv_option()
{
    return {.name = "csv", .value = "", .help = "of a user's program: write rows (nestbed-trace.csv), not JSON"};
}

Command trace_program_command()
{
    return {.name = "trace",
            .arguments = "FILE.cu... [--csv] [options of nvcc] [-- ARGUMENT...] | -- COMMAND...",
            .summary = "write a timeline of every launch of a CUDA program",
            .text = "",
            .files = "cu",
            .operands = SIZE_MAX,
            .options = {csv_option()},
            .raw = true,
            .call = trace_program};
}

} // namespace nestbed
