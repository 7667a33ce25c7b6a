// Effective bandwidth: the bytes that a workload must move at least, divided by the time that a strategy took, and
// its share of what the device can reach. Pure.
#pragma once

#include "model/case.hpp"
#include "model/facts.hpp"
#include "model/sample.hpp"
#include "model/session.hpp"
#include "model/strategy.hpp"

#include <optional>
#include <string>

namespace nestbed
{

// In GB/s, 10^9 bytes per second. Each value is empty where it does not apply.
struct Bandwidth {
    std::optional<double> effective; // from the GPU time if there is one, else from the wall clock
    // Only with a GPU time.
    std::optional<double> peak;     // DeviceFacts::peak_bandwidth_gb_s
    std::optional<double> measured; // read bandwidth for a reduction, copy bandwidth for a copy or a transpose

    // effective / peak, effective / measured
    std::optional<double> peak_share() const;
    std::optional<double> measured_share() const;
};

Bandwidth bandwidth_of(const StrategyInfo& info, const Case& point, const Sample& sample, const DeviceFacts& device,
                       const MeasuredBandwidth& measured);

// "3.35", "4021": at least three significant digits, and all digits before the point.
std::string rate_text(double gb_s);

} // namespace nestbed
