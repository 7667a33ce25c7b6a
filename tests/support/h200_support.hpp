// Parts of our logs of an H200, with their manifests, in the folder of a test.
#pragma once

#include "base/json.hpp"
#include "base/text_file.hpp"
#include "support/support.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <nlohmann/json.hpp>

#include <functional>
#include <sstream>
#include <string>

namespace nestbed
{

inline std::string h200_path(const std::string& name)
{
    return std::string(NESTBED_EXPERIMENTS) + "/../results/h200/" + name;
}

// Copies the lines of results/h200/NAME for which `has` is true, and its manifest; in both, `from` becomes `to`.
inline std::string part_of_log(const ScratchFolder& scratch, const std::string& name,
                               const std::function<bool(const std::string&)>& has, const std::string& from = "",
                               const std::string& to = "", const std::string& as = "")
{
    const auto changed = [&](const std::string& text) {
        return from.empty() ? text : boost::algorithm::replace_all_copy(text, from, to);
    };
    std::istringstream lines(read_text_file(h200_path(name)));
    std::string text;
    for (std::string line; std::getline(lines, line);)
        if (text.empty() || has(line))
            text += line + "\n";
    const std::string copy = as.empty() ? name : as;
    scratch.write(copy + ".json", changed(json_lines(parsed_json(read_text_file(h200_path(name + ".json"))))));
    return scratch.write(copy, changed(text));
}

} // namespace nestbed
