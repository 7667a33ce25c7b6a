// Identifies the machine of a row without its name.
#pragma once

#include "model/facts.hpp"

#include <string>

namespace nestbed
{

// 8 hexadecimal digits: a hash of this host's name and of the device. Two GPUs of one host have different values.
std::string machine_of(const DeviceFacts& device);

} // namespace nestbed
