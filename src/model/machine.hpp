// Which machine a row is from, without its name.
#pragma once

#include "model/facts.hpp"

#include <string>

namespace nestbed
{

// 8 hexadecimal digits: a hash of this host's name and of the device, which two GPUs of a host do not share.
std::string machine_of(const DeviceFacts& device);

} // namespace nestbed
