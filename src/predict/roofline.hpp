// The launch roofline: predicts the GPU time of a case of nested launches from its launches in closed form, its
// mechanism, its waves and streams, and its bytes. One of them bounds it: the levels that run one after another, the
// rate of launches, the work, or parents that are held while their children run. Pure.
#pragma once

#include "base/statistics.hpp"
#include "predict/demand.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace nestbed
{

struct RooflineParameter {
    std::string_view name, unit, meaning;
};
// The parameter that is the memory bandwidth of a copy.
inline constexpr std::string_view kCopyBandwidth = "copy";

// The names of all parameters. A parameter may exist once, under its name, or once per mechanism: "level.tail".
std::span<const RooflineParameter> roofline_parameters();

// The measured parameters of one GPU.
struct Roofline {
    std::string gpu, driver, cuda;
    DeviceFacts facts; // as far as plans of launches need them
    std::map<std::string, Estimate, std::less<>> parameters;
};

// The entry of roofline_parameters() for a key of Roofline::parameters; nullptr if there is none.
const RooflineParameter* roofline_parameter(std::string_view key);

// first: the time to start; latency: levels one after another; rate: launches; work: bytes; parents: levels one after
// another below parents that are held; pending_limit: starts and levels of one wave after another, because the
// pending-launch limit, or Case::wave, allows no more root blocks at once.
enum class Bound : std::uint8_t { first, latency, rate, work, parents, pending_limit };
std::string_view name_of(Bound bound);

struct Prediction {
    double us = 0;
    Bound bound = Bound::first;
    double latency_us = 0, rate_us = 0, work_us = 0;
};

// The value of a parameter. Throws RunError that names the GPU and the parameter if the model lacks it.
double parameter_of(const Roofline& roofline, std::string_view name);
double parameter_of(const Roofline& roofline, std::string_view name, Mechanism mechanism);

// What so many launches in a level add to it, in us. `threads`: of the root block.
double crowd_us(const Roofline& roofline, Mechanism mechanism, double launches, double threads);

// What a grid takes whose blocks read, add up and arrive at a counter, but for its start: a flat reduction of few numbers
// without an empty kernel. In us.
double pass_us(const Roofline& roofline);

// Why the model does not describe the launches of a case: "their tail launches ...". Empty if it does.
std::string why_not_described(const Demand& demand, const DeviceFacts& facts);

// Throws RunError that names the GPU and the parameter if the model lacks one that the case needs. The prediction
// contains no Case::delay_us.
Prediction predict(const Roofline& roofline, const Demand& demand);

} // namespace nestbed
