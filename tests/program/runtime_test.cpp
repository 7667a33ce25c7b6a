// The parts of the run-time library of users' programs that run without a program.
#include "base/error.hpp"
#include "base/text.hpp"
#include "inspect/tree.hpp"
#include "program/runtime/environment.hpp"
#include "program/runtime/error_texts.hpp"
#include "program/runtime/program_trace.hpp"
#include "program/runtime/report_text.hpp"
#include "program/runtime/suppressions.hpp"
#include "support/support.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace nestbed::program
{
namespace
{

Environment environment_with(const std::map<std::string, std::string>& variables)
{
    return environment_of([&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

std::string rejection_of(const std::map<std::string, std::string>& variables)
{
    try {
        environment_with(variables);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(ProgramEnvironment, HasDefaults)
{
    const Environment env = environment_with({});
    EXPECT_EQ(env.schedule.order, Schedule::Order::fifo);
    EXPECT_FALSE(env.workers);
    EXPECT_FALSE(env.pending_limit);
    EXPECT_FALSE(env.tree);
    EXPECT_FALSE(env.zero_memory);
    EXPECT_FALSE(env.preemptions);
    EXPECT_EQ(env.watchdog_s, 10);
}

TEST(ProgramEnvironment, ReadsAllVariables)
{
    const Environment env = environment_with({{"NESTBED_SCHEDULE", "random:7"},
                                              {"NESTBED_WORKERS", "2"},
                                              {"NESTBED_PENDING_LIMIT", "100"},
                                              {"NESTBED_TREE", "1"},
                                              {"NESTBED_TRACE", "t.json"},
                                              {"NESTBED_REPORT", "r.json"},
                                              {"NESTBED_ZERO_MEMORY", "1"},
                                              {"NESTBED_STACK_BYTES", "1000000"},
                                              {"NESTBED_WATCHDOG_S", "0.5"},
                                              {"NESTBED_PREEMPTIONS", "3,17-19"},
                                              {"NESTBED_PREEMPTIONS_FILE", "p.txt"}});
    EXPECT_EQ(env.schedule.seed, 7U);
    EXPECT_EQ(env.workers, 2U);
    EXPECT_EQ(env.pending_limit, 100U);
    EXPECT_TRUE(env.tree);
    EXPECT_EQ(env.trace_file, "t.json");
    EXPECT_EQ(env.report_file, "r.json");
    EXPECT_TRUE(env.zero_memory);
    EXPECT_EQ(env.stack_bytes, 1'000'000U);
    EXPECT_EQ(env.watchdog_s, 0.5);
    ASSERT_TRUE(env.preemptions);
    EXPECT_THAT(*env.preemptions, ElementsAre(3, 17, 18, 19));
    EXPECT_EQ(env.preemptions_file, "p.txt");
}

TEST(ProgramEnvironment, RandomWithoutASeedIsSeedOne)
{
    EXPECT_EQ(environment_with({{"NESTBED_SCHEDULE", "random"}}).schedule.seed, 1U);
    EXPECT_TRUE(
        environment_with({{"NESTBED_SCHEDULE", "random"}, {"NESTBED_PREEMPTIONS", "none"}}).preemptions->empty());
}

TEST(ProgramEnvironment, AWrongValueNamesVariableValueAndWhatIsAllowed)
{
    EXPECT_EQ(rejection_of({{"NESTBED_SCHEDULE", "lifo"}}),
              "NESTBED_SCHEDULE='lifo'; allowed: fifo, eager, random, random:SEED (SEED a whole number)");
    EXPECT_EQ(rejection_of({{"NESTBED_WORKERS", "0"}}), "NESTBED_WORKERS='0'; allowed: a whole number from 1 to 12");
    EXPECT_EQ(rejection_of({{"NESTBED_TREE", "yes"}}), "NESTBED_TREE='yes'; allowed: 0, 1");
    EXPECT_EQ(rejection_of({{"NESTBED_PREEMPTIONS", "3"}}),
              "NESTBED_PREEMPTIONS='3' requires NESTBED_SCHEDULE=random:SEED");
}

TEST(ProgramEnvironment, LimitsAreAllowedAndWhatIsBeyondIsNot)
{
    for (const auto& [variable, allowed, beyond] :
         {std::tuple("WORKERS", "1 12", "0 13"),
          std::tuple("PENDING_LIMIT", "0 1073741824", "-1 1073741825 2147483648"),
          std::tuple("STACK_BYTES", "16384 1073741824", "16383 1073741825 64k"),
          std::tuple("WATCHDOG_S", "0 0.1 1000000", "-0.1 1000001 soon"), std::tuple("TREE", "0 1", "2"),
          std::tuple("STRICT", "0 1", "2"),
          std::tuple("PREEMPTIONS", "5-5 0", "0-100000000 1-2-3 1,-2 1-x x 3, 5-3 -1 1-")}) {
        const auto rejected = [name = std::string("NESTBED_") + variable](const std::string& value) {
            const std::string text = rejection_of({{"NESTBED_SCHEDULE", "random"}, {name, value}});
            return text.starts_with(name + "='" + value + "'; allowed:");
        };
        for (const std::string& value : split(allowed, ' '))
            EXPECT_FALSE(rejected(value)) << variable << ' ' << value;
        for (const std::string& value : split(beyond, ' '))
            EXPECT_TRUE(rejected(value)) << variable << ' ' << value;
    }
}

std::vector<KernelCounts> example()
{
    return {{.kernel = "parent",
             .from_host = 1,
             .from_device = 0,
             .refused = 0,
             .deepest = 0,
             .first_error = "",
             .place = "my.cu:40"},
            {.kernel = "nestedReduceNosync",
             .from_host = 1,
             .from_device = 4096,
             .refused = 2048,
             .deepest = 8,
             .first_error = "LaunchPendingCountExceeded",
             .place = "my.cu:31"}};
}

TEST(ProgramReport, HasALineForEachKernel)
{
    EXPECT_EQ(launches_text(example()),
              "kernel              from host  from device  refused  deepest  first error\n"
              "parent                      1            0        0        0\n"
              "nestedReduceNosync          1         4096     2048        8  LaunchPendingCountExceeded\n"
              "total                       2         4096     2048        8\n");
    EXPECT_EQ(launches_text({example().front()}), "kernel  from host  from device  refused  deepest  first error\n"
                                                  "parent          1            0        0        0\n");
    EXPECT_EQ(launches_text({}), "nestbed: no kernel ran: the program launched none\n");
}

Race race_between(const std::string& memory, unsigned first, unsigned second)
{
    Race race;
    race.memory = memory;
    race.first.places = {{.file = "/home/user/my.cu", .line = first}};
    race.second.places = {{.file = "/home/user/my.cu", .line = second}};
    race.pairs = 1;
    return race;
}

TEST(Suppressions, ACommentCoversItsLineAndTheNext)
{
    const std::vector<Suppression> found = suppressions_in_source("my.cu", "int a;\n"
                                                                           "// nestbed: benign: only statistics\n"
                                                                           "++count;\n"
                                                                           "x = 1; // nestbed: benign\n"
                                                                           "// what nestbed: benign means\n");
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].origin, "my.cu:2");
    EXPECT_EQ(found[0].why, "only statistics");
    EXPECT_TRUE(suppresses(found[0], race_between("count", 3, 90)));
    EXPECT_TRUE(suppresses(found[0], race_between("count", 90, 3)));
    EXPECT_FALSE(suppresses(found[0], race_between("count", 1, 90)));
    EXPECT_TRUE(suppresses(found[1], race_between("x", 4, 90)));
    EXPECT_EQ(found[1].why, "");
}

TEST(Suppressions, AFileNamesLinesPairsAndMemory)
{
    const std::vector<Suppression> found = suppressions_in_file("s.txt", "# known\n"
                                                                         "my.cu:12\n"
                                                                         "\n"
                                                                         "my.cu:20 user/my.cu:31 # both\n"
                                                                         "memory sum\n"
                                                                         "  ./my.cu:12 \t\r\n");
    ASSERT_EQ(found.size(), 4U);
    EXPECT_TRUE(suppresses(found[3], race_between("a", 50, 12)));
    EXPECT_EQ(found[1].origin, "s.txt:4");
    EXPECT_TRUE(suppresses(found[0], race_between("a", 12, 50)));
    EXPECT_FALSE(suppresses(found[0], race_between("a", 13, 50)));
    EXPECT_TRUE(suppresses(found[1], race_between("a", 31, 20)));
    EXPECT_FALSE(suppresses(found[1], race_between("a", 31, 21)));
    EXPECT_TRUE(suppresses(found[2], race_between("sum[3]", 1, 2)));
    EXPECT_FALSE(suppresses(found[2], race_between("sums[3]", 1, 2)));
}

TEST(Suppressions, FilesOfOtherFoldersDoNotMatch)
{
    const std::vector<Suppression> found = suppressions_in_file("s.txt", "y.cu:12\nother/my.cu:12\n");
    EXPECT_FALSE(suppresses(found[0], race_between("a", 12, 12)));
    EXPECT_FALSE(suppresses(found[1], race_between("a", 12, 12)));
}

TEST(Suppressions, AWrongLineOfAFileIsNamed)
{
    for (const char* const line : {"my.cu", "my.cu:x", "my.cu:1x", "my.cu:0", ":1", "a:1 b:2 c:3", "a:1 b", "memory"})
        try {
            suppressions_in_file("s.txt", std::string("\n") + line + "\n");
            ADD_FAILURE() << line;
        } catch (const UsageError& error) {
            EXPECT_THAT(error.what(), StartsWith("s.txt:2: '")) << line;
        }
}

TEST(Suppressions, UsedAndUnusedOnesAreListed)
{
    Races races;
    races.races = {race_between("count", 3, 3), race_between("data[1]", 8, 9)};
    const CheckedRaces checked =
        check_races(races, suppressions_in_file("s.txt", "my.cu:3\nmemory count\nmy.cu:77\n"));
    ASSERT_EQ(checked.races.races.size(), 1U);
    EXPECT_EQ(checked.races.races[0].memory, "data[1]");
    ASSERT_EQ(checked.suppressed_races.size(), 1U);
    ASSERT_EQ(checked.unused.size(), 1U);
    const std::string text = checked_text(checked);
    expect_columns(text, 80);
    EXPECT_THAT(text, HasSubstr("suppressed by s.txt:1: race of count between /home/user/my.cu:3 and\n  /home/"));
    EXPECT_THAT(text, HasSubstr("unused suppression at s.txt:3: nothing found matches my.cu:77"));
    const nlohmann::ordered_json json = report_json({}, {}, {}, "", checked);
    EXPECT_EQ(json["races"].size(), 1U);
    EXPECT_EQ(json["suppressed"][0]["by"], "s.txt:1");
    EXPECT_EQ(json["unused_suppressions"][0]["at"], "s.txt:3");
}

TEST(Suppressions, CoverAccessesOutOfBounds)
{
    BadAccess bad;
    bad.memory = "data[1024]";
    bad.access.places = {{.file = "/home/user/my.cu", .line = 5}};
    Races races;
    races.bad_accesses = {bad, bad};
    races.bad_accesses[1].access.places[0].line = 9;
    const CheckedRaces checked = check_races(races, suppressions_in_file("s.txt", "my.cu:9\n"));
    EXPECT_EQ(checked.races.bad_accesses.size(), 1U);
    EXPECT_FALSE(checked.races.none());
    EXPECT_EQ(checked.suppressed_accesses.size(), 1U);
    EXPECT_THAT(checked_text(checked), HasSubstr("suppressed by s.txt:1: access to data[1024] at"));
    EXPECT_EQ(report_json({}, {}, {}, "", checked)["bad_accesses"].size(), 1U);
    EXPECT_TRUE(check_races(races, suppressions_in_file("s.txt", "memory data\n")).races.none());
}

TEST(Suppressions, SayOfWhatTheyCoverAlsoThatItsPlaceIsNotKnown)
{
    const auto text = [](unsigned line) {
        BadAccess bad;
        bad.memory = "data[1024]";
        bad.access.places = {{.file = "my.cu", .line = line}};
        Races races;
        races.bad_accesses = {bad};
        return checked_text(check_races(races, suppressions_in_file("s.txt", "memory data\n")));
    };
    EXPECT_THAT(text(0), HasSubstr("access to data[1024] at unknown place"));
    EXPECT_THAT(text(1), HasSubstr("access to data[1024] at my.cu:1"));
}

std::shared_ptr<GridRecord> grid_of(const std::string& kernel, const std::shared_ptr<GridRecord>& parent, int error)
{
    auto grid = std::make_shared<GridRecord>();
    grid->kernel = kernel;
    grid->parent = parent;
    grid->mechanism = parent == nullptr ? Mechanism::host : Mechanism::null_stream;
    grid->level = parent == nullptr ? 0 : parent->level + 1;
    grid->block = dim3(32);
    grid->place = kernel + ".cu:7";
    grid->error = error;
    grid->called_ns = 1000;
    if (error == 0) {
        grid->begun_ns = 2000;
        grid->ended_ns = 5000;
    }
    return grid;
}

TEST(ProgramLedger, CountsLaunchesByKernel)
{
    constexpr int kPendingCountExceeded = 69;
    Ledger ledger(true);
    const auto root = grid_of("parent", nullptr, 0);
    root->called_ns = 500;
    ledger.add(root);
    const auto child = grid_of("child", root, 0);
    child->grid = dim3(2, 3);
    ledger.add(child);
    ledger.add(grid_of("child", child, 0));
    ledger.add(grid_of("child", child, kPendingCountExceeded));
    const auto copy = grid_of("cudaMemcpyAsync", root, 0);
    copy->of_library = true;
    copy->grid = dim3(2, 1, 4);
    ledger.add(copy);
    const std::vector<KernelCounts> counts = ledger.counts();
    ASSERT_EQ(counts.size(), 2U); // without the copy
    EXPECT_EQ(counts[0].from_host, 1U);
    EXPECT_EQ(counts[0].deepest, 0U);
    EXPECT_EQ(counts[1].from_device, 3U);
    EXPECT_EQ(counts[1].refused, 1U);
    EXPECT_EQ(counts[1].deepest, 2U);
    EXPECT_EQ(counts[1].first_error, "LaunchPendingCountExceeded");

    const LaunchTrace trace = launch_trace(ledger);
    EXPECT_EQ(tree_text(trace), "\ndepth  kernel           grids  blocks  threads  refused  latency     busy\n"
                                "0      parent               1       1       32                    3.00 us\n"
                                " 1     child                1       6       32           1.00 us  3.00 us\n"
                                "  2    child                2       1       32        1  1.00 us  3.00 us\n"
                                " 1     cudaMemcpyAsync      1       8       32           1.00 us  3.00 us\n"
                                "(without at most: the table would be wider than 80 columns)\n");
    EXPECT_EQ(launch_trace_csv(trace),
              "#nestbed-trace,1\n#device,0,1,0,0,0,1000000,nestbed's executor\n"
              "id,parent,depth,device,kernel,place,grid,block,stream,called_ns,begun_ns,ended_ns,error\n"
              "0,,0,0,\"parent\",\"parent.cu:7\",1,32,host,500,2000,5000,\n"
              "1,0,1,0,\"child\",\"child.cu:7\",2x3,32,null,1000,2000,5000,\n"
              "2,0,1,0,\"cudaMemcpyAsync\",\"cudaMemcpyAsync.cu:7\",2x1x4,32,null,1000,2000,5000,\n"
              "3,1,2,0,\"child\",\"child.cu:7\",1,32,null,1000,2000,5000,\n"
              "4,1,2,0,\"child\",\"child.cu:7\",1,32,null,1000,,,LaunchPendingCountExceeded\n");
    while (ledger.grids().size() < Ledger::kMaxGrids)
        ledger.add(copy);
    ledger.add(copy);
    EXPECT_EQ(ledger.lost(), 1U);
}

TEST(ProgramErrors, HaveCudasNamesAndTexts)
{
    constexpr int kInvalidValue = 1;
    constexpr int kNone = 12345;
    EXPECT_STREQ(error_name(0), "cudaSuccess");
    EXPECT_STREQ(error_name(kInvalidValue), "cudaErrorInvalidValue");
    EXPECT_STREQ(error_string(kInvalidValue), "invalid argument");
    EXPECT_EQ(short_error_name(kInvalidValue), "InvalidValue");
    EXPECT_STREQ(error_name(kNone), "unrecognized error code");
    EXPECT_STREQ(error_string(kNone), "unrecognized error code");
    EXPECT_STREQ(error_string(0), "no error");
}

} // namespace
} // namespace nestbed::program
