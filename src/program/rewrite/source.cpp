#include "program/rewrite/source.hpp"

#include "base/error.hpp"
#include "program/rewrite/line_marks.hpp"

#include <algorithm>
#include <unordered_set>

namespace nestbed::program
{
namespace
{

constexpr std::size_t kMaxText = std::size_t{1} << 30;
constexpr std::size_t kMaxNesting = 1000;

char opening_of(char closing)
{
    switch (closing) {
    case ')':
        return '(';
    case ']':
        return '[';
    case '}':
        return '{';
    default:
        return '\0';
    }
}

// Where the line after `at` begins; the end of the text if there is none.
std::size_t next_line(std::string_view text, std::size_t at)
{
    const std::size_t end = text.find('\n', at);
    return end == std::string_view::npos ? text.size() : end + 1;
}

} // namespace

std::string whole_name(std::string_view folder, std::string_view file)
{
    std::string name;
    if (!folder.empty() && !file.starts_with('/'))
        for (const char byte : std::string(folder) + "/") {
            if (byte == '"' || byte == '\\')
                name += '\\';
            name += byte;
        }
    return name.append(file);
}

Source::Source(std::string_view text) : text_(text)
{
    if (text.size() > kMaxText)
        throw RunError("the preprocessed file is larger than 1 GB");
    read();
    pair_brackets();
}

void Source::read()
{
    SystemFiles files;
    std::unordered_set<std::string_view> known_files;
    TokenReader reader(text_);
    // Returns whether the text after this line is the system's; empty if the line is not a line mark.
    const auto mark = [&](std::size_t begin, std::size_t end) -> std::optional<bool> {
        const std::optional<LineMark> found = parse_line_mark(text_.substr(begin, end - begin));
        if (!found)
            return {};
        marks_.push_back({.end = next_line(text_, end), .line = found->line, .file = found->file});
        const bool system = files.is_system(*found);
        if (!system && known_files.insert(found->file).second)
            user_files_.push_back(found->file);
        return system;
    };
    while (!reader.at_end()) {
        const Token token = reader.next();
        if (token.kind != TokenKind::directive || !mark(token.begin, token.end).value_or(false)) {
            if (is_code(token.kind))
                code_.push_back(static_cast<std::uint32_t>(tokens_.size()));
            tokens_.push_back(token);
            if (reader.is_unterminated())
                fail(is_code(token.kind) ? size() - 1 : size(), "a string or a comment has no end");
            // It could begin a line when what is before it is removed.
            if (token.kind == TokenKind::punctuation && text_[token.begin] == '#')
                fail(size() - 1, "a # is within a line");
            continue;
        }
        // Only line marks are read until one names a file of the user.
        std::size_t line = next_line(text_, token.end);
        while (line < text_.size()) {
            const std::size_t next = next_line(text_, line);
            if (text_[line] == '#') {
                const std::size_t marks = marks_.size();
                if (!mark(line, text_[next - 1] == '\n' ? next - 1 : next).value_or(true)) {
                    marks_.resize(marks); // the token of this line will be read
                    break;
                }
            }
            line = next;
        }
        tokens_.push_back({TokenKind::system, token.begin, static_cast<std::uint32_t>(line)});
        reader.continue_at(line);
    }
}

void Source::pair_brackets()
{
    match_.assign(size(), kNoToken);
    parent_.assign(size(), kNoToken);
    std::vector<std::size_t> open;
    for (std::size_t token = 0; token < size(); ++token) {
        const std::string_view bracket = text(token);
        const char first = bracket.size() == 1 ? bracket[0] : '\0';
        if (const char opening = opening_of(first); opening != '\0') {
            const auto is_opening = [&](std::size_t each) { return text_[tokens_[code_[each]].begin] == opening; };
            const auto found = std::find_if(open.rbegin(), open.rend(), is_opening);
            if (found != open.rend()) { // closes what is open in it, too: an error of the program
                match_[token] = *found;
                match_[*found] = token;
                open.erase(found.base() - 1, open.end());
            }
        }
        parent_[token] = open.empty() ? kNoToken : open.back();
        if (first == '(' || first == '[' || first == '{') {
            open.push_back(token);
            if (open.size() > kMaxNesting)
                fail(token, "brackets are nested more than 1000 deep");
        }
    }
}

std::string_view Source::text(std::size_t token) const
{
    return token < size() ? text_of(tokens_[code_[token]]) : std::string_view{};
}

bool Source::touches_next(std::size_t token) const
{
    return token != kNoToken && token + 1 < size() && code_[token + 1] == code_[token] + 1;
}

std::string Source::on_one_line(std::size_t begin, std::size_t end) const
{
    std::string line;
    if (begin >= end || end > size())
        return line;
    for (std::size_t at = code_[begin]; at <= code_[end - 1]; ++at) {
        if (is_code(tokens_[at].kind))
            line += text_of(tokens_[at]);
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    return line;
}

std::size_t Source::line_of(std::size_t byte) const
{
    if (line_ends_.empty())
        for (std::size_t end = text_.find('\n'); end != std::string_view::npos; end = text_.find('\n', end + 1))
            line_ends_.push_back(end);
    return static_cast<std::size_t>(std::ranges::lower_bound(line_ends_, byte) - line_ends_.begin());
}

Place Source::place(std::size_t token) const
{
    return place_of(token < size() ? tokens_[code_[token]].begin : text_.size());
}

Place Source::place_of(std::size_t byte) const
{
    const auto after = std::ranges::upper_bound(marks_, byte, {}, &Mark::end);
    if (after == marks_.begin())
        return {.file = "input", .line = line_of(byte) + 1};
    const Mark& mark = *(after - 1);
    return {.file = std::string(mark.file), .line = mark.line + line_of(byte) - line_of(mark.end)};
}

std::string Source::message_at(std::size_t byte, const std::string& reason) const
{
    const Place where = place_of(byte);
    return where.file + ":" + std::to_string(where.line) + ": " + reason;
}

std::string Source::message(std::size_t token, const std::string& reason) const
{
    return message_at(token < size() ? tokens_[code_[token]].begin : text_.size(), reason);
}

void Source::fail(std::size_t token, const std::string& reason) const
{
    throw RunError(message(token, reason));
}

void Source::fail_at(std::size_t byte, const std::string& reason) const
{
    throw RunError(message_at(byte, reason));
}

} // namespace nestbed::program
