// min() and max() of kernels on the executor: CUDA's overloads, beside those of namespace std.
#include "device/language.hpp"
#include "support/matchers.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace nestbed
{
namespace
{

template <class Result, class A, class B>
void expect_least_and_greatest(A least, B greatest)
{
    using namespace std; // as in users' files
    static_assert(is_same_v<decltype(min(least, greatest)), Result>);
    static_assert(is_same_v<decltype(max(greatest, least)), Result>);
    EXPECT_EQ(min(least, greatest), static_cast<Result>(least));
    EXPECT_EQ(min(greatest, least), static_cast<Result>(least));
    EXPECT_EQ(max(least, greatest), static_cast<Result>(greatest));
    EXPECT_EQ(max(greatest, least), static_cast<Result>(greatest));
}

TEST(ExecutorMinMax, HaveTheOverloadsOfCuda)
{
    expect_least_and_greatest<int>(-3, 2);
    expect_least_and_greatest<unsigned>(2U, 0xFFFFFFFDU);
    expect_least_and_greatest<unsigned>(2U, -3); // converted, as in CUDA
    expect_least_and_greatest<unsigned>(2, 3U);
    expect_least_and_greatest<long>(-3L, 2L);
    expect_least_and_greatest<unsigned long>(2UL, 3UL);
    expect_least_and_greatest<unsigned long>(2L, 3UL);
    expect_least_and_greatest<long long>(-3LL, 2LL);
    expect_least_and_greatest<unsigned long long>(2ULL, 3ULL);
    expect_least_and_greatest<unsigned long long>(2ULL, 3LL);
    expect_least_and_greatest<float>(-3.5F, 2.5F);
    expect_least_and_greatest<double>(-3.5, 2.5);
    expect_least_and_greatest<double>(-3.5F, 2.5);
    expect_least_and_greatest<double>(-3.5, 2.5F);
}

TEST(ExecutorMinMax, OfANumberAndANaNAreTheNumber)
{
    EXPECT_EQ(min(NAN, 1.0F), 1.0F);
    EXPECT_EQ(min(1.0F, NAN), 1.0F);
    EXPECT_EQ(max(double{NAN}, 1.0), 1.0);
    EXPECT_EQ(max(1.0F, double{NAN}), 1.0);
}

} // namespace
} // namespace nestbed
