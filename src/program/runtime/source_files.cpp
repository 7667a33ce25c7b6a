#include "program/runtime/source_files.hpp"

#include "base/reported_place.hpp"
#include "base/text.hpp"
#include "program/include/nestbed/program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace nestbed::program
{

std::vector<std::string>& source_files()
{
    static auto& files = *new std::vector<std::string>; // needed after the destructors of the program
    return files;
}

bool sources(std::initializer_list<const char*> files)
{
    for (const char* const file : files) {
        std::error_code ignored;
        const std::filesystem::path path = std::filesystem::absolute(file, ignored);
        const std::string name = ignored ? file : path.string();
        if (std::ranges::find(source_files(), name) == source_files().end())
            source_files().push_back(name);
    }
    return true;
}

std::optional<std::string> text_of_file(const std::string& path)
{
    const std::ifstream file(path, std::ios::binary);
    if (!file)
        return {};
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

namespace
{

// The lines of files by the paths that reports have, each read once.
class SourceLines
{
  public:
    // Of "my.cu:14"; empty if it is not known.
    std::string at(const std::string& place)
    {
        const std::size_t colon = place.rfind(':');
        if (colon == std::string::npos)
            return "";
        const std::vector<std::string>& lines = lines_of(place.substr(0, colon));
        const std::size_t line = std::strtoul(place.c_str() + colon + 1, nullptr, 10);
        return line == 0 || line > lines.size() ? "" : lines[line - 1];
    }

  private:
    const std::vector<std::string>& lines_of(const std::string& file)
    {
        const auto [found, is_new] = of_files_.try_emplace(file);
        if (!is_new)
            return found->second;
        // The program may be in another folder by now.
        const auto compiled = std::ranges::find(source_files(), file, reported_path);
        if (const std::optional<std::string> text = text_of_file(compiled == source_files().end() ? file : *compiled))
            found->second = split(*text, '\n');
        return found->second;
    }

    std::map<std::string, std::vector<std::string>> of_files_;
};

void add_source_lines(Json& json, SourceLines& lines)
{
    if (const auto places = json.find("places"); json.is_object() && places != json.end())
        if (const std::string line = lines.at(places->front()); !line.empty())
            json["source"] = line;
    if (json.is_structured())
        for (Json& part : json)
            add_source_lines(part, lines);
}

} // namespace

void add_source_lines(Json& report)
{
    SourceLines lines;
    add_source_lines(report, lines);
}

} // namespace nestbed::program
