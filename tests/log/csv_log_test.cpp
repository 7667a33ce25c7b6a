// The file of a log: never half-written, never overwritten. Each row is in the file as soon as it is measured.
#include "base/csv.hpp"
#include "log/csv_log.hpp"
#include "log/row.hpp"

#include "base/error.hpp"
#include "base/subprocess.hpp"
#include "support/full_disk.hpp"
#include "support/support.hpp"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <future>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nestbed
{
namespace
{

std::vector<std::string> some_row()
{
    std::vector<std::string> row;
    for (const std::string& column : columns())
        row.push_back("a " + column + ", quoted");
    return row;
}

// A log that has begun.
struct Log : CsvLog {
    explicit Log(const std::string& path) : CsvLog(path) { begin(); }
};

std::string log_refusal(const std::string& path)
{
    return text_of<UsageError>([&] { CsvLog log(path); });
}

using CsvLogFile = InFolder;

TEST_F(CsvLogFile, ThatIsNewBeginsWithTheHeader)
{
    const std::string path = folder.path("new.csv");
    const Log log(path);
    EXPECT_EQ(log.path(), path);
    EXPECT_EQ(folder.read("new.csv"), csv_line(columns())); // flushed while the log is open
}

TEST_F(CsvLogFile, HasEachRowAsSoonAsItIsAppended)
{
    Log log(folder.path("new.csv"));
    const std::vector<std::string> row = some_row();
    log.append(row);
    EXPECT_THAT(parse_csv(folder.read("new.csv")), ElementsAre(columns(), row));
    log.append(row);
    EXPECT_THAT(parse_csv(folder.read("new.csv")), ElementsAre(columns(), row, row));
}

TEST_F(CsvLogFile, ThatIsALogAlreadyIsContinued)
{
    const std::vector<std::string> row = some_row();
    Log(folder.path("old.csv")).append(row);
    Log(folder.path("old.csv")).append(row);
    EXPECT_THAT(parse_csv(folder.read("old.csv")), ElementsAre(columns(), row, row));
}

TEST_F(CsvLogFile, ThatIsEmptyGetsItsHeader)
{
    const Log log(folder.write("empty.csv", ""));
    EXPECT_EQ(folder.read("empty.csv"), csv_line(columns()));
}

// A killed run or a crashed machine leaves a partial row.
TEST_F(CsvLogFile, LosesARowThatIsNotWholeAndNothingElse)
{
    const std::vector<std::string> row = some_row();
    const std::string whole = csv_line(columns()) + csv_line(row);
    const std::string line = csv_line(row);
    for (const std::size_t bytes : {std::size_t{1}, line.size() / 2, line.size() - 2, line.size() - 1}) {
        CsvLog log(folder.write("cut.csv", whole + line.substr(0, bytes)));
        EXPECT_EQ(log.torn_bytes(), bytes);
        EXPECT_EQ(log.rows().rows.size(), 1U);
        log.begin();
        log.append(row);
        EXPECT_EQ(folder.read("cut.csv"), whole + line);
    }
}

// If a quote is missing in the middle, everything after it looks like a partial row.
TEST_F(CsvLogFile, IsNotCutOffWhereMoreThanARowWouldBeLost)
{
    const std::vector<std::string> row = some_row();
    std::string text = csv_line(columns()) + csv_line(row) + csv_line(row) + csv_line(row);
    text.erase(text.find('"', csv_line(columns()).size() + csv_line(row).size()), 1);
    const std::string path = folder.write("spoilt.csv", text);
    EXPECT_THAT(text_of<RunError>([&] { CsvLog log(path); }),
                StartsWith(path + ":3: a quote is missing in this row or a later one: "));
    EXPECT_EQ(folder.read("spoilt.csv"), text);
}

// If the log opened the pipe for reading too, it would not notice that the reader is gone.
TEST_F(CsvLogFile, MayBeAPipeWhoseReaderGoesAway)
{
    const std::string path = folder.path("pipe");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
    Log log(path);
    close(reader);
    EXPECT_EQ(text_of<RunError>([&] { log.append(some_row()); }),
              path + ": the row could not be written: Broken pipe");
    static_cast<void>(std::signal(SIGPIPE, before));
}

TEST_F(CsvLogFile, LosesNothingBeforeItIsBegun)
{
    const std::string cut = csv_line(columns()) + "book,20261121T0640";
    const std::string path = folder.write("cut.csv", cut);
    {
        const CsvLog log(path);
        EXPECT_FALSE(log.has_rows());
    }
    EXPECT_EQ(folder.read("cut.csv"), cut);
    {
        const CsvLog log(folder.path("new.csv"));
    }
    EXPECT_FALSE(folder.has("new.csv"));
}

TEST_F(CsvLogFile, WithHalfAHeaderGetsItWhole)
{
    const Log log(folder.write("cut.csv", csv_line(columns()).substr(0, 20)));
    EXPECT_EQ(folder.read("cut.csv"), csv_line(columns()));
}

TEST_F(CsvLogFile, IsWrittenByOneRunAtATime)
{
    const std::string path = folder.path("new.csv");
    {
        const Log log(path);
        EXPECT_EQ(log_refusal(path),
                  "--output " + path +
                      ": another run is writing it; allowed: a file that can be written, or - for standard output");
        EXPECT_THAT(text_of<UsageError>([&] { back_up(path); }), HasSubstr("another run is writing it"));
    }
    EXPECT_NO_THROW(Log{path});
}

TEST_F(CsvLogFile, IsFreeSoonAfterAKilledRunEvenIfAChildHasACopy)
{
    const std::string path = folder.path("new.csv");
    pid_t copy = 0;
    {
        const Log killed(path);
        copy = fork();
        if (copy == 0) {
            usleep(300'000);
            _exit(0);
        }
    }
    EXPECT_NO_THROW(Log{path});
    EXPECT_EQ(end_of(copy).exit_code, 0);
}

// Of two runs with --overwrite at once, the second must not move the log of the first one.
TEST_F(CsvLogFile, ThatAnotherRunHasMovedIsNotMovedAgain)
{
    const std::string path = folder.write("a.csv", "old");
    const int first = open(path.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(flock(first, LOCK_EX), 0);
    const auto opened = [&] {
        std::error_code ignored;
        return std::ranges::count_if(std::filesystem::directory_iterator("/proc/self/fd"), [&](const auto& one) {
            return std::filesystem::read_symlink(one.path(), ignored) == path;
        });
    };
    auto second = std::async(std::launch::async, [&] { return text_of<UsageError>([&] { back_up(path); }); });
    while (opened() < 2)
        usleep(1000);
    std::filesystem::rename(path, path + ".old-1");
    folder.write("a.csv", "new");
    close(first);
    EXPECT_THAT(second.get(), HasSubstr("another run has just moved it"));
    EXPECT_EQ(folder.read("a.csv"), "new");
    EXPECT_FALSE(folder.has("a.csv.old-2"));
}

TEST(BytesOfWholeRows, EndBehindTheLastLineBreakThatIsNotWithinQuotes)
{
    EXPECT_EQ(bytes_of_whole_rows(""), 0U);
    EXPECT_EQ(bytes_of_whole_rows("a,b"), 0U);
    EXPECT_EQ(bytes_of_whole_rows("a,b\r\n"), 5U);
    EXPECT_EQ(bytes_of_whole_rows("a,b\r\nc"), 5U);
    EXPECT_EQ(bytes_of_whole_rows("a,\"b\nc"), 0U);
    EXPECT_EQ(bytes_of_whole_rows("a,\"b\n\"\"c\"\nd"), 10U);
    EXPECT_EQ(bytes_of_whole_rows("a\n\"b\"\"\n"), 2U);
}

// A file is read in pieces of 1 MB: quotes and line breaks of all of them count, or a continued run would cut off what it has measured.
TEST(BytesOfWholeRows, AreThoseOfAllPiecesOfALongFile)
{
    const ScratchFolder folder;
    const std::string quoted = "a,\"" + std::string(1'500'000, 'b') + "\n\"\n"; // the quotes are in different pieces
    const std::string whole = quoted + std::string(1'500'000, 'c') + "\n";
    folder.write("long.csv", whole + "d,\"\n");
    EXPECT_EQ(bytes_of_whole_rows(TextSource::of_file(folder.path("long.csv"))), whole.size());
}

TEST(PutAside, KeepsALogAndItsManifestUnderNamesThatAreFree)
{
    const ScratchFolder folder;
    EXPECT_EQ(back_up(folder.path("a.csv")), "");
    for (const std::string number : {"1", "2", "3"}) {
        folder.write("a.csv", "log " + number);
        if (number != "2")
            folder.write("a.csv.json", "manifest " + number);
        const std::string aside = "a.csv.old-" + number;
        EXPECT_EQ(back_up(folder.path("a.csv")), folder.path(aside));
        EXPECT_EQ(folder.read(aside), "log " + number);
        EXPECT_EQ(folder.has(aside + ".json"), number != "2");
        EXPECT_FALSE(folder.has("a.csv") || folder.has("a.csv.json"));
    }
    EXPECT_EQ(folder.read("a.csv.old-3.json"), "manifest 3");
    folder.write("b.csv", "log");
    folder.write("b.csv.old-1.json", "of another"); // a manifest alone also occupies the name
    EXPECT_EQ(back_up(folder.path("b.csv")), folder.path("b.csv.old-2"));
}

// What another program does to a log while a run writes it.
TEST(AttackedLog, IsNoticedAtTheNextRowAndNotWrittenElsewhere)
{
    namespace fs = std::filesystem;
    const std::vector<void (*)(const ScratchFolder& folder)> deeds{
        [](const ScratchFolder& folder) { fs::remove(folder.path("a.csv")); },
        [](const ScratchFolder& folder) { fs::rename(folder.path("a.csv"), folder.path("b.csv")); },
        [](const ScratchFolder& folder) { fs::rename(folder.write("new", "somebody's"), folder.path("a.csv")); },
        [](const ScratchFolder& folder) {
            fs::remove(folder.path("a.csv"));
            fs::create_symlink(folder.write("precious", "somebody's"), folder.path("a.csv"));
        }};
    for (const auto& deed : deeds)
        for (const bool ends : {true, false}) {
            const ScratchFolder folder;
            Log log(folder.path("a.csv"));
            log.append(some_row());
            deed(folder);
            const std::string left = folder.has("a.csv") ? folder.read("a.csv") : "";
            EXPECT_EQ(text_of<RunError>([&] { ends ? log.finish() : log.append(some_row()); }),
                      folder.path("a.csv") + ": it was moved, deleted or replaced while this run was writing it");
            EXPECT_EQ(folder.has("a.csv") ? folder.read("a.csv") : "", left);
        }
}

TEST(AttackedLog, ThatIsCutOffIsNoticed)
{
    for (const bool ends : {true, false}) {
        const ScratchFolder folder;
        Log log(folder.path("a.csv"));
        log.append(some_row());
        std::filesystem::resize_file(folder.path("a.csv"), 3);
        EXPECT_EQ(text_of<RunError>([&] { ends ? log.finish() : log.append(some_row()); }),
                  folder.path("a.csv") + ": it was cut off while this run was writing it");
    }
}

TEST(AttackedLog, ThatIsNotBegunLeavesWhatHasTakenItsPlace)
{
    const ScratchFolder folder;
    {
        const CsvLog log(folder.path("a.csv"));
        std::filesystem::rename(folder.write("new", "somebody's"), folder.path("a.csv"));
    }
    EXPECT_EQ(folder.read("a.csv"), "somebody's");
}

TEST_F(CsvLogFile, ThatIsSomethingElseIsRefusedAndNotTouched)
{
    std::string other = csv_line(columns());
    other.insert(0, "x");
    for (const std::string& text :
         {std::string("my notes\n"), std::string("a,b,c\r\n1,2,3\r\n"), other, std::string(1, '\n')}) {
        const std::string path = folder.write("foreign.csv", text);
        EXPECT_EQ(log_refusal(path),
                  "--output " + path +
                      ": it already exists and is not a log of this version, and nothing is "
                      "overwritten; allowed: a file that can be written, or - for standard output");
        EXPECT_EQ(folder.read("foreign.csv"), text);
    }
}

TEST_F(CsvLogFile, IsNotWrittenThroughALink)
{
    const std::string path = folder.path("link.csv");
    for (const std::string precious : {"", "kept"}) {
        std::filesystem::remove(path);
        std::filesystem::create_symlink(folder.write("precious", precious), path);
        EXPECT_THAT(log_refusal(path),
                    HasSubstr("it is a symbolic link, and no log is written through one; allowed: "));
        EXPECT_EQ(folder.read("precious"), precious);
    }
    std::filesystem::remove(folder.path("precious")); // it leads nowhere now, and no file is made there
    EXPECT_THAT(log_refusal(path), HasSubstr("it is a symbolic link"));
    EXPECT_FALSE(folder.has("precious"));
    std::filesystem::remove(path);
    std::filesystem::create_symlink("real.csv", path);
    folder.write("real.csv", "rows");
    EXPECT_EQ(back_up(path), folder.path("link.csv.old-1"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link.csv.old-1")));
    EXPECT_EQ(folder.read("real.csv"), "rows");
}

TEST_F(CsvLogFile, WhoseLinesEndWithLfSaysSo)
{
    std::string header = csv_line(columns());
    header.erase(header.size() - 2, 1);
    const std::string path = folder.write("lf.csv", header + "a,row\n");
    EXPECT_EQ(log_refusal(path), "--output " + path +
                                     ": its lines end with LF; allowed: lines that end with CR "
                                     "LF, as RFC 4180 says and nestbed writes them; to restore them, run: sed -i "
                                     "'s/\\r*$/\\r/' " +
                                     path);
    EXPECT_EQ(folder.read("lf.csv"), header + "a,row\n");
}

TEST_F(CsvLogFile, InAFolderThatIsNotThereIsRefusedAndTheFolderNotMade)
{
    EXPECT_THAT(log_refusal(folder.path("missing/new.csv")),
                AllOf(StartsWith("--output " + folder.path("missing/new.csv") + ": there is no folder "),
                      HasSubstr(folder.path("missing")), HasSubstr("allowed: a file that can be written, or -")));
    EXPECT_FALSE(folder.has("missing"));
}

TEST_F(CsvLogFile, CannotBeAFolderOrLieInAFile)
{
    EXPECT_THAT(log_refusal(folder.path("")), StartsWith("--output " + folder.path("") + ": "));
    const std::string file = folder.write("file", "text");
    EXPECT_THAT(log_refusal(file + "/new.csv"), HasSubstr("there is no folder " + file));
    EXPECT_EQ(folder.read("file"), "text");
}

TEST_F(CsvLogFile, ThatMayNotBeWrittenIsARunError)
{
    if (geteuid() == 0)
        GTEST_SKIP() << "root may write anywhere";
    std::filesystem::permissions(folder.path(""),
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    EXPECT_EQ(text_of<RunError>([&] { CsvLog log(folder.path("new.csv")); }),
              folder.path("new.csv") + ": it could not be opened: Permission denied");
    std::filesystem::permissions(folder.path(""), std::filesystem::perms::owner_all);
}

TEST_F(CsvLogFile, MayBeStandardOutput)
{
    const std::vector<std::string> row = some_row();
    testing::internal::CaptureStdout();
    Log("-").append(row);
    Log("-").append(row); // the first log did not close it
    EXPECT_EQ(testing::internal::GetCapturedStdout(),
              csv_line(columns()) + csv_line(row) + csv_line(columns()) + csv_line(row));
}

TEST_F(CsvLogFile, MayBeADeviceThatSwallowsEverything)
{
    EXPECT_NO_THROW(Log("/dev/null").append(some_row()));
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(CsvLogFile, ThatCannotTakeAWholeRowIsARunError)
{
    const std::string path = folder.path("new.csv");
    Log log(path);
    const std::vector<std::string> row = some_row();
    log.append(row);
    std::string why;
    {
        const FullDisk full(folder.read("new.csv").size() + 5);
        why = text_of<RunError>([&] { log.append(row); });
    }
    EXPECT_EQ(why, path + ": the row could not be written: File too large");
    EXPECT_THAT(parse_csv(folder.read("new.csv")), ElementsAre(columns(), row)); // no part of the second row
    log.append(row);
    log.finish();
    EXPECT_THAT(parse_csv(folder.read("new.csv")), ElementsAre(columns(), row, row));
}

TEST_F(CsvLogFile, ThatCannotTakeItsHeaderIsNotLeftHalfMade)
{
    {
        const FullDisk full(10);
        EXPECT_ANY_THROW(Log(folder.path("new.csv")));
    }
    EXPECT_FALSE(folder.has("new.csv"));
}

} // namespace
} // namespace nestbed
