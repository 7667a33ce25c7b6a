// A launch tree as data: its lanes, the file that trace viewers open, and the cost of tracing.
#include "inspect/timeline.hpp"
#include "inspect/trace_events.hpp"

#include "support/matchers.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

namespace nestbed
{
namespace
{

using nlohmann::json;
using testing::UnorderedElementsAre;

// As large as the value of a GPU's timer: a double cannot distinguish such times.
constexpr std::uint64_t kEpoch = 1'790'000'000'000'000'123;

TracedGrid root(std::uint64_t begun, std::uint64_t ended)
{
    return {.blocks = 2, .threads = 8, .begun_ns = kEpoch + begun, .ended_ns = kEpoch + ended};
}
TracedGrid child(std::uint32_t parent, std::uint32_t depth, std::uint64_t called, std::uint64_t begun,
                 std::uint64_t ended)
{
    TracedGrid grid = root(begun, ended);
    grid.parent = parent;
    grid.depth = depth;
    grid.blocks = 1;
    grid.threads = 4;
    grid.called_ns = kEpoch + called;
    return grid;
}
TracedGrid that_never_ran(std::uint32_t parent, std::uint32_t depth, std::uint64_t called, int error = 0)
{
    TracedGrid grid = child(parent, depth, called, 0, 0);
    grid.begun_ns.reset();
    grid.ended_ns.reset();
    grid.error = error;
    grid.error_name = error == 0 ? "" : "cudaErrorLaunchPendingCountExceeded";
    return grid;
}

// ---- lanes ----

TEST(Lanes, OfNothingAreNoneAndOneGridIsInTheFirst)
{
    EXPECT_THAT(lanes_of({}), IsEmpty());
    EXPECT_THAT(lanes_of({root(5, 9)}), ElementsAre(0));
}

TEST(Lanes, AreSharedByGridsOfWhichOneIsCalledWhenOrAfterTheOtherEnds)
{
    EXPECT_THAT(lanes_of({child(0, 1, 0, 5, 10), child(0, 1, 10, 15, 20), child(0, 1, 30, 31, 32)}),
                ElementsAre(0, 0, 0));
    EXPECT_THAT(lanes_of({root(0, 10), root(10, 20)}), ElementsAre(0, 0));
}

TEST(Lanes, AreNotSharedByAGridThatRunsAndOneThatWaitsForItsBegin)
{
    EXPECT_THAT(lanes_of({child(0, 1, 0, 5, 10), child(0, 1, 9, 15, 20)}), ElementsAre(0, 1));
    EXPECT_THAT(lanes_of({root(0, 10), root(9, 20)}), ElementsAre(0, 1)); // root grids have no launch call
}

TEST(Lanes, AreTakenInTheOrderOfTheCallsAndTheFirstThatIsFree)
{
    EXPECT_THAT(lanes_of({child(0, 1, 20, 21, 22), child(0, 1, 1, 2, 15), child(0, 1, 0, 2, 30)}),
                ElementsAre(1, 1, 0));
}

TEST(Lanes, OfADepthDoNotDependOnTheOtherDepths)
{
    EXPECT_THAT(lanes_of({root(0, 100), child(0, 1, 10, 20, 90), child(1, 2, 30, 40, 80), child(0, 1, 15, 20, 90)}),
                ElementsAre(0, 0, 0, 1));
}

TEST(Lanes, AreNotTakenByGridsThatNeverRan)
{
    EXPECT_THAT(lanes_of({that_never_ran(0, 1, 0, 69), child(0, 1, 0, 5, 10), that_never_ran(0, 1, 1)}),
                ElementsAre(kNoGrid, 0, kNoGrid));
}

// A tree of grids. Each is called while its parent runs, and begins and ends at random times.
std::vector<TracedGrid> random_tree(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto draw = [&](std::uint64_t low, std::uint64_t high) {
        return std::uniform_int_distribution<std::uint64_t>(low, high)(random);
    };
    std::vector<TracedGrid> grids{root(0, 1000), root(700, 1500)};
    while (grids.size() < 200) {
        const auto parent = static_cast<std::uint32_t>(draw(0, grids.size() - 1));
        if (!grids[parent].begun_ns || grids[parent].depth == 4)
            continue;
        const std::uint32_t depth = grids[parent].depth + 1;
        const std::uint64_t called = draw(*grids[parent].begun_ns, *grids[parent].ended_ns) - kEpoch;
        const std::uint64_t begun = called + draw(0, 60);
        if (draw(1, 10) == 1)
            grids.push_back(that_never_ran(parent, depth, called, draw(0, 1) == 0 ? 69 : 0));
        else
            grids.push_back(child(parent, depth, called, begun, begun + draw(1, 120)));
    }
    return grids;
}

std::uint64_t start_of(const TracedGrid& grid)
{
    return grid.called_ns.value_or(*grid.begun_ns);
}

TEST(Lanes, AreAsFewAsTheMostGridsAtOneTimeAndNoTwoOfALaneOverlap)
{
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        const std::vector<TracedGrid> grids = random_tree(seed);
        const std::vector<std::uint32_t> lanes = lanes_of(grids);
        ASSERT_EQ(lanes.size(), grids.size());
        std::map<std::uint32_t, std::vector<std::pair<std::uint64_t, int>>> steps; // by depth; ends before begins
        std::map<std::uint32_t, std::set<std::uint32_t>> used;
        for (std::size_t a = 0; a < grids.size(); ++a) {
            ASSERT_EQ(lanes[a] == kNoGrid, !grids[a].begun_ns.has_value());
            if (lanes[a] == kNoGrid)
                continue;
            used[grids[a].depth].insert(lanes[a]);
            steps[grids[a].depth].emplace_back(start_of(grids[a]), 1);
            steps[grids[a].depth].emplace_back(*grids[a].ended_ns, -1);
            for (std::size_t b = 0; b < a; ++b)
                if (lanes[b] == lanes[a] && grids[b].depth == grids[a].depth) {
                    EXPECT_TRUE(*grids[b].ended_ns <= start_of(grids[a]) || *grids[a].ended_ns <= start_of(grids[b]))
                        << a << " and " << b;
                }
        }
        for (auto& [depth, changes] : steps) {
            std::ranges::sort(changes);
            int at_once = 0;
            int most = 0;
            for (const auto& [time, change] : changes)
                most = std::max(most, at_once += change);
            EXPECT_EQ(used[depth].size(), static_cast<std::size_t>(most)) << "depth " << depth;
            EXPECT_EQ(*used[depth].rbegin() + 1, used[depth].size()) << "depth " << depth; // no gaps in the numbers
        }
    }
}

// ---- the file ----

Trace trace_of(std::vector<TracedGrid> grids)
{
    Trace trace{.point = {.strategy = "nosync", .elements = 16, .grid = 2, .block = 8, .seed = 7},
                .grids = std::move(grids)};
    trace.sample.waves = 1;
    return trace;
}
json parsed(const Trace& trace)
{
    return json::parse(trace_json(trace, {"nestbed", "trace"}));
}
json events_of(const json& file, const std::string& kind)
{
    json found = json::array();
    for (const json& event : file.at("traceEvents"))
        if (event.at("ph") == kind)
            found.push_back(event);
    return found;
}
// The slices of the runs, by grid.
std::map<std::size_t, json> runs_of(const json& file)
{
    std::map<std::size_t, json> runs;
    for (const json& slice : events_of(file, "X"))
        if (slice.at("name") != "wait")
            runs[slice.at("args").at("grid")] = slice;
    return runs;
}

// Two root grids. The first has two concurrent children: one has a child, and the other has a child that is refused.
Trace example()
{
    return trace_of({root(1000, 9000), child(0, 1, 2000, 4000, 6000), child(0, 1, 2500, 4500, 5250),
                     child(1, 2, 5000, 6500, 7250), that_never_ran(2, 2, 4600, 69), that_never_ran(0, 1, 8000),
                     root(10000, 11500)});
}

TEST(TraceFile, HasTheFieldsThatTheFormatAsksFor)
{
    const json file = parsed(example());
    EXPECT_EQ(file.at("displayTimeUnit"), "ns");
    std::map<std::string, int> kinds;
    for (const json& event : file.at("traceEvents")) {
        SCOPED_TRACE(event.dump());
        const std::string kind = event.at("ph");
        ++kinds[kind];
        EXPECT_TRUE(event.at("pid").is_number_unsigned());
        EXPECT_GT(event.at("pid"), 0);
        EXPECT_TRUE(event.at("tid").is_number_unsigned());
        EXPECT_LT(event.at("tid"), 2);
        EXPECT_FALSE(event.at("name").get<std::string>().empty());
        if (kind == "M") {
            EXPECT_TRUE(event.at("args").contains(event.at("name") == "process_sort_index" ? "sort_index" : "name"));
            continue;
        }
        EXPECT_TRUE(event.at("ts").is_number());
        EXPECT_GE(event.at("ts"), 0);
        EXPECT_FALSE(event.at("cat").get<std::string>().empty());
        EXPECT_EQ(event.contains("dur"), kind == "X");
        EXPECT_GE(event.value("dur", 0.0), 0);
        EXPECT_EQ(event.contains("id"), kind == "s" || kind == "f");
        EXPECT_EQ(event.value("bp", ""), kind == "f" ? "e" : "");
        EXPECT_EQ(event.value("s", ""), kind == "i" ? "t" : "");
    }
    // Three waits and five runs. A name and a position for each of the depths 0 to 2, and four lanes.
    EXPECT_EQ(kinds, (std::map<std::string, int>{{"M", 10}, {"X", 8}, {"s", 3}, {"f", 3}, {"i", 1}}));
}

TEST(TraceFile, TimesAreMicrosecondsFromTheFirstEvent)
{
    const json file = parsed(example());
    const auto runs = runs_of(file);
    EXPECT_EQ(runs.at(0).at("ts"), 0);
    EXPECT_EQ(runs.at(0).at("dur"), 8);
    EXPECT_EQ(runs.at(2).at("ts"), 3.5);
    EXPECT_EQ(runs.at(2).at("dur"), 0.75);
    EXPECT_EQ(runs.at(6).at("ts"), 9);
    for (const json& slice : events_of(file, "X"))
        if (slice.at("name") == "wait" && slice.at("args").at("grid") == 3) {
            EXPECT_EQ(slice.at("ts"), 4);
            EXPECT_EQ(slice.at("dur"), 1.5);
        }
}

TEST(TraceFile, ARunSaysWhatTheGridWas)
{
    Trace trace = example();
    trace.grids[3].multiprocessor = 77;
    trace.grids[3].multiprocessors = 5;
    const auto runs = runs_of(parsed(trace));
    EXPECT_EQ(runs.at(3).at("name"), "1 x 4");
    EXPECT_EQ(runs.at(3).at("args"), json::parse(R"({"grid": 3, "depth": 2, "parent": 1, "blocks": 1, "wait_us": 1.5,
        "threads_a_block": 4, "multiprocessor": 77, "multiprocessors": 5})"));
    const json of_root = runs.at(0).at("args");
    EXPECT_FALSE(of_root.contains("parent"));
    EXPECT_FALSE(of_root.contains("wait_us"));
}

TEST(TraceFile, NamesEveryDepthAndEveryLaneOnce)
{
    const json file = parsed(example());
    std::vector<std::pair<int, std::string>> depths;
    std::set<std::pair<int, int>> lanes;
    for (const json& event : events_of(file, "M")) {
        if (event.at("name") == "process_name")
            depths.emplace_back(event.at("pid"), event.at("args").at("name"));
        if (event.at("name") == "thread_name") {
            EXPECT_TRUE(lanes.emplace(event.at("pid"), event.at("tid")).second) << event;
        }
    }
    EXPECT_THAT(depths, UnorderedElementsAre(std::pair(1, "depth 0: 2 grids"), std::pair(2, "depth 1: 2 grids"),
                                             std::pair(3, "depth 2: 1 grid")));
    EXPECT_THAT(lanes, UnorderedElementsAre(std::pair(1, 0), std::pair(2, 0), std::pair(2, 1), std::pair(3, 0)));
}

TEST(TraceFile, ARefusalIsAnInstantOnTheLaneOfTheGridThatCalled)
{
    const json file = parsed(example());
    const json refusals = events_of(file, "i");
    ASSERT_EQ(refusals.size(), 1U);
    EXPECT_EQ(refusals[0].at("name"), "refused: cudaErrorLaunchPendingCountExceeded");
    EXPECT_EQ(refusals[0].at("pid"), runs_of(file).at(2).at("pid"));
    EXPECT_EQ(refusals[0].at("tid"), 1);
    EXPECT_EQ(refusals[0].at("ts"), 3.6);
}

constexpr double kRounding = 1e-6; // error of microseconds as doubles
double end_of(const json& slice)
{
    return slice.at("ts").get<double>() + slice.at("dur").get<double>() + kRounding;
}

// The arrow ends a nanosecond after the begin. Exactly at the begin, viewers would attach it to the wait that ends
// there.
TEST(TraceFile, AnArrowGoesFromTheRunThatCalledToTheBeginOfTheCalled)
{
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        const Trace trace = trace_of(random_tree(seed));
        const json file = parsed(trace);
        const auto runs = runs_of(file);
        std::map<std::size_t, json> ends;
        for (const json& end : events_of(file, "f"))
            EXPECT_TRUE(ends.emplace(end.at("id"), end).second) << end;
        std::set<std::size_t> arrows;
        for (const json& start : events_of(file, "s")) {
            const std::size_t grid = start.at("id");
            EXPECT_TRUE(arrows.insert(grid).second) << start;
            const json& end = ends.at(grid);
            EXPECT_EQ(start.at("name"), end.at("name")); // viewers require it in addition to the id
            EXPECT_EQ(start.at("cat"), end.at("cat"));
            const json& from = runs.at(trace.grids[grid].parent);
            const json& to = runs.at(grid);
            for (const char* place : {"pid", "tid"}) {
                EXPECT_EQ(start.at(place), from.at(place));
                EXPECT_EQ(end.at(place), to.at(place));
            }
            EXPECT_GE(start.at("ts"), from.at("ts"));
            EXPECT_LE(start.at("ts"), end_of(from));
            EXPECT_GT(end.at("ts"), to.at("ts"));
            EXPECT_LE(end.at("ts"), to.at("ts").get<double>() + 0.001 + kRounding);
            EXPECT_LE(end.at("ts"), end_of(to));
        }
        EXPECT_EQ(ends.size(), arrows.size());
        EXPECT_EQ(arrows.size() + 2, runs.size()); // one arrow to every grid except the two roots
    }
}

TEST(TraceFile, SlicesOfALaneDoNotOverlap)
{
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> lanes;
        for (const json& slice : events_of(parsed(trace_of(random_tree(seed))), "X"))
            lanes[{slice.at("pid"), slice.at("tid")}].emplace_back(slice.at("ts"), end_of(slice));
        for (auto& [lane, times] : lanes) {
            std::ranges::sort(times);
            for (std::size_t next = 1; next < times.size(); ++next)
                EXPECT_GE(times[next].first + 2 * kRounding, times[next - 1].second) << lane.first << lane.second;
        }
    }
}

TEST(TraceFile, KeepsWhatWasTracedOnWhatAndHow)
{
    Trace trace = example();
    trace.lost = 3;
    trace.capacity = 7;
    trace.run_us = 12.5;
    trace.timer_step_ns = 32;
    trace.schedule = "random:9";
    trace.device = {.name = "a device", .driver = "13.0", .runtime = "12.9"};
    trace.sample.status = Status::launch_failed;
    trace.sample.detail = "1 of 5 was refused";
    trace.sample.pending_limit = 2;
    trace.sample.streams = 4;
    const std::vector<std::string> command{"nestbed", "trace", "--schedule=\"x\"\n", "\xff"}; // not UTF-8
    const json data = json::parse(trace_json(trace, command)).at("otherData");
    ASSERT_EQ(data.at("command").size(), 4U);
    EXPECT_EQ(data.at("command")[2], command[2]);
    EXPECT_EQ(data.at("case").at("strategy"), "nosync");
    EXPECT_EQ(data.at("case").at("grid"), "2");
    EXPECT_EQ(data.at("case").at("seed"), "7");
    const json expected = json::parse(R"({"status": "launch_failed", "detail": "1 of 5 was refused",
        "device": "a device", "driver": "13.0", "cuda_runtime": "12.9", "schedule": "random:9", "timer_step_ns": 32,
        "root_grids": 1, "streams": 4, "pending_limit": 2, "grids": 7, "grids_refused": 1, "grids_lost": 3,
        "grids_at_most": 7, "run_us": 12.5})");
    for (const auto& [key, value] : expected.items())
        EXPECT_EQ(data.at(key), value) << key;
    EXPECT_FALSE(data.contains("tracing"));
}

TEST(TraceFile, SaysWhatTracingCostWhereThatWasMeasured)
{
    Trace trace = example();
    trace.overhead = {.untraced_us = {30, 10, 20}, .traced_us = {25, 50, 20}};
    EXPECT_EQ(parsed(trace).at("otherData").at("tracing"),
              json::parse(R"({"untraced_us": [30.0, 10.0, 20.0], "traced_us": [25.0, 50.0, 20.0],
                              "median_untraced_us": 20.0, "median_traced_us": 25.0, "overhead_share": 0.25})"));
}

TEST(TraceFile, OfGridsThatNeverRanHasNoEvents)
{
    EXPECT_THAT(parsed(trace_of({})).at("traceEvents"), IsEmpty());
    TracedGrid lost_root;
    EXPECT_THAT(parsed(trace_of({lost_root, that_never_ran(0, 1, 5), that_never_ran(0, 1, 6, 69)})).at("traceEvents"),
                IsEmpty());
}

TEST(TraceOverhead, IsTheExcessOfTheTracedMedian)
{
    const TraceOverhead overhead{.untraced_us = {10, 400, 20, 30}, .traced_us = {1000, 30, 20}};
    EXPECT_DOUBLE_EQ(overhead.median_untraced_us(), 25);
    EXPECT_DOUBLE_EQ(overhead.median_traced_us(), 30);
    EXPECT_DOUBLE_EQ(overhead.share(), 0.2);
    EXPECT_THROW(static_cast<void>(TraceOverhead{}.share()), std::invalid_argument);
}

} // namespace
} // namespace nestbed
