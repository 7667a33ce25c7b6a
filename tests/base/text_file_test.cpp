// What can be read as a text: regular files of a limited size, also compressed ones, whole and in pieces.
#include "base/text_file.hpp"

#include "base/error.hpp"
#include "base/gzip.hpp"
#include "base/text_source.hpp"
#include "support/gzip_support.hpp"
#include "support/support.hpp"

#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace nestbed
{
namespace
{

std::string refusal(const std::string& path, std::size_t max_bytes = kMaxTextBytes)
{
    return text_of<RunError>([&] { static_cast<void>(read_text_file(path, max_bytes)); });
}

using TextFile = InFolder;

TEST_F(TextFile, IsReadWhole)
{
    for (const std::size_t size : {0U, 1U, 5000U, 200'000U}) {
        const std::string text(size, 'x');
        EXPECT_EQ(read_text_file(folder.write("text", text)), text);
    }
    EXPECT_EQ(read_text_file(folder.write("text", std::string_view("a\0b\r\n", 5))), std::string("a\0b\r\n", 5));
}

TEST_F(TextFile, IsReadToItsEndWhereItDoesNotSayItsSize)
{
    if (!std::filesystem::exists("/proc/self/status"))
        GTEST_SKIP() << "this machine has no /proc";
    EXPECT_THAT(read_text_file("/proc/self/status"), HasSubstr("\nVmRSS:"));
}

TEST_F(TextFile, IsFollowedThroughALink)
{
    std::filesystem::create_symlink(folder.write("text", "there"), folder.path("link"));
    EXPECT_EQ(read_text_file(folder.path("link")), "there");
}

TEST_F(TextFile, MayHaveSoManyBytesAndNoneMore)
{
    const std::string path = folder.write("text", std::string(2048, 'x'));
    EXPECT_EQ(read_text_file(path, 2048).size(), 2048U);
    EXPECT_EQ(refusal(path, 2047), path + ": it could not be read: it is too large; allowed: 2.00 KiB");
    EXPECT_EQ(refusal(path, 1024), path + ": it could not be read: it is too large; allowed: 1.00 KiB");
}

TEST_F(TextFile, OneThatIsFarTooLargeIsNotReadAtAll)
{
    const std::string path = folder.write("text", "");
    ASSERT_EQ(truncate(path.c_str(), off_t{1} << 40), 0); // a sparse file: it occupies no disk block
    EXPECT_EQ(refusal(path), path + ": it could not be read: it is too large; allowed: 1.00 GiB");
}

// ---- in pieces ----

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
    ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0);
    for (const auto& [name, why] :
         {std::pair("none", "it could not be read: No such file or directory"),
          {"", "it is a folder; allowed: a file"},
          {"pipe", "it could not be read: it is a pipe or a device; allowed: a regular file"}})
        for (const bool whole : {false, true}) {
            const std::string path = folder.path(name);
            const auto read = [&] {
                if (whole)
                    static_cast<void>(read_text_file(path));
                else
                    static_cast<void>(TextSource::of_file(path));
            };
            EXPECT_EQ(text_of<RunError>(read), path + ": " + why);
        }
    EXPECT_EQ(refusal("/dev/zero"),
              "/dev/zero: it could not be read: it is a pipe or a device; allowed: a regular file");
}

// ---- compressed ----

using Gzip = InFolder;

std::string text_in(const TextSource& source)
{
    std::string buffer;
    return std::string(source.piece(0, buffer));
}

TEST_F(Gzip, IsReadUnderTheNameOfTheText)
{
    for (const std::size_t size : {0U, 1U, 5000U, 1U << 18, (1U << 18) + 1, 1'000'000U}) {
        const std::string text = std::string(size / 2, 'x') + std::string(size - size / 2, 'y');
        const std::string file = folder.write("a.csv.gz", gzip_of(text));
        for (const std::string& name : {folder.path("a.csv"), file}) {
            EXPECT_TRUE(read_text_file(name) == text) << name << ' ' << size;
            EXPECT_EQ(TextSource::of_file(name).size(), size);
            EXPECT_TRUE(text_in(TextSource::of_file(name)) == text) << name << ' ' << size;
        }
    }
}

TEST_F(Gzip, IsKnownByItsContent)
{
    EXPECT_EQ(read_text_file(folder.write("packed.csv", gzip_of("a,b\n"))), "a,b\n");
    EXPECT_EQ(read_text_file(folder.write("plain.csv.gz", "a,b\n")), "a,b\n");
    EXPECT_FALSE(is_gzip(""));
    EXPECT_FALSE(is_gzip("\x1f"));
    EXPECT_TRUE(is_gzip("\x1f\x8b"));
}

TEST_F(Gzip, StandsBehindTheTextItself)
{
    folder.write("a.csv.gz", gzip_of("packed"));
    EXPECT_EQ(stored_path(folder.path("a.csv")), folder.path("a.csv.gz"));
    EXPECT_EQ(stored_path(folder.path("a.csv.gz")), folder.path("a.csv.gz"));
    folder.write("a.csv", "plain");
    EXPECT_EQ(read_text_file(folder.path("a.csv")), "plain");
    EXPECT_EQ(read_text_file(folder.path("a.csv.gz")), "packed");
    EXPECT_EQ(stored_path(folder.path("none.csv")), folder.path("none.csv"));
    EXPECT_EQ(text_name("grid.csv.gz"), "grid.csv");
    EXPECT_EQ(text_name("grid.csv"), "grid.csv");
}

TEST_F(Gzip, FilesMayFollowOneAnother)
{
    EXPECT_EQ(read_text_file(folder.write("a.csv", gzip_of("one\n") + gzip_of("") + gzip_of("two\n"))), "one\ntwo\n");
}

TEST_F(Gzip, MayHaveSoManyBytesWhenUnpackedAndNoneMore)
{
    const std::string path = folder.write("a.csv.gz", gzip_of(std::string(2048, 'x')));
    EXPECT_EQ(read_text_file(path, 2048).size(), 2048U);
    EXPECT_EQ(refusal(path, 2047), path + ": it could not be read: it is too large when unpacked; allowed: 2.00 KiB");
    const std::string large = folder.write("b.csv.gz", gzip_of(std::string(5'000'000, 'x')));
    EXPECT_EQ(refusal(large, std::size_t{1} << 20),
              large + ": it could not be read: it is too large when unpacked; allowed: 1.00 MiB");
}

} // namespace
} // namespace nestbed
