// From settings to cases: the product of the axes without those that do not apply, and every way to ask for too much.
#include "plan/plan.hpp"
#include "plan/plan_description.hpp"

#include "model/launch_plan.hpp"
#include "support/plan_support.hpp"
#include "support/stand_ins.hpp"
#include "workloads/reduce/descriptor.hpp"

#include <tuple>

namespace nestbed
{
namespace
{

// Elements, grid and block of the only case.
std::tuple<std::uint64_t, std::uint32_t, std::uint32_t> shape_of(const Said& said)
{
    Said with = said;
    with.emplace_back("strategy", "nosync");
    const std::vector<Case> cases = cases_of(plan_of(with));
    EXPECT_EQ(cases.size(), 1U);
    return {cases.at(0).elements, cases.at(0).grid, cases.at(0).block};
}

using Shape = std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>;

TEST(Plan, OfAStrategyAloneIsTheBooksCase)
{
    const Plan plan = plan_of("--strategy nosync");
    ASSERT_EQ(plan.case_count(), 1U);
    EXPECT_EQ(plan.groups[0].cases[0], (Case{.strategy = "nosync",
                                             .backend = BackendKind::cpu,
                                             .mechanism = Mechanism::null_stream,
                                             .type = ElementType::int32,
                                             .elements = 2048 * 512,
                                             .grid = 2048,
                                             .block = 512,
                                             .seed = 1}));
    EXPECT_EQ(plan.experiment, "adhoc");
    EXPECT_EQ(plan.title, "");
    EXPECT_EQ(plan.order_seed, 1U);
    EXPECT_EQ(plan.expect, Status::ok);
}

TEST(Plan, RepeatsAndWarmsUpByBackendUnlessTold)
{
    const Plan usual = plan_of("--strategy nosync", both());
    EXPECT_EQ(usual.repeat.at(BackendKind::cuda), exactly(30));
    EXPECT_EQ(usual.repeat.at(BackendKind::cpu), exactly(5));
    EXPECT_EQ(usual.warmup.at(BackendKind::cuda), 3U);
    EXPECT_EQ(usual.warmup.at(BackendKind::cpu), 1U);
    EXPECT_EQ(usual.sample_count(), 35U);
    EXPECT_EQ(usual.retries, 1U);

    const Plan told = plan_of("--strategy nosync,synced --repeat 5 --warmup 0 --retries 2", both());
    EXPECT_EQ(told.repeat.at(BackendKind::cuda), exactly(5));
    EXPECT_EQ(told.warmup.at(BackendKind::cpu), 0U);
    EXPECT_EQ(told.sample_count(), 20U);
    EXPECT_EQ(told.retries, 2U);
}

TEST(Plan, HasABandForAnEmptyKernelIfTold)
{
    EXPECT_FALSE(plan_of({{"strategy", "nosync"}}).floor);
    const Plan plan = plan_of({{"strategy", "nosync"}, {"empty-kernel-us", "2:3.25"}});
    ASSERT_TRUE(plan.floor);
    EXPECT_EQ(plan.floor->low, 2);
    EXPECT_EQ(plan.floor->high, 3.25);
    for (const std::string wrong : {"", "3", ":3", "2:", "3:2", "2:2", "-1:3", "2:3us", "a:b", "2:3:4", "2:inf"})
        EXPECT_EQ(refusal({{"strategy", "nosync"}, {"empty-kernel-us", wrong}}),
                  "--empty-kernel-us " + wrong +
                      ": it is not a valid band; allowed: LOW:HIGH in microseconds, such as 2:3.3");
}

TEST(LatencySetting, IsOnOrOff)
{
    EXPECT_FALSE(plan_of("--strategy nosync").latency);
    EXPECT_FALSE(plan_of("--strategy nosync --latency off").latency);
    EXPECT_TRUE(plan_of("--strategy nosync --latency on").latency);
    EXPECT_EQ(refusal("--strategy nosync --latency yes"), "--latency yes: allowed: on, off");
}

TEST(Plan, IsTheProductOfAllAxes)
{
    const Plan plan = plan_of("--strategy nosync,synced --type int32,float32 --grid 1:4:*2 --block 64,128 --depth "
                              "0,full --pending-limit auto,32,64 --seed 1,2",
                              both());
    EXPECT_EQ(plan.groups.size(), 2U * 2 * 3 * 2 * 2); // backend, type, grid, block, seed
    EXPECT_EQ(plan.case_count(), plan.groups.size() * 2 * 2 * 3);
    const std::vector<Case> cases = cases_of(plan);
    for (std::size_t one = 0; one < cases.size(); ++one)
        for (std::size_t other = 0; other < one; ++other)
            ASSERT_NE(cases[one], cases[other]);
}

TEST(Plan, GroupsTheCasesThatShareTheirInput)
{
    const Plan plan = plan_of("--strategy neighbored,nosync --grid 1,2 --wave auto,1 --streams 1,2 --seed 1,2");
    ASSERT_EQ(plan.groups.size(), 4U);
    for (const Group& group : plan.groups) {
        EXPECT_EQ(group.cases.size(), 1U + 4U);
        for (const Case& point : group.cases) {
            const Case& first = group.cases.front();
            EXPECT_EQ(std::tie(point.backend, point.type, point.elements, point.grid, point.block, point.seed),
                      std::tie(first.backend, first.type, first.elements, first.grid, first.block, first.seed));
        }
    }
}

TEST(Plan, KeepsTheOrderOfStrategiesAndValues)
{
    const Plan plan = plan_of("--strategy synced,nosync,synced --depth full,2,0");
    ASSERT_EQ(plan.groups.size(), 1U);
    std::vector<std::pair<std::string, std::optional<std::uint32_t>>> order;
    for (const Case& point : plan.groups[0].cases)
        order.emplace_back(point.strategy, point.depth);
    using Pair = std::pair<std::string, std::optional<std::uint32_t>>;
    EXPECT_THAT(order, ElementsAre(Pair{"synced", std::nullopt}, Pair{"synced", 2}, Pair{"synced", 0},
                                   Pair{"nosync", std::nullopt}, Pair{"nosync", 2}, Pair{"nosync", 0}));
}

TEST(Plan, LaunchSettingsDoNotMultiplyWhatLaunchesNothing)
{
    for (const std::string strategy : {"neighbored", "host"}) {
        const Plan plan = plan_of({{"strategy", strategy},
                                   {"depth", "0:10"},
                                   {"pending-limit", "32,64"},
                                   {"wave", "1,2"},
                                   {"streams", "1,2"},
                                   {"delay-us", "1,2"}});
        ASSERT_EQ(plan.case_count(), 1U) << strategy;
        const Case& point = plan.groups[0].cases[0];
        EXPECT_EQ(point.depth, std::nullopt);
        EXPECT_EQ(point.pending_limit, std::nullopt);
        EXPECT_EQ(point.wave, std::nullopt);
        EXPECT_EQ(point.streams, std::nullopt);
        EXPECT_EQ(point.delay_us, 0U);
    }
}

TEST(Plan, WavesAndStreamsDoNotMultiplyWhatHasOneChainForTheWholeGrid)
{
    const Plan plan = plan_of("--strategy reduce2,nosync --wave 1,2 --streams 1,2");
    EXPECT_EQ(plan.case_count(), 1U + 4U);
    EXPECT_EQ(plan.groups[0].cases[0].wave, std::nullopt);
    EXPECT_EQ(plan.groups[0].cases[0].streams, std::nullopt);
}

TEST(Plan, DelaysMultiplyWhatHasAPlaceForThemAlone)
{
    const Plan plan = plan_of("--strategy nosync,tail,neighbored,hello --delay-us 0,5");
    std::vector<std::pair<std::string, std::uint32_t>> delays;
    for (const Case& point : cases_of(plan))
        delays.emplace_back(point.strategy, point.delay_us);
    using Pair = std::pair<std::string, std::uint32_t>;
    EXPECT_THAT(delays, ElementsAre(Pair{"nosync", 0}, Pair{"nosync", 5}, Pair{"tail", 0}, Pair{"tail", 5},
                                    Pair{"neighbored", 0}, Pair{"hello", 0}));
}

// All its launches are on one level.
TEST(Plan, DepthDoesNotMultiplyAFanOut)
{
    const Plan plan = plan_of("--strategy fanout --grid 8 --depth 0,1,full");
    ASSERT_EQ(plan.case_count(), 1U);
    EXPECT_EQ(plan.groups[0].cases[0].depth, std::nullopt);
    EXPECT_EQ(plan_of("--strategy chain --grid 8 --depth 0,1,full").case_count(), 3U);
    EXPECT_EQ(plan_of("--strategy chains --grid 8 --depth 0,1,full").case_count(), 3U);
}

TEST(Plan, SaysWhatNoChosenStrategyHas)
{
    const auto unused = [](const Said& said) { return plan_of(said).unused; };
    const auto unused_in = [](std::string_view text) { return make_plan(settings_in(text), cpu_alone()).unused; };
    EXPECT_THAT(
        unused({{"strategy", "chain,host"}, {"fanout", "4"}, {"seed", "2"}}),
        ElementsAre("--fanout 4: it changes nothing, because no chosen strategy has fanout; strategies that have it: "
                    "trees, trees_by_lanes"));
    EXPECT_THAT(unused({{"strategy", "host"}, {"delay-us", "4"}}), ElementsAre(HasSubstr(" and 1 more")));
    EXPECT_THAT(unused({{"strategy", "fanout,nosync"}, {"delay-us", "5"}, {"depth", "1"}}), IsEmpty());
    EXPECT_THAT(unused_in("strategy = host\ndepth = 1\n"),
                ElementsAre(StartsWith("one.cfg:2: depth = 1: it changes nothing, because ")));
    // Before sections it may be meant for one of them; in a section it is for that one.
    const std::string sections = "depth = 1\n[flat]\nstrategy = host\n[nested]\nstrategy = nosync\n";
    EXPECT_THAT(unused_in(sections), IsEmpty());
    EXPECT_THAT(unused_in(sections + "[other]\nstrategy = host\ndelay-us = 5\n"),
                ElementsAre(StartsWith("one.cfg:8: delay-us = 5: ")));
    // The strategies of the command line replace those of the file, for which its axes are.
    Settings settings = settings_in("strategy = nosync\ndepth = 1\n");
    settings.set("strategy", {"host"});
    EXPECT_THAT(make_plan(settings, cpu_alone()).unused, IsEmpty());
    settings.set("delay-us", {"5"});
    EXPECT_THAT(make_plan(settings, cpu_alone()).unused, ElementsAre(StartsWith("--delay-us 5: ")));
}

// reduce2 launches from the device, but one chain for the whole grid.
TEST(Plan, SaysThatWavesDivideNoGrid)
{
    const auto unused = [](const Said& said) { return plan_of(said).unused; };
    EXPECT_THAT(
        unused({{"strategy", "reduce2"}, {"wave", "auto,2"}, {"streams", "auto"}}),
        ElementsAre("--wave auto,2: it changes nothing, because no chosen strategy launches its root blocks in "
                    "waves"));
    EXPECT_THAT(unused({{"strategy", "reduce2,host"}, {"streams", "2"}}), ElementsAre(StartsWith("--streams 2: ")));
    EXPECT_THAT(unused({{"strategy", "reduce2,nosync"}, {"wave", "2"}, {"streams", "2"}}), IsEmpty());
    EXPECT_THAT(unused({{"strategy", "host"}, {"wave", "2"}}), ElementsAre(HasSubstr("no chosen strategy has wave")));
    EXPECT_THAT(make_plan(settings_in("strategy = reduce2\nwave = 2\n"), cpu_alone()).unused,
                ElementsAre(StartsWith("one.cfg:2: wave = 2: ")));
}

TEST(Plan, ATreeHasAFanoutAndAChainHasNone)
{
    const auto fanouts = [](const Said& said) {
        std::vector<std::uint32_t> all;
        const Plan plan = plan_of(said);
        for (const Case& point : cases_of(plan))
            all.push_back(point["fanout"]);
        return all;
    };
    EXPECT_THAT(fanouts("--strategy trees --grid 8 --fanout 3,16"), ElementsAre(3, 16));
    EXPECT_THAT(fanouts("--strategy trees_by_lanes --grid 8"), ElementsAre(2));
    EXPECT_THAT(fanouts("--strategy chains --grid 8 --fanout 3,16"), ElementsAre(0));
}

TEST(Plan, TypesAndSeedsDoNotMultiplyWhatHasNoElements)
{
    const Plan plan = plan_of("--strategy hello --type int32,float32 --seed 1:3 --grid 1,2");
    ASSERT_EQ(plan.groups.size(), 2U);
    ASSERT_EQ(plan.case_count(), 2U);
    EXPECT_EQ(plan.groups[0].cases[0].type, ElementType::none);
    EXPECT_EQ(plan.groups[0].cases[0].elements, 0U);
    EXPECT_EQ(plan.groups[1].cases[0].grid, 2U);

    const Plan mixed = plan_of("--strategy hello,host --type int32,float32 --seed 1:3");
    EXPECT_EQ(mixed.groups.size(), 6U);
    EXPECT_EQ(mixed.case_count(), 6U + 1U);
}

TEST(Plan, TheFirstSeedOrdersTheRounds)
{
    EXPECT_EQ(plan_of("--strategy nosync --seed 18446744073709551615,2").order_seed, UINT64_MAX);
}

TEST(Plan, TakesItsNamesFromTheExperimentFile)
{
    const Settings settings = settings_in("title = Latency against the grid\nstrategy = nosync\n", "grid.cfg");
    const Plan plan = make_plan(settings, cpu_alone());
    EXPECT_EQ(plan.experiment, "grid");
    EXPECT_EQ(plan.title, "Latency against the grid");
}

TEST(Plan, HasTheFiguresThatTheExperimentNames)
{
    EXPECT_THAT(plan_of("--strategy nosync").figures, IsEmpty());
    const ScratchFolder folder;
    Settings settings;
    const std::string path =
        folder.write("a.cfg", "strategy = nosync\nfigure = by-grid, launches\nfigure = by-depth,by-grid\n");
    settings.read_file(path);
    EXPECT_THAT(make_plan(settings, cpu_alone()).figures, ElementsAre("by-grid", "launches", "by-depth"));
    Settings wrong;
    wrong.read_file(folder.write("a.cfg", "strategy = nosync\nfigure = by-grids\n"));
    EXPECT_THAT(
        text_of<UsageError>([&] { make_plan(wrong, cpu_alone()); }),
        AllOf(StartsWith(path + ":2: figure = by-grids: there is no figure 'by-grids', did you mean 'by-grid'?"),
              HasSubstr("allowed: by-grid, "), HasSubstr(" in all: nestbed list --json)")));
    EXPECT_THAT(text_of<UsageError>([&] { plan_of("--strategy nosync --figure by-grid,"); }),
                StartsWith("--figure by-grid,: there is no figure ''"));
}

TEST(Plan, HasTheProductOfEachSectionsAxes)
{
    const Settings settings = settings_in("repeat = 5\nblock = 64\n[nested]\nstrategy = nosync, synced\n"
                                          "depth = 1, 2\nseed = 9\n[flat]\nstrategy = neighbored\ngrid = 1:3\n",
                                          "two.cfg");
    const Plan plan = make_plan(settings, cpu_alone());
    ASSERT_EQ(plan.groups.size(), 1U + 3U);
    ASSERT_EQ(plan.case_count(), 4U + 3U);
    EXPECT_EQ(plan.repeat.at(BackendKind::cpu), exactly(5));
    EXPECT_EQ(plan.order_seed, 9U);
    for (const Case& point : cases_of(plan))
        EXPECT_EQ(point.block, 64U);
    EXPECT_EQ(plan.groups[3].cases[0].strategy, "neighbored");
    EXPECT_EQ(plan.groups[3].cases[0].grid, 3U);
}

TEST(Plan, SectionsThatShareAnInputShareAGroupAndItsCasesAreThereOnce)
{
    const Settings settings = settings_in("grid = 7\n[a]\nstrategy = neighbored, nosync\n[b]\nstrategy = neighbored, "
                                          "tail\n[c]\nstrategy = tail\ngrid = 8\n",
                                          "two.cfg");
    const Plan plan = make_plan(settings, cpu_alone());
    ASSERT_EQ(plan.groups.size(), 2U);
    ASSERT_EQ(plan.groups[0].cases.size(), 3U);
    EXPECT_EQ(plan.groups[0].cases[2].strategy, "tail");
    EXPECT_EQ(plan.groups[1].cases.size(), 1U);
}

TEST(Plan, ASectionWithoutAStrategyIsRefusedByItsName)
{
    const Settings settings = settings_in("[a]\nstrategy = tail\n[b]\ngrid = 3\n", "two.cfg");
    const std::string text = text_of<UsageError>([&] { static_cast<void>(make_plan(settings, cpu_alone())); });
    EXPECT_NE(text.find("no strategy was named in section [b]; allowed"), std::string::npos) << text;
}

TEST(PlanShape, AnyTwoOfElementsGridAndBlockGiveTheThird)
{
    EXPECT_EQ(shape_of("--grid 100 --block 64"), (Shape{6400, 100, 64}));
    EXPECT_EQ(shape_of("--elements 6400 --block 64"), (Shape{6400, 100, 64}));
    EXPECT_EQ(shape_of("--elements 6401 --block 64"), (Shape{6401, 101, 64}));
    EXPECT_EQ(shape_of("--elements 6400 --grid 100"), (Shape{6400, 100, 64}));
    EXPECT_EQ(shape_of("--elements 6401 --grid 100"), (Shape{6401, 100, 128})); // block is a power of two
    EXPECT_EQ(shape_of("--elements 1 --grid 100"), (Shape{1, 100, 1}));
}

TEST(PlanShape, WhatIsNotGivenIsTheBooks)
{
    EXPECT_EQ(shape_of("--grid 3"), (Shape{3 * 512, 3, 512}));
    EXPECT_EQ(shape_of("--block 64"), (Shape{2048 * 64, 2048, 64}));
    EXPECT_EQ(shape_of("--elements 1000"), (Shape{1000, 2, 512}));
    EXPECT_EQ(shape_of("--elements 1"), (Shape{1, 1, 512}));
}

TEST(PlanShape, AllThreeLeaveARaggedEndAndEmptyBlocks)
{
    EXPECT_EQ(shape_of("--elements 5 --grid 4 --block 4"), (Shape{5, 4, 4}));
    EXPECT_EQ(shape_of("--elements 16 --grid 4 --block 4"), (Shape{16, 4, 4}));
    EXPECT_EQ(refusal("--strategy nosync --elements 17 --grid 4 --block 4"),
              "--elements 17: 17 elements do not fit 4 blocks of 4; allowed: at most 16");
}

TEST(PlanShape, ElementsThatNoBlockOrNoGridCanHoldAreRefused)
{
    EXPECT_EQ(refusal("--strategy nosync --elements 102401 --grid 100"),
              "--elements 102401: 102401 elements need blocks of 2048 threads; allowed: at most 102400 with "
              "100 blocks");
    EXPECT_EQ(refusal("--strategy nosync --elements 2147483648 --block 1"),
              "--elements 2147483648: 2147483648 elements need 2147483648 blocks of 1; allowed: at most 2147483647 "
              "blocks");
}

TEST(PlanMemory, IsTheInputItsCopyAndASumABlock)
{
    Case point{.strategy = "nosync", .backend = BackendKind::cuda, .grid = 2048, .block = 512};
    EXPECT_EQ(memory_bytes(point), 2U * 4 * 2048 * 512 + 2048U * 4);
    // The host's copy of the input, the right sums and the answers are in the same memory, and so are the pending
    // grids of two levels.
    point.backend = BackendKind::cpu;
    EXPECT_EQ(memory_bytes(point), 3U * 4 * 2048 * 512 + 2048U * 4 + 2048U * 20 + 2U * 2048 * 440);
    const Case largest{.strategy = "host", .backend = BackendKind::cuda, .grid = 2147483647, .block = 1024};
    EXPECT_GT(memory_bytes(largest), 2 * 4 * 2147483647ULL * 1024);
}

TEST(PlanMemory, HasAFlagALevelWhereParentsWait)
{
    const Case point{.strategy = "synced", .backend = BackendKind::cuda, .grid = 2048, .block = 512};
    EXPECT_EQ(memory_bytes(point), 2U * 4 * 2048 * 512 + 2048U * (4 + 8 * 4));
}

// wide_warp writes the sums of a level beside those of the previous level: 8 bytes per 32 elements.
TEST(PlanMemory, HasTheStrategysScratch)
{
    const Case point{
        .strategy = "wide_warp", .backend = BackendKind::cuda, .elements = 1000, .grid = 4, .block = 256};
    EXPECT_EQ(memory_bytes(point), 2U * 4 * 1024 + 4U * 4 + 2 * 32 * 8);
}

// For each launch: when it was called and when it began.
TEST(PlanMemory, HasTwoMarksALaunchOfAChainOrAFanOut)
{
    Case point{.strategy = "chain", .backend = BackendKind::cuda, .type = ElementType::none, .block = 32};
    point.depth = 100;
    EXPECT_EQ(memory_bytes(point), 2U * 8 * 100);
    point.backend = BackendKind::cpu;
    EXPECT_EQ(memory_bytes(point), 2U * 8 * 100 + 2 * 440);
    point = {.strategy = "fanout", .backend = BackendKind::cuda, .type = ElementType::none, .grid = 1000};
    for (const Mechanism mechanism : {Mechanism::tail, Mechanism::host}) {
        point.mechanism = mechanism;
        EXPECT_EQ(memory_bytes(point), 2U * 8 * 1000) << name_of(mechanism);
    }
}

// hello counts greetings in one number: it has no input, no copies and no sums.
TEST(PlanMemory, IsNotNeededByWhatHasNoElements)
{
    Case point{.strategy = "hello", .type = ElementType::none, .grid = 65536, .block = 8};
    point.backend = BackendKind::cuda;
    EXPECT_EQ(memory_bytes(point), 0U);
    point.backend = BackendKind::cpu; // but the executor stores its pending grids
    EXPECT_EQ(memory_bytes(point), 2U * 65536 * 440);
}

std::string a_gpu()
{
    return "";
}

std::string no_gpu()
{
    return "no driver";
}

TEST(ChosenBackends, AreTheDefaultWhenNothingOrAutoIsSaid)
{
    for (const Said& said : {Said{}, Said("--backend auto")}) {
        EXPECT_THAT(chosen_backends(settings_of(said), a_gpu), ElementsAre(BackendKind::cuda));
        EXPECT_THAT(chosen_backends(settings_of(said), no_gpu), ElementsAre(BackendKind::cpu));
    }
}

TEST(ChosenBackends, AreAllThatAreNamedEachOnceAndUnknownOnesAreRefused)
{
    const Settings twice = settings_of("--backend cpu,cpu --backend cpu");
    EXPECT_THAT(chosen_backends(twice, a_gpu), ElementsAre(BackendKind::cpu));
    const Settings both_named = settings_of("--backend auto,cpu");
    EXPECT_THAT(chosen_backends(both_named, a_gpu), ElementsAre(BackendKind::cuda, BackendKind::cpu));
    EXPECT_THAT(chosen_backends(both_named, no_gpu), ElementsAre(BackendKind::cpu));
    EXPECT_EQ(
        text_of<UsageError>([] { static_cast<void>(chosen_backends(settings_of("--backend cpu,cudda"), a_gpu)); }),
        "--backend cpu,cudda: there is no backend 'cudda', did you mean 'cuda'?; allowed: auto, cuda, cpu");
    for (const std::string name : {"gpu", "GPU"})
        EXPECT_EQ(text_of<UsageError>(
                      [&] { static_cast<void>(chosen_backends(settings_of(("--backend " + name).c_str()), a_gpu)); }),
                  "--backend " + name + ": there is no backend '" + name +
                      "': the GPU's backend is called 'cuda'; allowed: auto, cuda, cpu");
}

TEST(ChosenBackends, AskForAGpuOnlyWhereTheAnswerMatters)
{
    const auto asked = []() -> std::string { throw std::logic_error("the driver was started"); };
    EXPECT_THAT(chosen_backends(settings_of("--backend cpu"), asked), ElementsAre(BackendKind::cpu));
    EXPECT_THROW(static_cast<void>(chosen_backends(settings_of("--backend auto"), asked)), std::logic_error);
}

TEST(ChosenBackends, DoNotHaveAGpuWhereThereIsNone)
{
    EXPECT_EQ(text_of<UsageError>([] { static_cast<void>(chosen_backends(settings_of("--backend cuda"), no_gpu)); }),
              "--backend cuda: there is no usable GPU here (no driver); allowed: auto, cpu, or, for a plan alone, "
              "`nestbed run --dry-run --device h200`");
}

// Cases as describe() prints them, with each run of spaces replaced by one.
std::string squeezed(const std::string& text)
{
    std::string line;
    for (const char c : text)
        if (c != ' ' || (!line.empty() && line.back() != ' '))
            line += c;
    return line;
}

TEST(Describe, SaysEachCaseWithItsLaunchesAndTheTotals)
{
    const Devices devices = cpu_alone();
    const Plan plan = plan_of("--strategy nosync,reduce2,neighbored --grid 100 --block 64 --depth full,2", devices);
    const std::string text = describe(plan, devices, kByThreads);
    EXPECT_THAT(squeezed(text),
                AllOf(StartsWith("mechanism null_stream, on cpu, type int32, elements 6400, grid 100, block 64\n\n"
                                 "strategy depth launches waves\n"),
                      HasSubstr("\nnosync full 500 1\n"), HasSubstr("\nnosync 2 200 1\n"),
                      HasSubstr("\nreduce2 full 5 1\n"), HasSubstr("\nneighbored 0\n"))); // no depth, no waves
    // (500 + 200 + 5 + 2) * (3 + 1); 3 * 4 * 6400 + 100 * (4 + 20) + 2 * 100 * 440 = 167200 bytes
    EXPECT_THAT(text, HasSubstr("\n5 cases, 25 timed samples, 4242 device launches with the warm-up, at most 163\n"
                                "KiB of memory, about 0 s\n"));
}

TEST(Describe, CountsNoLaunchesThatTheInputDecides)
{
    static const StandIn by_input(
        {.name = "by_input", .workload = &workloads::reduce, .mechanisms = kOnly<Mechanism::tail>},
        [](const Case&) { return ExpectedLaunches::of_input(); });
    if (Registry::find(BackendKind::cpu, "by_input") == nullptr)
        Registry::add(BackendKind::cpu, by_input);
    const Devices devices = cpu_alone();
    const auto total = [&](const std::string& strategies) {
        const Plan plan = plan_of({{"strategy", strategies}, {"elements", "4096"}, {"block", "128"}}, devices);
        std::string text = describe(plan, devices, kByThreads);
        std::ranges::replace(text, '\n', ' ');
        return text;
    };
    EXPECT_THAT(total("by_input"),
                HasSubstr(" timed samples, as many device launches as the input decides, at most"));
    EXPECT_THAT(total("by_input,nosync"),
                HasSubstr(" 1152 device launches with the warm-up besides those that the input decides, at most"));
}

TEST(Describe, SaysTheWavesOfTheDevice)
{
    const Devices devices = both();
    const Plan plan = plan_of("--strategy nosync --repeat 1 --warmup 0", devices);
    const std::string text = squeezed(describe(plan, devices, kByThreads));
    const Case point{.strategy = "nosync", .grid = 2048, .block = 512};
    const std::uint32_t waves =
        plan_launches(point, ExpectedLaunches::chain_per_block(2048, 8), devices.at(BackendKind::cuda)).waves();
    EXPECT_GT(waves, 1U);
    EXPECT_THAT(text, HasSubstr("nosync cuda 16384 " + std::to_string(waves)));
    EXPECT_THAT(text, HasSubstr("nosync cpu 16384 1\n"));
    EXPECT_THAT(text, HasSubstr("2 cases, 2 timed samples, 32768 device launches"));
}

// With mechanism host there are levels, but no device launches and no waves.
TEST(Describe, SaysHowGridsAreLaunched)
{
    const Devices devices = cpu_alone();
    const std::string text =
        squeezed(describe(plan_of("--strategy chain --mechanism tail,host --grid 1 --block 32 --depth 4", devices),
                          devices, kByThreads));
    EXPECT_THAT(text, AllOf(HasSubstr("\nchain tail 4 1\n"), HasSubstr("\nchain host 0\n")));
}

TEST(PlanShape, MayBeAsLargeAsABlockAndAGridCanBe)
{
    EXPECT_EQ(shape_of("--elements 102400 --grid 100"), (Shape{102400, 100, 1024}));
    Devices devices = both();
    devices.erase(BackendKind::cpu);
    devices[BackendKind::cuda].free_memory_bytes = UINT64_MAX;
    const Plan plan = plan_of("--strategy neighbored --elements 2147483647 --block 1", devices);
    EXPECT_EQ(plan.groups.at(0).cases.at(0).grid, 2147483647U);
    EXPECT_EQ(plan_of("--strategy neighbored --grid 2147483647 --block 1", devices).case_count(), 1U);
}

TEST(Plan, ExpectsWhatItIsTold)
{
    const auto expected = [](const std::string& value) {
        const Plan plan = plan_of({{"strategy", "nosync"}, {"expect", value}});
        return std::pair(plan.expect, plan.expect_race);
    };
    for (const Status status :
         {Status::ok, Status::wrong, Status::launch_failed, Status::unsupported, Status::timeout})
        EXPECT_EQ(expected(std::string(name_of(status))), std::pair(status, false));
    EXPECT_EQ(expected("race"), std::pair(Status::ok, true));
    EXPECT_EQ(refusal("--strategy nosync --expect wrongs"),
              "--expect wrongs: there is no expectation 'wrongs', did you mean 'wrong'?; allowed: ok, wrong, "
              "launch_failed, unsupported, timeout, race");
}

} // namespace
} // namespace nestbed
