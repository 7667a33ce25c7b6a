// Removing failed rows from a log: which rows are kept where. tests/scripts/file_faults_test.py: nothing is lost at whatever
// point the process ends.
#include "log/retry.hpp"

#include "base/csv.hpp"
#include "base/error.hpp"
#include "support/full_disk.hpp"
#include "support/support.hpp"

#include <algorithm>

namespace nestbed
{
namespace
{

std::map<BackendKind, RunFacts> book_run()
{
    return {{BackendKind::cpu, {.experiment = "book", .run_id = "run-1", .schedule = "fifo"}}};
}

// The samples of three cases. The first has a wrong one, and the second crashed.
const std::vector<std::vector<Sample>> kMeasured{
    {{.wall_us = 1.5}, {.status = Status::wrong, .detail = "1 of 4, \"so\"\nwrong"}},
    {{.wall_us = 2}, {.status = Status::crashed, .detail = "signal 6"}},
    {{.status = Status::unsupported, .detail = "unsupported: no"}}};

std::vector<CaseResult> some_results()
{
    Plan plan{.repeat = {{BackendKind::cpu, exactly(2)}}};
    plan.groups = {{.cases = {{.strategy = "nosync", .elements = 64, .grid = 4, .block = 16},
                              {.strategy = "nosync", .elements = 128, .grid = 8, .block = 16},
                              {.strategy = "cub", .elements = 64, .grid = 4, .block = 16}}}};
    return cases_of(plan, book_run());
}

std::string text_of_rows(const std::vector<CaseResult>& results, const std::function<bool(Status)>& wanted)
{
    std::string text = csv_line(columns());
    for (std::size_t index = 0; index < kMeasured.size(); ++index)
        for (unsigned repetition = 0; repetition < kMeasured[index].size(); ++repetition)
            if (const Sample& sample = kMeasured[index][repetition]; wanted(sample.status))
                text += csv_line(row_of(book_run().at(BackendKind::cpu), results[index].point, repetition, sample));
    return text;
}

class PutFailedAside : public testing::Test
{
  protected:
    RowsAside back_up(const std::function<bool(const Case&, Status)>& failed) const
    {
        return back_up_failed_rows(path, parse_log(path, folder.read("a.csv")), results, failed);
    }
    std::vector<std::string> files() const
    {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(path).parent_path()))
            names.push_back(entry.path().filename());
        std::ranges::sort(names);
        return names;
    }

    static bool has_failed(const Case& /*point*/, Status status)
    {
        return status == Status::wrong || status == Status::crashed;
    }
    static bool has_not_failed(Status status) { return !has_failed({}, status); }

    ScratchFolder folder;
    std::vector<CaseResult> results = some_results();
    std::string whole = text_of_rows(results, [](Status /*status*/) { return true; });
    std::string kept = text_of_rows(results, has_not_failed);
    std::string path = folder.write("a.csv", whole);
};

TEST_F(PutFailedAside, KeepsTheLogAsItWasAndLeavesTheRestInIt)
{
    folder.write("a.csv.json", "its manifest");
    const RowsAside aside = back_up(has_failed);
    EXPECT_EQ(aside.rows, 2U);
    EXPECT_EQ(aside.file, path + ".old-1");
    EXPECT_EQ(folder.read("a.csv.old-1"), whole);
    EXPECT_EQ(folder.read("a.csv"), kept);
    EXPECT_EQ(folder.read("a.csv.old-1.json"), "its manifest"); // so that the old log can be compared and merged
    EXPECT_THAT(files(), ElementsAre("a.csv", "a.csv.json", "a.csv.old-1", "a.csv.old-1.json"));
}

TEST_F(PutFailedAside, ShowsACopyToNobodyElse)
{
    namespace fs = std::filesystem;
    folder.write("a.csv.json", "its manifest");
    for (const char* name : {"a.csv", "a.csv.json"})
        fs::permissions(folder.path(name), fs::perms::owner_read | fs::perms::owner_write);
    back_up(has_failed);
    for (const std::string& name : files())
        EXPECT_EQ(fs::status(folder.path(name)).permissions(), fs::perms::owner_read | fs::perms::owner_write)
            << name;
}

TEST_F(PutFailedAside, AsksByCase)
{
    const RowsAside aside =
        back_up([](const Case& point, Status status) { return point.grid == 8 && status != Status::ok; });
    EXPECT_EQ(aside.rows, 1U);
    EXPECT_THAT(folder.read("a.csv"), AllOf(HasSubstr(",wrong,"), Not(HasSubstr(",crashed,"))));
}

TEST_F(PutFailedAside, ChangesNothingWhereNoRowFailed)
{
    const RowsAside aside = back_up([](const Case&, Status) { return false; });
    EXPECT_EQ(aside.rows, 0U);
    EXPECT_EQ(aside.file, "");
    EXPECT_EQ(folder.read("a.csv"), whole);
    EXPECT_THAT(files(), ElementsAre("a.csv"));
}

TEST_F(PutFailedAside, TakesANameThatNeitherALogNorAManifestHas)
{
    folder.write("a.csv.old-1", "another");
    folder.write("a.csv.old-2.json", "{}");
    EXPECT_EQ(back_up(has_failed).file, path + ".old-3");
    EXPECT_EQ(folder.read("a.csv.old-1"), "another");
}

TEST_F(PutFailedAside, CopiesARowThatIsNotWholeToo)
{
    const std::string torn = whole + "book,run-2";
    folder.write("a.csv", torn);
    EXPECT_EQ(back_up_failed_rows(path, parse_log(path, whole), results, has_failed).rows, 2U);
    EXPECT_EQ(folder.read("a.csv.old-1"), torn);
    EXPECT_EQ(folder.read("a.csv"), kept);
}

// Neither the copy of the log nor that of its manifest, at whatever byte the disk is full.
TEST_F(PutFailedAside, LeavesNothingHalfMadeOnAFullDisk)
{
    folder.write("a.csv.json", "its manifest");
    for (const std::size_t bytes : {std::size_t{5}, std::size_t{100}, whole.size() - 1}) {
        std::string text;
        {
            const FullDisk full(bytes);
            text = text_of<RunError>([&] { static_cast<void>(back_up(has_failed)); });
        }
        EXPECT_THAT(text, HasSubstr("a.csv.old-1")) << bytes;
        EXPECT_THAT(text, HasSubstr("could not be written: File too large")) << bytes;
        EXPECT_THAT(files(), ElementsAre("a.csv", "a.csv.json")) << bytes;
        EXPECT_EQ(folder.read("a.csv"), whole);
    }
}

} // namespace
} // namespace nestbed
