#include "inspect/roofline_fit.hpp"

#include "base/error.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace nestbed
{

namespace
{

struct MeasuredCase {
    Demand demand;
    const WorkloadInfo* workload;
    std::vector<double> us; // of the samples that are ok
    double log_us = 0;      // of their median
};

[[noreturn]] void throw_missing(const std::string& cases)
{
    throw RunError(fmt::format("the logs have no {} (with at least {} GPU times); allowed: logs of "
                               "experiments/launch.cfg, trees.cfg, library.cfg and transpose.cfg together",
                               cases, kFewestSamples));
}

// Of mechanisms that the model describes, with enough GPU times; without data-dependent launches.
std::vector<MeasuredCase> measured_in(std::span<const LoggedCases> logs, const DeviceFacts& facts)
{
    std::vector<MeasuredCase> all;
    for (const LoggedCases& log : logs)
        for (const CaseResult& result : log.results) {
            const Strategy& strategy = *Registry::find_anywhere(result.point.strategy);
            const StrategyInfo& info = strategy.info();
            const std::vector<double> us = gpu_times_of(result);
            if (result.point.backend == BackendKind::cuda && us.size() >= kFewestSamples && !info.on_host &&
                !info.irregular() && is_fitted(mechanism_of(info, result.point)))
                all.push_back({.demand = demand_of(strategy, result.point, facts),
                               .workload = info.workload,
                               .us = us,
                               .log_us = std::log(median(us))});
        }
    return all;
}

// Whether it is of grids without work whose time the model describes.
bool determines_parameters(const MeasuredCase& one, const DeviceFacts& facts)
{
    const Case& point = one.demand.point;
    if (!one.workload->keeps_timestamps || !why_not_described(one.demand, facts).empty())
        return false;
    if (one.workload->siblings)
        return one.demand.mechanism != Mechanism::grid_sync;
    return point.graphs <= 1 && (point.grid == 1 || from_device(one.demand.mechanism));
}

// The case that a flat parameter is read from: `is_better` than all others that qualify.
template <class Qualifies, class Better>
const MeasuredCase& best_of(const std::vector<MeasuredCase>& all, Calibrates which, const std::string& name,
                            Qualifies qualifies, Better is_better)
{
    const MeasuredCase* best = nullptr;
    for (const MeasuredCase& one : all)
        if (one.workload->calibrates == which && one.demand.mechanism == Mechanism::none && qualifies(one) &&
            (best == nullptr || is_better(one, *best)))
            best = &one;
    if (best == nullptr)
        throw_missing("case of a flat " + name);
    return *best;
}

void fit_flat(const std::vector<MeasuredCase>& all, Roofline& roofline)
{
    const MeasuredCase& quickest = best_of(
        all, Calibrates::read, "reduction with a block for each multiprocessor",
        [&](const MeasuredCase& one) { return one.demand.point.grid >= roofline.facts.multiprocessors; },
        [](const MeasuredCase& one, const MeasuredCase& best) { // on the fewest numbers
            return std::pair(one.demand.bytes, one.log_us) < std::pair(best.demand.bytes, best.log_us);
        });
    const Estimate first = estimate_median(quickest.us);
    // In GB/s, of the fastest kernel at the most bytes, without `first`.
    const auto bandwidth_of = [&](Calibrates which, const std::string& name) {
        const MeasuredCase& fastest = best_of(
            all, which, name, [](const MeasuredCase&) { return true; },
            [](const MeasuredCase& one, const MeasuredCase& best) {
                return std::pair(-one.demand.bytes, one.log_us) < std::pair(-best.demand.bytes, best.log_us);
            });
        std::vector<double> rates;
        for (const double us : fastest.us)
            rates.push_back(fastest.demand.bytes / ((us - first.value) * kBytesPerUsInGb));
        return estimate_median(rates);
    };
    roofline.parameters["first.none"] = first;
    roofline.parameters["bandwidth"] = bandwidth_of(Calibrates::read, "kernel that reads memory");
    roofline.parameters[std::string(kCopyBandwidth)] = bandwidth_of(Calibrates::copy, "kernel that copies memory");
}

// --- the least squares ---

// A parameter that times of empty grids determine.
struct FittedKey {
    std::string name;
    std::string_view suffix; // the mechanism; empty: any
    double start;            // of the fit, in the unit of the parameter
    std::string cases;       // that it needs
};

std::vector<FittedKey> keys()
{
    std::vector<FittedKey> all{{"burst_launches", "", 15, "cases of chains"},
                               {"deep", "", 2, "cases of chain of more than 64 levels"},
                               {"block", "", 0.0007, "cases of chain with large grids"}};
    const auto add = [&](std::string_view name, double start, std::string_view cases,
                         std::initializer_list<Mechanism> mechanisms) {
        for (const Mechanism mechanism : mechanisms)
            all.push_back({fmt::format("{}.{}", name, name_of(mechanism)), name_of(mechanism), start,
                           fmt::format("cases of {} by {}", cases, name_of(mechanism))});
    };
    using enum Mechanism;
    for (const auto& [name, start] : {std::pair("first", 6.0), std::pair("level", 8.0)})
        add(name, start, "chain",
            {null_stream, named_stream, fire_and_forget, tail, graph_tail, host, host_graph, grid_sync});
    add("burst", 10, "chains", {null_stream, named_stream, fire_and_forget, tail});
    add("rate", 0.3, "fanout", {null_stream, named_stream, fire_and_forget, host, host_graph});
    add("thread", 0.1, "chains with blocks of many threads", {null_stream, named_stream, fire_and_forget});
    add("sibling", 8, "trees", {null_stream, named_stream, fire_and_forget, tail});
    add("lane", 7, "trees_by_lanes", {null_stream, tail});
    return all;
}

// Residuals above a tenth count by their amount.
constexpr double kLarge = 0.1;

Eigen::VectorXd weights_of(const Eigen::VectorXd& residuals)
{
    return residuals.unaryExpr(
        [](double residual) { return std::abs(residual) <= kLarge ? 1 : kLarge / std::abs(residual); });
}

double loss_of(const Eigen::VectorXd& residuals)
{
    double loss = 0;
    for (const double residual : residuals) {
        const double size = std::abs(residual);
        loss += size <= kLarge ? size * size / 2 : kLarge * (size - kLarge / 2);
    }
    return loss;
}

class Fit
{
  public:
    Fit(Roofline& roofline, std::vector<const MeasuredCase*> cases)
        : roofline_(roofline), cases_(std::move(cases)), keys_(keys())
    {
        for (const FittedKey& key : keys_)
            roofline_.parameters[key.name].value = key.start;
        set(logs_of_values());
    }

    void run()
    {
        constexpr int kMaxSteps = 60;
        constexpr double kSmallGain = 1e-6;
        double damping = 1e-2;
        double gain = 1;
        for (int step = 0; step < kMaxSteps && gain >= kSmallGain; ++step) {
            const Eigen::VectorXd before = logs_;
            const Eigen::VectorXd residuals_before = residuals();
            const Eigen::MatrixXd slopes = slopes_at(residuals_before);
            if (step == 0)
                check_determined(slopes);
            const Eigen::VectorXd weights = weights_of(residuals_before);
            const Eigen::MatrixXd normal = slopes.transpose() * weights.asDiagonal() * slopes;
            const Eigen::VectorXd gradient = slopes.transpose() * (weights.asDiagonal() * residuals_before);
            const double loss = loss_of(residuals_before);
            do {
                Eigen::MatrixXd damped = normal;
                damped.diagonal() += damping * normal.diagonal();
                const Eigen::VectorXd move = damped.ldlt().solve(-gradient);
                set(before + move.cwiseMax(-1.0).cwiseMin(1.0));
                gain = (loss - loss_of(residuals())) / loss;
                damping *= 8;
            } while (!(gain > 0) && damping < 1e9);
            if (!(gain > 0))
                set(before);
            damping = std::max(damping / 64, 1e-9);
        }
    }

    void add_intervals()
    {
        constexpr double kNormal = 1.96;
        const Eigen::VectorXd rest = residuals();
        const Eigen::MatrixXd slopes = slopes_at(rest);
        const Eigen::VectorXd weights = weights_of(rest);
        const double variance =
            (weights.array() * rest.array().square()).sum() / static_cast<double>(rest.size() - size());
        const Eigen::MatrixXd normal = slopes.transpose() * weights.asDiagonal() * slopes;
        const Eigen::MatrixXd covariance = normal.ldlt().solve(Eigen::MatrixXd::Identity(size(), size())) * variance;
        for (Eigen::Index key = 0; key < size(); ++key) {
            const double error = kNormal * std::sqrt(std::max(0.0, covariance(key, key)));
            Estimate& parameter = roofline_.parameters.at(keys_[key].name);
            parameter.interval = {parameter.value * std::exp(-error), parameter.value * std::exp(error)};
        }
    }

  private:
    Eigen::Index size() const { return static_cast<Eigen::Index>(keys_.size()); }

    double& value(Eigen::Index key) { return roofline_.parameters.at(keys_[key].name).value; }
    Eigen::VectorXd logs_of_values()
    {
        return Eigen::VectorXd::NullaryExpr(size(), [&](Eigen::Index key) { return std::log(value(key)); });
    }
    void set(const Eigen::VectorXd& logs)
    {
        logs_ = logs;
        for (Eigen::Index key = 0; key < size(); ++key)
            value(key) = std::exp(logs_[key]);
    }

    double residual_of(const MeasuredCase& one) const
    {
        return std::log(predict(roofline_, one.demand).us) - one.log_us;
    }
    Eigen::VectorXd residuals() const
    {
        return Eigen::VectorXd::NullaryExpr(static_cast<Eigen::Index>(cases_.size()),
                                            [&](Eigen::Index row) { return residual_of(*cases_[row]); });
    }

    // The derivatives of the residuals by the logarithm of a parameter.
    Eigen::VectorXd slope_at(Eigen::Index key, const Eigen::VectorXd& residuals)
    {
        constexpr double kStep = 1e-4;
        Eigen::VectorXd slope = Eigen::VectorXd::Zero(residuals.size());
        value(key) = std::exp(logs_[key] + kStep);
        for (Eigen::Index row = 0; row < slope.size(); ++row)
            if (keys_[key].suffix.empty() || keys_[key].suffix == name_of(cases_[row]->demand.mechanism))
                slope[row] = (residual_of(*cases_[row]) - residuals[row]) / kStep;
        value(key) = std::exp(logs_[key]);
        return slope;
    }
    Eigen::MatrixXd slopes_at(const Eigen::VectorXd& residuals)
    {
        Eigen::MatrixXd slopes(residuals.size(), size());
        for (Eigen::Index key = 0; key < size(); ++key)
            slopes.col(key) = slope_at(key, residuals);
        return slopes;
    }

    void check_determined(const Eigen::MatrixXd& slopes) const
    {
        for (Eigen::Index key = 0; key < slopes.cols(); ++key)
            if ((slopes.col(key).array() != 0).count() < 2)
                throw_missing(keys_[key].cases);
    }

    Roofline& roofline_;
    std::vector<const MeasuredCase*> cases_;
    std::vector<FittedKey> keys_;
    Eigen::VectorXd logs_; // of the parameters
};

} // namespace

Roofline fit_roofline(std::span<const LoggedCases> logs)
{
    Roofline roofline;
    if (!logs.empty() && logs.front().runs.contains(BackendKind::cuda))
        roofline.facts = logs.front().runs.at(BackendKind::cuda).device;
    const std::vector<MeasuredCase> all = measured_in(logs, roofline.facts);
    fit_flat(all, roofline);
    std::vector<const MeasuredCase*> empty_grids;
    for (const MeasuredCase& one : all)
        if (determines_parameters(one, roofline.facts))
            empty_grids.push_back(&one);
    if (empty_grids.size() <= keys().size())
        throw_missing("cases of chain");
    Fit least_squares(roofline, std::move(empty_grids));
    least_squares.run();
    least_squares.add_intervals();
    return roofline;
}

} // namespace nestbed
