// The abilities of a terminal.
#pragma once

#include <cstddef>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace nestbed
{

struct Terminal {
    std::size_t columns = 80;
    bool colour = false;
};

// Columns: COLUMNS if it is set, else the terminal's own width; 80 if the descriptor is not a terminal. Colour: on a
// terminal that is not "dumb", unless NO_COLOR is set (no-color.org).
Terminal terminal_of(int descriptor);

// While this object lives, each line of the stream that begins with "nestbed: " is printed by for_terminal(), when it is complete.
class FoldedMessages : public std::streambuf
{
  public:
    FoldedMessages(std::ostream& stream, int descriptor);
    FoldedMessages(const FoldedMessages&) = delete;
    FoldedMessages& operator=(const FoldedMessages&) = delete;
    ~FoldedMessages() override;

  protected:
    int_type overflow(int_type one) override;
    int sync() override { return buffer_->pubsync(); }

  private:
    bool put(std::string_view text);

    std::ostream& stream_;
    std::streambuf* buffer_;
    int descriptor_;
    std::string line_;    // not printed yet
    bool is_held_ = true; // the line may be such a message
};

enum class Colour : unsigned char { none, red, green, yellow };
// A message, with a line break at its end. Where the descriptor is a terminal, a line that does not begin with a blank gets at most 80
// characters; the rest of it follows, indented, and a command at its end on a line of its own, whole.
std::string for_terminal(int descriptor, const std::string& message);
// The text in this colour.
std::string coloured(std::string_view text, Colour colour);

} // namespace nestbed
