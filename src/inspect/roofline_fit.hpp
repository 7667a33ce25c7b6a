// Fits the parameters of the launch roofline to measured cases. Pure.
#pragma once

#include "log/logged_cases.hpp"
#include "predict/roofline.hpp"

#include <span>

namespace nestbed
{

// The logs must be of one GPU, whose facts must be known: LoggedCases::runs. Uses the medians of the GPU times of
//  - chain, chains, chains_synced, fanout, trees, trees_by_lanes: grids without work;
//  - flat reductions and matrix copies: the bandwidths, and the least time of a flat kernel.
// Fits all parameters together by least squares of the logarithms of predicted and measured times (Levenberg and
// Marquardt; a large residual counts by its amount, not by its square, as in Huber's loss). A 95 % interval is that
// of the linearised fit, from its residuals (Seber and Wild, "Nonlinear Regression", section 2.1.2); those of the
// bandwidths are bootstrap intervals of medians.
//
// Throws RunError that says which kind of case is missing.
Roofline fit_roofline(std::span<const LoggedCases> logs);

} // namespace nestbed
