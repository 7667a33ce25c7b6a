// Cases on a GPU, and logs of a GPU whose launch roofline is known.
#pragma once

#include "log/logged_cases.hpp"
#include "predict/roofline_file.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// Those of a strategy to which the launch model was fitted.
inline std::vector<Mechanism> fitted_mechanisms(std::string_view strategy)
{
    std::vector<Mechanism> fitted;
    std::ranges::copy_if(Registry::find_anywhere(strategy)->info().mechanisms, std::back_inserter(fitted), is_fitted);
    return fitted;
}

// `fanout`: of a tree.
inline Case on_a_gpu(const std::string& strategy, std::uint32_t grid, std::uint32_t block, Mechanism mechanism,
                     std::optional<std::uint32_t> depth = {}, std::uint32_t fanout = 0)
{
    const StrategyInfo& info = Registry::find_anywhere(strategy)->info();
    Case point{.strategy = strategy,
               .backend = BackendKind::cuda,
               .mechanism = mechanism,
               .elements = info.keeps_timestamps() ? 0 : std::uint64_t{grid} * block,
               .grid = grid,
               .block = block,
               .depth = depth,
               .submit = Submit::held,
               .l2 = CacheState::as_is,
               .own = {{"fanout", fanout}}};
    if (info.over_matrix()) {
        point.nx = grid;
        point.ny = block;
        point.grid = point.block = 0;
    }
    return point;
}

// The cases from which a model is fitted: like those of experiments/launch.cfg, trees.cfg and library.cfg.
inline std::vector<Case> cases_for_a_model()
{
    std::vector<Case> points;
    for (const Mechanism mechanism : fitted_mechanisms("chain"))
        for (std::uint32_t depth = 1; depth <= 1024; depth *= 2)
            points.push_back(on_a_gpu("chain", 1, 32, mechanism, depth));
    for (const std::uint32_t grid : {2112U, 8448U, 67584U})
        for (const Mechanism mechanism : {Mechanism::null_stream, Mechanism::tail})
            points.push_back(on_a_gpu("chain", grid, 32, mechanism, 16));
    for (const Mechanism mechanism : fitted_mechanisms("fanout"))
        for (std::uint32_t grid = 1; grid <= 65536; grid *= 4)
            points.push_back(on_a_gpu("fanout", grid, 32, mechanism));
    for (const Mechanism mechanism : fitted_mechanisms("chains"))
        for (const std::uint32_t grid : {1U, 16U, 128U, 1024U, 4096U})
            for (const std::uint32_t block : {32U, 256U, 1024U})
                for (const std::uint32_t depth : {1U, 2U, 4U, 8U})
                    points.push_back(on_a_gpu("chains", grid, block, mechanism, depth));
    for (const Mechanism mechanism : fitted_mechanisms("trees"))
        for (const std::uint32_t grid : {1U, 64U})
            for (std::uint32_t depth = 1; depth <= 4; ++depth) {
                points.push_back(on_a_gpu("trees", grid, 32, mechanism, depth, 4));
                points.push_back(on_a_gpu("trees_by_lanes", grid, 32, mechanism, depth, 4));
            }
    for (std::uint32_t grid = 1; grid <= 1U << 22; grid *= 8)
        points.push_back(on_a_gpu("neighbored", grid, 256, Mechanism::none));
    points.push_back(on_a_gpu("copy_row", 16384, 16384, Mechanism::none));
    return points;
}

// What a log has if the model is exact but for noise: 15 GPU times per case, which differ by 0.2 %, and whose median
// is `factor` times the predicted one.
inline CaseResult result_by(const Roofline& roofline, const Case& point, unsigned seed = 0, double factor = 1)
{
    constexpr unsigned kSamples = 15;
    constexpr double kNoise = 0.002;
    const double us =
        factor * predict(roofline, demand_of(*Registry::find_anywhere(point.strategy), point, roofline.facts)).us;
    CaseResult result{.point = point};
    for (unsigned sample = 0; sample < kSamples; ++sample) {
        const double off = (static_cast<double>((7 * sample + seed) % kSamples) - 7) / 7;
        result.keep({.gpu_us = us * (1 + kNoise * off), .wall_us = us + 20});
    }
    return result;
}

// The medians of cases without work differ from the model by up to 2 %, drawn from the seed.
inline LoggedCases log_by(const Roofline& roofline, const std::function<bool(const Case&)>& has,
                          std::uint64_t noise_seed = 1)
{
    constexpr double kNoise = 0.02;
    LoggedCases log;
    std::mt19937_64 draw(noise_seed);
    unsigned seed = 0;
    for (const Case& point : cases_for_a_model())
        if (has(point)) {
            const bool empty = Registry::find_anywhere(point.strategy)->info().keeps_timestamps();
            const double off = 2 * static_cast<double>(draw()) / static_cast<double>(std::mt19937_64::max()) - 1;
            log.results.push_back(result_by(roofline, point, ++seed, empty ? 1 + kNoise * off : 1));
        }
    log.runs[BackendKind::cuda].device = roofline.facts;
    return log;
}

} // namespace nestbed
