#include "cli/wrapped_messages.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <ostream>
#include <vector>

namespace nestbed
{

namespace
{

constexpr std::string_view kMessage = "nestbed: ";
constexpr std::string_view kWipe =
    "\r\033[K"; // before a message that takes the place of the progress (run/progress.cpp)

// The quote with which the word begins and does not end, or 0.
char open_quote(std::string_view word)
{
    constexpr std::array kQuotes{'\'', '`', '"'};
    const std::size_t first = word.find_first_not_of('(');
    if (first == std::string_view::npos || std::ranges::find(kQuotes, word[first]) == kQuotes.end())
        return 0;
    return word.find(word[first], first + 1) == std::string_view::npos ? word[first] : char{0};
}

// Words, and values in quotes.
std::vector<std::string> whole_pieces(std::string_view text)
{
    const std::vector<std::string> words = split(text, ' ');
    std::vector<std::string> pieces;
    for (std::size_t first = 0; first < words.size(); ++first) {
        pieces.push_back(words[first]);
        const char quote = open_quote(words[first]);
        if (quote == 0)
            continue;
        std::size_t last = first + 1;
        while (last < words.size() && words[last].find(quote) == std::string::npos)
            ++last;
        if (last == words.size()) // an apostrophe
            continue;
        while (first < last)
            pieces.back() += " " + words[++first];
    }
    return pieces;
}

} // namespace

std::string wrapped(std::string_view text, std::size_t columns)
{
    constexpr std::string_view kIndent = "  ";
    if (text.size() <= columns)
        return std::string(text);
    std::string lines;
    std::size_t width = 0; // of the last line
    for (const std::string& piece : whole_pieces(text)) {
        if (width != 0 && width + 1 + piece.size() > columns) {
            lines += '\n';
            lines += kIndent;
            width = kIndent.size();
        } else if (width != 0) {
            lines += ' ';
            ++width;
        }
        lines += piece;
        width += piece.size();
    }
    return lines;
}

WrappedMessages::WrappedMessages(std::ostream& stream, std::size_t columns)
    : stream_(stream), buffer_(stream.rdbuf(this)), columns_(columns)
{
}

WrappedMessages::~WrappedMessages()
{
    pass(held_);
    stream_.rdbuf(buffer_);
}

void WrappedMessages::pass(std::string_view text)
{
    buffer_->sputn(text.data(), static_cast<std::streamsize>(text.size()));
}

void WrappedMessages::put(char one)
{
    if (passes_ && one != '\r') {
        passes_ = one != '\n';
        pass({&one, 1});
        return;
    }
    passes_ = false;
    if (one == '\n') {
        pass(wrapped(held_, columns_) + "\n");
        held_.clear();
        return;
    }
    held_ += one;
    if (held_.starts_with(kMessage) || kMessage.starts_with(held_) || (kWipe.starts_with(held_) && held_ != kWipe))
        return;
    pass(held_);
    passes_ = held_ != kWipe;
    held_.clear();
}

WrappedMessages::int_type WrappedMessages::overflow(int_type one)
{
    if (!traits_type::eq_int_type(one, traits_type::eof()))
        put(traits_type::to_char_type(one));
    return traits_type::not_eof(one);
}

std::streamsize WrappedMessages::xsputn(const char* text, std::streamsize bytes)
{
    std::ranges::for_each(std::string_view(text, static_cast<std::size_t>(bytes)), [this](char one) { put(one); });
    return bytes;
}

int WrappedMessages::sync()
{
    return buffer_->pubsync();
}

} // namespace nestbed
