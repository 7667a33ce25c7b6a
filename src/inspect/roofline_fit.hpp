// Fits the parameters of the launch roofline to measured cases. Pure.
#pragma once

#include "log/logged_cases.hpp"
#include "model/roofline.hpp"

#include <span>

namespace nestbed
{

// The logs must be of one GPU, whose facts must be known: LoggedCases::runs. Uses the GPU times of samples that are ok, of
//  - chain: the time of a level, by every mechanism of chain;
//  - fanout: the time of a launch, and the slowdown under a raised pending limit;
//  - flat reductions: their bandwidth.
// Each parameter is fitted once per repetition; its value and its 95 % interval are those of the median of these fits.
// Throws RunError that says which kind of case is missing.
Roofline fit_roofline(std::span<const LoggedCases> logs);

} // namespace nestbed
