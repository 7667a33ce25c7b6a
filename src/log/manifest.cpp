#include "log/manifest.hpp"

#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/version.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

namespace nestbed
{

bool has_manifest(const std::string& csv_path)
{
    namespace fs = std::filesystem;
    std::error_code ignored;
    return csv_path != "-" && (!fs::exists(csv_path, ignored) || fs::is_regular_file(csv_path, ignored));
}

std::string manifest_path(const std::string& csv_path)
{
    return std::filesystem::path(csv_path).replace_extension(".json").string();
}

namespace
{

nlohmann::ordered_json device_json(const RunFacts& run)
{
    const DeviceFacts& device = run.device;
    return {
        {"compute_capability", device.compute_capability},
        {"resident_grids", device.resident_grids},
        {"default_pending_limit", device.default_pending_limit},
        {"memory_bytes", device.memory_bytes},
        {"l2_bytes", device.l2_bytes},
        {"peak_bandwidth_gb_s", device.peak_bandwidth_gb_s},
    };
}

void add_measured(nlohmann::ordered_json& json, const RunFacts& run, const DepthProbe& probe)
{
    json["read_bandwidth_gb_s"] = run.bandwidth.read_gb_s;
    json["copy_bandwidth_gb_s"] = run.bandwidth.copy_gb_s;
    json["null_kernel_us"] = run.floor_us;
    json["timer_step_ns"] = run.timer_step_ns;
    json["nesting_depth_tried"] = probe.asked;
    json["nesting_depth_reached"] = probe.reached;
    json["nesting_depth_error"] = probe.error;
}

// An empty object where there is no file yet. Throws UsageError.
nlohmann::ordered_json read_manifest(const std::string& path)
{
    if (!std::filesystem::exists(path))
        return nlohmann::ordered_json::object();
    nlohmann::ordered_json manifest;
    if (std::filesystem::is_regular_file(path)) { // a pipe would be waited for
        std::ifstream old(path);
        manifest = nlohmann::ordered_json::parse(old, nullptr, false);
    }
    if (!manifest.is_object() || !manifest.contains("runs") || !manifest["runs"].is_object())
        throw UsageError(fmt::format("{}: it is there already and is not a manifest, and nothing is overwritten; "
                                     "allowed: an --output beside which there is none, or one of nestbed's",
                                     path));
    return manifest;
}

void save(const std::string& path, const nlohmann::ordered_json& manifest)
{
    replace_file(path, manifest.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n", "the manifest");
}
} // namespace

void check_manifest(const std::string& csv_path)
{
    if (manifest_path(csv_path) == csv_path)
        throw UsageError(fmt::format("--output {}: that is the name of the log's manifest; allowed: another "
                                     "ending, .csv for one",
                                     csv_path));
    static_cast<void>(read_manifest(manifest_path(csv_path)));
}

std::set<std::string> run_ids_in_manifest(const std::string& csv_path)
{
    const nlohmann::ordered_json manifest = read_manifest(manifest_path(csv_path));
    std::set<std::string> run_ids;
    if (manifest.contains("runs"))
        for (const auto& [run_id, run] : manifest["runs"].items())
            run_ids.insert(run_id);
    return run_ids;
}

std::map<std::string, RunIdentity> runs_in_manifest(const std::string& csv_path, const std::set<std::string>& run_ids)
{
    const std::string path = manifest_path(csv_path);
    const nlohmann::ordered_json manifest = read_manifest(path);
    std::map<std::string, RunIdentity> runs;
    for (const std::string& run_id : run_ids) {
        if (!manifest.contains("runs") || !manifest["runs"].contains(run_id))
            throw UsageError(fmt::format(
                "{}: run {}, of which {} has rows, is not in it; allowed: the manifest that belongs to the log", path,
                run_id, csv_path));
        try {
            runs[run_id] = identity_from_json(manifest["runs"][run_id], manifest.at("plans"));
        } catch (const nlohmann::json::exception&) {
            throw UsageError(fmt::format(
                "{}: run {} is of another version of nestbed, which kept less of it; allowed: a log of this version",
                path, run_id));
        }
    }
    return runs;
}

void write_manifest(const std::string& csv_path, const RunStart& start)
{
    const std::string path = manifest_path(csv_path);
    nlohmann::ordered_json manifest = read_manifest(path);
    nlohmann::ordered_json run{{"started_utc", utc_now()}, {"command", start.command}, {"cases", start.cases},
                               {"samples", start.samples}, {"compiler", kCompiler},    {"nvcc", kNvcc}};
    run.update(to_json(start.record));
    for (const auto& [backend, facts] : start.runs) {
        nlohmann::ordered_json& device = run["backends"][std::string(name_of(backend))];
        device.update(device_json(facts));
        if (!facts.untimed)
            add_measured(device, facts, start.probes.at(backend));
    }
    manifest["runs"][start.run_id] = run;
    manifest["plans"][start.record.plan_digest()] = cases_to_json(start.record);
    save(path, manifest);
}

bool has_finished_run(const std::string& csv_path)
{
    const nlohmann::ordered_json manifest = read_manifest(manifest_path(csv_path));
    return manifest.contains("runs") && std::ranges::any_of(manifest["runs"], [](const nlohmann::ordered_json& run) {
               return run.is_object() && run.contains("finished_utc");
           });
}

void end_manifest(const std::string& csv_path, const std::string& run_id, const RunEnd& end)
{
    const std::string path = manifest_path(csv_path);
    try {
        nlohmann::ordered_json manifest = read_manifest(path);
        if (!manifest.contains("runs") || !manifest["runs"].contains(run_id))
            throw RunError(fmt::format("{}: the run is no longer in it, and its end is not noted", path));
        nlohmann::ordered_json& run = manifest["runs"][run_id];
        run[end.whole ? "finished_utc" : "interrupted_utc"] = utc_now();
        run["rows"] = end.rows;
        run["log_rows"] = end.log_rows;
        run["surprises"] = end.surprises;
        run["incidents"] = end.incidents;
        save(path, manifest);
    } catch (const UsageError& error) { // it was good when the run began
        throw RunError(error.what());
    }
}

void join_manifests(const std::string& csv_path, const std::vector<std::string>& parts)
{
    nlohmann::ordered_json manifest{{"runs", nlohmann::ordered_json::object()}};
    for (const std::string& part : parts) {
        const nlohmann::ordered_json one = read_manifest(manifest_path(part));
        for (const char* what : {"runs", "plans"})
            if (one.contains(what))
                manifest[what].update(one[what]);
    }
    save(manifest_path(csv_path), manifest);
}

} // namespace nestbed
