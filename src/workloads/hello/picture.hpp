// `nestbed draw hello`: the greetings, printed by the kernels themselves.
#pragma once

#include "model/picture.hpp"

namespace nestbed
{

extern const Picture kGreetings;

// The last lines: how many threads greeted, and the device launches if this build counts them.
std::string greetings_text(const Sample& sample);

} // namespace nestbed
