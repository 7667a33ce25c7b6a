// The output of `nestbed races`.
#pragma once

#include "model/races.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace nestbed
{

// The races of a case, most frequent first, and a last line with their number.
std::string races_text(const Races& races);
// The same, together with the case, as a JSON object. Its keys are in src/README.md.
nlohmann::ordered_json races_json(const Case& point, const Races& races);

} // namespace nestbed
