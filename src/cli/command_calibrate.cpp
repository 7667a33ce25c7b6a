// `nestbed calibrate`: fits the model of the launch roofline to logs.
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/new_file.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/log_files.hpp"
#include "inspect/prediction_text.hpp"
#include "inspect/roofline_fit.hpp"
#include "log/logged_cases.hpp"
#include "log/manifest.hpp"
#include "log/resume.hpp"
#include "predict/roofline_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

namespace nestbed
{

namespace
{

// A log that a model can be fitted to.
struct GpuLog {
    LoggedCases cases;
    RooflineSource source;
    DeviceFacts gpu;
    std::vector<std::string> machines;
};

[[noreturn]] void refuse_log(const std::string& path, const std::string& why)
{
    throw UsageError(fmt::format("{}: {}; allowed: logs of runs on one GPU", path, why));
}

GpuLog read_gpu_log(const std::string& path, std::ostream& err)
{
    const ParsedLog log = read_log(path, err);
    for (const char* column : {"run_id", "backend", "gpu_us"})
        static_cast<void>(log.column(column));
    if (log.rows.empty())
        refuse_log(path, "it has no rows");
    for (const std::string& backend : log.values_of("backend"))
        if (backend != name_of(BackendKind::cuda))
            refuse_log(path, fmt::format("it has rows of backend {}", backend));
    DeviceFacts gpu;
    for (const std::string& run_id : runs_of(log)) {
        const DeviceFacts facts = gpu_in_manifest(path, run_id);
        if (!gpu.name.empty() && gpu_of(facts) != gpu_of(gpu))
            refuse_log(path, fmt::format("it has rows of {} and of {}", gpu_of(gpu), gpu_of(facts)));
        gpu = facts;
    }
    LoggedCases cases = logged_cases(log, runs_in_manifest(path, runs_of(log)));
    cases.runs.at(BackendKind::cuda).device = gpu;
    return {.cases = std::move(cases),
            .source = {.name = std::filesystem::path(log.path).filename().string(),
                       .sha256 = sha256_of(read_text_file(path)),
                       .rows = log.rows.size()},
            .gpu = gpu,
            .machines = log.values_of("machine")};
}

int calibrate(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    const std::vector<std::string>& paths = given.at("argument");
    if (paths.empty())
        throw UsageError("calibrate: no log was given; allowed: nestbed calibrate LOG.csv... [-o FILE.json]");
    const std::map<std::string, OutputFile> files = output_files(given, {"output", "csv"});
    if (files.empty() && given.contains("overwrite"))
        throw UsageError("--overwrite: there is no file to write; allowed: with --output or --csv");
    std::vector<LoggedCases> logs;
    std::vector<RooflineSource> sources;
    std::set<std::string> machines;
    for (const std::string& path : paths) {
        GpuLog log = read_gpu_log(path, err);
        if (!logs.empty())
            if (const std::string gpu = gpu_of(logs.front().runs.at(BackendKind::cuda).device);
                gpu != gpu_of(log.gpu))
                refuse_log(path, fmt::format("it is of {}, and {} of {}", gpu_of(log.gpu), paths.front(), gpu));
        const auto same = std::ranges::find(sources, log.source.sha256, &RooflineSource::sha256);
        if (same != sources.end())
            throw UsageError(fmt::format("{}: it has the same content as {}; allowed: each log once", path,
                                         paths.at(static_cast<std::size_t>(same - sources.begin()))));
        machines.insert(log.machines.begin(), log.machines.end());
        logs.push_back(std::move(log.cases));
        sources.push_back(std::move(log.source));
    }
    const Roofline roofline = fit_roofline(logs);
    const std::map<std::string, std::string> texts{{"output", roofline_json(roofline, sources)},
                                                   {"csv", parameters_csv(roofline)}};
    for (const auto& [option, file] : files)
        file.write(texts.at(option), "--" + option);
    if (only_value(given, "csv", "") == "-") {
        out << texts.at("csv");
        return exit_ok;
    }
    out << printable(parameters_text(roofline));
    if (machines.size() > 1)
        out << fmt::format("\nThe logs are of {} machines with this GPU.\n", machines.size());
    if (files.contains("output"))
        out << fmt::format("\nmodel: {}\n", given.at("output").front());
    return exit_ok;
}

} // namespace

std::map<std::string, OutputFile> output_files(const Given& given, std::initializer_list<const char*> options)
{
    std::map<std::string, OutputFile> files;
    std::map<std::string, std::string> by_path;
    for (const std::string option : options) {
        const std::string path = only_value(given, option, "");
        if (path.empty() || (option == "csv" && path == "-"))
            continue;
        if (const auto [other, is_new] = by_path.emplace(path, option); !is_new)
            throw UsageError(
                fmt::format("--{} {}: --{} is the same file; allowed: different files", option, path, other->second));
        files.emplace(option, OutputFile(path, given.contains("overwrite"), "--" + option));
    }
    return files;
}

Command calibrate_command()
{
    return {
        .name = "calibrate",
        .arguments = "LOG.csv... [-o FILE.json]",
        .summary = "fit the model that predicts launches to logs of a GPU",
        .text = "Fits the parameters of the launch roofline to the GPU times of chains, fan-outs\n"
                "and trees of empty grids, flat reductions and copies in the logs, and prints\n"
                "them with their 95 % intervals. It needs the logs of experiments/launch.cfg,\n"
                "trees.cfg, library.cfg and transpose.cfg. They must be of one GPU, driver and\n"
                "CUDA version, and have their manifests beside them.\n"
                "`nestbed predict --device FILE.json` uses the model.\n",
        .files = "csv",
        .operands = SIZE_MAX,
        .options = {{.name = "output", .value = "FILE", .help = "write the model, a new JSON file", .letter = 'o'},
                    {.name = "csv",
                     .value = "FILE",
                     .help = "write the parameters, one row each, to a new file; - for standard output"},
                    overwrite_option()},
        .call = calibrate};
}

} // namespace nestbed
