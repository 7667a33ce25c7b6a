// The launch roofline: predicts the GPU time of a case of nested launches from its launches in closed form, its
// mechanism, its waves and streams, and its bytes. One of them bounds it: the levels that run one after another, the
// rate of launches, the work, or parents that are held while their children run. results/method.md derives it. Pure.
#pragma once

#include "base/statistics.hpp"
#include "model/case.hpp"
#include "model/facts.hpp"
#include "model/launch_plan.hpp"
#include "model/strategy.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

struct RooflineParameter {
    std::string_view name, unit, meaning;
};
// The parameter that is the memory bandwidth of a copy.
inline constexpr std::string_view kCopyBandwidth = "copy";
inline constexpr double kBytesPerUsInGb = 1e3; // bytes per us of 1 GB/s

// The names of all parameters. A parameter may exist once, under its name, or once per mechanism: "level.tail".
std::span<const RooflineParameter> roofline_parameters();

// The measured parameters of one GPU.
struct Roofline {
    DeviceFacts facts; // as far as plans of launches need them
    std::map<std::string, Estimate, std::less<>> parameters;
};

// "NVIDIA H200 (driver 580.159.04, CUDA 13.0)".
std::string gpu_of(const DeviceFacts& facts);

// The entry of roofline_parameters() for a key of Roofline::parameters; nullptr if there is none.
const RooflineParameter* roofline_parameter(std::string_view key);

// What a case asks of the GPU, as far as it is known without running it.
struct Demand {
    Mechanism mechanism = Mechanism::none;
    ExpectedLaunches form;
    LaunchPlan plan;
    Case point;
    double bytes = 0;         // read and written at least
    bool writes = false;      // half of them are written
    double host_launches = 0; // by a mechanism that does not launch from the device: launches after the first by the
                              // host, or levels inside one grid
    bool host_launches_are_levels = true; // one after another in one stream, each after the end of the one before
    double root_threads = 0;              // of a root block
    double blocks_per_level = 1;          // of a grid that is one level: of the root grid
};
Demand demand_of(const Strategy& strategy, const Case& point, const DeviceFacts& facts);

// first: the time to start; latency: levels one after another; rate: launches; work: bytes; parents: levels one after
// another below parents that are held; pending_limit: starts and levels of one wave after another, because the
// pending-launch limit, or Case::wave, allows no more root blocks at once. launches: the work is not known; the time is at
// least that of the launches alone.
enum class Bound : std::uint8_t { first, latency, rate, work, parents, pending_limit, launches };
std::string_view name_of(Bound bound);

struct Prediction {
    double us = 0;
    Bound bound = Bound::first;
    double latency_us = 0, rate_us = 0, work_us = 0;

    // Sets the time and what bounds it, from the parts and the time to start.
    void add_up(double first_us);
};

// The value of a parameter. Throws RunError that names the GPU and the parameter if the model lacks it.
double parameter_of(const Roofline& roofline, std::string_view name);
double parameter_of(const Roofline& roofline, std::string_view name, Mechanism mechanism);

// What a run counted: launches that created grids at each depth, and launches by the host.
struct CountedLaunches {
    std::vector<std::uint64_t> by_depth;
    std::uint32_t by_host = 0;
};

// What a level costs by a mechanism, and each launch beyond one per level. A launch by the host is a level.
struct LaunchPrices {
    double level_us = 0, launch_us = 0;
};
// Empty: the model has no price of a launch by this mechanism, or a run does not count such launches.
std::optional<LaunchPrices> launch_prices(const Roofline& roofline, Mechanism mechanism);

// The time that counted launches take at least, whatever their kernels do: levels × price + further launches × price.
// Empty as launch_prices().
std::optional<Prediction> launches_alone(const Roofline& roofline, Mechanism mechanism,
                                         const CountedLaunches& counted);

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
