// Compressed texts: what is read of them, under which name, and what is refused.
#include "base/gzip.hpp"

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "base/text_source.hpp"
#include "support/gzip_support.hpp"
#include "support/support.hpp"

#include <filesystem>

namespace nestbed
{
namespace
{

using Gzip = InFolder;

std::string refusal(const std::string& path, std::size_t max_bytes = kMaxTextBytes)
{
    return text_of<RunError>([&] { static_cast<void>(read_text_file(path, max_bytes)); });
}

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

TEST_F(Gzip, ThatIsDamagedIsRefused)
{
    const std::string whole = gzip_of("a,b\n1,2\n");
    const std::string checksum = whole.substr(0, whole.size() - 8) + "0000" + whole.substr(whole.size() - 4);
    const std::string length = whole.substr(0, whole.size() - 4) + "0000";
    const std::vector<std::pair<std::string, std::string>> kinds{
        {whole.substr(0, 2), "its gzip content is cut off"},
        {whole.substr(0, whole.size() / 2), "its gzip content is cut off"},
        {whole.substr(0, whole.size() - 1), "its gzip content is cut off"},
        {checksum, "its gzip content is damaged: incorrect data check"},
        {length, "its gzip content is damaged: incorrect length check"},
        {whole + "more", "its gzip content is damaged: incorrect header check"},
        {whole + whole.substr(0, 12), "its gzip content is cut off"},
    };
    for (const auto& [content, why] : kinds) {
        const std::string path = folder.write("a.csv.gz", content);
        EXPECT_EQ(refusal(path), path + ": it could not be read: " + why);
        EXPECT_EQ(refusal(folder.path("a.csv")), path + ": it could not be read: " + why);
        EXPECT_EQ(text_of<RunError>([&] { static_cast<void>(TextSource::of_file(path)); }),
                  path + ": it could not be read: " + why);
    }
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
