// Every impossible request to a plan: the message names the place, the value, and what is allowed.
#include "model/strategy.hpp"
#include "plan/plan_description.hpp"
#include "support/plan_support.hpp"

#include <fmt/format.h>

namespace nestbed
{
namespace
{

TEST(PlanRefuses, NoStrategyAndAnUnknownOne)
{
    const std::string all = fmt::format("({} in all: nestbed list)", Registry::names().size());
    EXPECT_EQ(refusal({}), "no strategy was named; allowed: --strategy with a name such as synced, or with several " +
                               all + ", or --program with a program of your own");
    EXPECT_THAT(refusal("--strategy host,nosink"),
                AllOf(StartsWith("--strategy host,nosink: there is no strategy 'nosink', did you mean 'nosync'?; "
                                 "allowed: nosync, "),
                      testing::EndsWith(", ... " + all)));
    EXPECT_THAT(refusal("--strategy host,"), HasSubstr("there is no strategy ''; allowed: "));
}

TEST(PlanRefuses, AnUnknownType)
{
    EXPECT_EQ(refusal("--strategy host --type in32"),
              "--type in32: there is no type 'in32', did you mean 'int32'?; allowed: int32, float32");
}

TEST(PlanRefuses, ABlockThatIsNoPowerOfTwo)
{
    EXPECT_EQ(refusal("--strategy host --block 64,96"),
              "--block 64,96: a block of 96 threads cannot be halved down to one; allowed: powers of two "
              "from 1 to 1024");
}

TEST(PlanRefuses, MoreLevelsThanTheLedgerCounts)
{
    for (const std::string strategy : {"chain", "chains", "chains_synced", "trees", "trees_by_lanes"})
        EXPECT_EQ(refusal({{"strategy", strategy}, {"grid", "1"}, {"depth", "2,2049"}}),
                  "--depth 2,2049: 2049 levels are too many; allowed for " + strategy + ": at most 2048");
    EXPECT_EQ(plan_of("--strategy chain,chains --grid 1 --depth 2048").case_count(), 2U);
    EXPECT_EQ(plan_of("--strategy fanout,nosync --depth 2049").case_count(), 2U);
}

TEST(PlanRefuses, MoreLaunchesOfATreeThanThereIsRoomFor)
{
    EXPECT_EQ(
        refusal("--strategy trees --grid 1 --fanout 4 --depth 12,13"),
        "strategy trees: --grid 1, --fanout 4 and --depth 13 make too many launches; allowed: at most 67108864");
    EXPECT_EQ(refusal("--strategy trees_by_lanes --grid 8 --fanout 256 --block 256"),
              "strategy trees_by_lanes: --grid 8, --fanout 256 and --depth full make too many launches; allowed: at "
              "most 67108864");
    EXPECT_EQ(refusal("--strategy trees --grid 1 --fanout 256 --depth 2048"), // it is capped
              "strategy trees: --grid 1, --fanout 256 and --depth 2048 make too many launches; allowed: at most "
              "67108864");
    EXPECT_EQ(refusal("--strategy chains --grid 65536 --depth 1024,1025"),
              "strategy chains: --grid 65536 and --depth 1025 make too many launches; allowed: at most 67108864");
    // A block launches as many children as it has threads.
    EXPECT_EQ(plan_of("--strategy trees_by_lanes --grid 8 --fanout 256 --block 32").case_count(), 1U);
}

TEST(PlanRefuses, ABlockOverTheDevicesLimit)
{
    Devices devices = cpu_alone();
    devices[BackendKind::cpu].max_threads_per_block = 512;
    EXPECT_EQ(refusal("--strategy host --block 1024", devices),
              "--block 1024: Model 1 has blocks of at most 512 threads, not 1024");
    EXPECT_EQ(plan_of("--strategy host --block 512", devices).case_count(), 1U);
}

TEST(PlanRefuses, AGridOverTheDevicesLimit)
{
    Devices devices = cpu_alone();
    devices[BackendKind::cpu].max_grid = 65535;
    EXPECT_EQ(refusal("--strategy host --grid 65536 --block 1", devices),
              "--grid 65536: Model 1 has grids of at most 65535 blocks, not 65536");
}

// The message must name a setting that the user wrote: not "--block" if the user set only elements and grid.
TEST(PlanRefuses, AShapeOverTheDevicesLimitAtWhatTheUserSaid)
{
    Devices devices = cpu_alone();
    devices[BackendKind::cpu].max_threads_per_block = 512;
    EXPECT_THAT(refusal("--strategy host --elements 1024 --grid 1", devices),
                AllOf(StartsWith("--elements 1024: "), HasSubstr("at most 512")));
    devices[BackendKind::cpu].max_grid = 65535;
    EXPECT_THAT(refusal("--strategy host --elements 65536 --block 1", devices),
                AllOf(StartsWith("--elements 65536: "), HasSubstr("at most 65535")));
}

TEST(PlanRefuses, NumbersOutOfTheRangeOfTheirKey)
{
    const auto allowed = [](const std::string& key, const std::string& value) {
        return refusal({{"strategy", "nosync"}, {key, value}});
    };
    EXPECT_THAT(allowed("grid", "0"),
                AllOf(StartsWith("--grid 0: 0 is too small"), HasSubstr("from 1 to 2147483647,")));
    EXPECT_THAT(allowed("grid", "2147483648"), HasSubstr("2147483648 is too large"));
    EXPECT_THAT(allowed("block", "0"), AllOf(StartsWith("--block 0: 0 is too small"), HasSubstr("from 1 to 1024,")));
    EXPECT_THAT(allowed("block", "2048"), HasSubstr("2048 is too large"));
    EXPECT_THAT(allowed("elements", "0"), StartsWith("--elements 0: 0 is too small"));
    EXPECT_THAT(allowed("elements", "-5"), HasSubstr("'-5' is negative"));
    EXPECT_THAT(allowed("depth", "4294967296"), AllOf(HasSubstr("too large"), HasSubstr("or full")));
    EXPECT_THAT(allowed("pending-limit", "0"), AllOf(HasSubstr("0 is too small"), HasSubstr("or auto")));
    EXPECT_THAT(allowed("wave", "0"), HasSubstr("0 is too small"));
    EXPECT_THAT(allowed("streams", "65"), AllOf(HasSubstr("65 is too large"), HasSubstr("from 1 to 64 or auto")));
    EXPECT_THAT(allowed("delay-us", "1000001"), AllOf(HasSubstr("is too large"), HasSubstr("from 0 to 1000000,")));
    EXPECT_THAT(allowed("delay-us", "auto"), HasSubstr("'auto' is not a whole number"));
    EXPECT_THAT(allowed("seed", "one"), StartsWith("--seed one: 'one' is not a whole number"));
    EXPECT_EQ(allowed("repeat", "0"), "--repeat 0: '0' is not a whole number from 1 to 1000000");
    EXPECT_EQ(allowed("warmup", "-1"), "--warmup -1: '-1' is not a whole number from 0 to 1000000");
    EXPECT_THAT(refusal("--strategy nosync --repeat 1 --repeat 2"), HasSubstr("it takes one value"));
}

TEST(PlanRefuses, MoreMemoryThanIsFreeWithBothAmounts)
{
    Devices devices = cpu_alone();
    const Case point{.strategy = "nosync", .backend = BackendKind::cpu, .grid = 512, .block = 512};
    devices[BackendKind::cpu].free_memory_bytes = memory_bytes(point);
    const Said said("--strategy nosync --grid 1,512");
    EXPECT_EQ(plan_of(said, devices).case_count(), 2U);
    devices[BackendKind::cpu].free_memory_bytes = memory_bytes(point) - 1;
    EXPECT_EQ(plan_of(said, devices).case_count(),
              2U); // the case that fits is measured; the other is a row with the reason
    EXPECT_THAT(refusal("--strategy nosync --grid 512,1024", devices),
                AllOf(StartsWith("--grid 512,1024: 512 blocks of 512 threads need "),
                      HasSubstr(" of memory; allowed: what Model 1 has free, ")));
    EXPECT_THAT(refusal("--strategy nosync --elements 262144", devices), StartsWith("--elements 262144: "));
    EXPECT_THAT(refusal("--strategy nosync --block 1024", devices), StartsWith("--block 1024: "));
    EXPECT_THAT(refusal("--strategy nosync", devices), StartsWith("--grid: 2048 blocks of 512 threads need "));
}

TEST(PlanRefuses, AnOperatorThatAStrategyHasNot)
{
    for (const std::string operators : {"max", "sum,min"})
        EXPECT_EQ(refusal({{"strategy", "neighbored,nosync"}, {"operator", operators}}),
                  "--operator " + operators + ": nosync supports only sum; allowed with max and min: neighbored");
    EXPECT_EQ(refusal("--strategy neighbored --operator mean"),
              "--operator mean: there is no operator 'mean', did you mean 'max'?; allowed: sum, max, min");
    EXPECT_EQ(plan_of("--strategy neighbored --operator sum,max,min").case_count(), 3U);
    EXPECT_EQ(plan_of("--strategy nosync,chain,neighbored --operator sum").case_count(), 3U);
    EXPECT_EQ(plan_of("--strategy neighbored,chain --operator max").case_count(), 2U); // chain has none
}

TEST(PlanRefuses, AnUnknownMechanism)
{
    EXPECT_EQ(refusal("--strategy nosync --mechanism null_stream,tial"),
              "--mechanism null_stream,tial: there is no mechanism 'tial', did you mean 'tail'?; allowed: tail, all, "
              "host, named, host_pdl, ... (24 in all: nestbed list)");
    EXPECT_THAT(refusal("--strategy neighbored --mechanism none"),
                StartsWith("--mechanism none: there is no mechanism 'none'"));
}

TEST(PlanRefuses, MechanismsOfWhichAStrategyWithSeveralHasNone)
{
    EXPECT_EQ(
        refusal("--strategy barrier,nosync --mechanism tail"),
        "--mechanism tail: nosync does not support it; allowed for nosync: all, null_stream, named, fire_and_forget");
    EXPECT_EQ(plan_of("--strategy barrier,nosync --mechanism tail,null_stream").case_count(), 3U);
    const ScratchFolder folder;
    const std::string path = folder.write("one.cfg", "strategy = nosync\nmechanism = host, tail\n");
    Settings settings;
    settings.read_file(path);
    EXPECT_THAT(
        text_of<UsageError>([&] { static_cast<void>(make_plan(settings, cpu_alone())); }),
        StartsWith(path + ":2: mechanism = host, tail: nosync does not support it; allowed for nosync: all, "));
}

TEST(PlanRefuses, AtFileAndLine)
{
    const ScratchFolder folder;
    const std::string path = folder.write("one.cfg", "strategy = nosync\n\nblock = 100\n");
    Settings settings;
    settings.read_file(path);
    EXPECT_THAT(text_of<UsageError>([&] { static_cast<void>(make_plan(settings, cpu_alone())); }),
                StartsWith(path + ":3: block = 100: a block of 100 threads"));
}

} // namespace
} // namespace nestbed
