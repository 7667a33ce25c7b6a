#include "cli/device_option.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/data_folders.hpp"
#include "device/backends.hpp"
#include "plan/plan.hpp"
#include "run/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nestbed
{

Option device_option(std::string help, std::string default_text)
{
    return {.name = "device",
            .value = "DEVICE",
            .help = std::move(help) + ": a folder of results/ (h200), another folder of results, or a model.json",
            .default_text = std::move(default_text)};
}

std::optional<PlannedDevice> device_of(const Given& given)
{
    const std::string device = only_value(given, "device", "", "h200, a folder of results, or a model.json");
    if (device.empty())
        return std::nullopt;
    const auto folders = data_folders("results");
    const auto* const found = std::ranges::find_if(
        folders, [](const std::filesystem::path& folder) { return std::filesystem::is_directory(folder); });
    return planned_device(device, found == folders.end() ? folders.front() : *found);
}

std::string planned_for_text(const PlannedDevice& device)
{
    return printable(fmt::format("Planned for {}, by {}\n\n", device.facts.name, device.source));
}

std::map<BackendKind, DeviceFacts> facts_with(const PlannedDevice& device, const Settings& settings)
{
    std::map<BackendKind, DeviceFacts> facts;
    for (const BackendKind backend : chosen_backends(settings, [] { return std::string(); }))
        facts.emplace(backend, backend == BackendKind::cuda
                                   ? device.facts
                                   : open_session(backend, session_options(settings, {}))->facts());
    if (!facts.contains(BackendKind::cuda))
        throw UsageError(fmt::format("{}: {} is a GPU; allowed: auto, cuda", settings.of("backend").front().place(),
                                     device.facts.name));
    return facts;
}

} // namespace nestbed
