// The timeline of a user's program: its rows, its file, and what is computed from it.
#include "base/error.hpp"
#include "inspect/launch_summary.hpp"
#include "inspect/launch_trace.hpp"
#include "support/matchers.hpp"
#include "support/support.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>

namespace nestbed
{
namespace
{

constexpr std::uint64_t kFirstCall = 1'790'000'000'000'000'123;

// Times in microseconds.
struct Times {
    double called, begun, ended;
};

TracedGrid grid_of(std::uint32_t parent, std::uint32_t depth, const std::string& stream, Times times,
                   const std::string& kernel = "k")
{
    const auto ns = [](double us) { return kFirstCall + static_cast<std::uint64_t>(us * 1000); };
    return {.parent = parent,
            .depth = depth,
            .blocks = 2,
            .threads = 64,
            .called_ns = ns(times.called),
            .begun_ns = ns(times.begun),
            .ended_ns = ns(times.ended),
            .kernel = kernel,
            .place = "my.cu:" + std::to_string(depth + 1),
            .stream = stream,
            .grid_shape = "2",
            .block_shape = "8x8"};
}
TracedGrid refused_grid(std::uint32_t parent, std::uint32_t depth, double called)
{
    TracedGrid grid = grid_of(parent, depth, "null", {called, called, called});
    grid.begun_ns.reset();
    grid.ended_ns.reset();
    grid.error = 1;
    grid.error_name = "LaunchPendingCountExceeded";
    return grid;
}

LaunchTrace trace_with(std::vector<TracedGrid> grids)
{
    return {.devices = {{.name = "NVIDIA H200, a \"GPU\"", .timer_step_ns = 32, .within_ns = 810, .capacity = 1024}},
            .grids = std::move(grids)};
}

// A root whose child launches a chain of two tail grids, and two grids that end before the tails begin.
LaunchTrace small_trace()
{
    return trace_with({grid_of(kNoGrid, 0, "host:0", {0, 5, 20}), grid_of(0, 1, "null", {10, 18, 30}, "leaf"),
                       grid_of(0, 1, "fire_and_forget", {11, 16, 40}, "leaf"),
                       grid_of(0, 1, "tail", {15, 45, 60}, "next"), grid_of(3, 2, "tail", {50, 62, 70}, "next"),
                       refused_grid(3, 2, 55)});
}

void expect_equal(const LaunchTrace& a, const LaunchTrace& b)
{
    ASSERT_EQ(a.devices.size(), b.devices.size());
    for (std::size_t i = 0; i < a.devices.size(); ++i) {
        EXPECT_EQ(a.devices[i].name, b.devices[i].name);
        EXPECT_EQ(a.devices[i].timer_step_ns, b.devices[i].timer_step_ns);
        EXPECT_EQ(a.devices[i].within_ns, b.devices[i].within_ns);
        EXPECT_EQ(a.devices[i].lost, b.devices[i].lost);
        EXPECT_EQ(a.devices[i].lost_of_host, b.devices[i].lost_of_host);
        EXPECT_EQ(a.devices[i].capacity, b.devices[i].capacity);
    }
    ASSERT_EQ(a.grids.size(), b.grids.size());
    for (std::size_t i = 0; i < a.grids.size(); ++i) {
        const TracedGrid& one = a.grids[i];
        const TracedGrid& other = b.grids[i];
        SCOPED_TRACE(i);
        EXPECT_EQ(std::tie(one.parent, one.depth, one.blocks, one.threads, one.device),
                  std::tie(other.parent, other.depth, other.blocks, other.threads, other.device));
        EXPECT_EQ(std::tie(one.called_ns, one.begun_ns, one.ended_ns),
                  std::tie(other.called_ns, other.begun_ns, other.ended_ns));
        EXPECT_EQ(
            std::tie(one.kernel, one.place, one.stream, one.grid_shape, one.block_shape, one.error_name),
            std::tie(other.kernel, other.place, other.stream, other.grid_shape, other.block_shape, other.error_name));
    }
}

TEST(LaunchTrace, IsTheSameAfterItWasWrittenAndRead)
{
    LaunchTrace trace = small_trace();
    trace.devices[0].lost = 3;
    trace.devices.push_back({.number = 1, .name = "x", .lost_of_host = 2});
    trace.grids[1].place = "a \"strange\", name.cu:7";
    trace.grids[2].ended_ns.reset(); // it had no end
    trace.grids[4].begun_ns.reset(); // it did not begin
    trace.grids[4].ended_ns.reset();
    trace.grids[3].device = 1;
    const ScratchFolder folder;
    expect_equal(read_launch_trace(folder.write("t.csv", launch_trace_csv(trace))), trace);
    expect_equal(read_launch_trace(folder.write("t.json", launch_trace_json(trace))), trace);
}

TEST(LaunchTrace, DrawsWaitsRunsArrowsAndWhatDidNotEnd)
{
    LaunchTrace trace = small_trace();
    trace.grids[2].ended_ns.reset();
    const auto file = nlohmann::json::parse(launch_trace_json(trace));
    std::map<std::string, int> kinds;
    std::vector<std::string> names;
    for (const auto& event : file.at("traceEvents")) {
        ++kinds[event.at("ph")];
        if (event.at("ph") == "X" || event.at("ph") == "i")
            names.push_back(event.at("name"));
    }
    EXPECT_EQ(kinds["X"], 10);
    EXPECT_EQ(kinds["s"], 4);
    EXPECT_EQ(kinds["f"], 4);
    EXPECT_THAT(names, testing::Contains("leaf 2 x 8x8 (no end)"));
    EXPECT_THAT(names, testing::Contains("refused: LaunchPendingCountExceeded"));
}

TEST(LaunchTrace, RefusesWhatIsNoTrace)
{
    const ScratchFolder folder;
    const auto error_of = [&](const std::string& text) {
        try {
            read_launch_trace(folder.write("t", text));
        } catch (const RunError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    const std::string csv = launch_trace_csv(small_trace());
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = csv;
        const std::size_t at = text.find(from);
        return at == std::string::npos ? "not found: " + from : error_of(text.replace(at, from.size(), to));
    };
    EXPECT_THAT(error_of(""), HasSubstr("it is not a trace; allowed are the columns"));
    EXPECT_THAT(error_of("{}"), HasSubstr("it is not the trace of a user's program"));
    EXPECT_THAT(error_of("{"), HasSubstr("parse error"));
    EXPECT_THAT(with("\n1,0,1,", "\n1,1,1,"), HasSubstr("t:5: the parent of grid 1 is 1"));
    EXPECT_THAT(with("\n1,0,1,", "\n2,0,1,"), HasSubstr("t:5: id 2 is not the number of the row, 1"));
    EXPECT_THAT(with("\n1,0,1,", "\n1,0,deep,"), HasSubstr("t:5: depth: 'deep' is not a whole number"));
    EXPECT_THAT(with("#device,0,32", "#device,0"), HasSubstr("t:2: "));
    EXPECT_THAT(with("2,8x8", "2,8xy"), HasSubstr("t:4: grid or block: 'y'"));
}

// ---- causes and chains ----

std::vector<std::uint32_t> before_of(const std::vector<TracedGrid>& grids)
{
    std::vector<std::uint32_t> before;
    for (const auto& cause : causes_of(grids))
        before.push_back(cause ? cause->before : 1000);
    return before;
}

TEST(Causes, OfATailLaunchIsTheLastEndOfWhatMustBeBefore)
{
    // Grid 3 begins after grid 2 ends, which is later than the parent; grid 4 after its parent 3.
    EXPECT_THAT(before_of(small_trace().grids), ElementsAre(kNoGrid, 0, 0, 2, 3, 1000));
    // Two tail launches of one grid: the second waits for the first and its descendant.
    EXPECT_THAT(before_of({grid_of(kNoGrid, 0, "host:0", {0, 1, 10}), grid_of(0, 1, "tail", {5, 12, 20}),
                           grid_of(0, 1, "tail", {6, 40, 50}), grid_of(1, 2, "null", {15, 22, 35})}),
                ElementsAre(kNoGrid, 0, 3, 1));
}

TEST(Causes, OfALaunchInAStreamAreTheOneBeforeAndItsDescendants)
{
    EXPECT_THAT(before_of({grid_of(kNoGrid, 0, "host:0", {0, 5, 10}), grid_of(kNoGrid, 0, "host:0", {1, 22, 30}),
                           grid_of(kNoGrid, 0, "host:7f", {2, 23, 31}), grid_of(0, 1, "null", {8, 12, 20})}),
                ElementsAre(kNoGrid, 3, kNoGrid, 0));
    // In a kernel: certain only where there is one NULL stream.
    std::vector<TracedGrid> grids{grid_of(kNoGrid, 0, "host:0", {0, 1, 10}), grid_of(0, 1, "null", {2, 5, 20}),
                                  grid_of(0, 1, "null", {3, 21, 30})};
    EXPECT_THAT(before_of(grids), ElementsAre(kNoGrid, 0, 0));
    grids[0].blocks = 1;
    EXPECT_THAT(before_of(grids), ElementsAre(kNoGrid, 0, 1));
}

TEST(Causes, AreNotEndsAfterTheBegin)
{
    // The host's launch was called after the one before had ended; that is no wait for it.
    EXPECT_THAT(before_of({grid_of(kNoGrid, 0, "host:0", {0, 5, 10}), grid_of(kNoGrid, 0, "host:0", {12, 22, 30})}),
                ElementsAre(kNoGrid, kNoGrid));
}

TEST(Chain, IsTheOneThatTakesLongest)
{
    const LaunchChain chain = longest_chain(small_trace().grids);
    // Host call 0, begin 5 | call 11, begin 16, end 40 | begin 45, end 60 | begin 62, end 70.
    EXPECT_THAT(chain.grids, ElementsAre(0, 2, 3, 4));
    EXPECT_EQ(chain.begin_ns, kFirstCall + 5000);
    EXPECT_EQ(chain.end_ns, kFirstCall + 70000);
    EXPECT_EQ(chain.between_ns, 5000U + 5000U + 2000U);
    EXPECT_THAT(longest_chain({}).grids, IsEmpty());
    // A grid without an end may be the first.
    std::vector<TracedGrid> grids{grid_of(kNoGrid, 0, "host:0", {0, 5, 10}),
                                  grid_of(kNoGrid, 0, "host:1", {6, 100, 110})};
    grids[0].ended_ns.reset();
    const LaunchChain second = longest_chain(grids);
    EXPECT_THAT(second.grids, ElementsAre(1));
    EXPECT_EQ(second.between_ns, 94000U);
    EXPECT_THAT(longest_chain({refused_grid(kNoGrid, 0, 3)}).grids, IsEmpty());
}

TEST(Summary, AddsUpAndNamesTheWorstLaunch)
{
    const LaunchTrace trace = small_trace();
    const LaunchSummary summary = summary_of(trace);
    EXPECT_EQ(summary.end_ns - summary.begin_ns, 65000U);
    EXPECT_EQ(summary.from_kernels, 5U);
    EXPECT_EQ(summary.refused, 1U);
    // 5-16 one, 16-18 two, 18-20 three, 20-30 two, 30-40 one, 40-45 none, 45-60 one, 60-62 none, 62-70 one.
    EXPECT_THAT(summary.running_ns, ElementsAre(std::pair(0U, 7000U), std::pair(1U, 44000U), std::pair(2U, 12000U),
                                                std::pair(3U, 2000U)));
    EXPECT_THAT(summary.latencies_us, ElementsAre(8, 5, 30, 12));
    EXPECT_EQ(summary_text(summary, trace),
              "timeline: 65.0 us from the first begin to the last end, 5 grids from kernels\n"
              "  before it           5.00 us  from the first call to the first begin\n"
              "  no grid ran         7.00 us   11 %\n"
              "  1 grid ran          44.0 us   68 %\n"
              "  2 to 3 ran          14.0 us   22 %\n"
              "  from call to start median 10.0 us, 99 % 29.5 us, worst 30.0 us at my.cu:2\n"
              "  longest chain      4 grids, 65.0 us of 65.0 us: 12.0 us of it between grids,\n"
              "                     last next of my.cu:3\n"
              "  (NVIDIA H200, a \"GPU\": its timer has steps of 32 ns; the host's calls are\n"
              "  known within 0.81 us)\n");
}

TEST(Summary, SaysWhatIsMissing)
{
    LaunchTrace trace = small_trace();
    trace.grids[2].ended_ns.reset();
    trace.grids[1].begun_ns.reset();
    trace.grids[1].ended_ns.reset();
    trace.devices[0].lost = 5;
    trace.devices[0].within_ns.reset();
    const std::string text = summary_text(summary_of(trace), trace);
    EXPECT_THAT(text, HasSubstr("without an end     1 grid: a trap"));
    EXPECT_THAT(text, HasSubstr("without a begin    1 grid: "));
    EXPECT_THAT(text, HasSubstr("(5 more grids from kernels and 0 from the host were not recorded"));
    EXPECT_THAT(text, HasSubstr("its clock was not\n  compared with the host's)"));
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        EXPECT_LE(text.find('\n', at) - at, 80U);
    EXPECT_EQ(summary_text(summary_of({}), {}),
              "timeline: 0.00 us from the first begin to the last end, 0 grids from kernels\n");
}

// Trees in which every grid begins as soon as its rules allow, after a random wait.
std::vector<TracedGrid> random_grids(std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    std::vector<TracedGrid> grids;
    double now = 0;
    while (grids.size() < 120) {
        const bool from_host = grids.empty() || draw(0, 9) == 0;
        const auto parent =
            from_host ? kNoGrid : static_cast<std::uint32_t>(draw(0, static_cast<int>(grids.size()) - 1));
        now += draw(0, 3);
        double called = now;
        if (!from_host) {
            const double begun = static_cast<double>(*grids[parent].begun_ns - kFirstCall) / 1000;
            const double ended = static_cast<double>(*grids[parent].ended_ns - kFirstCall) / 1000;
            called = begun + (ended - begun) * draw(0, 8) / 8;
        }
        const double begun = called + draw(0, 20);
        constexpr std::array<const char*, 4> kStreams{"null", "named", "fire_and_forget", "tail"};
        grids.push_back(grid_of(parent, from_host ? 0 : grids[parent].depth + 1,
                                from_host ? "host:0" : kStreams.at(static_cast<std::size_t>(draw(0, 3))),
                                {called, begun, begun + draw(0, 40)}));
        grids.back().blocks = static_cast<std::uint32_t>(draw(1, 2));
    }
    return grids;
}

TEST(Summary, OfRandomTreesIsConsistent)
{
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        const LaunchTrace trace = trace_with(random_grids(seed));
        const LaunchSummary summary = summary_of(trace);
        std::uint64_t all = 0;
        std::uint64_t weighted = 0;
        for (const auto& [running, ns] : summary.running_ns) {
            all += ns;
            weighted += running * ns;
        }
        std::uint64_t runs = 0;
        for (const TracedGrid& grid : trace.grids)
            runs += *grid.ended_ns - *grid.begun_ns;
        EXPECT_EQ(all, summary.end_ns - summary.begin_ns);
        EXPECT_EQ(weighted, runs);
        const auto causes = causes_of(trace.grids);
        std::uint64_t between = 0;
        for (std::size_t i = 0; i < summary.chain.grids.size(); ++i) {
            const std::uint32_t grid = summary.chain.grids[i];
            EXPECT_EQ(causes[grid]->before, i == 0 ? kNoGrid : summary.chain.grids[i - 1]);
            EXPECT_LE(causes[grid]->at_ns, *trace.grids[grid].begun_ns);
            between += *trace.grids[grid].begun_ns - std::max(causes[grid]->at_ns, summary.begin_ns);
        }
        EXPECT_EQ(summary.chain.between_ns, between);
        EXPECT_LE(between, summary.chain.end_ns - summary.chain.begin_ns);
        // No grid's own chain is longer.
        for (std::uint32_t grid = 0; grid < trace.grids.size(); ++grid) {
            std::uint32_t first = grid;
            while (causes[first]->before != kNoGrid)
                first = causes[first]->before;
            EXPECT_LE(*trace.grids[grid].ended_ns - std::max(causes[first]->at_ns, summary.begin_ns),
                      summary.chain.end_ns - summary.chain.begin_ns);
        }
    }
}

} // namespace
} // namespace nestbed
