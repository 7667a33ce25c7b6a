// A text that is read in pieces, as often as needed: a file of any size, without having it in memory.
#pragma once

#include "base/file_descriptor.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace nestbed
{

class TextSource
{
  public:
    TextSource() = default;
    // The caller keeps the text.
    TextSource(std::string_view text); // NOLINT(google-explicit-constructor): a text is a source of itself
    static TextSource of(std::string text);
    // A regular file as it is now: what is appended later is not part of the text. A compressed text is in memory.
    // Reads the same file as read_text_file(), and throws RunError as that does.
    static TextSource of_file(const std::string& name);

    std::size_t size() const { return size_; }
    // Leaves out everything after the first `size` bytes.
    void cut(std::size_t size);

    // Some of the bytes from `offset` on, in `buffer` if they are not in memory already; empty at the end. Throws
    // RunError if the file cannot be read, or was cut off.
    std::string_view piece(std::size_t offset, std::string& buffer) const;

  private:
    std::size_t size_ = 0;
    std::string_view text_; // empty for a file
    std::shared_ptr<const std::string> owned_;
    std::shared_ptr<const Descriptor> file_;
    std::string path_;
};

} // namespace nestbed
