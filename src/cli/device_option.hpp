// --device: a GPU that need not be here, for plans and predictions.
#pragma once

#include "cli/arguments.hpp"
#include "model/mechanism.hpp"
#include "predict/planned_device.hpp"

#include <map>
#include <optional>
#include <string>

namespace nestbed
{

// The option; empty `default_text`: there is no default.
Option device_option(std::string help, std::string default_text = "");

// The device of the option; empty if it was not given. Throws as planned_device() does.
std::optional<PlannedDevice> device_of(const Given& given);

// "Planned for NVIDIA H200, by results/h200/model.json", and an empty line.
std::string planned_for_text(const PlannedDevice& device);

// The devices of a plan for this GPU: `auto` is cuda. Throws UsageError if the settings ask for no GPU.
std::map<BackendKind, DeviceFacts> facts_with(const PlannedDevice& device, const Settings& settings);

} // namespace nestbed
