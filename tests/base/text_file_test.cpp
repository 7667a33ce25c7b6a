// What can be read as a text: regular files of a limited size.
#include "base/text_file.hpp"

#include "base/error.hpp"
#include "support/support.hpp"

#include <filesystem>
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

TEST_F(TextFile, APipeIsNotWaitedFor)
{
    const std::string path = folder.path("pipe");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(refusal(path), path + ": it could not be read: it is a pipe or a device; allowed: a regular file");
}

TEST_F(TextFile, ADeviceWithoutAnEndIsNotRead)
{
    EXPECT_EQ(refusal("/dev/zero"),
              "/dev/zero: it could not be read: it is a pipe or a device; allowed: a regular file");
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

TEST_F(TextFile, ThatCannotBeOpenedIsSaidWithItsError)
{
    EXPECT_EQ(refusal(folder.path("none")),
              folder.path("none") + ": it could not be read: No such file or directory");
    EXPECT_EQ(refusal(folder.path("")), folder.path("") + ": it is a folder; allowed: a file");
}

} // namespace
} // namespace nestbed
