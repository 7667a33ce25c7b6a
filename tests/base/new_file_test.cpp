// Files that replace other files.
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/new_file.hpp"
#include "support/full_disk.hpp"
#include "support/support.hpp"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

// Other files whose names are like the name of a temporary file of ours.
TEST(ReplaceFile, TouchesNothingBesideItsPlace)
{
    const ScratchFolder scratch;
    scratch.write("precious", "kept");
    scratch.write("a.json", "before");
    fs::create_symlink("precious", scratch.path("a.json.partial"));
    ASSERT_EQ(mkfifo(scratch.path("b.json.partial").c_str(), 0600),
              0); // nobody reads it: opening it would block for ever
    fs::create_directory(scratch.path("c.json.partial"));
    scratch.write("d.json.partial", "half of it");
    for (const std::string name : {"a.json", "b.json", "c.json", "d.json"}) {
        replace_file(scratch.path(name), "after", "the text");
        EXPECT_EQ(scratch.read(name), "after");
    }
    write_new_file(scratch.path("c.json.partial/new"), "after", "the text");
    EXPECT_EQ(scratch.read("precious"), "kept");
    EXPECT_TRUE(fs::is_symlink(scratch.path("a.json.partial")));
    EXPECT_TRUE(fs::is_fifo(scratch.path("b.json.partial")));
    EXPECT_EQ(scratch.read("d.json.partial"), "half of it");
    EXPECT_EQ(names_in(scratch),
              (std::set<std::string>{"a.json", "a.json.partial", "b.json", "b.json.partial", "c.json",
                                     "c.json.partial", "d.json", "d.json.partial", "precious"}));
}

TEST(ReplaceFile, TakesTheWholeOfALongName)
{
    const ScratchFolder scratch;
    const std::string name(255, 'n');
    replace_file(scratch.path(name), "after", "the text");
    EXPECT_EQ(scratch.read(name), "after");
}

TEST(ReplaceFile, TakesThePlaceOfALinkThatLeadsNowhere)
{
    const ScratchFolder scratch;
    fs::create_symlink("missing", scratch.path("link"));
    replace_file(scratch.path("link"), "after", "the text");
    EXPECT_EQ(scratch.read("link"), "after");
    EXPECT_FALSE(scratch.has("missing"));
}

TEST(ReplaceFile, RefusesWhatIsNoRegularFile)
{
    const ScratchFolder scratch;
    ASSERT_EQ(mkfifo(scratch.path("pipe").c_str(), 0600), 0);
    fs::create_directory(scratch.path("folder"));
    fs::create_symlink("pipe", scratch.path("link"));
    for (const std::string name : {"pipe", "folder", "link"})
        EXPECT_EQ(text_of<RunError>([&] { replace_file(scratch.path(name), "after", "the text"); }),
                  scratch.path(name) +
                      ": the text could not be written: it already exists and is not a regular file");
    EXPECT_EQ(names_in(scratch), (std::set<std::string>{"folder", "link", "pipe"}));
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

// A child process that ends while it writes, because of the file size limit.
void write_and_be_ended(const std::string& path)
{
    const pid_t child = fork();
    if (child == 0) {
        static_cast<void>(std::signal(SIGXFSZ, SIG_DFL));
        constexpr rlimit kTenBytes{.rlim_cur = 10, .rlim_max = 10};
        constexpr rlimit kNoCore{.rlim_cur = 0, .rlim_max = 0};
        setrlimit(RLIMIT_CORE, &kNoCore);
        setrlimit(RLIMIT_FSIZE, &kTenBytes);
        replace_file(path, std::string(100, 'x'), "the text");
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
}

std::set<std::string> partial_files_in(const ScratchFolder& scratch)
{
    std::set<std::string> names = names_in(scratch);
    std::erase_if(names, [](const std::string& name) { return !name.ends_with(".partial"); });
    return names;
}

TEST(ReplaceFile, RemovesWhatProcessesThatWereEndedLeftOfIt)
{
    const ScratchFolder scratch;
    scratch.write("a.json", "before");
    write_and_be_ended(scratch.path("a.json"));
    EXPECT_EQ(partial_files_in(scratch).size(), 1U);
    write_and_be_ended(scratch.path("a.json")); // removes the first one and leaves its own
    ASSERT_EQ(partial_files_in(scratch).size(), 1U);
    const std::string left = *partial_files_in(scratch).begin();
    replace_file(scratch.path("b.json"), "other", "the text");
    EXPECT_TRUE(scratch.has(left)); // belongs to another file
    {
        const std::string pipe = left.substr(0, left.find_last_of('-')) + "-pipe.partial"; // not one of our files
        ASSERT_EQ(mkfifo(scratch.path(pipe).c_str(), 0600), 0);
        const Descriptor held(open(scratch.path(left).c_str(), O_RDONLY | O_CLOEXEC)); // NOLINT(*-vararg)
        ASSERT_EQ(flock(held, LOCK_EX), 0);                                            // as the writing process does
        replace_file(scratch.path("a.json"), "after", "the text");
        EXPECT_EQ(partial_files_in(scratch), (std::set<std::string>{left, pipe}));
        fs::remove(scratch.path(pipe));
    }
    write_new_file(scratch.path("c.json"), "after", "the text");
    EXPECT_TRUE(scratch.has(left));
    replace_file(scratch.path("a.json"), "after", "the text");
    EXPECT_EQ(names_in(scratch), (std::set<std::string>{"a.json", "b.json", "c.json"}));
    EXPECT_EQ(scratch.read("a.json"), "after");
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

// No writer takes the temporary file of another for a stale one.
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
    EXPECT_NO_THROW(bring_folder_to_disk(FilePlace::named(scratch.path("any"))));
    EXPECT_EQ(text_of<RunError>([&] { bring_folder_to_disk(FilePlace::named(scratch.path("none/file"))); }),
              scratch.path("none/file") + ": its folder could not be synced to the disk: No such file or directory");
    EXPECT_NO_THROW(bring_folder_to_disk(FilePlace::named("/proc/file"))); // it does not support this
}

} // namespace
} // namespace nestbed
