// How long the cases of a plan take, about, before anything was measured: to make shards that take equally long, for the
// first timeout of a case, and for what a dry run prints. Pure.
#pragma once

#include "plan/plan.hpp"

namespace nestbed
{

// Of any sample, about: to request it, to restore the input, and to write its row.
inline constexpr double kSampleOverheadUs = 150;

// Estimates of one case, in microseconds. A command gives them to the plan and to the run (predict/case_time.hpp).
struct CaseTimes {
    // One sample: its timed region and all work around it, such as restoring the input and verifying the answer.
    double (*sample_us)(const Case&);
    // To make, once, the input that the cases of a group share.
    double (*input_us)(const Case&);
};

// Whether the case runs. Otherwise it has a single row, which says why not. The strategy must be in a registry.
bool is_run(const Case& point);

// Microseconds for all samples of a case including the warm-up, without its input.
double cost_us(const CaseTimes& times, const Plan& plan, const Case& point);
// The same for all cases, with their inputs.
double cost_us(const CaseTimes& times, const Plan& plan);

} // namespace nestbed
