#include "predict/roofline_fit.hpp"

#include "base/error.hpp"
#include "predict/measured_case.hpp"

#include <Eigen/Dense>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nestbed
{

namespace
{

constexpr double kBytesPerUsInGb = 1e3;
constexpr double kWidest = 100; // the interval of a parameter that is determined: high / low

// The bandwidth of the fastest flat kernel that reads, or that copies, at the most bytes, in GB/s; without `first` us.
Estimate bandwidth_of(const std::vector<MeasuredCase>& all, Calibrates which, double first)
{
    const MeasuredCase* fastest = nullptr;
    double max_bytes = 0;
    for (const MeasuredCase& one : all) {
        if (one.workload->calibrates != which || one.demand.mechanism != Mechanism::none ||
            one.demand.bytes < max_bytes)
            continue;
        if (fastest == nullptr || one.demand.bytes > max_bytes || one.log_us < fastest->log_us)
            fastest = &one;
        max_bytes = one.demand.bytes;
    }
    if (fastest == nullptr)
        throw_missing(
            fmt::format("case of a flat kernel that {} memory", which == Calibrates::read ? "reads" : "copies"));
    std::vector<double> rates;
    for (const double us : fastest->us)
        rates.push_back(max_bytes / ((us - first) * kBytesPerUsInGb));
    return estimate_median(rates);
}

void fit_flat(const std::vector<MeasuredCase>& all, Roofline& roofline)
{
    const MeasuredCase* quickest = nullptr; // on the fewest numbers for which each multiprocessor has a block
    for (const MeasuredCase& one : all) {
        if (one.workload->calibrates != Calibrates::read || one.demand.mechanism != Mechanism::none ||
            one.demand.point.grid < roofline.facts.multiprocessors)
            continue;
        const auto better = [](const MeasuredCase& left, const MeasuredCase& right) {
            return std::pair(left.demand.bytes, left.log_us) < std::pair(right.demand.bytes, right.log_us);
        };
        if (quickest == nullptr || better(one, *quickest))
            quickest = &one;
    }
    if (quickest == nullptr)
        throw_missing("case of a flat reduction with a block for each multiprocessor");
    const Estimate first = estimate_median(quickest->us);
    roofline.parameters["first.none"] = first;
    roofline.parameters["bandwidth"] = bandwidth_of(all, Calibrates::read, first.value);
    roofline.parameters[std::string(kCopyBandwidth)] = bandwidth_of(all, Calibrates::copy, first.value);
}

// --- the least squares ---

// Where the fit starts, in the units of the parameters.
double start_of(std::string_view name)
{
    constexpr std::array<std::pair<std::string_view, double>, 10> kStarts{{{"first", 6},
                                                                           {"level", 8},
                                                                           {"deep", 2},
                                                                           {"burst", 10},
                                                                           {"burst_launches", 15},
                                                                           {"rate", 0.3},
                                                                           {"thread", 0.1},
                                                                           {"sibling", 8},
                                                                           {"lane", 7},
                                                                           {"block", 0.0007}}};
    return std::ranges::find(kStarts, name, &std::pair<std::string_view, double>::first)->second;
}

// The keys of the parameters that times of empty grids determine, and which cases do so.
struct FittedKey {
    std::string name;
    std::string_view suffix; // the mechanism; empty: any
    std::string cases;       // that it needs
};

std::vector<FittedKey> keys()
{
    std::vector<FittedKey> all{{"burst_launches", "", "cases of chains"},
                               {"deep", "", "cases of chain of more than 64 levels"},
                               {"block", "", "cases of chain with large grids"}};
    const auto add = [&](std::string_view name, std::string_view cases, std::initializer_list<Mechanism> mechanisms) {
        for (const Mechanism mechanism : mechanisms)
            all.push_back({fmt::format("{}.{}", name, name_of(mechanism)), name_of(mechanism),
                           fmt::format("cases of {} by {}", cases, name_of(mechanism))});
    };
    using enum Mechanism;
    for (const std::string_view name : {"first", "level"})
        add(name, "chain",
            {null_stream, named_stream, fire_and_forget, tail, graph_tail, host, host_graph, grid_sync});
    add("burst", "chains", {null_stream, named_stream, fire_and_forget, tail});
    add("rate", "fanout", {null_stream, named_stream, fire_and_forget, host, host_graph});
    add("thread", "chains with blocks of many threads", {null_stream, named_stream, fire_and_forget});
    add("sibling", "trees", {null_stream, named_stream, fire_and_forget, tail});
    add("lane", "trees_by_lanes", {null_stream, tail});
    return all;
}

class Fit
{
  public:
    Fit(Roofline& roofline, std::vector<const MeasuredCase*> cases)
        : roofline_(roofline), cases_(std::move(cases)), keys_(keys()), logs_(keys_.size())
    {
        for (std::size_t key = 0; key < keys_.size(); ++key)
            set(key, std::log(start_of(keys_[key].name.substr(0, keys_[key].name.find('.')))));
    }

    // Removes the parameters that fewer than two cases determine, and the cases that need them.
    void remove_undetermined()
    {
        for (std::size_t key = 0; key < keys_.size();) {
            const Eigen::VectorXd slope = slope_at(key, residuals_now());
            if ((slope.array() != 0).count() >= 2) {
                ++key;
                continue;
            }
            std::vector<const MeasuredCase*> others;
            for (std::size_t row = 0; row < cases_.size(); ++row)
                if (slope[static_cast<Eigen::Index>(row)] == 0)
                    others.push_back(cases_[row]);
            cases_ = std::move(others);
            removed_.push_back(keys_[key].name);
            keys_.erase(keys_.begin() + static_cast<std::ptrdiff_t>(key));
            logs_.resize(static_cast<Eigen::Index>(keys_.size()));
            for (key = 0; key < keys_.size(); ++key)
                logs_[static_cast<Eigen::Index>(key)] = std::log(roofline_.parameters.at(keys_[key].name).value);
            key = 0; // another may have been determined by the cases that were removed
        }
    }

    std::vector<ParameterPair> run()
    {
        constexpr int kMaxSteps = 60;
        constexpr double kSmallGain = 1e-6;
        double damping = 1e-2;
        Eigen::VectorXd residuals = residuals_now();
        double loss = loss_of(residuals);
        for (int step = 0; step < kMaxSteps; ++step) {
            const Eigen::MatrixXd slopes = slopes_at(residuals);
            if (step == 0)
                check_determined(slopes);
            const Eigen::VectorXd weights = weights_of(residuals);
            const Eigen::MatrixXd normal = slopes.transpose() * weights.asDiagonal() * slopes;
            const Eigen::VectorXd gradient = slopes.transpose() * (weights.asDiagonal() * residuals);
            const Eigen::VectorXd before = logs_;
            bool better = false;
            double gain = 0;
            for (; !better && damping < 1e9; damping *= 8) {
                Eigen::MatrixXd damped = normal;
                damped.diagonal() += damping * normal.diagonal();
                const Eigen::VectorXd move = damped.ldlt().solve(-gradient);
                for (Eigen::Index key = 0; key < move.size(); ++key)
                    set(static_cast<std::size_t>(key), before[key] + std::clamp(move[key], -1.0, 1.0));
                const Eigen::VectorXd moved = residuals_now();
                if (const double moved_loss = loss_of(moved); moved_loss < loss) {
                    better = true;
                    gain = (loss - moved_loss) / loss;
                    loss = moved_loss;
                    residuals = moved;
                }
            }
            if (!better) {
                for (Eigen::Index key = 0; key < before.size(); ++key)
                    set(static_cast<std::size_t>(key), before[key]);
                break;
            }
            damping = std::max(damping / 64, 1e-9);
            if (gain < kSmallGain)
                break;
        }
        for (const std::string& name : removed_)
            roofline_.parameters.erase(name);
        return add_intervals(residuals);
    }

  private:
    void set(std::size_t key, double log)
    {
        logs_[static_cast<Eigen::Index>(key)] = log;
        const double value = std::exp(log);
        roofline_.parameters[keys_[key].name] = {.value = value, .interval = {value, value}};
    }

    double residual_of(const MeasuredCase& one) const
    {
        return std::log(predict(roofline_, one.demand).us) - one.log_us;
    }

    Eigen::VectorXd residuals_now() const
    {
        Eigen::VectorXd residuals(static_cast<Eigen::Index>(cases_.size()));
        for (std::size_t row = 0; row < cases_.size(); ++row)
            residuals[static_cast<Eigen::Index>(row)] = residual_of(*cases_[row]);
        return residuals;
    }

    // The derivatives of the residuals by the logarithm of a parameter.
    Eigen::VectorXd slope_at(std::size_t key, const Eigen::VectorXd& residuals)
    {
        constexpr double kStep = 1e-4;
        Eigen::VectorXd slope = Eigen::VectorXd::Zero(residuals.size());
        const double log = logs_[static_cast<Eigen::Index>(key)];
        set(key, log + kStep);
        for (std::size_t row = 0; row < cases_.size(); ++row)
            if (keys_[key].suffix.empty() || keys_[key].suffix == name_of(cases_[row]->demand.mechanism))
                slope[static_cast<Eigen::Index>(row)] =
                    (residual_of(*cases_[row]) - residuals[static_cast<Eigen::Index>(row)]) / kStep;
        set(key, log);
        return slope;
    }
    Eigen::MatrixXd slopes_at(const Eigen::VectorXd& residuals)
    {
        Eigen::MatrixXd slopes(residuals.size(), logs_.size());
        for (std::size_t key = 0; key < keys_.size(); ++key)
            slopes.col(static_cast<Eigen::Index>(key)) = slope_at(key, residuals);
        return slopes;
    }

    void check_determined(const Eigen::MatrixXd& slopes) const
    {
        for (std::size_t key = 0; key < keys_.size(); ++key)
            if ((slopes.col(static_cast<Eigen::Index>(key)).array() != 0).count() < 2)
                throw_missing(keys_[key].cases);
    }

    // Residuals above a tenth count by their amount.
    static constexpr double kLarge = 0.1;

    static Eigen::VectorXd weights_of(const Eigen::VectorXd& residuals)
    {
        return residuals.unaryExpr(
            [](double residual) { return std::abs(residual) <= kLarge ? 1 : kLarge / std::abs(residual); });
    }
    static double loss_of(const Eigen::VectorXd& residuals)
    {
        double loss = 0;
        for (const double residual : residuals) {
            const double size = std::abs(residual);
            loss += size <= kLarge ? size * size / 2 : kLarge * (size - kLarge / 2);
        }
        return loss;
    }

    // Returns the correlations.
    std::vector<ParameterPair> add_intervals(const Eigen::VectorXd& residuals)
    {
        constexpr double kNormal = 1.96;
        const Eigen::MatrixXd slopes = slopes_at(residuals);
        const Eigen::VectorXd weights = weights_of(residuals);
        const double freedom = static_cast<double>(residuals.size() - logs_.size());
        const double variance = (weights.array() * residuals.array().square()).sum() / freedom;
        const Eigen::MatrixXd normal = slopes.transpose() * weights.asDiagonal() * slopes;
        const Eigen::MatrixXd covariance =
            normal.ldlt().solve(Eigen::MatrixXd::Identity(logs_.size(), logs_.size())) * variance;
        for (std::size_t key = 0; key < keys_.size(); ++key) {
            const auto column = static_cast<Eigen::Index>(key);
            const double error = kNormal * std::sqrt(std::max(0.0, covariance(column, column)));
            Estimate& parameter = roofline_.parameters.at(keys_[key].name);
            parameter.interval = {parameter.value * std::exp(-error), parameter.value * std::exp(error)};
        }
        std::vector<ParameterPair> pairs;
        for (Eigen::Index second = 1; second < logs_.size(); ++second)
            for (Eigen::Index first = 0; first < second; ++first)
                pairs.push_back(
                    {keys_[static_cast<std::size_t>(first)].name, keys_[static_cast<std::size_t>(second)].name,
                     covariance(first, second) / std::sqrt(covariance(first, first) * covariance(second, second))});
        return pairs;
    }

    Roofline& roofline_;
    std::vector<const MeasuredCase*> cases_;
    std::vector<FittedKey> keys_;
    Eigen::VectorXd logs_;
    std::vector<std::string> removed_;
};

} // namespace

Roofline fit_roofline(std::span<const LoggedCases> logs)
{
    return fit_roofline_without(logs, {}).roofline;
}

PartialFit fit_roofline_without(std::span<const LoggedCases> logs, std::span<const std::string> strategies)
{
    PartialFit fit;
    Roofline& roofline = fit.roofline;
    for (const LoggedCases& log : logs)
        if (const auto run = log.runs.find(BackendKind::cuda); run != log.runs.end()) {
            roofline.facts = run->second.device;
            break;
        }
    roofline.gpu = roofline.facts.name;
    roofline.driver = roofline.facts.driver;
    roofline.cuda = roofline.facts.runtime;
    const std::vector<MeasuredCase> all = measured_in(logs, roofline.facts);
    fit_flat(all, roofline);
    std::vector<const MeasuredCase*> empty_grids;
    std::set<std::string> known;
    for (const MeasuredCase& one : all)
        if (determines_parameters(one, roofline.facts)) {
            empty_grids.push_back(&one);
            known.insert(one.demand.point.strategy);
        }
    for (const std::string& strategy : strategies) {
        if (!known.contains(strategy))
            throw UsageError(fmt::format("{}: the fit has no grids without work of this strategy; allowed: {}",
                                         strategy, fmt::join(known, ", ")));
        std::erase_if(empty_grids, [&](const MeasuredCase* one) { return one->demand.point.strategy == strategy; });
    }
    if (empty_grids.size() <= keys().size())
        throw_missing("cases of chain");
    Fit least_squares(roofline, std::move(empty_grids));
    if (!strategies.empty())
        least_squares.remove_undetermined();
    fit.pairs = least_squares.run();
    if (!strategies.empty()) {
        std::erase_if(roofline.parameters, [](const auto& one) {
            return !(one.second.interval.high <= kWidest * one.second.interval.low);
        });
        std::erase_if(fit.pairs, [&](const ParameterPair& pair) {
            return !roofline.parameters.contains(pair.first) || !roofline.parameters.contains(pair.second);
        });
    }
    return fit;
}

} // namespace nestbed
