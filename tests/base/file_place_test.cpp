// Places of files: which links are followed, and that a place stays in its folder.
#include "base/file_place.hpp"

#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/text_file.hpp"
#include "support/support.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <iterator>

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

TEST(FilePlace, FollowsFortyLinksAsLinuxDoes)
{
    const ScratchFolder scratch;
    scratch.write("0", "text");
    for (int link = 1; link <= 41; ++link)
        fs::create_symlink(std::to_string(link - 1), scratch.path(std::to_string(link)));
    EXPECT_EQ(FilePlace::followed(scratch.path("40")).name(), "0");
    EXPECT_EQ(read_text_file(FilePlace::followed(scratch.path("40"))), "text");
    EXPECT_EQ(FilePlace::followed(scratch.path("41")).open(O_RDONLY), -1);
    EXPECT_EQ(errno, ELOOP);
}

TEST(FilePlace, KnowsWhatHasItsName)
{
    const ScratchFolder scratch;
    fs::create_symlink(scratch.write("file", "text"), scratch.path("link"));
    fs::create_directory(scratch.path("folder"));
    EXPECT_TRUE(FilePlace::named(scratch.path("file")).is_regular_file());
    EXPECT_EQ(FilePlace::named(scratch.path("file")).status()->st_size, 4);
    EXPECT_FALSE(FilePlace::named(scratch.path("link")).is_regular_file());
    EXPECT_FALSE(FilePlace::named(scratch.path("folder")).is_regular_file());
    EXPECT_FALSE(FilePlace::named(scratch.path("none")).is_regular_file());
    EXPECT_TRUE(FilePlace::named(scratch.path("link")).status());
    EXPECT_FALSE(FilePlace::named(scratch.path("none")).status());
}

TEST(FilePlace, HasSiblings)
{
    const ScratchFolder scratch;
    const FilePlace place = FilePlace::named(scratch.path("a.json"));
    EXPECT_EQ(place.sibling("b.json").path(), scratch.path("b.json"));
    EXPECT_EQ(place.sibling("b.json").name(), "b.json");
    EXPECT_EQ(FilePlace::named("a.json").sibling("b.json").path(), "b.json");
    EXPECT_TRUE(FilePlace::named("a.json").is_reached());
    EXPECT_EQ(FilePlace::named(scratch.path("")).name(), ".");
}

TEST(FilePlace, IsRemovedOrRenamedInItsFolder)
{
    const ScratchFolder scratch;
    const FilePlace a = FilePlace::named(scratch.write("a", "of a"));
    const FilePlace b = FilePlace::named(scratch.write("b", "of b"));
    EXPECT_EQ(a.rename_to(b, false), -1);
    EXPECT_EQ(errno, EEXIST);
    EXPECT_EQ(scratch.read("b"), "of b");
    EXPECT_EQ(a.rename_to(a.sibling("c"), false), 0);
    EXPECT_EQ(scratch.read("c"), "of a");
    EXPECT_EQ(a.sibling("c").rename_to(b, true), 0);
    EXPECT_EQ(scratch.read("b"), "of a");
    EXPECT_FALSE(scratch.has("c"));
    EXPECT_EQ(b.remove(), 0);
    EXPECT_FALSE(scratch.has("b"));
    EXPECT_EQ(b.remove(), -1);
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(b.sync_folder(), 0);
}

TEST(FilePlace, InNoFolderIsAnErrorEverywhere)
{
    const ScratchFolder scratch;
    const FilePlace place = FilePlace::named(scratch.path("missing/file"));
    const FilePlace there = FilePlace::named(scratch.write("there", "text"));
    const auto expect_error = [](int result) {
        EXPECT_EQ(result, -1);
        EXPECT_EQ(errno, ENOENT);
        errno = 0;
    };
    expect_error(place.open(O_WRONLY | O_CREAT));
    expect_error(place.remove());
    expect_error(place.rename_to(there, true));
    expect_error(there.rename_to(place, true));
    expect_error(place.sync_folder());
    EXPECT_FALSE(place.status());
    EXPECT_FALSE(place.is_regular_file());
    EXPECT_FALSE(place.is_reached());
    EXPECT_TRUE(place.names_in_folder().empty());
    EXPECT_FALSE(scratch.has("file"));
    EXPECT_EQ(scratch.read("there"), "text");
}

std::size_t open_files()
{
    return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

TEST(FilePlace, LeavesNoFileOpen)
{
    const ScratchFolder scratch;
    const std::string path = scratch.write("file", "text");
    const std::size_t before = open_files();
    {
        const FilePlace place = FilePlace::followed(path);
        EXPECT_EQ(place.names_in_folder().size(), 3U);
        EXPECT_EQ(place.sync_folder(), 0);
        replace_file(place, "another", "the text");
        write_new_file(place.sibling("new"), "text", "the text");
        EXPECT_EQ(read_text_file(place), "another");
    }
    EXPECT_EQ(open_files(), before);
}

} // namespace
} // namespace nestbed
