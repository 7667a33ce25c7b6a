#include "base/text_source.hpp"

#include "base/gzip.hpp"
#include "base/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace nestbed
{

namespace
{
constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
} // namespace

TextSource::TextSource(std::string_view text) : size_(text.size()), text_(text) {}

TextSource TextSource::of(std::string text)
{
    const auto owned = std::make_shared<const std::string>(std::move(text));
    TextSource source{std::string_view(*owned)};
    source.owned_ = owned;
    return source;
}

TextSource TextSource::of_file(const std::string& name)
{
    const std::string path = stored_path(name);
    TextSource source;
    source.path_ = path;
    source.file_ = std::make_shared<const Descriptor>(open_text(path));
    source.size_ = size_of_text(*source.file_, path);
    if (std::string start; is_gzip(source.piece(0, start)))
        return of(read_text_file(path));
    return source;
}

void TextSource::cut(std::size_t size)
{
    size_ = std::min(size_, size);
}

std::string_view TextSource::piece(std::size_t offset, std::string& buffer) const
{
    if (offset >= size_)
        return {};
    if (!file_)
        return text_.substr(offset, size_ - offset);
    buffer.resize(std::min(kPieceBytes, size_ - offset));
    const ssize_t count =
        uninterrupted([&] { return pread(*file_, buffer.data(), buffer.size(), static_cast<off_t>(offset)); });
    if (count <= 0)
        refuse_text(path_, count < 0 ? std::strerror(errno)
                                     : fmt::format("it was cut off meanwhile: it has {} of {} bytes", offset, size_));
    return std::string_view(buffer).substr(0, static_cast<std::size_t>(count));
}

} // namespace nestbed
