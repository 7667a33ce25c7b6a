#include "program/rewrite/tokens.hpp"

#include <algorithm>
#include <array>

namespace nestbed::program
{
namespace
{

constexpr std::string_view kBlanks = " \t\r\f\v\n";
constexpr std::size_t kMaxRawDelimiter = 16;

bool is_blank(char byte)
{
    return kBlanks.find(byte) != std::string_view::npos;
}

bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

// Bytes above 127 are parts of letters of other alphabets, in UTF-8 or any other encoding.
bool begins_word(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || byte == '$' ||
           static_cast<unsigned char>(byte) >= 0x80;
}

bool is_in_word(char byte)
{
    return begins_word(byte) || is_digit(byte);
}

// Longer ones first. Digraphs are not here: no CUDA program uses them.
constexpr std::array<std::string_view, 29> kPunctuation = {
    "<<<", "<<=", "<=>", "->*", "...", "<<", "<=", ">=", "->", "::", "++", "--", "&&", "||", "==",
    "!=",  "+=",  "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "##", ".*", "<",  ">",  "#",
};

} // namespace

Token TokenReader::next()
{
    const std::size_t begin = at_;
    const char first = text_[begin];
    const auto token = [&](TokenKind kind, std::size_t end) {
        return Token{kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    };
    const std::string_view pair = text_.substr(begin, 2);
    Token found{};
    if (const std::size_t end = space_end(begin); end > begin)
        found = token(TokenKind::space, end);
    else if (pair == "//" || pair == "/*")
        found = token(TokenKind::comment, comment_end(begin));
    else if (first == '#' && line_is_blank_)
        found = token(TokenKind::directive, directive_end(begin));
    else if (begins_word(first))
        found = word(begin);
    else if (is_digit(first) || (first == '.' && begin + 1 < text_.size() && is_digit(text_[begin + 1])))
        found = token(TokenKind::number, number_end(begin));
    else if (first == '"' || first == '\'')
        found = token(first == '"' ? TokenKind::string : TokenKind::character, closed_end(begin));
    else
        found = token(TokenKind::punctuation, punctuation_end(begin));
    if (found.kind == TokenKind::space)
        line_is_blank_ |= text_.substr(begin, found.end - begin).find('\n') != std::string_view::npos;
    else if (found.kind != TokenKind::comment)
        line_is_blank_ = false;
    at_ = found.end;
    return found;
}

void TokenReader::continue_at(std::size_t place)
{
    at_ = place;
    line_is_blank_ = true;
}

std::size_t TokenReader::space_end(std::size_t at) const
{
    while (at < text_.size()) {
        if (is_blank(text_[at]))
            ++at;
        else if (text_.substr(at, 2) == "\\\n")
            at += 2;
        else if (text_.substr(at, 3) == "\\\r\n")
            at += 3;
        else
            break;
    }
    return at;
}

std::size_t TokenReader::line_end(std::size_t at) const
{
    while (true) {
        const std::size_t end = text_.find('\n', at);
        if (end == std::string_view::npos)
            return text_.size();
        std::size_t last = end;
        if (last > at && text_[last - 1] == '\r')
            --last;
        if (last == at || text_[last - 1] != '\\')
            return end;
        at = end + 1;
    }
}

std::size_t TokenReader::comment_end(std::size_t at)
{
    if (text_[at + 1] == '/')
        return line_end(at);
    const std::size_t close = text_.find("*/", at + 2);
    is_unterminated_ |= close == std::string_view::npos;
    return close == std::string_view::npos ? text_.size() : close + 2;
}

// A comment in the line may continue it.
std::size_t TokenReader::directive_end(std::size_t at)
{
    while (at < text_.size() && text_[at] != '\n') {
        const std::string_view pair = text_.substr(at, 2);
        if (pair == "//" || pair == "/*")
            at = comment_end(at);
        else if (pair == "\\\n" || text_.substr(at, 3) == "\\\r\n")
            at = space_end(at);
        else if (text_[at] == '"')
            at = quoted_end(at);
        else
            ++at;
    }
    return at;
}

std::size_t TokenReader::quoted_end(std::size_t at) const
{
    const char quote = text_[at];
    for (++at; at < text_.size() && text_[at] != '\n'; ++at) {
        if (text_[at] == quote)
            return at + 1;
        if (text_[at] != '\\')
            continue;
        if (text_.substr(at, 3) == "\\\r\n")
            at += 2;
        else if (at + 1 < text_.size())
            ++at;
    }
    return at;
}

std::size_t TokenReader::closed_end(std::size_t at)
{
    const std::size_t end = quoted_end(at);
    bool is_closed = false; // the last quote may be escaped
    for (std::size_t byte = at + 1; byte < end; ++byte) {
        is_closed = byte + 1 == end && text_[byte] == text_[at];
        byte += text_[byte] == '\\' ? 1 : 0;
    }
    is_unterminated_ |= !is_closed;
    return end;
}

std::size_t TokenReader::raw_string_end(std::size_t at)
{
    const std::string_view begin = text_.substr(at + 1, kMaxRawDelimiter + 1);
    const std::size_t open = begin.find_first_of("()\\\"\t\v\f\r\n ");
    if (open == std::string_view::npos || begin[open] != '(')
        return std::string_view::npos;
    std::array<char, kMaxRawDelimiter + 2> closing{};
    closing[0] = ')';
    std::ranges::copy(begin.substr(0, open), closing.begin() + 1);
    closing[open + 1] = '"';
    const std::size_t close = text_.find(std::string_view(closing.data(), open + 2), at + 2 + open);
    is_unterminated_ |= close == std::string_view::npos;
    return close == std::string_view::npos ? text_.size() : close + open + 2;
}

std::size_t TokenReader::number_end(std::size_t at) const
{
    while (at < text_.size()) {
        const char byte = text_[at];
        const char next = at + 1 < text_.size() ? text_[at + 1] : ' ';
        const bool is_exponent =
            (byte == 'e' || byte == 'E' || byte == 'p' || byte == 'P') && (next == '+' || next == '-');
        if (is_exponent || (byte == '\'' && is_in_word(next)))
            at += 2;
        else if (is_in_word(byte) || byte == '.')
            ++at;
        else
            break;
    }
    return at;
}

std::size_t TokenReader::punctuation_end(std::size_t at) const
{
    const std::string_view rest = text_.substr(at, 3);
    const auto* const found =
        std::ranges::find_if(kPunctuation, [&](std::string_view each) { return rest.starts_with(each); });
    return at + (found == kPunctuation.end() ? 1 : found->size());
}

Token TokenReader::word(std::size_t begin)
{
    std::size_t end = begin;
    while (end < text_.size() && is_in_word(text_[end]))
        ++end;
    const std::string_view name = text_.substr(begin, end - begin);
    TokenKind kind = TokenKind::identifier;
    if (end < text_.size() && (text_[end] == '"' || text_[end] == '\'')) {
        const bool is_string = text_[end] == '"';
        const bool is_raw = is_string && name.ends_with('R');
        const std::string_view prefix = is_raw ? name.substr(0, name.size() - 1) : name;
        if (prefix == "u8" || prefix == "u" || prefix == "U" || prefix == "L" || (is_raw && prefix.empty())) {
            const std::size_t raw_end = is_raw ? raw_string_end(end) : std::string_view::npos;
            if (!is_raw || raw_end != std::string_view::npos) {
                kind = is_string ? TokenKind::string : TokenKind::character;
                end = is_raw ? raw_end : closed_end(end);
            }
        }
    }
    return {kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

} // namespace nestbed::program
