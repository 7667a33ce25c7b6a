#include "predict/planned_device.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "log/manifest.hpp"
#include "predict/roofline_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;

constexpr std::string_view kManifestEnd = ".csv.json";

bool is_there(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(path, ignored);
}

bool is_folder(const fs::path& path)
{
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

PlannedDevice of_model(Roofline roofline, std::string source)
{
    roofline.facts.free_memory_bytes = roofline.facts.memory_bytes;
    const DeviceFacts facts = roofline.facts;
    return {.facts = facts, .roofline = std::move(roofline), .source = std::move(source)};
}

// Empty: the file is not a manifest.
std::set<std::string> run_ids_of(const std::string& log)
{
    try {
        return run_ids_in_manifest(log);
    } catch (const UsageError&) {
        return {};
    }
}

// Of the newest run on a GPU of the manifests in a folder. Empty: it has none.
std::optional<PlannedDevice> of_manifests(const fs::path& folder)
{
    std::optional<PlannedDevice> found;
    std::string newest;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        const std::string path = entry.path().string();
        if (!path.ends_with(kManifestEnd))
            continue;
        const std::string log = path.substr(0, path.size() - std::string_view(".json").size());
        for (const std::string& run_id : run_ids_of(log))
            try {
                if (run_id > newest) { // they begin with the time
                    found = {.facts = gpu_in_manifest(log, run_id), .roofline = {}, .source = path};
                    found->facts.free_memory_bytes = found->facts.memory_bytes;
                    newest = run_id;
                }
            } catch (const UsageError&) { // of the executor, or of a version that recorded less
            }
    }
    return found;
}

std::optional<PlannedDevice> of_folder(const fs::path& folder)
{
    if (const fs::path model = folder / "model.json"; is_there(model))
        return of_model(parse_roofline(read_text_file(model.string()), model.string()), model.string());
    return of_manifests(folder);
}

// The folders of results that describe a GPU, and the built-in model.
std::vector<std::string> known_names(const fs::path& results)
{
    std::set<std::string> names{std::string(kBuiltInDevice)};
    if (std::error_code ignored; is_folder(results))
        for (const fs::directory_entry& entry : fs::directory_iterator(results, ignored))
            if (is_folder(entry.path()) && (is_there(entry.path() / "model.json") || of_manifests(entry.path())))
                names.insert(entry.path().filename().string());
    return {names.begin(), names.end()};
}

std::optional<PlannedDevice> described(const std::string& device, const fs::path& results)
{
    const bool is_name = device.find('/') == std::string::npos && device != "." && device != "..";
    if (is_name && is_folder(results / device))
        if (std::optional<PlannedDevice> found = of_folder(results / device))
            return found;
    if (device == kBuiltInDevice)
        return built_in_device();
    if (is_folder(device)) {
        if (std::optional<PlannedDevice> found = of_folder(device))
            return found;
        throw UsageError(
            fmt::format("--device {}: the folder has no model.json and no manifest (LOG.csv.json) of a run "
                        "on a GPU; allowed: a folder of results with one of them",
                        device));
    }
    if (is_there(device))
        return of_model(parse_roofline(read_text_file(device), device), device);
    return std::nullopt;
}

} // namespace

PlannedDevice built_in_device()
{
    return of_model(default_roofline(), "its built-in model");
}

PlannedDevice planned_device(const std::string& device, const fs::path& results)
{
    std::optional<PlannedDevice> found = described(device, results);
    if (!found) {
        const std::vector<std::string> names = known_names(results);
        const std::vector<std::string_view> known(names.begin(), names.end());
        throw UsageError(
            fmt::format("--device {}: there is no such device, folder or file{}; allowed: {}, a folder of "
                        "results, or a model.json",
                        device, did_you_mean(device, known), fmt::join(known, ", ")));
    }
    return *std::move(found);
}

} // namespace nestbed
