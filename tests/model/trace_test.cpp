// How the marks of a trace are evaluated.
#include "model/trace.hpp"

#include "support/matchers.hpp"

namespace nestbed
{
namespace
{

TracedGrid grid_of(std::uint32_t depth, std::optional<std::uint64_t> called_ns, std::optional<std::uint64_t> begun_ns)
{
    return {.depth = depth, .called_ns = called_ns, .begun_ns = begun_ns};
}

TEST(LatenciesByDepth, AreTheMediansOfTheGridsOfEachDepth)
{
    const Trace trace{.grids = {grid_of(0, {}, 100), grid_of(2, 5000, 9000), grid_of(1, 1000, 2000),
                                grid_of(1, 1000, 2500), grid_of(1, 1000, 7000)}};
    EXPECT_THAT(latencies_by_depth(trace), ElementsAre(1.5, 4.0));
}

TEST(LatenciesByDepth, LeaveOutWhatNeverRan)
{
    EXPECT_THAT(latencies_by_depth({.grids = {grid_of(0, {}, 100), grid_of(1, 1000, {}), grid_of(1, 1000, 1500)}}),
                ElementsAre(0.5));
    EXPECT_THAT(latencies_by_depth({.grids = {grid_of(1, 1, {}), grid_of(2, 1000, 1500)}}), IsEmpty());
    EXPECT_THAT(latencies_by_depth({}), IsEmpty());
}

} // namespace
} // namespace nestbed
