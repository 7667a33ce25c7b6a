#include "program/rewrite/changes.hpp"

#include <algorithm>
#include <cctype>

namespace nestbed::program
{
namespace
{

constexpr std::size_t kMaxDepth = 200;

void append_line_breaks(std::string& out, std::string_view text)
{
    for (const char byte : text)
        if (byte == '\n' || byte == '\r')
            out += byte;
}

} // namespace

Changes::Change& Changes::of(std::size_t token)
{
    if (change_of_.at(token) == kNoChange) {
        change_of_[token] = changes_.size();
        changes_.emplace_back();
    }
    return changes_[change_of_[token]];
}

const Changes::Change* Changes::find(std::size_t token) const
{
    return change_of_[token] == kNoChange ? nullptr : &changes_[change_of_[token]];
}

void Changes::remove(std::size_t begin, std::size_t end)
{
    for (std::size_t token = begin; token < end; ++token)
        replace(token, "");
}

void Changes::move(std::size_t begin, std::size_t end, std::size_t to, std::string_view left)
{
    if (of(begin).moved_from || of(to).moved_here)
        source_.fail(begin, "two launches of one expression cannot be read");
    of(begin).moved_from = of(to).moved_here = moves_.size();
    moves_.push_back({.begin = begin, .end = end, .left = std::string(left)});
}

std::string Changes::result() const
{
    std::string out;
    out.reserve(source_.whole_text().size() + source_.whole_text().size() / 8);
    write(out, 0, source_.all_tokens().size(), {}, 0);
    if (!appended_.empty() && !out.empty() && out.back() != '\n')
        out += '\n';
    return out + appended_;
}

// All tokens [begin, end), or those of a move on one line.
void Changes::write(std::string& out, std::size_t begin, std::size_t end, std::optional<std::size_t> moving,
                    std::size_t depth) const
{
    const std::vector<Token>& tokens = source_.all_tokens();
    std::size_t code = moving ? moves_[*moving].begin : 0;
    for (std::size_t at = begin; at < end; ++at) {
        if (!is_code(tokens[at].kind)) {
            write_other(out, tokens[at], moving.has_value());
            continue;
        }
        const Change* change = find(code);
        if (change != nullptr && change->moved_from && change->moved_from != moving) {
            const Move& move = moves_[*change->moved_from];
            out += move.left;
            const std::size_t last = source_.position(move.end - 1);
            if (!moving)
                write_lines(out, at, last + 1);
            at = last;
            code = move.end;
            continue;
        }
        write_token(out, code, moving.has_value(), depth);
        ++code;
    }
}

void Changes::write_token(std::string& out, std::size_t token, bool on_one_line, std::size_t depth) const
{
    const Change* change = find(token);
    const std::string_view text = source_.text(token);
    const bool is_kept = change == nullptr || !change->replacement;
    if (on_one_line && is_kept && text.find('\n') != std::string_view::npos)
        source_.fail(token, "a string over several lines in the kernel of a launch; put it in a variable");
    if (change == nullptr) {
        if (!on_one_line)
            restore_column(out, token);
        out += text;
        return;
    }
    out += change->before;
    if (change->moved_here) {
        const Move& move = moves_[*change->moved_here];
        if (depth == kMaxDepth)
            source_.fail(token, "launches are nested more than 200 deep in kernels of launches");
        write(out, source_.position(move.begin), source_.position(move.end - 1) + 1, change->moved_here, depth + 1);
    }
    if (is_kept && !on_one_line)
        restore_column(out, token);
    if (is_kept)
        out += text;
    else if (!on_one_line && text.find('\n') != std::string_view::npos) // a string that is removed
        (out += *change->replacement).append(std::ranges::count(text, '\n'), '\n');
    else if (!change->replacement->empty())
        out += *change->replacement;
    else if (!out.empty() && out.back() != ' ' && out.back() != '\n')
        out += ' '; // the tokens around do not become one
    out += change->after;
}

void Changes::restore_column(std::string& out, std::size_t token) const
{
    if (!keeps_columns_)
        return;
    const auto column_at = [](std::string_view text, std::size_t at) {
        const std::size_t line_end = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
        return line_end == std::string_view::npos ? at : at - line_end - 1;
    };
    const std::size_t column = column_at(source_.whole_text(), source_.all_tokens()[source_.position(token)].begin);
    const std::size_t now = column_at(out, out.size());
    if (now > column) {
        const Place place = source_.place(token);
        out += "\n# " + std::to_string(place.line) + " \"" + place.file + "\"\n";
    }
    out.append(now > column ? column : column - now, ' ');
}

void Changes::remove_words(std::vector<std::string_view> words)
{
    removed_words_ = std::move(words);
    for (std::size_t token = 0; token < source_.size(); ++token)
        if (std::ranges::find(removed_words_, source_.text(token)) != removed_words_.end())
            remove(token, token + 1);
}

std::string Changes::other_text(const Token& token) const
{
    std::string text(source_.text_of(token));
    if (token.kind != TokenKind::system)
        return text;
    const auto is_in_word = [&](std::size_t at) {
        return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    for (const std::string_view word : removed_words_)
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size()))
            if (!is_in_word(at - 1) && !is_in_word(at + word.size()))
                text.replace(at, word.size(), word.size(), ' ');
    return text;
}

void Changes::write_other(std::string& out, const Token& token, bool on_one_line) const
{
    if (!on_one_line)
        out += other_text(token);
    else if (token.kind != TokenKind::directive && token.kind != TokenKind::system && !out.ends_with(' '))
        out += ' ';
}

// What is left of tokens [begin, end) in their old place.
void Changes::write_lines(std::string& out, std::size_t begin, std::size_t end) const
{
    for (std::size_t at = begin; at < end; ++at) {
        const Token& token = source_.all_tokens()[at];
        if (token.kind == TokenKind::directive || token.kind == TokenKind::system)
            out += other_text(token);
        else
            append_line_breaks(out, source_.text_of(token));
    }
}

std::vector<std::size_t> Changes::changed_tokens() const
{
    std::vector<std::size_t> tokens;
    for (std::size_t token = 0; token < source_.size(); ++token)
        if (const Change* change = find(token); change != nullptr && change->replacement)
            tokens.push_back(token);
    for (const Move& move : moves_)
        for (std::size_t token = move.begin; token < move.end; ++token)
            tokens.push_back(token);
    std::ranges::sort(tokens);
    return tokens;
}

} // namespace nestbed::program
