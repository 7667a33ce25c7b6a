// Changes of a source, by token, and the text that they make. Every line break and every directive stays where it is.
#pragma once

#include "program/rewrite/source.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nestbed::program
{

class Changes
{
  public:
    explicit Changes(const Source& source) : source_(source), change_of_(source.size(), kNoChange) {}

    // Inserts a text before or after a token; later calls for the same token add to the end.
    void insert_before(std::size_t token, std::string_view text) { of(token).before += text; }
    void insert_after(std::size_t token, std::string_view text) { of(token).after += text; }
    // The text must have no line break.
    void replace(std::size_t token, std::string text) { of(token).replacement = std::move(text); }
    void remove(std::size_t begin, std::size_t end);
    // Moves tokens [begin, end), on one line and with their changes, to before the token `to` and behind what is
    // inserted there. `left` is inserted in their old place. Moved parts may contain each other, but not overlap.
    void move(std::size_t begin, std::size_t end, std::size_t to, std::string_view left);
    // Removes words everywhere, in system parts too.
    void remove_words(std::vector<std::string_view> words);
    // Appends lines to the end of the text.
    void append_line(std::string_view line) { appended_ += std::string(line) + "\n"; }

    // A message "FILE:LINE: warning: …" for the user.
    void warn(std::string message) { warnings_.push_back(std::move(message)); }

    const std::vector<std::string>& warnings() const { return warnings_; }
    // What was not changed also stays in its column, by line marks behind what is inserted: for messages of the compiler.
    void keep_columns() { keeps_columns_ = true; }
    // Throws RunError if a moved part has a token over several lines, or if 200 moved parts contain each other.
    std::string result() const;
    // The numbers of the tokens that are not in the result as they were, in order: removed, replaced or moved.
    std::vector<std::size_t> changed_tokens() const;

  private:
    static constexpr std::size_t kNoChange = kNoToken;

    struct Move {
        std::size_t begin;
        std::size_t end;
        std::string left;
    };
    struct Change {
        std::string before;
        std::string after;
        std::optional<std::string> replacement;
        std::optional<std::size_t> moved_here; // a move
        std::optional<std::size_t> moved_from; // the move that begins with this token
    };

    Change& of(std::size_t token);
    const Change* find(std::size_t token) const;
    void write(std::string& out, std::size_t begin, std::size_t end, std::optional<std::size_t> moving,
               std::size_t depth) const;
    void write_token(std::string& out, std::size_t token, bool on_one_line, std::size_t depth) const;
    void restore_column(std::string& out, std::size_t token) const;
    void write_other(std::string& out, const Token& token, bool on_one_line) const;
    std::string other_text(const Token& token) const;
    void write_lines(std::string& out, std::size_t begin, std::size_t end) const;

    const Source& source_;
    std::vector<std::size_t> change_of_;
    std::vector<Change> changes_;
    std::vector<Move> moves_;
    std::string appended_;
    std::vector<std::string_view> removed_words_;
    std::vector<std::string> warnings_;
    bool keeps_columns_ = false;
};

} // namespace nestbed::program
