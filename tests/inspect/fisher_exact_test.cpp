#include "inspect/fisher_exact.hpp"

#include <gtest/gtest.h>

namespace nestbed
{
namespace
{

// The lady tasting tea: four of eight cups are of one kind.
TEST(FisherExactFewer, IsTheTailOfTheHypergeometricDistribution)
{
    EXPECT_NEAR(fisher_exact_fewer(0, 4, 4, 4), 1.0 / 70, 1e-12);
    EXPECT_NEAR(fisher_exact_fewer(1, 4, 3, 4), 17.0 / 70, 1e-12);
    EXPECT_NEAR(fisher_exact_fewer(4, 4, 0, 4), 1, 1e-12);
    EXPECT_NEAR(fisher_exact_fewer(0, 1, 1, 2), 2.0 / 3, 1e-12); // sides of different sizes
    EXPECT_NEAR(fisher_exact_fewer(0, 5, 0, 3), 1, 1e-12);
}

} // namespace
} // namespace nestbed
