#include "program/build/compiler_messages.hpp"

#include "base/terminal.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace nestbed::program
{
namespace
{

using PlaceOfLine = std::pair<std::string, std::size_t>; // a file and a line

bool is_word(char byte)
{
    return std::isalnum(static_cast<unsigned char>(byte)) != 0 || byte == '_';
}

std::optional<std::size_t> number_at(std::string_view text, std::size_t& at)
{
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error != std::errc{})
        return {};
    at = static_cast<std::size_t>(end - text.data());
    return number;
}

// "my.cu:12:7: error: …"
struct Message {
    PlaceOfLine place;
    std::size_t column = 0; // as a terminal shows it, from 1
    std::string_view text;  // behind the column, with the colon
};
std::optional<Message> message_of(std::string_view line)
{
    if (line.empty() || line.front() == ' ')
        return {};
    for (std::size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
        std::size_t at = colon + 1;
        const auto number = number_at(line, at);
        if (!number || at >= line.size() || line[at] != ':')
            continue;
        const auto column = number_at(line, ++at);
        if (column && at < line.size() && line[at] == ':')
            return Message{{std::string(line.substr(0, colon)), *number}, *column, line.substr(at)};
    }
    return {};
}

// The lines of the preprocessed text that stem from these places.
std::map<PlaceOfLine, std::vector<std::string_view>> lines_at(std::string_view preprocessed,
                                                              const std::vector<PlaceOfLine>& places)
{
    std::map<PlaceOfLine, std::vector<std::string_view>> found;
    for (const PlaceOfLine& place : places)
        found[place];
    PlaceOfLine now;
    bool is_of_place = false;
    for (const std::string_view line : split_lines(preprocessed)) {
        if (line.starts_with("# ")) {
            std::size_t at = 2;
            const auto number = number_at(line, at);
            const std::size_t begin = line.find('"');
            const std::size_t end = line.rfind('"');
            if (number && begin < end) {
                now = {std::string(line.substr(begin + 1, end - begin - 1)), *number};
                is_of_place =
                    std::ranges::any_of(places, [&](const PlaceOfLine& each) { return each.first == now.first; });
                continue;
            }
        }
        if (is_of_place)
            if (const auto place = found.find(now);
                place != found.end() && line.find_first_not_of(" \t") != std::string_view::npos)
                place->second.push_back(line);
        ++now.second;
    }
    return found;
}

std::string line_of_file(const PlaceOfLine& place)
{
    std::ifstream file(place.first);
    std::string line;
    for (std::size_t number = 0; number < place.second; ++number)
        if (!std::getline(file, line))
            return "";
    return line;
}

constexpr std::size_t kTab = 8;
std::size_t shown_width(std::string_view text)
{
    std::size_t width = 0;
    for (const char byte : text)
        if (byte == '\t')
            width += kTab - width % kTab;
        else if ((static_cast<unsigned char>(byte) & 0xC0U) != 0x80U) // else it goes on with a letter
            ++width;
    return width;
}
// The byte at this column of a line.
std::size_t byte_at(std::string_view line, std::size_t column)
{
    std::size_t byte = 0;
    while (byte < line.size() && shown_width(line.substr(0, byte)) + 1 < column)
        ++byte;
    return byte + (byte == line.size() ? column - 1 - shown_width(line) : 0);
}

std::vector<std::size_t> places_of_word(std::string_view line, std::string_view word)
{
    std::vector<std::size_t> places;
    for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1))
        if ((at == 0 || !is_word(line[at - 1])) &&
            (at + word.size() >= line.size() || !is_word(line[at + word.size()])))
            places.push_back(at);
    return places;
}

// The column of the source for one of the preprocessed line; 0: not known.
std::size_t source_column(std::size_t column, std::string_view source, const std::vector<std::string_view>& lines)
{
    if (lines.empty()) // of a header that is not rewritten
        return column;
    if (lines.size() != 1)
        return 0;
    const std::string_view line = lines.front();
    const std::size_t at = byte_at(source, column);
    if (at >= line.size())
        return 0;
    const auto end_of_word = static_cast<std::size_t>(
        std::find_if_not(line.begin() + static_cast<std::ptrdiff_t>(at), line.end(), is_word) - line.begin());
    const std::size_t end = std::max(end_of_word, at + 1);
    const auto is_same = [](char one, char other) { return one == other || (one == ' ' && other == '\t'); };
    if (end <= source.size() &&
        std::equal(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(end), source.begin(), is_same))
        return column;
    if (end_of_word == at || (at > 0 && is_word(line[at - 1])))
        return 0;
    const std::string_view word = line.substr(at, end - at);
    const std::vector<std::size_t> in_line = places_of_word(line, word);
    const std::vector<std::size_t> in_source = places_of_word(source, word);
    const auto found = std::ranges::find(in_line, at);
    if (found == in_line.end() || in_line.size() != in_source.size())
        return 0;
    return shown_width(source.substr(0, in_source[static_cast<std::size_t>(found - in_line.begin())])) + 1;
}

// "   12 | source", "      |   ^~~"
bool is_of_picture(std::string_view line, bool& is_source)
{
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    std::size_t at = begin;
    is_source = begin < line.size() && number_at(line, at).has_value();
    return begin != 0 && (line.substr(at).starts_with(" |") || line.substr(at).starts_with("|"));
}

} // namespace

std::string with_source_columns(const std::string& messages, const std::string& preprocessed)
{
    std::vector<PlaceOfLine> places;
    const std::vector<std::string_view> message_lines = split_lines(messages);
    for (const std::string_view line : message_lines)
        if (const auto message = message_of(line))
            places.push_back(message->place);
    if (places.empty())
        return messages;
    const auto lines = lines_at(preprocessed, places);
    static constexpr std::string_view kPtx = "declared with attribute error: inline PTX ";
    std::string all;
    std::size_t caret = 0; // of the picture that follows
    enum class Picture { kept, moved, without_caret, none } picture = Picture::kept;
    for (const std::string_view line : message_lines) {
        bool is_source = false;
        if (is_of_picture(line, is_source)) {
            if (picture == Picture::none || (picture != Picture::kept && !is_source))
                continue;
            all.append(line) += '\n';
            if (picture == Picture::moved && is_source) {
                all += fmt::format("{:{}} | {:{}}^\n", "", line.find('|') - 1, "", caret - 1);
                picture = Picture::without_caret;
            }
            continue;
        }
        picture = Picture::kept;
        const auto message = message_of(line);
        if (!message) {
            // The body of a kernel is a lambda, which the user has not made.
            static constexpr std::string_view kBody = "::<lambda()> mutable";
            const std::size_t body = line.find(kBody);
            const bool is_of_executor =
                line.ends_with(": In lambda function:") || line.starts_with("In lambda function,") ||
                (line.starts_with("    inlined from ") && line.find("nestbed::program::") != std::string_view::npos);
            if (is_of_executor)
                continue;
            all += line.substr(0, body);
            all += body == std::string_view::npos ? "" : line.substr(body + kBody.size());
            all += '\n';
            continue;
        }
        if (const std::size_t ptx = line.find(kPtx); ptx != std::string_view::npos) {
            picture = Picture::none;
            all += fmt::format("{}:{}: error: {}\n", message->place.first, message->place.second,
                               line.substr(ptx + kPtx.find("inline")));
            continue;
        }
        caret = source_column(message->column, line_of_file(message->place), lines.at(message->place));
        picture = caret == message->column ? Picture::kept : caret == 0 ? Picture::without_caret : Picture::moved;
        all += caret == 0
                   ? fmt::format("{}:{}{}\n", message->place.first, message->place.second, message->text)
                   : fmt::format("{}:{}:{}{}\n", message->place.first, message->place.second, caret, message->text);
    }
    return all;
}

std::string in_compiler_colours(const std::string& messages)
{
    static constexpr std::array kLabels = {std::pair(std::string_view(": error: "), Colour::red),
                                           std::pair(std::string_view(": fatal error: "), Colour::red),
                                           std::pair(std::string_view(": warning: "), Colour::yellow),
                                           std::pair(std::string_view(": note: "), Colour::green)};
    std::string all;
    for (std::string_view line : split_lines(messages)) {
        for (const auto& [label, colour] : kLabels)
            if (const std::size_t at = line.find(label); at != std::string_view::npos && !line.starts_with(' ')) {
                const std::string_view word = label.substr(2, label.size() - 4);
                all.append(line.substr(0, at + 2)) += coloured(word, colour);
                line.remove_prefix(at + 2 + word.size());
                break;
            }
        all.append(line) += '\n';
    }
    return all;
}

std::string with_hint_of_main(const std::string& messages, const std::string& source)
{
    if (messages.find("undefined reference to `main'") == std::string::npos &&
        messages.find("undefined symbol: main") == std::string::npos)
        return messages;
    return fmt::format(
        "{}nestbed: there is no main(). --kernel makes one that launches a kernel: nestbed races {} --kernel NAME "
        "--grid 4 --block 64 --arg int:256 (nestbed help cpu)\n",
        messages, source);
}

} // namespace nestbed::program
