// Levels that the host makes on the executor: it waits for each, or submits as many as a bound says, and a level past the end
// returns at once.
#include "model/axis_table.hpp"
#include "support/forms_support.hpp"
#include "workloads/bfs/graph_step.hpp"
#include "workloads/mandelbrot/mandelbrot_reference.hpp"
#include "workloads/quadtree/quadtree_reference.hpp"
#include "workloads/search/search_nodes.hpp"
#include "workloads/sort/sort_reference.hpp"

#include <array>
#include <string>

namespace nestbed
{
namespace
{

using enum Mechanism;

constexpr std::array kForms{"sort_levels", "quadtree_levels", "mandelbrot_levels", "search_levels", "bfs_direction"};

Case levels_of(const std::string& strategy, Mechanism mechanism)
{
    Case point =
        case_of(BackendKind::cpu, {strategy, mechanism},
                {.name = "", .grid = 5, .block = 64, .elements = 1500, .nx = 61, .ny = 47}, ElementType::none);
    if (strategy == "sort_levels")
        point.type = ElementType::int32;
    return point;
}

void set_input(Case& point, InputKind input)
{
    constexpr std::uint32_t kFew = 3;
    point.input = input;
    if (point.strategy == "search_levels") { // each input has a size of its own
        point["tree-levels"] = 0;
        point[search_size_of(input)] = kFew;
    }
}

// Grids that it takes for a case by a bound.
std::uint32_t bound_of(const Case& point)
{
    if (point.strategy == "sort_levels")
        return 1 + kMaxSortLevels;
    if (point.strategy == "quadtree_levels")
        return 1 + max_quad_levels(point);
    if (point.strategy == "mandelbrot_levels")
        return 1 + max_mandelbrot_levels(point);
    if (point.strategy == "search_levels")
        return max_search_levels(point);
    return 0; // of a search of a graph, its edges say
}

TEST(LevelsByHost, AreRightByEveryMechanismOnEveryInput)
{
    for (const char* schedule : every_schedule()) {
        const auto session = session_of(schedule);
        for (const char* strategy : kForms)
            for (const Mechanism mechanism : kLevelsByHost)
                for (const InputKind input : Registry::find_anywhere(strategy)->info().workload->inputs) {
                    SCOPED_TRACE(std::string(schedule) + " " + strategy + " " + std::string(name_of(mechanism)));
                    Case point = levels_of(strategy, mechanism);
                    set_input(point, input);
                    if (point.strategy == "search_levels")
                        point["cutoff"] = std::min(point["cutoff"], 6U); // or a binomial tree has no bound
                    if (name_of(input) == "file" || name_of(input) == "queens")
                        continue; // needs a file; has a size of its own
                    expect_right(*session, point);
                }
    }
}

TEST(LevelsByHost, SubmitTheBoundOrOneGraphOfIt)
{
    const auto session = session_of("random:1");
    for (const char* strategy : kForms)
        for (const Mechanism mechanism : {host_max_levels, host_graph_max_levels, host_graph_pdl_max_levels}) {
            const Case point = levels_of(strategy, mechanism);
            const Sample sample = session->sample(point, 0);
            ASSERT_EQ(sample.status, Status::ok) << sample.detail;
            SCOPED_TRACE(std::string(strategy) + " " + std::string(name_of(mechanism)));
            if (const std::uint32_t bound = mechanism == host_max_levels ? bound_of(point) : 1; bound != 0) {
                EXPECT_EQ(sample.host_launches, bound);
            }
        }
}

TEST(LevelsByHost, HaveTheDepthOfTheCaseForABound)
{
    const auto session = session_of("random:1");
    for (const char* strategy : {"sort_levels", "quadtree_levels", "mandelbrot_levels"})
        for (const std::uint32_t depth : {0U, 1U, 2U}) {
            Case point = levels_of(strategy, host_max_levels);
            point.depth = depth;
            const Sample sample = session->sample(point, 0);
            ASSERT_EQ(sample.status, Status::ok) << sample.detail;
            EXPECT_EQ(sample.host_launches, depth + 1) << strategy;
        }
}

TEST(LevelsByHost, OfABinomialTreeHaveNoBoundWithoutACutoff)
{
    const auto session = session_of("fifo");
    Case point = levels_of("search_levels", host_graph_max_levels);
    set_input(point, InputKind("t3"));
    EXPECT_EQ(
        why_unsupported(*session, point),
        "unsupported: the levels of a binomial tree have no bound; allowed by host_graph_max_levels: a cutoff below "
        "65535");
    point["cutoff"] = 9;
    expect_right(*session, point);
}

TEST(LevelsByHost, OfAReductionAreProgrammaticLaunchesToo)
{
    for (const char* schedule : every_schedule()) {
        const auto session = session_of(schedule);
        for (const std::uint32_t block : {1U, 2U, 64U, 512U}) {
            Case point = case_of(BackendKind::cpu, {"host_loop", host_pdl}, {"", 3, block, 0}, ElementType::int32);
            const Sample sample = session->sample(point, 0);
            EXPECT_EQ(sample.status, Status::ok) << sample.detail;
            EXPECT_EQ(sample.host_launches, halving_levels(point) + 1);
        }
    }
}

// Several large steps, and small ones before, between and after them.
TEST(LevelsByHost, OfASearchAreRightWhereOneBlockIsNotEnough)
{
    const auto session = session_of("random:2");
    for (const Mechanism mechanism : kLevelsByHost)
        for (const char* input : {"uniform", "rmat"}) {
            Case point = levels_of("bfs_direction", mechanism);
            point.input = InputKind(input);
            point.elements = 1 << 14;
            point["edge-factor"] = 8;
            expect_right(*session, point);
            const Sample sample = session->sample(point, 1);
            EXPECT_GT(*sample.host_launches, mechanism == host_max_levels ? 16U : 0U);
        }
}

// They submit all work at once, so their GPU time can be held; those that wait cannot.
TEST(LevelsByHost, CanBeHeldIfTheHostWaitsForNone)
{
    const Axis& submit = axis_named("submit");
    for (const char* strategy : kForms)
        for (const Mechanism mechanism : kLevelsByHost)
            EXPECT_EQ(submit.applies(Registry::find_anywhere(strategy)->info(), mechanism, BackendKind::cuda),
                      mechanism != host)
                << strategy << " " << name_of(mechanism);
}

} // namespace
} // namespace nestbed
