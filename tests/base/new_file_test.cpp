// Files that replace other files.
#include "base/error.hpp"
#include "base/new_file.hpp"
#include "support/full_disk.hpp"
#include "support/support.hpp"

#include <atomic>
#include <filesystem>
#include <set>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace nestbed
{
namespace
{

namespace fs = std::filesystem;

std::set<std::string> names_in(const ScratchFolder& scratch)
{
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(scratch.path("")))
        names.insert(entry.path().filename().string());
    return names;
}

TEST(ReplaceFile, KeepsPermissions)
{
    const ScratchFolder scratch;
    scratch.write("a.md", "before");
    fs::permissions(scratch.path("a.md"), fs::perms::owner_read | fs::perms::owner_write);
    replace_file(scratch.path("a.md"), "after", "the text");
    EXPECT_EQ(scratch.read("a.md"), "after");
    EXPECT_EQ(fs::status(scratch.path("a.md")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(ReplaceFile, TakesTheWholeOfALongName)
{
    const ScratchFolder scratch;
    const std::string name(255, 'n');
    replace_file(scratch.path(name), "after", "the text");
    EXPECT_EQ(scratch.read(name), "after");
}

TEST(ReplaceFile, TakesThePlaceOfALinkAndDoesNotFollowIt)
{
    const ScratchFolder scratch;
    scratch.write("precious", "kept");
    for (const char* target : {"missing", "precious"}) {
        fs::remove(scratch.path("link"));
        fs::create_symlink(target, scratch.path("link"));
        EXPECT_THROW(write_new_file(scratch.path("link"), "after", "the text"), UsageError);
        replace_file(scratch.path("link"), "after", "the text");
        EXPECT_EQ(scratch.read("link"), "after");
        EXPECT_FALSE(fs::is_symlink(scratch.path("link")));
    }
    EXPECT_FALSE(scratch.has("missing"));
    EXPECT_EQ(scratch.read("precious"), "kept");
}

TEST(ReplaceFile, RefusesWhatIsNoRegularFile)
{
    const ScratchFolder scratch;
    ASSERT_EQ(mkfifo(scratch.path("pipe").c_str(), 0600), 0);
    fs::create_directory(scratch.path("folder"));
    for (const std::string name : {"pipe", "folder"})
        EXPECT_EQ(text_of<RunError>([&] { replace_file(scratch.path(name), "after", "the text"); }),
                  scratch.path(name) +
                      ": the text could not be written: it already exists and is not a regular file");
    EXPECT_EQ(names_in(scratch), (std::set<std::string>{"folder", "pipe"}));
    EXPECT_TRUE(fs::is_fifo(scratch.path("pipe")));
}

TEST(ReplaceFile, LeavesNothingBehindWhenItFails)
{
    const ScratchFolder scratch;
    scratch.write("a.md", "before");
    const std::string long_text(100, 'x');
    std::string replaced;
    std::string made;
    {
        const FullDisk full(10);
        replaced = text_of<RunError>([&] { replace_file(scratch.path("a.md"), long_text, "the text"); });
        made = text_of<RunError>([&] { write_new_file(scratch.path("b.md"), long_text, "the text"); });
    }
    EXPECT_EQ(replaced, scratch.path("a.md") + ": the text could not be written: File too large");
    EXPECT_EQ(made, scratch.path("b.md") + ": the text could not be written: File too large");
    EXPECT_EQ(scratch.read("a.md"), "before");
    EXPECT_EQ(names_in(scratch), (std::set<std::string>{"a.md"}));
}

// A file that came into being after the name was checked is not replaced.
TEST(WriteNewFile, IsDoneByOneOfManyAtOnce)
{
    const ScratchFolder scratch;
    for (int time = 0; time < 20; ++time) {
        const std::string path = scratch.path("new" + std::to_string(time));
        std::atomic<unsigned> written = 0;
        {
            std::vector<std::jthread> threads;
            for (int thread = 0; thread < 4; ++thread)
                threads.emplace_back([&] {
                    try {
                        write_new_file(path, "content", "the text");
                        ++written;
                    } catch (const UsageError&) { // it was there already
                    } catch (const RunError& error) {
                        EXPECT_STREQ(error.what(), (path + ": the text could not be written: File exists").c_str());
                    }
                });
        }
        EXPECT_EQ(written, 1U);
    }
}

TEST(ReplaceFile, IsDoneByManyAtOnce)
{
    const ScratchFolder scratch;
    const std::string content(10'000, 'x');
    {
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread)
            threads.emplace_back([&] {
                for (int time = 0; time < 100; ++time)
                    EXPECT_NO_THROW(replace_file(scratch.path("a.json"), content, "the text"));
            });
    }
    EXPECT_EQ(scratch.read("a.json"), content);
    EXPECT_EQ(names_in(scratch), (std::set<std::string>{"a.json"}));
}

TEST(WriteNewFile, SaysWhyItCannotBe)
{
    const ScratchFolder scratch;
    scratch.write("there", "kept");
    fs::create_directory(scratch.path("folder"));
    const auto refusal = [&](const std::string& path) {
        return text_of<UsageError>([&] { check_new_file(path, "--csv"); });
    };
    const std::string allowed = "; allowed: a new file in a folder that can be written to";
    const std::string there = scratch.path("there");
    const std::string in_none = scratch.path("none/file");
    EXPECT_EQ(refusal(scratch.path("folder")), "--csv " + scratch.path("folder") + ": it is a folder" + allowed);
    EXPECT_EQ(refusal(there), "--csv " + there + ": it already exists, and nothing is overwritten" + allowed);
    EXPECT_EQ(refusal(in_none), "--csv " + in_none + ": there is no folder " + scratch.path("none") + allowed);
    EXPECT_NO_THROW(check_new_file(scratch.path("new")));
    EXPECT_NO_THROW(check_new_file("a-name-without-a-folder"));
    EXPECT_FALSE(scratch.has("new"));
}

TEST(WriteNewFile, NeedsAFolderThatCanBeWrittenTo)
{
    EXPECT_EXIT(
        {
            constexpr unsigned kNobody = 54'321;
            if (geteuid() == 0 && setuid(kNobody) != 0)
                _exit(1);
            const std::string text = text_of<UsageError>([] { check_new_file("/new"); });
            static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
            _exit(7);
        },
        testing::ExitedWithCode(7),
        "^--output /new: Permission denied; allowed: a new file in a folder that can be written to$");
}

TEST(WriteNewFile, HasThePermissionsAskedForOrTheUsualOnes)
{
    const ScratchFolder scratch;
    const mode_t before = umask(022);
    write_new_file(scratch.path("usual"), "text", "the text");
    write_new_file(scratch.path("program"), "text", "the text", "--output", 0750);
    umask(before);
    struct stat usual {
    };
    struct stat program {
    };
    ASSERT_EQ(stat(scratch.path("usual").c_str(), &usual), 0);
    ASSERT_EQ(stat(scratch.path("program").c_str(), &program), 0);
    EXPECT_EQ(usual.st_mode & 07777U, 0644U);
    EXPECT_EQ(program.st_mode & 07777U, 0750U);
}

TEST(BringFolderToDisk, SaysWhichFolderCannotBe)
{
    const ScratchFolder scratch;
    EXPECT_NO_THROW(bring_folder_to_disk(scratch.path("any")));
    EXPECT_EQ(text_of<RunError>([&] { bring_folder_to_disk(scratch.path("none/file")); }),
              scratch.path("none/file") + ": its folder could not be synced to the disk: No such file or directory");
    EXPECT_NO_THROW(bring_folder_to_disk("/proc/file")); // it does not support this
}

} // namespace
} // namespace nestbed
