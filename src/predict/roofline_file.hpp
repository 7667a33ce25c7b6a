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

// All memory of the GPU counts as free. `name` is the file's, for messages. Throws RunError that names the file and the
// key: if the text is not JSON, a key is missing or has another type, or a parameter is unknown.
Roofline parse_roofline(std::string_view text, std::string_view name);

// results/h200/model.json of the source from which this program was built. CMake writes its text (roofline_text.cpp.in).
extern const std::string_view kDefaultRoofline;
const Roofline& default_roofline();

} // namespace nestbed
