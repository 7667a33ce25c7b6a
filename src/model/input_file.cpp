#include "model/input_file.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace nestbed
{

namespace
{

constexpr std::size_t kHashDigits = 12;
constexpr std::size_t kMaxGraphBytes = std::size_t{8} << 30;

std::string id_of(const std::string& path, std::string_view text)
{
    return path + "#" + sha256_of(text).substr(0, kHashDigits);
}

} // namespace

void refuse_compressed(const std::string& path)
{
    const std::string name = in_lower_case(path);
    const auto ends = [&](std::string_view end) { return name.ends_with(end); };
    if (std::ranges::any_of(std::array{".bz2", ".xz", ".zst", ".zip"}, ends))
        throw RunError(path +
                       ": the file is compressed; unpack it first; allowed: a text, or one compressed by gzip");
}

std::string graph_file_id(const std::string& path)
{
    if (std::ranges::any_of(path, [](unsigned char c) { return c <= ' ' || c == '#' || c == '=' || c >= 0x7F; }))
        throw RunError(fmt::format("the name '{}' cannot be part of a key; allowed: a name of printable ASCII "
                                   "characters without a space, '#' and '='",
                                   printable(path)));
    refuse_compressed(path);
    return id_of(path, read_text_file(path, kMaxGraphBytes));
}

std::string path_in(const std::string& graph_file_id)
{
    return graph_file_id.substr(0, graph_file_id.find('#'));
}

std::string read_graph_file(const std::string& graph_file_id)
{
    const std::string path = path_in(graph_file_id);
    std::string text = read_text_file(path, kMaxGraphBytes);
    if (const std::string now = id_of(path, text); now != graph_file_id)
        throw RunError(fmt::format("{}: the file has changed: it is {} now, and was {}", path, now, graph_file_id));
    return text;
}

} // namespace nestbed
