// Which threads add while a block halves its numbers: compared with hand calculation and with the article's figures.
#include "model/halving.hpp"

#include "support/matchers.hpp"

namespace nestbed
{
namespace
{

std::vector<std::uint32_t> warps_of(Pairing pairing, std::uint32_t block)
{
    std::vector<std::uint32_t> warps;
    for (const HalvingStep& step : halving_steps(pairing, block))
        warps.push_back(step.warps);
    return warps;
}

TEST(HalvingSteps, OfEightThreadsAreTheArticles)
{
    EXPECT_THAT(halving_steps(Pairing::neighbours, 8),
                ElementsAre(HalvingStep{1, 4, 1}, HalvingStep{2, 2, 1}, HalvingStep{4, 1, 1}));
    EXPECT_EQ(halving_steps(Pairing::neighbours_by_firsts, 8), halving_steps(Pairing::neighbours, 8)); // one warp
    EXPECT_THAT(halving_steps(Pairing::halves, 8),
                ElementsAre(HalvingStep{4, 4, 1}, HalvingStep{2, 2, 1}, HalvingStep{1, 1, 1}));
}

// Four warps. With shrinking strides, two warps are idle from the first step on; with growing strides, from the
// sixth.
TEST(HalvingSteps, LeaveWarpsIdleSoonerByStridesThatGoDown)
{
    EXPECT_THAT(warps_of(Pairing::neighbours, 128), ElementsAre(4, 4, 4, 4, 4, 2, 1));
    EXPECT_THAT(warps_of(Pairing::neighbours_by_firsts, 128), ElementsAre(2, 1, 1, 1, 1, 1, 1));
    EXPECT_THAT(warps_of(Pairing::halves, 128), ElementsAre(2, 1, 1, 1, 1, 1, 1));
    EXPECT_THAT(warps_of(Pairing::neighbours, 512), ElementsAre(16, 16, 16, 16, 16, 8, 4, 2, 1));
    EXPECT_THAT(warps_of(Pairing::halves, 512), ElementsAre(8, 4, 2, 1, 1, 1, 1, 1, 1));
}

TEST(HalvingSteps, AddAllNumbersWhateverThePairs)
{
    for (const Pairing pairing : kPairings)
        for (std::uint32_t block = 1; block <= 1024; block *= 2) {
            std::uint32_t additions = 0;
            for (const HalvingStep& step : halving_steps(pairing, block))
                additions += step.threads;
            EXPECT_EQ(additions, block - 1) << block;
        }
    EXPECT_THAT(halving_steps(Pairing::halves, 1), IsEmpty());
}

} // namespace
} // namespace nestbed
