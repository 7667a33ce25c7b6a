// Experiment files and the command line, as texts with places for error messages.
#include "plan/settings.hpp"

#include "base/error.hpp"
#include "support/plan_support.hpp"

namespace nestbed
{
namespace
{

std::vector<std::string> values(const Settings& settings, std::string_view key)
{
    std::vector<std::string> found;
    for (const Setting& setting : settings.of(key))
        found.push_back(setting.value);
    return found;
}

std::string settings_refusal(const std::string& path)
{
    return text_of<UsageError>([&] { Settings().read_file(path); });
}
std::string refusal_of(std::string_view text)
{
    return text_of<UsageError>([&] { static_cast<void>(settings_in(text)); });
}

TEST(SettingPlace, IsFileAndLineOrTheOption)
{
    EXPECT_EQ((Setting{.key = "grid", .value = "12a", .file = "experiments/book.cfg", .line = 4}.place()),
              "experiments/book.cfg:4: grid = 12a");
    EXPECT_EQ((Setting{.key = "pending-limit", .value = "12a"}.place()), "--pending-limit 12a");
}

TEST(SettingKeys, AreSpelledWithADash)
{
    EXPECT_EQ(canonical_key("pending_limit"), "pending-limit");
    EXPECT_EQ(canonical_key("pending-limit"), "pending-limit");
    EXPECT_EQ(canonical_key("--a_b_c"), "--a-b-c");
    for (const Key& key : all_keys())
        EXPECT_EQ(canonical_key(key.name), key.name);
}

TEST(SettingsFile, GivesEachValueWithItsLine)
{
    const Settings settings = settings_in("title = Latency, and launches\n\nstrategy=nosync\n  grid  =  1:8  \n");
    EXPECT_THAT(values(settings, "title"), ElementsAre("Latency, and launches"));
    ASSERT_THAT(values(settings, "grid"), ElementsAre("1:8"));
    EXPECT_EQ(settings.of("grid")[0].place(), "one.cfg:4: grid = 1:8");
    EXPECT_EQ(settings.of("strategy")[0].line, 3U);
    EXPECT_THAT(settings.of("block"), IsEmpty());
    EXPECT_EQ(settings.one("block"), std::nullopt);
}

TEST(SettingsFile, IsReadLineByLine)
{
    struct {
        std::string text;
        std::string key;
        std::vector<std::string> values;
    } const files[] = {
        {"# grid = 1\n\n   \n\t# [section] in a comment\ngrid = 2 # not 3\n#\n", "grid", {"2"}},
        {"block=8#16\n", "block", {"8"}},
        {"grid = 1\r\n\r\n# comment\r\nblock = 8\r\n", "block", {"8"}},
        {"grid = 1\r\nseed = 3", "seed", {"3"}},
        {"grid = 4\nblock = 8\ngrid = 1,2\n", "grid", {"4", "1,2"}},
        {"pending_limit = 32\npending-limit = 64\n", "pending-limit", {"32", "64"}},
        {"title = a = b\n", "title", {"a = b"}},
    };
    for (const auto& [text, key, expected] : files)
        EXPECT_EQ(values(settings_in(text), key), expected) << text;
}

TEST(SettingsFile, ALineThatIsNoSettingIsRefused)
{
    const std::string no_setting = "' is not of the form key = value or [section]";
    const std::pair<std::string, std::string> refusals[] = {
        {"grid = 4\nstratgy = host\n",
         "one.cfg:2: unknown key 'stratgy', did you mean 'strategy'?; allowed: strategy, streams, "},
        {"\n\ncolour = red\n", "one.cfg:3: unknown key 'colour'; allowed: "},
        {"grid = 4\nblock 8\n", "one.cfg:2: 'block 8" + no_setting},
        {"# first\n[]\ngrid = 4\n", "one.cfg:2: '[]' names no section"},
        {"[book]\ngrid = 4\n[book]\n", "one.cfg:3: section [book] already exists"},
        {"[book\ngrid = 4\n", "one.cfg:1: '[book" + no_setting},
        {"[book] grid\n", "one.cfg:1: '[book] grid" + no_setting},
        {"\npending_limit =\n", "one.cfg:2: pending-limit has no value"},
        {"\npending-limit=   \n", "one.cfg:2: pending-limit has no value"},
        {"\npending-limit = # 32\n", "one.cfg:2: pending-limit has no value"},
        {"= 5\n", "one.cfg:1: "},
        {"# a comment\ngrid = 4 # another\ntitle = a # b\n",
         "one.cfg:3: a '#' begins a comment and cannot be part of the title; allowed: a title without '#', and a "
         "comment in a line of its own"},
    };
    for (const auto& [text, refusal] : refusals)
        EXPECT_THAT(refusal_of(text), StartsWith(refusal)) << text;
}

TEST(SettingsFile, TwoFilesAddUpAndTheLastNamesTheExperiment)
{
    const ScratchFolder folder;
    Settings settings;
    EXPECT_EQ(settings.experiment(), "adhoc");
    settings.read_file(folder.write("first.cfg", "grid = 4\n"));
    EXPECT_EQ(settings.experiment(), "first");
    settings.read_file(folder.write("second.part.cfg", "grid = 8\n"));
    EXPECT_EQ(settings.experiment(), "second.part");
    EXPECT_THAT(values(settings, "grid"), ElementsAre("4", "8"));
}

TEST(SettingsFile, AnEmptyFileIsAnExperimentOfDefaults)
{
    const Settings settings = settings_in("", "empty.cfg");
    EXPECT_EQ(settings.experiment(), "empty");
    for (const Key& key : all_keys())
        EXPECT_THAT(settings.of(key.name), IsEmpty()) << key.name;
}

TEST(SettingsFile, AKeyOfTheWholeRunIsRefusedInASection)
{
    for (const std::string key : {"title", "backend", "repeat", "warmup", "expect", "figure", "schedule", "workers"})
        EXPECT_EQ(refusal_of(key + " = 1\n[book]\n" + key + " = 1\n"),
                  "one.cfg:3: " + key + " is for the whole run; allowed: before the first section");
}

TEST(SettingsSections, ArePartsThatTakeWhatTheyDoNotSayFromAboveTheFirst)
{
    const Settings settings = settings_in("grid = 4\ngrid = 8\nblock = 64\n[ragged] # one\ngrid = 3\n"
                                          "seed = 7\n  [ flat ]\nstrategy = host\n");
    const std::vector<Settings> parts = settings.parts();
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_THAT(values(parts[0], "grid"), ElementsAre("3"));
    EXPECT_THAT(values(parts[0], "block"), ElementsAre("64"));
    EXPECT_THAT(values(parts[0], "seed"), ElementsAre("7"));
    EXPECT_THAT(values(parts[0], "strategy"), IsEmpty());
    EXPECT_THAT(values(parts[1], "grid"), ElementsAre("4", "8"));
    EXPECT_THAT(values(parts[1], "seed"), IsEmpty());
    EXPECT_THAT(values(parts[1], "strategy"), ElementsAre("host"));
    EXPECT_EQ(parts[1].experiment(), "one");
}

TEST(SettingsSections, AreAThousandAtMost)
{
    std::string text = "grid = 4\n";
    for (int section = 1; section <= 1000; ++section)
        text += "[" + std::to_string(section) + "]\n";
    EXPECT_EQ(settings_in(text).parts().size(), 1000U);
    EXPECT_EQ(refusal_of(text + "[1001]\n"), "one.cfg:1002: section [1001]: too many sections; allowed: 1000");
}

TEST(SettingsSections, AreOverruledByTheCommandLineInEveryPart)
{
    Settings settings = settings_in("grid = 4\n[a]\ngrid = 3\n[b]\nblock = 8\n");
    settings.set("grid", {"16"});
    for (const Settings& part : settings.parts())
        EXPECT_THAT(values(part, "grid"), ElementsAre("16"));
}

TEST(SettingsSections, WithoutAnyAreOnePartOfEverything)
{
    Settings settings;
    settings.set("grid", {"16"});
    ASSERT_EQ(settings.parts().size(), 1U);
    EXPECT_THAT(values(settings.parts()[0], "grid"), ElementsAre("16"));
}

TEST(SettingsFile, AByteThatWouldCutOffOrOverwriteAMessageIsRefused)
{
    for (const std::string_view text :
         {std::string_view("# one\ngr\0id = 1\n", 16), std::string_view("\ntitle = \x1b[2J\n"),
          std::string_view("\n\x7f\n"),
          std::string_view("\ntitle = \xc2\x9b"
                           "2J\n"),
          std::string_view("\ntitle = caf\xe9\n"), std::string_view("\ngrid = 1\rblock = 8\r\n")})
        EXPECT_THAT(refusal_of(text),
                    AllOf(StartsWith("one.cfg:2: byte 0x"),
                          EndsWith(" is of a control character, or not UTF-8; allowed: UTF-8 text")));
    EXPECT_EQ(refusal_of({"\xFF\xFEg\0r\0", 6}),
              "one.cfg:1: byte 0xff is of a control character, or not UTF-8; allowed: UTF-8 text");
    const Settings settings = settings_in("\xEF\xBB\xBF\ttitle\t=\tCaf\xC3\xA9\t\r\n");
    EXPECT_THAT(values(settings, "title"), ElementsAre("Caf\xC3\xA9"));
}

TEST(SettingsFile, MayHave64KiBAndNoByteMore)
{
    const ScratchFolder folder;
    const std::string most = "grid = 4\n" + std::string(65'536 - 9, '#');
    Settings settings;
    settings.read_file(folder.write("most.cfg", most));
    EXPECT_THAT(values(settings, "grid"), ElementsAre("4"));
    const std::string path = folder.write("more.cfg", most + "#");
    EXPECT_EQ(settings_refusal(path), path + ": it could not be read: it is too large; allowed: 64.0 KiB");
    EXPECT_EQ(refusal_of(most + "#"), "one.cfg: it is too large for an experiment file; allowed: 65536 bytes");
}

TEST(SettingsFile, ABadFileLeavesTheSettingsAsTheyWere)
{
    const ScratchFolder folder;
    Settings settings;
    settings.read_file(folder.write("good.cfg", "grid = 4\n"));
    EXPECT_THROW(settings.read_file(folder.write("bad.cfg", "grid = 8\nblock\n")), UsageError);
    EXPECT_THAT(values(settings, "grid"), ElementsAre("4"));
    EXPECT_EQ(settings.experiment(), "good");
}

TEST(SettingsFile, OneThatIsNotThereIsRefusedByName)
{
    const ScratchFolder folder;
    const std::string path = folder.path("missing.cfg");
    EXPECT_EQ(settings_refusal(path),
              path + ": there is no such experiment file; allowed: a file of key = value lines");
}

TEST(SettingsFile, ANameOfAStrategyOrAWorkloadGetsItsCommand)
{
    EXPECT_EQ(settings_refusal("nosync"),
              "nosync: there is no such experiment file, but nosync is a strategy: `nestbed run "
              "--strategy nosync`; allowed: a file of key = value lines");
    EXPECT_EQ(settings_refusal("reduce"),
              "reduce: there is no such experiment file, but reduce is a workload: `nestbed list reduce` prints its "
              "strategies, for `nestbed run --strategy NAME`; allowed: a file of key = value lines");
    EXPECT_EQ(settings_refusal("nosink"),
              "nosink: there is no such experiment file; allowed: a file of key = value lines");
}

TEST(SettingsFile, AFolderIsNoFile)
{
    const ScratchFolder folder;
    EXPECT_EQ(settings_refusal(folder.path("")),
              folder.path("") + ": it is a folder; allowed: a file of key = value lines");
    EXPECT_EQ(settings_refusal(folder.write("log.csv", "")),
              folder.path("log.csv") +
                  ": it is a CSV; allowed: a file of key = value lines; the commands for a log are "
                  "`nestbed show LOG.csv` and `nestbed predict --against LOG.csv`");
}

TEST(SettingsOfCommandLine, ReplacesAllThatTheFileSaysOfAKeyAndNothingElse)
{
    Settings settings = settings_in("grid = 4\nblock = 8\ngrid = 16\n");
    settings.set("grid", {"1,2", "64"});
    EXPECT_THAT(values(settings, "grid"), ElementsAre("1,2", "64"));
    EXPECT_THAT(values(settings, "block"), ElementsAre("8"));
    EXPECT_EQ(settings.of("grid")[1].place(), "--grid 64");
    EXPECT_EQ(settings.experiment(), "one");
}

TEST(SettingsOfCommandLine, KeepsAnEmptyValueWithItsPlaceForWhatReadsItToRefuse)
{
    Settings settings;
    settings.set("grid", {""});
    ASSERT_EQ(settings.of("grid").size(), 1U);
    EXPECT_EQ(settings.of("grid")[0].place(), "--grid ");
}

TEST(SettingOfOneValue, SaidTwiceIsRefusedAtTheSecondPlace)
{
    Settings settings = settings_in("repeat = 5\ngrid = 1\nrepeat = 6\n");
    EXPECT_EQ(text_of<UsageError>([&] { static_cast<void>(settings.one("repeat")); }),
              "one.cfg:3: repeat = 6: repeat was given before; it takes one value");
    settings.set("seed", {"1", "2"});
    EXPECT_EQ(text_of<UsageError>([&] { static_cast<void>(settings.one("seed")); }),
              "--seed 2: seed was given before; it takes one value");
}

} // namespace
} // namespace nestbed
