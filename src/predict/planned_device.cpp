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

bool is_there(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(path, ignored);
}

// Empty: it is not a folder, or cannot be read.
std::vector<fs::path> entries_of(const fs::path& folder)
{
    std::error_code ignored;
    return std::vector<fs::path>(fs::directory_iterator(folder, ignored), fs::directory_iterator());
}

PlannedDevice of_model(const std::string& path)
{
    const Roofline roofline = parse_roofline(read_text_file(path), path);
    return {.facts = roofline.facts, .roofline = roofline, .source = path};
}

// Nothing for what is not a manifest, or not a run on a GPU.
template <class Get>
auto unless_refused(const Get& get) -> decltype(get())
{
    try {
        return get();
    } catch (const UsageError&) {
        return {};
    }
}

// Of the newest run on a GPU of the manifests in a folder. Empty: it has none.
std::optional<PlannedDevice> of_manifests(const fs::path& folder)
{
    std::optional<PlannedDevice> found;
    std::string newest;
    for (const fs::path& path : entries_of(folder)) {
        if (!path.string().ends_with(".csv.json"))
            continue;
        const std::string log = fs::path(path).replace_extension().string();
        for (const std::string& run_id : unless_refused([&] { return run_ids_in_manifest(log); })) {
            const auto facts = unless_refused([&] { return std::optional(gpu_in_manifest(log, run_id)); });
            if (facts && run_id > newest) { // they begin with the time
                found = {.facts = *facts, .roofline = {}, .source = path.string()};
                found->facts.free_memory_bytes = found->facts.memory_bytes;
                newest = run_id;
            }
        }
    }
    return found;
}

std::optional<PlannedDevice> of_folder(const fs::path& folder)
{
    const fs::path model = folder / "model.json";
    return is_there(model) ? of_model(model.string()) : of_manifests(folder);
}

// The folders of results that describe a GPU, and the built-in model.
std::vector<std::string> known_names(const fs::path& results)
{
    std::set<std::string> names{std::string(kBuiltInDevice)};
    for (const fs::path& folder : entries_of(results))
        if (is_there(folder / "model.json") || of_manifests(folder))
            names.insert(folder.filename().string());
    return {names.begin(), names.end()};
}

} // namespace

PlannedDevice built_in_device()
{
    return {.facts = default_roofline().facts, .roofline = default_roofline(), .source = "its built-in model"};
}

PlannedDevice planned_device(const std::string& device, const fs::path& results)
{
    const bool is_name = device.find('/') == std::string::npos && device != "." && device != "..";
    if (is_name && is_there(results / device))
        if (std::optional<PlannedDevice> found = of_folder(results / device))
            return *found;
    if (device == kBuiltInDevice)
        return built_in_device();
    if (std::error_code ignored; fs::is_directory(device, ignored)) {
        if (std::optional<PlannedDevice> found = of_folder(device))
            return *found;
        throw UsageError(
            fmt::format("--device {}: the folder has no model.json and no manifest (LOG.csv.json) of a run "
                        "on a GPU; allowed: a folder of results with one of them",
                        device));
    }
    if (is_there(device))
        return of_model(device);
    const std::vector<std::string> names = known_names(results);
    const std::vector<std::string_view> known(names.begin(), names.end());
    throw UsageError(
        fmt::format("--device {}: there is no such device, folder or file{}; allowed: {}, a folder of results, or a "
                    "model.json",
                    device, did_you_mean(device, known), fmt::join(known, ", ")));
}

} // namespace nestbed
