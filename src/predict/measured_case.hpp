// The cases of logs whose times the launch roofline is fitted to. Pure.
#pragma once

#include "log/logged_cases.hpp"
#include "predict/demand.hpp"

#include <span>
#include <string>
#include <vector>

namespace nestbed
{

struct MeasuredCase {
    Demand demand;
    const WorkloadInfo* workload;
    std::vector<double> us; // of the samples that are ok
    double log_us = 0;      // of their median
};

// Throws the RunError for logs that have no such cases.
[[noreturn]] void throw_missing(const std::string& cases);

// Of mechanisms that the model describes, with enough GPU times; without data-dependent launches.
std::vector<MeasuredCase> measured_in(std::span<const LoggedCases> logs, const DeviceFacts& facts);

// Whether it is of grids without work whose time the model describes.
bool determines_parameters(const MeasuredCase& one, const DeviceFacts& facts);

} // namespace nestbed
