// Effective bandwidth: the bytes that a workload must move at least, over the time that a strategy took for it, and its
// share of what the device could do. Pure.
#pragma once

#include "model/case.hpp"
#include "model/facts.hpp"
#include "model/sample.hpp"
#include "model/session.hpp"
#include "model/strategy.hpp"

#include <optional>

namespace nestbed
{

// In GB/s, 10^9 bytes a second. Each is empty where it means nothing.
struct Bandwidth {
    std::optional<double> effective; // of the GPU's time where there is one, of the wall clock's elsewhere
    // Only beside a time of the GPU.
    std::optional<double> peak;     // DeviceFacts::peak_bandwidth_gb_s
    std::optional<double> measured; // reading for a reduction, copying for a copy or a transpose

    // effective / peak, effective / measured
    std::optional<double> peak_share() const;
    std::optional<double> measured_share() const;
};

Bandwidth bandwidth_of(const StrategyInfo& info, const Case& point, const Sample& sample, const DeviceFacts& device,
                       const MeasuredBandwidth& measured);

} // namespace nestbed
