#include "base/gzip.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

namespace nestbed
{

namespace
{

constexpr std::size_t kUnpackedAtOnce = std::size_t{1} << 18;
constexpr int kGzipOnly = 16; // inflateInit2: with gzip's header and checksum

class Inflater
{
  public:
    explicit Inflater(const std::string& path) : path_(path)
    {
        if (inflateInit2(&stream_, kGzipOnly + MAX_WBITS) != Z_OK)
            refuse("zlib has no memory");
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() { inflateEnd(&stream_); }

    // gzip's files may follow one another, and their texts do too.
    std::string text_of(std::string_view content, std::size_t max_bytes)
    {
        std::string text;
        for (int state = Z_OK; state != Z_STREAM_END || !content.empty();) {
            if (state == Z_STREAM_END)
                inflateReset(&stream_);
            const std::size_t size = text.size();
            text.resize(size + kUnpackedAtOnce);
            state = inflate_piece(content, text.data() + size);
            text.resize(text.size() - stream_.avail_out);
            if (text.size() > max_bytes)
                refuse(fmt::format("it is too large when unpacked; allowed: {}",
                                   format_bytes(static_cast<double>(max_bytes))));
        }
        return text;
    }

  private:
    // Unpacks at most kUnpackedAtOnce, and removes from the content what was read of it.
    int inflate_piece(std::string_view& content, char* text)
    {
        const std::size_t count = std::min<std::size_t>(content.size(), std::numeric_limits<uInt>::max());
        // zlib reads this, and does not write it.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data())); // NOLINT(*-cast)
        stream_.avail_in = static_cast<uInt>(count);
        stream_.next_out = reinterpret_cast<Bytef*>(text); // NOLINT(*-reinterpret-cast)
        stream_.avail_out = kUnpackedAtOnce;
        const int state = inflate(&stream_, Z_NO_FLUSH);
        content.remove_prefix(count - stream_.avail_in);
        if (state == Z_BUF_ERROR)
            refuse("its gzip content is cut off");
        if (state != Z_OK && state != Z_STREAM_END)
            refuse(fmt::format("its gzip content is damaged{}{}", stream_.msg == nullptr ? "" : ": ",
                               stream_.msg == nullptr ? "" : stream_.msg));
        return state;
    }

    [[noreturn]] void refuse(const std::string& why) const
    {
        throw RunError(fmt::format("{}: it could not be read: {}", path_, why));
    }

    const std::string& path_;
    z_stream stream_{};
};

} // namespace

bool is_gzip(std::string_view content)
{
    return content.starts_with("\x1f\x8b");
}

std::string unpacked_gzip(std::string_view content, const std::string& path, std::size_t max_bytes)
{
    return Inflater(path).text_of(content, max_bytes);
}

} // namespace nestbed
