#include "base/terminal.hpp"

#include "base/text.hpp"

#include <charconv>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{

std::string_view variable(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::size_t columns_of(int descriptor)
{
    constexpr std::size_t kFewest = 20; // a smaller number is a mistake, or the terminal does not know its width
    constexpr std::size_t kMaxColumns = 1000;
    const std::string_view said = variable("COLUMNS");
    std::size_t columns = 0;
    std::from_chars(said.data(), said.data() + said.size(), columns);
    winsize size{};
    if (columns == 0 && isatty(descriptor) == 1 && ioctl(descriptor, TIOCGWINSZ, &size) == 0) // NOLINT(*-vararg)
        columns = size.ws_col;
    return columns < kFewest || columns > kMaxColumns ? Terminal().columns : columns;
}

// Where the command begins in a line that ends in ": COMMAND"; npos: it does not.
std::size_t command_in(std::string_view line)
{
    for (const std::string_view program : {"nestbed ", "cmake ", "make ", "./", "experiments/"}) {
        const std::size_t found = line.rfind(": " + std::string(program));
        if (found == std::string_view::npos)
            continue;
        const std::string_view command = line.substr(found + 2);
        if (command.find(", ") == command.npos && command.find("; ") == command.npos &&
            command.find(". ") == command.npos)
            return found + 2;
    }
    return std::string_view::npos;
}

// To be copied, a command stays whole.
std::string folded_but_command(std::string_view line)
{
    constexpr std::size_t kFurtherIndent = 2;
    const std::string whole = folded(line, kFurtherIndent);
    const std::size_t command = whole.find('\n') + 1 == whole.size() ? std::string_view::npos : command_in(line);
    if (command == std::string_view::npos)
        return whole.substr(kFurtherIndent);
    return folded(line.substr(0, command - 1), kFurtherIndent).substr(kFurtherIndent) +
           std::string(kFurtherIndent, ' ') + std::string(line.substr(command)) + "\n";
}

} // namespace

Terminal terminal_of(int descriptor)
{
    return {.columns = columns_of(descriptor),
            .colour = isatty(descriptor) == 1 && variable("NO_COLOR").empty() && variable("TERM") != "dumb"};
}

std::string for_terminal(int descriptor, const std::string& message)
{
    if (isatty(descriptor) != 1)
        return message + "\n";
    std::string text;
    for (const std::string_view line : split_lines(message))
        text += line.empty() || line.starts_with(' ') ? std::string(line) + "\n" : folded_but_command(line);
    return text;
}

FoldedMessages::FoldedMessages(std::ostream& stream, int descriptor)
    : stream_(stream), buffer_(stream.rdbuf(this)), descriptor_(descriptor)
{
}

FoldedMessages::~FoldedMessages()
{
    put(line_);
    stream_.rdbuf(buffer_);
}

bool FoldedMessages::put(std::string_view text)
{
    const auto bytes = static_cast<std::streamsize>(text.size());
    return buffer_->sputn(text.data(), bytes) == bytes;
}

FoldedMessages::int_type FoldedMessages::overflow(int_type one)
{
    constexpr std::string_view kBegin = "nestbed: ";
    const char byte = traits_type::to_char_type(one);
    std::string text(1, byte);
    if (is_held_ && byte != '\n') {
        line_ += byte;
        is_held_ = line_.starts_with(kBegin) || kBegin.starts_with(line_);
        text = is_held_ ? "" : std::exchange(line_, "");
    } else if (byte == '\n') {
        if (line_.starts_with(kBegin))
            text = for_terminal(descriptor_, line_);
        else
            text.insert(0, line_);
        line_.clear();
        is_held_ = true;
    }
    return put(text) ? one : traits_type::eof();
}

std::string coloured(std::string_view text, Colour colour)
{
    constexpr std::string_view kCodes[]{"0", "31", "32", "33"};
    if (colour == Colour::none)
        return std::string(text);
    return "\033[" + std::string(kCodes[static_cast<std::size_t>(colour)]) + "m" + std::string(text) + "\033[0m";
}

} // namespace nestbed
