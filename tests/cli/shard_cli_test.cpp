// `nestbed run --shard`: measures one part of the plan, into a log that names the part.
#include "base/csv.hpp"
#include "log/row.hpp"
#include "support/shard_support.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace nestbed
{
namespace
{

namespace fs = std::filesystem;

TEST_F(ShardedRun, MeasuresItsPartAndTheManifestHasTheWholePlan)
{
    const std::map<std::string, unsigned> first = rows_by_key(shard("1/2"));
    const std::map<std::string, unsigned> second = rows_by_key(shard("2/2"));
    std::map<std::string, unsigned> all = first;
    all.insert(second.begin(), second.end());
    EXPECT_THAT(all, SizeIs(6));
    EXPECT_EQ(first.size() + second.size(), 6U);
    const auto manifest = nlohmann::json::parse(scratch_.read("s2.csv.json"));
    const auto& run = *manifest["runs"].begin();
    EXPECT_THAT(manifest["runs"].begin().key(), EndsWith("-2of2"));
    EXPECT_EQ(run["shard"], "2/2");
    EXPECT_EQ(run["cases"], second.size());
    EXPECT_THAT(manifest["plans"][run["plan"].get<std::string>()], SizeIs(6));
}

TEST_F(ShardedRun, GoesOnWithItsOwnLogAlone)
{
    const std::string path = shard("1/2");
    const std::string before = scratch_.read("s1.csv");
    EXPECT_EQ(shard("1/2"), path); // complete
    EXPECT_EQ(scratch_.read("s1.csv"), before);
    const Outcome other = ended(2, experiment({"--shard", "2/2", "-o", path}));
    EXPECT_THAT(other.err, HasSubstr("shard: 1/2 there, 2/2 here"));
    EXPECT_EQ(scratch_.read("s1.csv"), before);
}

TEST_F(ShardedRun, IsTheSamePartWhoeverWasFirst)
{
    const auto dry = [&](const std::string& name) { return nestbed(experiment({"--shard", name, "--dry-run"})); };
    const Outcome first = dry("1/2");
    const Outcome second = dry("2/2");
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_NE(first.out, second.out);
    EXPECT_EQ(first.out, dry("1/2").out);
    EXPECT_THAT(nestbed(experiment("--dry-run")).out, AllOf(HasSubstr("\n6 cases, 12 timed samples, "),
                                                            ContainsRegex("of[ \n]memory,[ \n]about[ \n]0[ \n]s\n")));
}

TEST_F(ShardedRun, ThatIsEmptyIsALogWithoutRows)
{
    const std::vector<std::string> words = experiment({"--shard", "7/7", "-o", out()});
    for (const int time : {1, 2}) {
        const Outcome outcome = ended(0, words);
        EXPECT_THAT(outcome.err, HasSubstr("nestbed: shard 7/7 is empty: there are 6 cases\n"));
        EXPECT_THAT(outcome.out, HasSubstr("0 rows: " + out()));
        EXPECT_EQ(scratch_.read("all.csv"), csv_line(columns()));
        const auto manifest = nlohmann::json::parse(scratch_.read("all.csv.json"));
        ASSERT_THAT(manifest["runs"], SizeIs(1)) << time;
        EXPECT_TRUE(manifest["runs"].begin().value().contains("finished_utc"));
    }
}

// Only all shards together can tell whether a race shows.
TEST_F(ShardedRun, DoesNotMissWhatAnotherPartMayHaveShown)
{
    const Words words("run --strategy nosync,neighbored --grid 2 --block 8 --backend cpu --expect wrong --repeat 1 "
                      "--in-process -o");
    const auto with = [&](const Words& more) {
        std::vector<std::string> all = words;
        all.insert(all.end(), more.begin(), more.end());
        return nestbed(all);
    };
    EXPECT_EQ(with({scratch_.path("whole.csv")}).exit_code, 3); // the executor's default order hides the race
    for (const std::string name : {"1/2", "2/2"})
        EXPECT_EQ(with({scratch_.path(name.substr(0, 1) + ".csv"), "--shard", name}).exit_code, 0);
}

TEST_F(ShardedRun, IsRefusedBeforeAnythingIsRun)
{
    const Outcome outcome = ended(2, experiment({"--shard", "3/2", "-o", out()}));
    EXPECT_EQ(outcome.err,
              "nestbed: --shard 3/2: it is not a valid shard; allowed: I/N, I from 1 to N, N at most 10000\n");
    EXPECT_FALSE(scratch_.has("all.csv"));
    EXPECT_THAT(nestbed(experiment({"--shard", "1/2", "--shard", "2/2", "-o", out()})).err,
                HasSubstr("--shard takes one value; allowed: I/N"));
}

TEST_F(ShardedRun, GoesByItsNumberWhereNoFileIsNamed)
{
    const fs::path before = fs::current_path();
    fs::current_path(scratch_.path(""));
    const Outcome outcome = nestbed(experiment("--shard 2/3"));
    fs::current_path(before);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(scratch_.has("results/local/adhoc.2-of-3.csv"));
    EXPECT_TRUE(scratch_.has("results/local/adhoc.2-of-3.csv.json"));
}

} // namespace
} // namespace nestbed
