// How long a run still takes: by what it has measured, and by estimates where it has measured nothing yet. Pure.
#pragma once

#include "log/case_result.hpp"
#include "plan/cost.hpp"
#include "plan/plan.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <vector>

namespace nestbed
{

class TimeLeft
{
  public:
    // `results` are the cases of the plan, with the samples that the log already has; the run adds to them. `earlier`
    // are cases of another log of the same experiment, for their times. Plan and results must outlive this object.
    TimeLeft(const Plan& plan, std::span<const CaseResult> results, const CaseTimes& estimates,
             std::span<const CaseResult> earlier = {});

    // A sample or a warm-up of a case took so long, with everything around it. The first sample of a group also makes
    // the input.
    void took(std::size_t index, double us);

    // Microseconds for all samples, warm-ups and inputs that are left.
    double us() const;

  private:
    // Measured and estimated time of the same samples.
    struct Compared {
        double measured_us = 0;
        double estimated_us = 0;
    };
    struct One {
        double estimated_us = 0;  // of a sample
        std::size_t strategy = 0; // index in strategies_
        std::size_t group = 0;
        Compared compared{};
        bool begun = false; // by this run
    };
    struct Input {
        double estimated_us = 0;
        bool made = false;
    };

    void compare(One& one, double measured_us);
    // Of a sample: what its case took; otherwise the estimate, corrected by what others took: cases of its strategy, or
    // else all cases of its backend.
    double sample_us(const One& one) const;

    const Plan& plan_;
    std::span<const CaseResult> results_;
    std::vector<One> cases_;
    std::vector<Input> groups_;
    std::vector<Compared> strategies_; // of a backend
    std::map<BackendKind, Compared> backends_;
    std::map<BackendKind, Compared> inputs_;
    std::vector<BackendKind> backend_of_; // a strategy of strategies_
};

} // namespace nestbed
