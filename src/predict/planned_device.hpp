// A GPU that need not be here, as plans and predictions know it.
#pragma once

#include "predict/roofline.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace nestbed
{

struct PlannedDevice {
    DeviceFacts facts; // all its memory counts as free
    std::optional<Roofline> roofline;
    std::string source; // the file that describes it
};

// The GPU whose launch model is built in.
inline constexpr std::string_view kBuiltInDevice = "h200";

PlannedDevice built_in_device();

// `device` is the name of a folder of `results`, or of the built-in model; a folder with model.json or with manifests of
// runs on a GPU; or a model.json. Throws UsageError that says what is allowed, and RunError as parse_roofline() does.
PlannedDevice planned_device(const std::string& device, const std::filesystem::path& results);

} // namespace nestbed
