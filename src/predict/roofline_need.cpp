#include "predict/roofline_need.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nestbed
{

namespace
{

// The blocks of so many threads that the GPU can run at once.
double blocks_at_once(const DeviceFacts& facts, double threads)
{
    return facts.multiprocessors * std::min<double>(facts.max_blocks_per_multiprocessor,
                                                    facts.max_threads_per_multiprocessor / std::max(threads, 1.0));
}

void add_need_launches(const Roofline& roofline, const NeedDemand& demand, Prediction& prediction)
{
    const double at_once = std::max(1.0, std::min(demand.streams, demand.waves));
    const double turns = std::max(1.0, demand.waves / at_once);
    const double launches = std::accumulate(demand.by_depth.begin(), demand.by_depth.end(), 0.0);
    const auto levels = static_cast<double>(demand.by_depth.size());
    prediction.us += turns * parameter_of(roofline, "first", demand.mechanism);
    const double level =
        parameter_of(roofline, "level", demand.mechanism) + (demand.by_last_block ? pass_us(roofline) : 0);
    prediction.latency_us = turns * levels * level;
    if (demand.mechanism == Mechanism::tail && launches > levels) { // those of one root grid run one after another
        const double alone = parameter_of(roofline, "lane", demand.mechanism) + demand.flat_us / levels;
        prediction.latency_us += turns * std::max(0.0, launches / demand.waves - levels) * alone;
        prediction.rate_us = turns * crowd_us(roofline, demand.mechanism, at_once, 0);
        return;
    }
    for (const double of_depth : demand.by_depth)
        prediction.rate_us += turns * crowd_us(roofline, demand.mechanism, of_depth / turns, 0);
}

} // namespace

Prediction predict_by_need(const Roofline& roofline, const NeedDemand& demand)
{
    Prediction prediction;
    if (std::accumulate(demand.by_depth.begin(), demand.by_depth.end(), 0.0) == 0) {
        prediction = {.us = demand.alone_us, .bound = Bound::work, .work_us = demand.alone_us};
        return prediction;
    }
    add_need_launches(roofline, demand, prediction);
    const double at_once = blocks_at_once(roofline.facts, demand.block);
    const double blocks = std::max(1.0, demand.child_blocks);
    const double slower = std::max(1.0, std::min(demand.child_blocks_uncoarsened, at_once) / blocks);
    const double not_launched = demand.child_blocks_unthresholded > 0
                                    ? std::max(0.0, 1 - demand.child_blocks / demand.child_blocks_unthresholded)
                                    : 0;
    const double alone = std::sqrt(not_launched * demand.threshold_share);
    prediction.work_us = demand.child_blocks * parameter_of(roofline, "block") + demand.flat_us * slower +
                         (demand.parts - 1) * pass_us(roofline) * std::min(1.0, at_once / blocks) +
                         std::max(0.0, demand.alone_us - demand.flat_us) * alone;
    if (!demand.by_level && demand.mechanism != Mechanism::tail) {
        const double levels = std::max<double>(1, static_cast<double>(demand.by_depth.size()));
        prediction.latency_us -= std::min(prediction.latency_us * (1 - 1 / levels), demand.flat_us * slower);
    }
    const double first = prediction.us;
    prediction.us += prediction.latency_us + prediction.rate_us + prediction.work_us;
    const double most = std::max({first, prediction.latency_us, prediction.rate_us, prediction.work_us});
    prediction.bound = most == prediction.work_us      ? Bound::work
                       : most == prediction.rate_us    ? Bound::rate
                       : most == prediction.latency_us ? Bound::latency
                                                       : Bound::first;
    return prediction;
}

} // namespace nestbed
