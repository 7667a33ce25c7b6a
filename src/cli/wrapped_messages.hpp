// Messages for a reader at a terminal: lines that are too long are broken between words.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <streambuf>
#include <string>
#include <string_view>

namespace nestbed
{

// The text in lines of at most `columns` characters, of which all but the first are indented. Words, and values in quotes, stay
// whole, also if they are longer.
std::string wrapped(std::string_view text, std::size_t columns);

// While this object lives, each line of the stream that begins with "nestbed: " is wrapped. All else passes unchanged.
class WrappedMessages : public std::streambuf
{
  public:
    WrappedMessages(std::ostream& stream, std::size_t columns);
    WrappedMessages(const WrappedMessages&) = delete;
    WrappedMessages& operator=(const WrappedMessages&) = delete;
    ~WrappedMessages() override;

  protected:
    int_type overflow(int_type one) override;
    std::streamsize xsputn(const char* text, std::streamsize bytes) override;
    int sync() override;

  private:
    void put(char one);
    void pass(std::string_view text);

    std::ostream& stream_;
    std::streambuf* buffer_;
    std::size_t columns_;
    std::string held_;    // the line so far, if it may be a message
    bool passes_ = false; // the rest of the line
};

} // namespace nestbed
