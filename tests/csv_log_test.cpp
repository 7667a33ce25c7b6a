// The log's file: never half-made, never overwritten, a row as soon as it is measured.
#include "../src/core/csv.hpp"
#include "../src/core/record.hpp"
#include "../src/core/row.hpp"

#include "../src/core/error.hpp"
#include "support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <sys/resource.h>
#include <unistd.h>

namespace nestbed
{
namespace
{

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<std::string> some_row()
{
    std::vector<std::string> row;
    for (const std::string& column : columns())
        row.push_back("a " + column + ", quoted");
    return row;
}

std::string log_refusal(const std::string& path)
{
    return text_of<UsageError>([&] { CsvLog log(path); });
}

TEST(CsvLogFile, ThatIsNewBeginsWithTheHeader)
{
    const ScratchFolder folder;
    const std::string path = folder.path("new.csv");
    const CsvLog log(path);
    EXPECT_EQ(log.path(), path);
    EXPECT_EQ(folder.read("new.csv"), csv_line(columns())); // flushed while the log is open
}

TEST(CsvLogFile, HasEachRowAsSoonAsItIsAppended)
{
    const ScratchFolder folder;
    CsvLog log(folder.path("new.csv"));
    const std::vector<std::string> row = some_row();
    log.append(row);
    EXPECT_THAT(parse_csv(folder.read("new.csv")), ElementsAre(columns(), row));
    log.append(row);
    EXPECT_THAT(parse_csv(folder.read("new.csv")), ElementsAre(columns(), row, row));
}

TEST(CsvLogFile, ThatIsALogAlreadyIsContinued)
{
    const ScratchFolder folder;
    const std::vector<std::string> row = some_row();
    CsvLog(folder.path("old.csv")).append(row);
    CsvLog(folder.path("old.csv")).append(row);
    EXPECT_THAT(parse_csv(folder.read("old.csv")), ElementsAre(columns(), row, row));
}

TEST(CsvLogFile, ThatIsEmptyGetsItsHeader)
{
    const ScratchFolder folder;
    const CsvLog log(folder.write("empty.csv", ""));
    EXPECT_EQ(folder.read("empty.csv"), csv_line(columns()));
}

// A full disk or a killed run leaves the beginning of a row. The next row must not become its end.
TEST(CsvLogFile, ThatEndsWithinARowNeverSwallowsTheNextOne)
{
    const ScratchFolder folder;
    const std::string cut = csv_line(columns()) + "book,20261121T0640";
    const std::vector<std::string> row = some_row();
    try {
        CsvLog(folder.write("cut.csv", cut)).append(row);
    } catch (const UsageError&) {
        EXPECT_EQ(folder.read("cut.csv"), cut); // to refuse it untouched would do as well
        return;
    }
    EXPECT_THAT(folder.read("cut.csv"), testing::EndsWith("\n" + csv_line(row)));
}

TEST(CsvLogFile, ThatIsSomethingElseIsRefusedAndNotTouched)
{
    const ScratchFolder folder;
    std::string other = csv_line(columns());
    other.insert(0, "x");
    for (const std::string& text :
         {std::string("my notes\n"), std::string("a,b,c\r\n1,2,3\r\n"), other, std::string(1, '\n')}) {
        const std::string path = folder.write("foreign.csv", text);
        EXPECT_EQ(log_refusal(path),
                  "--output " + path +
                      ": it is there already and is not a log of this version, and nothing is "
                      "overwritten; allowed: a file that can be written, or - for standard output");
        EXPECT_EQ(folder.read("foreign.csv"), text);
    }
}

TEST(CsvLogFile, InAFolderThatIsNotThereIsRefusedAndTheFolderNotMade)
{
    const ScratchFolder folder;
    EXPECT_THAT(log_refusal(folder.path("missing/new.csv")),
                AllOf(StartsWith("--output " + folder.path("missing/new.csv") + ": there is no folder "),
                      HasSubstr(folder.path("missing")), HasSubstr("allowed: a file that can be written, or -")));
    EXPECT_FALSE(folder.has("missing"));
}

TEST(CsvLogFile, CannotBeAFolderOrLieInAFile)
{
    const ScratchFolder folder;
    EXPECT_THAT(log_refusal(folder.path("")), StartsWith("--output " + folder.path("") + ": "));
    const std::string file = folder.write("file", "text");
    EXPECT_THAT(log_refusal(file + "/new.csv"), HasSubstr("there is no folder " + file));
    EXPECT_EQ(folder.read("file"), "text");
}

TEST(CsvLogFile, ThatMayNotBeWrittenIsRefused)
{
    if (geteuid() == 0)
        GTEST_SKIP() << "root may write anywhere";
    const ScratchFolder folder;
    std::filesystem::permissions(folder.path(""),
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    EXPECT_THAT(log_refusal(folder.path("new.csv")), HasSubstr("Permission denied"));
    std::filesystem::permissions(folder.path(""), std::filesystem::perms::owner_all);
}

TEST(CsvLogFile, MayBeStandardOutput)
{
    const std::vector<std::string> row = some_row();
    testing::internal::CaptureStdout();
    CsvLog("-").append(row);
    CsvLog("-").append(row); // the first log did not close it
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              csv_line(columns()) + csv_line(row) + csv_line(columns()) + csv_line(row));
}

TEST(CsvLogFile, MayBeADeviceThatSwallowsEverything)
{
    EXPECT_NO_THROW(CsvLog("/dev/null").append(some_row()));
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

// /dev/full has no end when it is read: in a process of its own, with little time and memory.
TEST(CsvLogFile, OnAFullDeviceIsARunError)
{
    const auto open = [] {
        alarm(10);
#ifndef __SANITIZE_ADDRESS__ // its shadow alone needs more
        constexpr rlimit kLimit{1 << 30, 1 << 30};
        setrlimit(RLIMIT_AS, &kLimit);
#endif
        try {
            CsvLog log("/dev/full");
        } catch (const RunError& error) {
            static_cast<void>(std::fputs(error.what(), stderr));
            std::exit(EXIT_SUCCESS);
        } catch (const std::exception& error) {
            static_cast<void>(std::fputs(error.what(), stderr));
        }
        std::exit(EXIT_FAILURE);
    };
    EXPECT_EXIT(open(), testing::ExitedWithCode(EXIT_SUCCESS),
                "/dev/full: the row could not be written: No space left on device");
}

// While it lives no file of this process grows beyond `bytes`, as on a full disk.
class FullDisk
{
  public:
    explicit FullDisk(std::size_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN))
    {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    ~FullDisk()
    {
        setrlimit(RLIMIT_FSIZE, &before_);
        static_cast<void>(std::signal(SIGXFSZ, handler_));
    }

  private:
    rlimit before_{};
    void (*handler_)(int);
};

TEST(CsvLogFile, ThatCannotTakeAWholeRowIsARunError)
{
    const ScratchFolder folder;
    const std::string path = folder.path("new.csv");
    CsvLog log(path);
    const std::vector<std::string> row = some_row();
    log.append(row);
    std::string why;
    {
        const FullDisk full(folder.read("new.csv").size() + 5);
        why = text_of<RunError>([&] { log.append(row); });
    }
    EXPECT_EQ(why, path + ": the row could not be written: File too large");
}

TEST(CsvLogFile, ThatCannotTakeItsHeaderIsNotLeftHalfMade)
{
    const ScratchFolder folder;
    {
        const FullDisk full(10);
        EXPECT_ANY_THROW(CsvLog log(folder.path("new.csv")));
    }
    EXPECT_FALSE(folder.has("new.csv"));
}

} // namespace
} // namespace nestbed
