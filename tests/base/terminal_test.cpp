// What is asked of a terminal: its width, and whether it has colours.
#include "base/terminal.hpp"

#include "base/file_descriptor.hpp"
#include "support/environment_support.hpp"
#include "support/matchers.hpp"

#include <fcntl.h>
#include <sstream>
#include <sys/ioctl.h>

namespace nestbed
{
namespace
{

// A terminal of so many columns. The test has its other end.
class OwnTerminal
{
  public:
    // A chroot without /dev/pts gives none.
    static bool can_be_made() { return Descriptor(posix_openpt(O_RDWR | O_NOCTTY)) >= 0; }

    explicit OwnTerminal(unsigned short columns) : end_(posix_openpt(O_RDWR | O_NOCTTY))
    {
        EXPECT_EQ(grantpt(end_), 0);
        EXPECT_EQ(unlockpt(end_), 0);
        const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
        EXPECT_EQ(ioctl(end_, TIOCSWINSZ, &size), 0);         // NOLINT(*-vararg)
        terminal_ = ::open(ptsname(end_), O_RDWR | O_NOCTTY); // NOLINT(*-vararg, concurrency-mt-unsafe)
        EXPECT_GE(terminal_, 0);
    }
    OwnTerminal(const OwnTerminal&) = delete;
    OwnTerminal& operator=(const OwnTerminal&) = delete;
    ~OwnTerminal() { close(terminal_); }
    operator int() const { return terminal_; } // NOLINT(google-explicit-constructor)

  private:
    Descriptor end_;
    int terminal_ = -1;
};

TEST(Terminal, HasItsOwnWidthUnlessTheUserGivesOne)
{
    if (!OwnTerminal::can_be_made())
        GTEST_SKIP() << "this machine gives no pseudo-terminal";
    const EnvironmentVariable no_columns("COLUMNS", "");
    EXPECT_EQ(terminal_of(OwnTerminal(132)).columns, 132U);
    EXPECT_EQ(terminal_of(OwnTerminal(20)).columns, 20U);
    EXPECT_EQ(terminal_of(OwnTerminal(0)).columns, 80U); // it does not know its width
    const EnvironmentVariable columns("COLUMNS", "100");
    EXPECT_EQ(terminal_of(OwnTerminal(132)).columns, 100U);
}

TEST(Terminal, HasFrom20To1000Columns)
{
    for (const auto& [said, columns] : {std::pair("19", 80U),
                                        {"20", 20U},
                                        {"140", 140U},
                                        {"1000", 1000U},
                                        {"1001", 80U},
                                        {"", 80U},
                                        {"0", 80U},
                                        {"3", 80U},
                                        {"many", 80U},
                                        {"-5", 80U},
                                        {"99999", 80U}}) {
        const EnvironmentVariable variable("COLUMNS", said);
        EXPECT_EQ(terminal_of(-1).columns, columns) << said;
    }
}

TEST(Terminal, GetsMessagesInLinesOf80Characters)
{
    if (!OwnTerminal::can_be_made())
        GTEST_SKIP() << "this machine gives no pseudo-terminal";
    const OwnTerminal terminal(80);
    const std::string message = "nestbed: " + std::string(50, 'a') + " " + std::string(30, 'b') + " c";
    const std::string folded = "nestbed: " + std::string(50, 'a') + "\n  " + std::string(30, 'b') + " c\n";
    EXPECT_EQ(for_terminal(terminal, message), folded);
    EXPECT_EQ(for_terminal(-1, message), message + "\n");
    const std::string place = "  " + std::string(90, 'p') + " of the source";
    EXPECT_EQ(for_terminal(terminal, message + "\n" + place + "\n" + message), folded + place + "\n" + folded);
    const std::string begin = "nestbed: " + std::string(40, 'a') + " to build it:",
                      command = "nestbed build " + std::string(30, 'b') + " --with " + std::string(40, 'c');
    EXPECT_EQ(for_terminal(terminal, begin + " " + command), begin + "\n  " + command + "\n");
    EXPECT_EQ(for_terminal(terminal, "to build it: nestbed build a"), "to build it: nestbed build a\n");
    EXPECT_THAT(for_terminal(terminal, begin + " " + command + ", or not"), testing::HasSubstr("--with\n  ccc"));
    const std::string other = "nest " + message + "\n\n";
    for (const int descriptor : {static_cast<int>(terminal), -1}) {
        std::ostringstream out;
        {
            const FoldedMessages messages(out, descriptor);
            out << "nest" << ' ' << message << "\n\n" << message << std::flush << "\nnestbed: end" << std::flush;
            EXPECT_EQ(out.str(), other + for_terminal(descriptor, message));
        }
        EXPECT_EQ(out.str(), other + for_terminal(descriptor, message) + "nestbed: end");
    }
}

TEST(Terminal, HasColoursUnlessTheUserOrTheTerminalHasNone)
{
    if (!OwnTerminal::can_be_made())
        GTEST_SKIP() << "this machine gives no pseudo-terminal";
    const OwnTerminal terminal(80);
    const EnvironmentVariable no_wish("NO_COLOR", "");
    const EnvironmentVariable kind("TERM", "xterm");
    EXPECT_TRUE(terminal_of(terminal).colour);
    EXPECT_FALSE(terminal_of(-1).colour);
    {
        const EnvironmentVariable dumb("TERM", "dumb");
        EXPECT_FALSE(terminal_of(terminal).colour);
    }
    const EnvironmentVariable wish("NO_COLOR", "1");
    EXPECT_FALSE(terminal_of(terminal).colour);
}

TEST(Coloured, HasTheCodesOfAnsiTerminals)
{
    EXPECT_EQ(coloured("text", Colour::none), "text");
    EXPECT_EQ(coloured("text", Colour::red), "\033[31mtext\033[0m");
    EXPECT_EQ(coloured("text", Colour::green), "\033[32mtext\033[0m");
    EXPECT_EQ(coloured("text", Colour::yellow), "\033[33mtext\033[0m");
}

} // namespace
} // namespace nestbed
