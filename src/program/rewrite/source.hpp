// A preprocessed CUDA file: the tokens of the user's parts, their brackets, and the places that line marks give them.
#pragma once

#include "program/rewrite/tokens.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed::program
{

// The number of no token. All functions of Source accept it.
constexpr std::size_t kNoToken = std::numeric_limits<std::size_t>::max();

// The name of a file of a line mark, completed by the folder: the text of a string literal.
std::string whole_name(std::string_view folder, std::string_view file);

struct Place {
    std::string file; // as in the line mark: escaped like a string literal
    std::size_t line;
};

// Tokens are numbered without space, comments, directives and system parts. A number outside of the source is allowed
// everywhere and means: no token.
//
// A part is the system's if a line mark has flag 3 where the file is entered, or if the file is below /usr/, in the
// CUDA toolkit, or beside nestbed's own headers. The first file is always the user's.
class Source
{
  public:
    // Keeps the view. Throws RunError if the text is larger than 1 GB, a string or comment has no end, a # is within a line, or
    // brackets are nested deeper than 1000.
    explicit Source(std::string_view text);

    std::string_view whole_text() const { return text_; }
    std::size_t size() const { return code_.size(); }
    // "" for no token.
    std::string_view text(std::size_t token) const;
    bool is(std::size_t token, std::string_view text) const { return this->text(token) == text; }
    bool is_identifier(std::size_t token) const { return is_kind(token, TokenKind::identifier); }
    bool is_string(std::size_t token) const { return is_kind(token, TokenKind::string); }
    // Whether nothing is between the token and the next one.
    bool touches_next(std::size_t token) const;
    // The other bracket of a pair of (), [] or {}; kNoToken if there is none.
    std::size_t match(std::size_t token) const { return token < size() ? match_[token] : kNoToken; }
    // The innermost bracket that is open before this token; kNoToken if none is.
    std::size_t parent(std::size_t token) const { return token < size() ? parent_[token] : kNoToken; }

    // All tokens, and the number among them of a token that is code.
    const std::vector<Token>& all_tokens() const { return tokens_; }
    std::size_t position(std::size_t token) const { return code_[token]; }
    std::string_view text_of(const Token& token) const { return text_.substr(token.begin, token.end - token.begin); }
    // The text of tokens [begin, end) on one line, without comments and directives.
    std::string on_one_line(std::size_t begin, std::size_t end) const;

    Place place(std::size_t token) const;
    // The user's files, as in the line marks, each once.
    const std::vector<std::string_view>& user_files() const { return user_files_; }
    // "FILE:LINE: reason"
    std::string message(std::size_t token, const std::string& reason) const;
    // Throws it as a RunError.
    [[noreturn]] void fail(std::size_t token, const std::string& reason) const;
    // The same for a byte of the text.
    [[noreturn]] void fail_at(std::size_t byte, const std::string& reason) const;

  private:
    struct Mark {
        std::size_t end; // where the line after the mark begins
        std::size_t line;
        std::string_view file;
    };

    bool is_kind(std::size_t token, TokenKind kind) const
    {
        return token < size() && tokens_[code_[token]].kind == kind;
    }
    void read();
    void pair_brackets();
    Place place_of(std::size_t byte) const;
    std::string message_at(std::size_t byte, const std::string& reason) const;
    std::size_t line_of(std::size_t byte) const; // of the whole text, from 0

    std::string_view text_;
    std::vector<Token> tokens_;
    std::vector<std::uint32_t> code_;
    std::vector<std::size_t> match_;
    std::vector<std::size_t> parent_;
    std::vector<Mark> marks_;
    std::vector<std::string_view> user_files_;
    mutable std::vector<std::size_t> line_ends_; // filled when the first place is asked for
};

} // namespace nestbed::program
