// Messages at a terminal: which lines are wrapped, and where.
#include "cli/wrapped_messages.hpp"

#include "support/support.hpp"

#include <sstream>

namespace nestbed
{
namespace
{

TEST(Wrapped, BreaksBetweenWordsAndKeepsValuesWhole)
{
    EXPECT_EQ(wrapped("nestbed: a short message", 30), "nestbed: a short message");
    EXPECT_EQ(wrapped("nestbed: a message that is too long", 20), "nestbed: a message\n  that is too long");
    EXPECT_EQ(wrapped("nestbed: there is no 'a name of words'; allowed: one", 30),
              "nestbed: there is no\n  'a name of words'; allowed:\n  one");
    EXPECT_EQ(wrapped("nestbed: rerun (`nestbed run --load x`) of it", 24),
              "nestbed: rerun\n  (`nestbed run --load x`)\n  of it");
    EXPECT_EQ(wrapped("nestbed: 'tis an apostrophe of nobody", 20), "nestbed: 'tis an\n  apostrophe of\n  nobody");
    EXPECT_EQ(wrapped("nestbed: /a/path/that/is/longer/than/a/line x", 20),
              "nestbed:\n  /a/path/that/is/longer/than/a/line\n  x");
}

TEST(Wrapped, AStreamWrapsItsMessagesAlone)
{
    const std::string table = "a table of other words that is longer than the line\n";
    const std::string progress = "\r\033[K12 of 30 samples, about 2 min left, and more words";
    std::ostringstream out;
    {
        const WrappedMessages messages(out, 20);
        out << table << "nestbed: "
            << "a message in several parts" << '\n'
            << std::flush;
        out << progress << std::flush << "\r\033[Knestbed: after the progress of it\n";
        out << "\nnest is no message that is wrapped\n" << 'x';
    }
    out << " and nothing afterwards is wrapped, nestbed: or not\n";
    EXPECT_EQ(out.str(), table + "nestbed: a message\n  in several parts\n" + progress +
                             "\r\033[Knestbed: after the\n  progress of it\n\nnest is no message that is wrapped\n"
                             "x and nothing afterwards is wrapped, nestbed: or not\n");
}

} // namespace
} // namespace nestbed
