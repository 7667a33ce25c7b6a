#include "model/bandwidth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nestbed
{

namespace
{

std::optional<double> unless_zero(double value)
{
    return value == 0 ? std::nullopt : std::optional(value);
}

std::optional<double> ratio(const std::optional<double>& value, const std::optional<double>& whole)
{
    return value && whole ? std::optional(*value / *whole) : std::nullopt;
}

} // namespace

std::optional<double> Bandwidth::peak_share() const
{
    return ratio(effective, peak);
}

std::optional<double> Bandwidth::measured_share() const
{
    return ratio(effective, measured);
}

Bandwidth bandwidth_of(const StrategyInfo& info, const Case& point, const Sample& sample, const DeviceFacts& device,
                       const MeasuredBandwidth& measured)
{
    constexpr double kBytesPerUsInGb = 1e-3;
    const auto bytes = static_cast<double>(bytes_moved(info, point));
    const std::optional<double> us = sample.gpu_us ? sample.gpu_us : sample.wall_us;
    Bandwidth bandwidth;
    if (bytes == 0 || !us || *us <= 0)
        return bandwidth;
    bandwidth.effective = bytes / *us * kBytesPerUsInGb;
    if (!sample.gpu_us)
        return bandwidth;
    bandwidth.peak = unless_zero(device.peak_bandwidth_gb_s);
    if (info.workload->calibrates == Calibrates::read)
        bandwidth.measured = unless_zero(measured.read_gb_s);
    else if (info.workload->calibrates == Calibrates::copy)
        bandwidth.measured = unless_zero(measured.copy_gb_s);
    return bandwidth;
}

std::string rate_text(double gb_s)
{
    const int digits = gb_s > 0 ? static_cast<int>(std::floor(std::log10(gb_s))) : 0;
    return fmt::format("{:.{}f}", gb_s, std::max(0, 2 - digits));
}

} // namespace nestbed
