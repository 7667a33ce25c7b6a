// The launch roofline of a GPU as a JSON file, and the one that is built into the program.
#pragma once

#include "predict/roofline.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace nestbed
{

// A log from which parameters were fitted.
struct RooflineSource {
    std::string name; // without its folder
    std::string sha256;
    std::size_t rows = 0;
};

// gpu, driver, cuda; facts; parameters, each with value, low, high, unit and meaning; logs, each with name, sha256 and
// rows. Ends with a line break.
std::string roofline_json(const Roofline& roofline, std::span<const RooflineSource> logs);

// `name` is the file's, for messages. Throws RunError that names the file and the key: if the text is not JSON, a key
// is missing or has another type, a parameter is unknown or negative, or its value is outside of its interval.
Roofline parse_roofline(std::string_view text, std::string_view name);

// results/h200/model.json of the source from which this program was built.
const Roofline& default_roofline();

} // namespace nestbed
