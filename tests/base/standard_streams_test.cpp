// Which file is open on a descriptor, and programs that are started without standard streams.
#include "base/descriptor.hpp"
#include "base/standard_streams.hpp"
#include "support/support.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace nestbed
{
namespace
{

TEST(IsOpenOn, KnowsAFileByAnyOfItsNames)
{
    const ScratchFolder scratch;
    const std::string name = scratch.write("a", "text");
    std::filesystem::create_symlink("a", scratch.path("link"));
    const Descriptor file(::open(name.c_str(), O_RDONLY)); // NOLINT(*-vararg)
    EXPECT_TRUE(is_open_on(file, name));
    EXPECT_TRUE(is_open_on(file, scratch.path("link")));
    EXPECT_FALSE(is_open_on(file, scratch.write("b", "text")));
    EXPECT_FALSE(is_open_on(file, scratch.path("missing")));
    EXPECT_FALSE(is_open_on(file, "/dev/tty"));
    EXPECT_FALSE(is_open_on(-1, name));
    const Descriptor null(::open("/dev/null", O_RDONLY)); // NOLINT(*-vararg)
    EXPECT_FALSE(is_open_on(null, "/dev/null"));          // anything may be written there
}

// What the program opens later must not become its standard output.
TEST(StandardStreams, AreOpenedWhereTheyAreClosed)
{
    EXPECT_EXIT(
        {
            for (const int number : {STDIN_FILENO, STDOUT_FILENO})
                close(number);
            const bool done = prepare_standard_streams();
            char byte = 0;
            const bool can_be_read = read(STDIN_FILENO, &byte, 1) == 0 && read(STDOUT_FILENO, &byte, 1) == 0;
            const bool is_refused = write(STDOUT_FILENO, &byte, 1) == -1 && errno == EBADF;
            _exit(done && can_be_read && is_refused ? 7 : 1);
        },
        testing::ExitedWithCode(7), "");
    EXPECT_EXIT(
        {
            close(STDERR_FILENO);
            const bool done = prepare_standard_streams();
            _exit(done && write(STDERR_FILENO, "", 1) == 1 && std::signal(SIGXFSZ, SIG_DFL) == SIG_IGN ? 7 : 1);
        },
        testing::ExitedWithCode(7), "");
}

} // namespace
} // namespace nestbed
