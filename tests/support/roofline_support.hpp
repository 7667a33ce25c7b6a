// Cases on a GPU, and logs of a GPU whose launch roofline is known.
#pragma once

#include "log/logged_cases.hpp"
#include "model/roofline_file.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nestbed
{

inline Case on_a_gpu(const std::string& strategy, std::uint32_t grid, std::uint32_t block, Mechanism mechanism,
                     std::optional<std::uint32_t> depth = {})
{
    Case point{.strategy = strategy,
               .backend = BackendKind::cuda,
               .mechanism = mechanism,
               .elements = std::uint64_t{grid} * block,
               .grid = grid,
               .block = block,
               .depth = depth,
               .submit = Submit::held,
               .l2 = CacheState::as_is};
    if (strategy == "chain" || strategy == "fanout")
        point.elements = 0;
    return point;
}

// The cases from which a model is fitted.
inline std::vector<Case> cases_for_a_model()
{
    std::vector<Case> points;
    for (const Mechanism mechanism : Registry::find_anywhere("chain")->info().mechanisms)
        for (std::uint32_t depth = 1; depth <= 1024; depth *= 4)
            points.push_back(on_a_gpu("chain", 1, 32, mechanism, depth));
    for (const Mechanism mechanism : Registry::find_anywhere("fanout")->info().mechanisms)
        for (std::uint32_t grid = 1; grid <= 65536; grid *= 4) {
            points.push_back(on_a_gpu("fanout", grid, 32, mechanism));
            if (grid == 65536 && from_device(mechanism)) {
                points.push_back(points.back());
                points.back().wave = grid;
            }
        }
    for (std::uint32_t grid = 1; grid <= 1U << 22; grid *= 8)
        points.push_back(on_a_gpu("neighbored", grid, 256, Mechanism::none));
    return points;
}

// What a log has if the model is exact but for noise of 0.2 %: 15 GPU times per case, with the predicted one as median.
inline CaseResult result_by(const Roofline& roofline, const Case& point, unsigned seed = 0)
{
    constexpr unsigned kSamples = 15;
    constexpr double kNoise = 0.002;
    const double us =
        predict(roofline, demand_of(*Registry::find_anywhere(point.strategy), point, roofline.facts)).us;
    CaseResult result{.point = point};
    for (unsigned sample = 0; sample < kSamples; ++sample) {
        const double off = (static_cast<double>((7 * sample + seed) % kSamples) - 7) / 7;
        result.samples.push_back({.gpu_us = us * (1 + kNoise * off), .wall_us = us + 20});
    }
    return result;
}

inline LoggedCases log_by(const Roofline& roofline, const std::function<bool(const Case&)>& has)
{
    LoggedCases log;
    unsigned seed = 0;
    for (const Case& point : cases_for_a_model())
        if (has(point))
            log.results.push_back(result_by(roofline, point, ++seed));
    log.runs[BackendKind::cuda].device = roofline.facts;
    return log;
}

} // namespace nestbed
