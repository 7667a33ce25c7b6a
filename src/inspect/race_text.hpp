// The output of `nestbed races`.
#pragma once

#include "base/json.hpp"
#include "model/races.hpp"

#include <string>

namespace nestbed
{

// The races of a run by launch site, its other bad accesses, and a last line with their numbers.
std::string races_text(const Races& races);
// The same text, or one with others around it, for a terminal with colours.
std::string in_colours(const std::string& text);
// One kind of race as a JSON object.
Json race_json(const Race& race);
// One pair of accesses that is no race, whose order is open.
Json note_json(const Race& note);
// The accesses of one place out of bounds, or of uninitialised memory, as a JSON object.
Json bad_access_json(const BadAccess& bad);
// The same as races_text(), together with the case, as a JSON object. Its keys are in src/README.md.
Json races_json(const Case& point, const Races& races);

} // namespace nestbed
