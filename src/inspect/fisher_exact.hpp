// Whether one side is right less often than another by chance.
#pragma once

#include <cstddef>

namespace nestbed
{

// Fisher's exact test ("The Logic of Inductive Inference", 1935), one-sided: the probability that at most `good` of
// `rows` rows are good if they have the same chance to be good as the `other_rows`, of which `other_good` are good.
// Boost.Math.
double fisher_exact_fewer(std::size_t good, std::size_t rows, std::size_t other_good, std::size_t other_rows);

} // namespace nestbed
