// Where a log, its manifest and its copies are.
#include "log/log_place.hpp"

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "support/full_disk.hpp"
#include "support/support.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace nestbed
{
namespace
{

namespace fs = std::filesystem;

TEST(LogPlace, OfALinkIsWhereItLedAndItsManifestIsBesideTheLink)
{
    const ScratchFolder folder;
    fs::create_directory(folder.path("data"));
    folder.write("data/real.csv", "rows");
    fs::create_symlink("data/real.csv", folder.path("link.csv"));
    LogPlace place(folder.path("link.csv"));
    EXPECT_EQ(place.log.name(), "real.csv");
    EXPECT_EQ(place.manifest.path(), folder.path("link.csv.json"));
    EXPECT_EQ(place.free_place("old").path, folder.path("link.csv.old-1"));
    fs::remove(folder.path("link.csv"));
    EXPECT_EQ(read_text_file(place.log), "rows");
    place.follow_no_links();
    EXPECT_FALSE(place.log.status());
    EXPECT_EQ(place.log.name(), "link.csv");
}

TEST(LogPlace, OfACopyIsFreeEvenOfLinksThatLeadNowhere)
{
    const ScratchFolder folder;
    fs::create_symlink("missing", folder.path("a.csv.old-1"));
    fs::create_symlink("missing", folder.path("a.csv.old-2.json"));
    const LogPlace copy = LogPlace(folder.path("a.csv")).free_place("old");
    EXPECT_EQ(copy.path, folder.path("a.csv.old-3"));
    write_log(copy, {.text = "rows"}, "the log", FileContent{.text = "its manifest"});
    EXPECT_EQ(folder.read("a.csv.old-3"), "rows");
    EXPECT_EQ(folder.read("a.csv.old-3.json"), "its manifest");
    EXPECT_FALSE(folder.has("missing"));
}

TEST(LogPlace, OfACompressedLogIsNotWritten)
{
    const ScratchFolder folder;
    const auto refusal = [](const std::string& path) {
        return text_of<UsageError>([&] { check_is_not_compressed(path); });
    };
    const std::string plain = folder.path("a.csv");
    const std::string packed = folder.path("a.csv.gz");
    check_is_not_compressed(plain);
    EXPECT_EQ(refusal(packed),
              fmt::format("--output {1}: a compressed log is read and never written; allowed: {0} (if "
                          "{1} is there, gunzip it first)",
                          plain, packed));
    folder.write("a.csv.gz", "");
    EXPECT_EQ(refusal(plain),
              fmt::format("--output {0}: there is {1}, the compressed log of this name, and it is never "
                          "written; allowed: another file, or the same after gunzip {1}",
                          plain, packed));
    folder.write("a.csv", "");
    check_is_not_compressed(plain);
}

TEST(LogPlace, HasBothFilesOfANewLogOrNone)
{
    const ScratchFolder folder;
    const LogPlace place(folder.path("a.csv"));
    std::string text;
    {
        const FullDisk full(10);
        text = text_of<RunError>(
            [&] { write_log(place, {.text = "more than ten bytes"}, "the log", FileContent{.text = "manifest"}); });
    }
    EXPECT_EQ(text, folder.path("a.csv") + ": the log could not be written: File too large");
    EXPECT_TRUE(fs::is_empty(folder.path("")));
    folder.write("a.csv.json", "of another program");
    EXPECT_THROW(write_log(place, {.text = "rows"}, "the log", FileContent{.text = "manifest"}), UsageError);
    remove_log(place, {.text = "rows"}, FileContent{.text = "manifest"});
    EXPECT_EQ(folder.read("a.csv.json"), "of another program");
    EXPECT_FALSE(folder.has("a.csv"));
}

} // namespace
} // namespace nestbed
