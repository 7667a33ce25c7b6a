#include "log/manifest.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/new_file.hpp"
#include "base/standard_streams.hpp"
#include "base/text_file.hpp"
#include "base/version.hpp"
#include "model/occupancy.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace nestbed
{

bool has_manifest(const std::string& csv_path)
{
    namespace fs = std::filesystem;
    std::error_code ignored;
    return csv_path != "-" && !is_open_on(STDOUT_FILENO, csv_path) &&
           (!fs::exists(csv_path, ignored) || fs::is_regular_file(csv_path, ignored));
}

namespace
{

Json device_json(const RunFacts& run)
{
    const DeviceFacts& device = run.device;
    return {
        {"compute_capability", device.compute_capability},
        {"max_threads_per_multiprocessor", device.max_threads_per_multiprocessor},
        {"max_blocks_per_multiprocessor", device.max_blocks_per_multiprocessor},
        {"resident_grids", device.resident_grids},
        {"default_pending_limit", device.default_pending_limit},
        {"memory_bytes", device.memory_bytes},
        {"l2_bytes", device.l2_bytes},
        {"peak_bandwidth_gb_s", device.peak_bandwidth_gb_s},
    };
}

void add_measured(Json& json, const RunFacts& run, const DepthProbe& probe)
{
    json["read_bandwidth_gb_s"] = run.bandwidth.read_gb_s;
    json["copy_bandwidth_gb_s"] = run.bandwidth.copy_gb_s;
    json["empty_kernel_us"] = run.empty_kernel_us;
    json["timer_step_ns"] = run.timer_step_ns;
    json["nesting_depth_tried"] = probe.asked;
    json["nesting_depth_reached"] = probe.reached;
    json["nesting_depth_error"] = probe.error;
}

// Returns an empty object if there is no file yet. Throws UsageError.
Json read_manifest(const std::string& csv_path)
{
    const std::string path = manifest_path(csv_path);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return Json::object();
    Json manifest;
    if (std::filesystem::is_regular_file(path, ignored))
        manifest = parsed_json(read_text_file(path));
    if (!manifest.is_object() || !manifest.contains("runs") || !manifest["runs"].is_object())
        throw UsageError(
            fmt::format("{}: it already exists and is not a manifest, and nothing is overwritten; "
                        "allowed: an --output without such a file beside it, or with a manifest of nestbed",
                        path));
    return manifest;
}

} // namespace

std::string manifest_path(const std::string& csv_path)
{
    const std::string name = text_name(csv_path);
    return name + (std::filesystem::path(name).has_extension() ? ".json" : ".manifest.json");
}

void check_manifest(const std::string& csv_path)
{
    static_cast<void>(read_manifest(csv_path));
}

std::set<std::string> run_ids_in_manifest(const std::string& csv_path)
{
    const Json manifest = read_manifest(csv_path);
    std::set<std::string> found;
    if (manifest.contains("runs"))
        for (const auto& [run_id, run] : manifest["runs"].items())
            found.insert(run_id);
    return found;
}

std::map<std::string, RunIdentity> runs_in_manifest(const std::string& csv_path, const std::set<std::string>& run_ids)
{
    const std::string path = manifest_path(csv_path);
    const Json manifest = read_manifest(csv_path);
    std::map<std::string, RunIdentity> runs;
    for (const std::string& run_id : run_ids) {
        if (!manifest.contains("runs") || !manifest["runs"].contains(run_id))
            throw UsageError(fmt::format(
                "{}: it has no run {}, to which rows of {} belong; allowed: the manifest that belongs to the log",
                path, run_id, csv_path));
        try {
            runs[run_id] = identity_from_json(manifest["runs"][run_id], manifest.value("plans", Json::object()));
        } catch (const Json::exception& error) {
            throw UsageError(fmt::format("{}: run {} is damaged, or from another version of nestbed ({}); allowed: a "
                                         "manifest of this version",
                                         path, run_id, error.what()));
        }
    }
    return runs;
}

DeviceFacts gpu_in_manifest(const std::string& csv_path, const std::string& run_id)
{
    const RunIdentity run = runs_in_manifest(csv_path, {run_id}).at(run_id);
    const std::string backend(name_of(BackendKind::cuda));
    const auto identity = run.backends.find(backend);
    const auto refuse = [&](std::string_view why) {
        return UsageError(fmt::format("{}: run {} {}; allowed: a log of a run on a GPU, with its manifest",
                                      manifest_path(csv_path), run_id, why));
    };
    if (identity == run.backends.end())
        throw refuse("used no GPU");
    DeviceFacts facts{.name = identity->second.name,
                      .driver = identity->second.driver,
                      .runtime = identity->second.runtime,
                      .multiprocessors = identity->second.multiprocessors};
    const Json json = read_manifest(csv_path)["runs"][run_id]["backends"][backend];
    try {
        facts.compute_capability = json.at("compute_capability");
        facts.resident_grids = json.at("resident_grids");
        facts.default_pending_limit = json.at("default_pending_limit");
        set_occupancy(facts, facts.compute_capability);
        facts.max_threads_per_multiprocessor =
            json.value("max_threads_per_multiprocessor", facts.max_threads_per_multiprocessor);
        facts.max_blocks_per_multiprocessor =
            json.value("max_blocks_per_multiprocessor", facts.max_blocks_per_multiprocessor);
        facts.memory_bytes = json.value("memory_bytes", facts.memory_bytes);
    } catch (const Json::exception& error) {
        throw refuse(fmt::format("lacks a fact about its GPU ({})", error.what()));
    }
    if (facts.max_threads_per_multiprocessor == 0 || facts.max_blocks_per_multiprocessor == 0)
        throw refuse("does not say how many threads and blocks a multiprocessor of its GPU can hold");
    return facts;
}

std::string write_manifest(const std::string& csv_path, const RunStart& start)
{
    Json manifest = read_manifest(csv_path);
    Json run{{"started_utc", utc_now()}, {"command", start.command}, {"cases", start.cases},
             {"samples", start.samples}, {"compiler", kCompiler},    {"nvcc", kNvcc}};
    run.update(to_json(start.record));
    for (const auto& [backend, facts] : start.runs) {
        Json& device = run["backends"][std::string(name_of(backend))];
        device.update(device_json(facts));
        if (!facts.untimed)
            add_measured(device, facts, start.probes.at(backend));
    }
    manifest["runs"][start.run_id] = run;
    manifest["plans"][start.record.plan_digest()] = cases_to_json(start.record);
    std::string text = json_lines(manifest);
    replace_file(manifest_path(csv_path), text, "the manifest");
    return text;
}

std::vector<std::string> command_in_manifest(const std::string& csv_path, const std::string& run_id)
{
    try {
        return read_manifest(csv_path).at("runs").at(run_id).at("command");
    } catch (const Json::exception&) {
        return {};
    }
}

bool has_finished(const std::string& csv_path, const std::string& run_id)
{
    const Json manifest = read_manifest(csv_path);
    return manifest.contains("runs") && manifest["runs"].contains(run_id) &&
           manifest["runs"][run_id].contains("finished_utc");
}

void end_manifest(const std::string& csv_path, const std::string& run_id, const RunEnd& end,
                  const std::string& as_begun)
{
    Json manifest = parsed_json(as_begun);
    Json& run = manifest["runs"][run_id];
    run[end.whole ? "finished_utc" : "interrupted_utc"] = utc_now();
    run["rows"] = end.rows;
    run["log_rows"] = end.log_rows;
    run["surprises"] = end.surprises;
    run["incidents"] = end.incidents;
    replace_file(manifest_path(csv_path), json_lines(manifest), "the manifest");
}

void join_manifests(const std::string& csv_path, const std::vector<std::string>& csv_paths)
{
    Json joined{{"runs", Json::object()}};
    for (const std::string& path : csv_paths) {
        const Json one = read_manifest(path);
        for (const char* what : {"runs", "plans"})
            if (one.contains(what))
                joined[what].update(one[what]);
    }
    replace_file(manifest_path(csv_path), json_lines(joined), "the manifest");
}

} // namespace nestbed
