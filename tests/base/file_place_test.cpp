// Places of files: which links are followed, and that a place stays in its folder.
#include "base/file_place.hpp"

#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/text_file.hpp"
#include "support/support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>

namespace nestbed
{
namespace
{

namespace fs = std::filesystem;

TEST(FilePlace, FollowsLinksOnce)
{
    const ScratchFolder scratch;
    fs::create_directories(scratch.path("data/deep"));
    scratch.write("data/real", "text");
    fs::create_symlink("../real", scratch.path("data/deep/second")); // relative to the folder of the link
    fs::create_symlink(scratch.path("data/deep/second"), scratch.path("first"));
    const FilePlace place = FilePlace::followed(scratch.path("first"));
    EXPECT_EQ(place.path(), scratch.path("first"));
    EXPECT_EQ(place.name(), "real");
    fs::remove(scratch.path("first"));
    fs::create_symlink(scratch.write("other", "of another"), scratch.path("first"));
    EXPECT_EQ(read_text_file(place), "text");
    EXPECT_EQ(read_text_file(FilePlace::to_replace(scratch.path("first"))), "of another");
}

TEST(FilePlace, OfALinkThatLeadsNowhereIsWhereItLeads)
{
    const ScratchFolder scratch;
    fs::create_symlink("missing", scratch.path("link"));
    EXPECT_EQ(FilePlace::followed(scratch.path("link")).name(), "missing");
    EXPECT_EQ(FilePlace::to_replace(scratch.path("link")).name(), "link");
    fs::create_symlink("circle", scratch.path("circle"));
    EXPECT_EQ(FilePlace::followed(scratch.path("circle")).open(O_RDONLY), -1);
    EXPECT_EQ(errno, ELOOP);
    EXPECT_EQ(FilePlace::followed(scratch.path("missing/file")).open(O_RDONLY), -1);
    EXPECT_EQ(errno, ENOENT);
}

TEST(FilePlace, DoesNotFollowALinkThatTookItsNameLater)
{
    const ScratchFolder scratch;
    const std::string precious = scratch.write("precious", "kept");
    const FilePlace place = FilePlace::followed(scratch.write("a.json", "before"));
    fs::remove(scratch.path("a.json"));
    fs::create_symlink(precious, scratch.path("a.json"));
    EXPECT_EQ(place.open(O_RDWR), -1);
    EXPECT_EQ(errno, ELOOP);
    EXPECT_EQ(text_of<RunError>([&] { static_cast<void>(read_text_file(place)); }),
              scratch.path("a.json") + ": it could not be read: Too many levels of symbolic links");
    replace_file(place, "after", "the text");
    EXPECT_EQ(scratch.read("precious"), "kept");
    EXPECT_FALSE(fs::is_symlink(scratch.path("a.json")));
    EXPECT_EQ(scratch.read("a.json"), "after");
}

TEST(FilePlace, StaysInItsFolder)
{
    const ScratchFolder scratch;
    fs::create_directory(scratch.path("folder"));
    fs::create_directory(scratch.path("elsewhere"));
    scratch.write("elsewhere/a.json", "kept");
    const FilePlace place = FilePlace::named(scratch.path("folder/a.json"));
    EXPECT_TRUE(place.is_reached());
    fs::rename(scratch.path("folder"), scratch.path("moved"));
    EXPECT_FALSE(place.is_reached());
    fs::create_directory_symlink("elsewhere", scratch.path("folder"));
    EXPECT_FALSE(place.is_reached());
    replace_file(place, "after", "the text");
    write_new_file(place.sibling("b.json"), "new", "the text");
    EXPECT_EQ(scratch.read("moved/a.json"), "after");
    EXPECT_EQ(scratch.read("moved/b.json"), "new");
    EXPECT_EQ(scratch.read("elsewhere/a.json"), "kept");
    EXPECT_FALSE(scratch.has("elsewhere/b.json"));
    std::vector<std::string> names = place.names_in_folder();
    std::ranges::sort(names);
    EXPECT_EQ(names, (std::vector<std::string>{".", "..", "a.json", "b.json"}));
}

TEST(FilePlace, OfANewFileIsNotALink)
{
    const ScratchFolder scratch;
    fs::create_symlink("missing", scratch.path("link"));
    EXPECT_EQ(text_of<UsageError>(
                  [&] { write_new_file(FilePlace::named(scratch.path("link")), "text", "the text", "--csv"); }),
              "--csv " + scratch.path("link") +
                  ": it already exists, and nothing is overwritten; allowed: a new file in a folder that can be "
                  "written to");
    EXPECT_FALSE(scratch.has("missing"));
}

} // namespace
} // namespace nestbed
