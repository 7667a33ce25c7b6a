// Files that take the place of others.
#include "base/new_file.hpp"
#include "support/support.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace nestbed
{
namespace
{

namespace fs = std::filesystem;

TEST(ReplaceFile, WritesThroughALinkAndKeepsPermissions)
{
    const ScratchFolder scratch;
    scratch.write("real.md", "before");
    fs::permissions(scratch.path("real.md"), fs::perms::owner_read | fs::perms::owner_write);
    fs::create_symlink("real.md", scratch.path("link.md"));
    replace_file(scratch.path("link.md"), "after", "the text");
    EXPECT_TRUE(fs::is_symlink(scratch.path("link.md")));
    EXPECT_EQ(scratch.read("real.md"), "after");
    EXPECT_EQ(fs::status(scratch.path("real.md")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(ReplaceFile, WritesWhereAnEndedRunHasLeftAPartialFile)
{
    const ScratchFolder scratch;
    scratch.write("a.md", "before");
    scratch.write("a.md.partial", "half of it");
    replace_file(scratch.path("a.md"), "after", "the text");
    EXPECT_EQ(scratch.read("a.md"), "after");
    EXPECT_FALSE(scratch.has("a.md.partial"));
}

} // namespace
} // namespace nestbed
