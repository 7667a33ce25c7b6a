// Which file is open on a descriptor, and programs that are started without standard streams.
#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "base/standard_streams.hpp"
#include "support/support.hpp"

#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
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

std::string text_in(const ScratchFolder& scratch, const char* name)
{
    return scratch.has(name) ? scratch.read(name) : "no file";
}

// What kernels print does not get into the data, whatever is in the buffer of the stream.
TEST(StandardOutput, GoesToErrorAsLongAsItIsForData)
{
    const ScratchFolder scratch;
    EXPECT_EXIT(
        {
            const int out = ::open(scratch.path("out").c_str(), O_WRONLY | O_CREAT, 0600);     // NOLINT(*-vararg)
            const int error = ::open(scratch.path("error").c_str(), O_WRONLY | O_CREAT, 0600); // NOLINT(*-vararg)
            dup2(out, STDOUT_FILENO);
            dup2(error, STDERR_FILENO);
            std::printf("data before\n");
            {
                const StandardOutputToError redirected;
                std::printf("of a kernel\n");
            }
            std::printf("data behind\n");
            std::fflush(stdout);
            StandardOutputToError::end(); // nothing to end
            std::printf("data at the end\n");
            std::fflush(stdout);
            _exit(7);
        },
        testing::ExitedWithCode(7), "");
    EXPECT_EQ(text_in(scratch, "out"), "data before\ndata behind\ndata at the end\n");
    EXPECT_EQ(text_in(scratch, "error"), "of a kernel\n");
}

TEST(StandardOutput, ThatIsClosedCannotBeKept)
{
    EXPECT_EXIT(
        {
            close(STDOUT_FILENO);
            try {
                const StandardOutputToError redirected;
            } catch (const RunError& error) {
                static_cast<void>(!write(STDERR_FILENO, error.what(), std::string_view(error.what()).size()));
                _exit(7);
            }
            _exit(1);
        },
        testing::ExitedWithCode(7), "^standard output could not be kept for data: Bad file descriptor$");
}

// Each stream is opened by itself, in the direction that it has.
TEST(StandardStreams, ThatAreOpenStayAsTheyAre)
{
    EXPECT_EXIT(
        {
            close(STDOUT_FILENO);
            const int before = fcntl(STDIN_FILENO, F_GETFL); // NOLINT(*-vararg)
            const bool done = prepare_standard_streams();
            const int flags = fcntl(STDOUT_FILENO, F_GETFL); // NOLINT(*-vararg)
            _exit(done && (flags & O_ACCMODE) == O_RDONLY && fcntl(STDIN_FILENO, F_GETFL) == before ? 7 : 1);
        },
        testing::ExitedWithCode(7), "");
}

} // namespace
} // namespace nestbed
