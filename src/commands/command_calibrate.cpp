// `nestbed calibrate`: fits the model of the launch roofline to logs.
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/new_file.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "cli/arguments.hpp"
#include "cli/log_files.hpp"
#include "commands/commands.hpp"
#include "log/logged_cases.hpp"
#include "log/manifest.hpp"
#include "log/resume.hpp"
#include "predict/prediction_text.hpp"
#include "predict/roofline_file.hpp"
#include "predict/roofline_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <ostream>
#include <set>

namespace nestbed
{

namespace
{

// A log that a model can be fitted to, with the facts about its GPU.
struct GpuLog {
    LoggedCases cases;
    RooflineSource source;
    std::string gpu; // with driver and CUDA runtime
    std::set<std::string> machines;
};

std::string gpu_of(const DeviceFacts& facts)
{
    return fmt::format("{} (driver {}, CUDA {})", facts.name, facts.driver, facts.runtime);
}

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
    for (const LogRow& row : log.rows)
        if (const std::string& backend = row.cells[log.column("backend")]; backend != name_of(BackendKind::cuda))
            refuse_log(fmt::format("{}:{}", path, row.line), fmt::format("the row is of backend {}", backend));
    DeviceFacts facts;
    std::string gpu;
    for (const std::string& run_id : runs_of(log)) {
        facts = gpu_in_manifest(path, run_id);
        if (!gpu.empty() && gpu_of(facts) != gpu)
            refuse_log(path, fmt::format("it has rows of {} and of {}", gpu, gpu_of(facts)));
        gpu = gpu_of(facts);
    }
    GpuLog read{.cases = logged_cases(log, runs_in_manifest(path, runs_of(log))),
                .source = {.name = std::filesystem::path(log.path).filename().string(),
                           .sha256 = sha256_of(read_text_file(path)),
                           .rows = log.rows.size()},
                .gpu = gpu,
                .machines = {}};
    read.cases.runs.at(BackendKind::cuda).device = facts;
    if (log.has("machine"))
        for (const LogRow& row : log.rows)
            read.machines.insert(row.cells[log.column("machine")]);
    return read;
}

int calibrate(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    const std::vector<std::string>& paths = given.at("argument");
    if (paths.empty())
        throw UsageError("calibrate: no log was given; allowed: nestbed calibrate LOG.csv... [-o FILE.json]");
    const std::string output = only_value(given, "output", "", "a file's name");
    const bool replaces = given.contains("overwrite");
    const std::string csv = only_value(given, "csv", "");
    const bool csv_is_file = !csv.empty() && csv != "-";
    const std::string correlations = only_value(given, "correlations", "");
    if (replaces && output.empty() && !csv_is_file && correlations.empty())
        throw UsageError("--overwrite: there is no file to write; allowed: with --output, --csv or --correlations");
    if (given.contains("leave-out") && !output.empty())
        throw UsageError("--leave-out: the model would lack parameters; allowed: without --output");
    if (csv_is_file && csv == output)
        throw UsageError(fmt::format("--csv {}: --output is the same file; allowed: two files", csv));
    if (!correlations.empty() && (correlations == output || correlations == csv))
        throw UsageError(fmt::format("--correlations {}: --{} is the same file; allowed: different files",
                                     correlations, correlations == output ? "output" : "csv"));
    std::optional<OutputFile> model_file;
    std::optional<OutputFile> csv_file;
    std::optional<OutputFile> correlations_file;
    if (!output.empty())
        model_file.emplace(output, replaces);
    if (csv_is_file)
        csv_file.emplace(csv, replaces, "--csv");
    if (!correlations.empty())
        correlations_file.emplace(correlations, replaces, "--correlations");
    std::vector<LoggedCases> logs;
    std::vector<RooflineSource> sources;
    std::string gpu;
    std::set<std::string> machines;
    for (const std::string& path : paths) {
        GpuLog log = read_gpu_log(path, err);
        if (!gpu.empty() && log.gpu != gpu)
            refuse_log(path, fmt::format("it is of {}, and {} of {}", log.gpu, paths.front(), gpu));
        gpu = log.gpu;
        const auto same = std::ranges::find(sources, log.source.sha256, &RooflineSource::sha256);
        if (same != sources.end())
            throw UsageError(fmt::format("{}: it has the same content as {}; allowed: each log once", path,
                                         paths.at(static_cast<std::size_t>(same - sources.begin()))));
        machines.insert(log.machines.begin(), log.machines.end());
        logs.push_back(std::move(log.cases));
        sources.push_back(std::move(log.source));
    }
    const std::vector<std::string> left_out =
        given.contains("leave-out") ? given.at("leave-out") : std::vector<std::string>{};
    const PartialFit fit = fit_roofline_without(logs, left_out);
    const Roofline& roofline = fit.roofline;
    const std::string json = roofline_json(roofline, sources);
    if (model_file)
        model_file->write(json, "the model");
    if (csv_file)
        csv_file->write(parameters_csv(roofline), "the CSV");
    if (correlations_file)
        correlations_file->write(correlations_csv(fit.pairs), "the correlations");
    if (csv == "-") {
        out << parameters_csv(roofline);
        return exit_ok;
    }
    out << printable(parameters_text(roofline));
    if (machines.size() > 1)
        out << fmt::format("\nThe logs are of {} machines with this GPU.\n", machines.size());
    if (!output.empty())
        out << fmt::format("\nmodel: {}\n", output);
    return exit_ok;
}

} // namespace

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
                "`nestbed predict --device FILE.json` uses the model.\n"
                "\n"
                "--leave-out fits without the grids without work of one strategy (chain, chains,\n"
                "chains_synced, fanout, trees, trees_by_lanes): how much do the parameters depend\n"
                "on it? Parameters that the others do not determine are missing then.\n",
        .files = "csv",
        .operands = SIZE_MAX,
        .options = {{.name = "output", .value = "FILE", .help = "write the model, a new JSON file", .letter = 'o'},
                    {.name = "csv",
                     .value = "FILE",
                     .help = "write the parameters, one row each, to a new file; - for standard output"},
                    {.name = "leave-out", .value = "S", .help = "fit without these grids without work"},
                    {.name = "correlations",
                     .value = "FILE",
                     .help = "write the correlation of each pair of fitted parameters"},
                    overwrite_option()},
        .call = calibrate};
}

} // namespace nestbed
