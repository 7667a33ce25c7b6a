// Texts that are read in pieces: of memory, and of files that may change meanwhile.
#include "base/text_source.hpp"

#include "base/error.hpp"
#include "support/support.hpp"

#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace nestbed
{
namespace
{

constexpr std::size_t kPiece = std::size_t{1} << 20; // bytes that are read of a file at once

// The whole text from `offset` on, and in how many pieces it came.
std::pair<std::string, unsigned> text_from(const TextSource& source, std::size_t offset)
{
    std::string text;
    std::string buffer;
    unsigned pieces = 0;
    for (std::string_view piece; !(piece = source.piece(offset, buffer)).empty(); ++pieces) {
        text += piece;
        offset += piece.size();
    }
    return {text, pieces};
}

std::string refusal_to_read(const std::string& path)
{
    return text_of<RunError>([&] { static_cast<void>(TextSource::of_file(path)); });
}

TEST(TextSource, InMemoryIsOnePiece)
{
    for (const TextSource& source : {TextSource(std::string_view("some text")), TextSource::of("some text")}) {
        EXPECT_EQ(source.size(), 9U);
        EXPECT_EQ(text_from(source, 0), (std::pair<std::string, unsigned>("some text", 1)));
        EXPECT_EQ(text_from(source, 5), (std::pair<std::string, unsigned>("text", 1)));
        EXPECT_EQ(text_from(source, 9).second, 0U);
        EXPECT_EQ(text_from(source, 10).second, 0U);
    }
    EXPECT_EQ(TextSource().size(), 0U);
    EXPECT_EQ(text_from(TextSource(), 0).second, 0U);
}

TEST(TextSource, OfAFileIsReadAMebibyteAtOnce)
{
    const ScratchFolder folder;
    for (const auto& [size, pieces] :
         {std::pair<std::size_t, unsigned>(0, 0), {1, 1}, {kPiece, 1}, {kPiece + 1, 2}}) {
        const std::string text = std::string(size / 2, 'x') + std::string(size - size / 2, 'y');
        const TextSource source = TextSource::of_file(folder.write("text", text));
        EXPECT_EQ(source.size(), size);
        EXPECT_TRUE(text_from(source, 0) == std::pair(text, pieces)) << size;
    }
    EXPECT_EQ(text_from(TextSource::of_file(folder.write("text", "some text")), 5).first, "text");
}

TEST(TextSource, MayBeCut)
{
    const ScratchFolder folder;
    for (TextSource source :
         {TextSource(std::string_view("some text")), TextSource::of_file(folder.write("text", "some text"))}) {
        source.cut(20);
        EXPECT_EQ(source.size(), 9U);
        source.cut(4);
        EXPECT_EQ(source.size(), 4U);
        EXPECT_EQ(text_from(source, 0).first, "some");
    }
}

TEST(TextSource, OfAFileIsTheFileAsItWas)
{
    const ScratchFolder folder;
    const TextSource source = TextSource::of_file(folder.write("text", "some text"));
    folder.write("text", "some text and more");
    EXPECT_EQ(text_from(source, 0).first, "some text");
    ASSERT_EQ(truncate(folder.path("text").c_str(), 4), 0);
    EXPECT_EQ(text_of<RunError>([&] { static_cast<void>(text_from(source, 0)); }),
              folder.path("text") + ": it could not be read: it was cut off meanwhile: it has 4 of 9 bytes");
}

TEST(TextSource, IsARegularFile)
{
    const ScratchFolder folder;
    EXPECT_EQ(refusal_to_read(folder.path("none")),
              folder.path("none") + ": it could not be read: No such file or directory");
    EXPECT_EQ(refusal_to_read(folder.path("")), folder.path("") + ": it is a folder; allowed: a file");
    ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
    EXPECT_EQ(refusal_to_read(folder.path("pipe")),
              folder.path("pipe") + ": it could not be read: it is a pipe or a device; allowed: a regular file");
}

} // namespace
} // namespace nestbed
