// `nestbed merge` on the logs of a small sharded run.
#include "base/csv.hpp"
#include "log/row.hpp"
#include "support/full_disk.hpp"
#include "support/log_support.hpp"
#include "support/shard_support.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

namespace nestbed
{
namespace
{

namespace fs = std::filesystem;
using testing::Pair;

class Merging : public ShardedRun
{
  protected:
    // Expects exit code 2, this text, and nothing new or changed on the disk.
    void expect_refused(const Words& words, const std::string& text) const
    {
        const std::map<std::string, std::string> before = files();
        const Outcome outcome = ended(2, words);
        EXPECT_THAT(outcome.err, HasSubstr(text));
        EXPECT_EQ(outcome.out, "");
        EXPECT_TRUE(files() == before);
    }
    void expect_inputs_refused(std::vector<std::string> inputs, const std::string& text) const
    {
        expect_refused(Words("merge") + inputs + Words{"-o", out()}, text);
    }

    std::map<std::string, std::string> files() const
    {
        std::map<std::string, std::string> found;
        for (const auto& entry : fs::directory_iterator(scratch_.path("")))
            if (entry.is_regular_file())
                found[entry.path().filename().string()] = scratch_.read(entry.path().filename().string());
        return found;
    }

    // Changes the first run of a manifest, as if a different run had written it.
    void change_manifest(const std::string& name, const auto& change) const
    {
        auto manifest = nlohmann::ordered_json::parse(scratch_.read(name));
        change(manifest["runs"].begin().value());
        scratch_.write(name, manifest.dump());
    }
};

TEST_F(Merging, GivesTheLogOfOneRun)
{
    const Outcome merged = merge({shard("2/3"), shard("3/3"), shard("1/3")});
    EXPECT_EQ(merged.exit_code, 0);
    EXPECT_EQ(merged.err, "");
    EXPECT_EQ(merged.out, "12 rows of 6 cases from 3 files, 1 machines: " + out() + "\n");
    EXPECT_THAT(rows_by_key(out()), AllOf(SizeIs(6), Each(Pair(testing::_, 2U))));
    // The rows are in the order of the plan and unchanged.
    const auto manifest = nlohmann::json::parse(scratch_.read("all.csv.json"));
    EXPECT_THAT(manifest["runs"], SizeIs(3));
    ASSERT_THAT(manifest["plans"], SizeIs(1));
    const ParsedLog all = log(out());
    std::vector<std::string> cases;
    for (const auto& one : *manifest["plans"].begin())
        cases.insert(cases.end(), 2, one["key"]);
    const std::vector<LogRow> rows = rows_in(all);
    ASSERT_EQ(cases.size(), rows.size());
    const std::string text = scratch_.read("s1.csv") + scratch_.read("s2.csv") + scratch_.read("s3.csv");
    for (std::size_t index = 0; index < cases.size(); ++index) {
        EXPECT_EQ(rows[index].cells[all.column("key")], cases[index]);
        EXPECT_EQ(rows[index].cells[all.column("repetition")], std::to_string(index % 2));
        EXPECT_THAT(text, HasSubstr("\r\n" + csv_line(rows[index].cells)));
    }
    EXPECT_EQ(fs::file_size(out()) + 2 * csv_line(columns()).size(), text.size());
}

TEST_F(Merging, NamesWhatIsMissingAndARunMeasuresIt)
{
    const Outcome merged = merge({shard("1/3"), shard("3/3")});
    EXPECT_EQ(merged.exit_code, 3);
    EXPECT_THAT(merged.err, AllOf(HasSubstr(" cases are missing:\n  2 of 2: strategy="),
                                  HasSubstr("nestbed: there is no log of shard 2/3\n")));
    EXPECT_THAT(merged.out, HasSubstr(" cases from 2 files, 1 machines: "));
    const std::string before = scratch_.read("all.csv");
    const Outcome run = ended(0, experiment({"-o", out()}));
    EXPECT_THAT(scratch_.read("all.csv"), StartsWith(before)); // existing rows were not measured again
    EXPECT_THAT(rows_by_key(out()), AllOf(SizeIs(6), Each(Pair(testing::_, 2U))));
    EXPECT_THAT(nlohmann::json::parse(scratch_.read("all.csv.json"))["runs"], SizeIs(3));
}

TEST_F(Merging, NamesTenCasesOfMany)
{
    const Outcome run = nestbed(experiment({"--grid", "1:20", "--shard", "1/12", "-o", scratch_.path("s.csv")}));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Outcome merged = merge({scratch_.path("s.csv")});
    EXPECT_EQ(merged.exit_code, 3);
    const std::string missing = std::to_string(60 - rows_by_key(out()).size());
    EXPECT_THAT(merged.err, AllOf(HasSubstr(" rows of " + missing + " cases are missing:\n"),
                                  HasSubstr("\n  and " + std::to_string(std::stoi(missing) - 10) + " more cases\n"),
                                  HasSubstr("nestbed: there is no log of shard 2/12, 3/12, ")));
}

TEST_F(Merging, TakesEmptyShards)
{
    std::vector<std::string> inputs;
    for (int number = 1; number <= 8; ++number)
        inputs.push_back(shard(std::to_string(number) + "/8"));
    EXPECT_EQ(scratch_.read("s8.csv"), csv_line(columns()));
    const Outcome merged = merge(inputs);
    EXPECT_EQ(merged.exit_code, 0) << merged.err;
    EXPECT_THAT(merged.out, StartsWith("12 rows of 6 cases from 8 files, 1 machines: "));
    const Outcome nothing = ended(3, {"merge", scratch_.path("s8.csv"), "-o", scratch_.path("none.csv")});
    EXPECT_THAT(nothing.out, StartsWith("0 rows of 0 cases from 1 files, 0 machines: "));
}

TEST_F(Merging, SaysThatDevicesDiffer)
{
    const std::vector<std::string> inputs{shard("1/2"), shard("2/2")};
    change_manifest("s2.csv.json", [](auto& run) { run["backends"]["cpu"]["multiprocessors"] = 99; });
    const Outcome merged = merge(inputs);
    EXPECT_EQ(merged.exit_code, 0);
    EXPECT_THAT(merged.err, AllOf(HasSubstr(" (99 workers): " + inputs[1]), HasSubstr(": " + inputs[0] + "\n")));
}

TEST_F(Merging, MovesWhatWasThereAside)
{
    const std::vector<std::string> inputs{shard("1/1")};
    scratch_.write("all.csv", "precious");
    scratch_.write("all.csv.json", R"({"runs": {}})");
    expect_inputs_refused(inputs, "--output " + out() +
                                      ": it already exists, and nothing is overwritten; allowed: a new file, or "
                                      "--overwrite, which moves this one aside");
    const Outcome merged = merge({inputs[0], "--overwrite"});
    EXPECT_EQ(merged.exit_code, 0) << merged.err;
    EXPECT_EQ(merged.err, "nestbed: moved " + out() + " to " + out() + ".old-1\n");
    EXPECT_EQ(scratch_.read("all.csv.old-1"), "precious");
    EXPECT_EQ(scratch_.read("all.csv.old-1.json"), R"({"runs": {}})");
    EXPECT_THAT(rows_by_key(out()), SizeIs(6));
}

TEST_F(Merging, RefusesCommandsThatSayTooLittle)
{
    expect_refused(Words("merge -o") + out(),
                   "merge: no CSV was given; allowed: nestbed merge SHARD.csv... -o FILE.csv");
    expect_refused({"merge", out()},
                   "merge: --output was not given; allowed: nestbed merge SHARD.csv... -o FILE.csv");
    EXPECT_THAT(nestbed("merge --help").out, AllOf(HasSubstr("nestbed merge SHARD.csv..."), HasSubstr("--over")));
}

TEST_F(Merging, RefusesOutputsThatCannotBe)
{
    const std::string input = shard("1/1");
    const auto refused = [&](const std::string& path, const std::string& text) {
        expect_refused({"merge", input, "--overwrite", "-o", path}, "--output " + path + ": " + text);
    };
    refused("-", "no manifest can be written beside it");
    refused(scratch_.path(""), "no manifest can be written beside it");
    refused(input, "it, or its manifest, is the input " + input + "; allowed: another file");
    refused(scratch_.path("./s1.csv"), "it, or its manifest, is the input " + input);
    refused(scratch_.path("s1.csv.json"), "it, or its manifest, is the input " + scratch_.path("s1.csv.json"));
    refused(scratch_.path("none/all.csv"), "there is no folder");
    fs::create_symlink(input, scratch_.path("link.csv"));
    refused(scratch_.path("link.csv"), "it, or its manifest, is the input " + input);
    scratch_.write("all.csv.json", R"({"runs": {}})"); // its log does not exist
    expect_inputs_refused({input}, "--output " + scratch_.path("all.csv.json") + ": it already exists");
}

TEST_F(Merging, RefusesInputsThatAreNoLogs)
{
    const std::string good = shard("1/2");
    const std::string none = scratch_.path("none.csv");
    expect_inputs_refused({good, none}, none + ": there is no such file; allowed: CSVs of nestbed run --shard");
    const std::string other = scratch_.write("other.csv", "experiment,strategy\r\n");
    expect_inputs_refused({good, other}, other + ": its columns are not those of a log of this version");
    const std::string empty = scratch_.write("empty.csv", "");
    expect_inputs_refused({empty}, empty + ": its columns are not those of a log of this version");
    std::string text = scratch_.read(fs::path(good).filename().string());
    std::erase(text, '\r');
    const std::string line_feeds = scratch_.write("lf.csv", text);
    expect_inputs_refused({line_feeds}, line_feeds + ": its lines end with LF; allowed: lines that end with CR LF");
}

TEST_F(Merging, RefusesALogThatIsNotWhole)
{
    const std::string path = shard("1/1");
    const std::string text = scratch_.read("s1.csv");
    scratch_.write("s1.csv", csv_line(columns()) + "torn"); // no row names its run
    expect_inputs_refused({path}, path + ": its last row is incomplete; allowed: a complete log\n");
    scratch_.write("s1.csv", text + "torn");
    const std::string advice = "; to remove that row, run: nestbed ";
    expect_inputs_refused({path}, path + ": its last row is incomplete; allowed: a complete log" + advice + "run ");
    // That command fixes the log, although no row is missing.
    const std::string err = merge({path}).err;
    std::istringstream words(err.substr(err.find(advice) + advice.size()));
    const Outcome again = ended(0, {std::istream_iterator<std::string>(words), {}});
    EXPECT_THAT(again.err, HasSubstr(path + ": its last row was incomplete (4 bytes) and was removed\n"));
    EXPECT_EQ(scratch_.read("s1.csv"), text);
    scratch_.write("s1.csv", text.substr(0, text.size() - 1));
    shard("1/1"); // as the message advises
    EXPECT_EQ(merge({path}).exit_code, 0);
}

TEST_F(Merging, RefusesALogWithoutItsManifest)
{
    const std::string path = shard("1/1");
    const std::string manifest = scratch_.read("s1.csv.json");
    fs::remove(scratch_.path("s1.csv.json"));
    expect_inputs_refused({path}, path + ": there is no " + scratch_.path("s1.csv.json") + ", its manifest");
    scratch_.write("s1.csv.json", "{}");
    expect_inputs_refused({path}, "is not a manifest");
    scratch_.write("s1.csv.json", R"({"runs": {}})");
    expect_inputs_refused({path}, scratch_.path("s1.csv.json") + ": it has no run ");
    scratch_.write("s1.csv", csv_line(columns()));
    expect_inputs_refused({path}, path + ": its manifest has no run; allowed: the log of a run");
    scratch_.write("s1.csv.json", manifest);
    change_manifest("s1.csv.json", [](auto& run) { run.erase("plan"); });
    expect_inputs_refused({path}, "the manifest has no plan of its run ");
}

TEST_F(Merging, LeavesNothingHalfMade)
{
    const std::string input = shard("1/1", {}, "40");
    const std::map<std::string, std::string> before = files();
    const std::size_t manifest = scratch_.read("s1.csv.json").size();
    ASSERT_GT(scratch_.read("s1.csv").size(), manifest + 1000); // there is room for the manifest but not for the log
    const FullDisk full(manifest + 1000);
    const Outcome merged = merge({input});
    EXPECT_EQ(merged.exit_code, 1);
    EXPECT_THAT(merged.err, HasSubstr("all.csv: the log could not be written: File too large"));
    EXPECT_TRUE(files() == before);
}

} // namespace
} // namespace nestbed
