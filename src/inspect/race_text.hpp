// What `nestbed races` prints.
#pragma once

#include "model/races.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace nestbed
{

// The races of a case, most frequent first, and a last line that counts them.
std::string races_text(const Races& races);
// The same with the case as an object of JSON; its keys are in src/README.md.
nlohmann::ordered_json races_json(const Case& point, const Races& races);

} // namespace nestbed
