#include "inspect/fisher_exact.hpp"

#include <boost/math/distributions/hypergeometric.hpp>

namespace nestbed
{

double fisher_exact_fewer(std::size_t good, std::size_t rows, std::size_t other_good, std::size_t other_rows)
{
    const auto all_good = static_cast<unsigned>(good + other_good);
    const auto drawn = static_cast<unsigned>(rows);
    const auto all = static_cast<unsigned>(rows + other_rows);
    return cdf(boost::math::hypergeometric_distribution<>(all_good, drawn, all), static_cast<unsigned>(good));
}

} // namespace nestbed
