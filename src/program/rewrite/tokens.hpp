// The tokens of C++ and CUDA, as the preprocessor leaves them. Nothing is lost: the tokens of a text, one after
// another, are the text.
#pragma once

#include <cstdint>
#include <string_view>

namespace nestbed::program
{

enum class TokenKind : std::uint8_t {
    identifier, // also keywords
    number,
    string,    // also raw strings, with prefix; an unterminated one ends before the line's end
    character, // the same
    punctuation,
    space, // also a backslash that continues a line
    comment,
    directive, // a line that begins with #, without its end: line marks and pragmas
    system,    // a part of a system header, which nothing looks into (source.hpp)
};

// Bytes from begin to end, exclusive, of the text.
struct Token {
    TokenKind kind;
    std::uint32_t begin;
    std::uint32_t end;
};

inline bool is_code(TokenKind kind)
{
    return kind < TokenKind::space;
}

// Reads the tokens of a text one by one. The time is linear in the length of the text, whatever it contains.
// `<<<` is one token. `>` is always a token of its own, because only a parser knows whether `>>` shifts or closes two
// lists of template arguments.
class TokenReader
{
  public:
    // The text must be shorter than 4 GB.
    explicit TokenReader(std::string_view text) : text_(text) {}

    bool at_end() const { return at_ >= text_.size(); }
    // Whether a comment or a string was read that has no end: outside of directives, it is no C++.
    bool is_unterminated() const { return is_unterminated_; }
    // Not at the end.
    Token next();
    // Continues at another place, which must be the begin of a line.
    void continue_at(std::size_t place);

  private:
    std::size_t space_end(std::size_t at) const;
    std::size_t line_end(std::size_t at) const; // with the lines that a backslash appends
    std::size_t comment_end(std::size_t at);
    std::size_t directive_end(std::size_t at);
    std::size_t quoted_end(std::size_t at) const;
    std::size_t closed_end(std::size_t at);     // the same, and notes if the quote is not closed
    std::size_t raw_string_end(std::size_t at); // of the quote; npos if it does not begin a raw string
    std::size_t number_end(std::size_t at) const;
    std::size_t punctuation_end(std::size_t at) const;
    Token word(std::size_t begin);

    std::string_view text_;
    std::size_t at_ = 0;
    bool line_is_blank_ = true; // so far
    bool is_unterminated_ = false;
};

} // namespace nestbed::program
