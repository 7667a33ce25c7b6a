// How the time of a case compares with the fastest flat form: the ratio in a run's table. Pure.
#pragma once

#include "log/case_result.hpp"
#include "model/strategy.hpp"

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace nestbed
{

// The least median on each input of the forms that launch nothing from the device: for each clock, state of the L2 cache,
// and held or not. Only times of a GPU, because those of the executor say nothing about one.
class FlatTimes
{
  public:
    explicit FlatTimes(const std::vector<CaseResult>& results);

    // Its median time `us` divided by that of the fastest flat form on the same input by the same clock; with kUnlike if
    // only one of them is held. Empty if there is no such form, or if the workload has none.
    std::string ratio_of(const CaseResult& result, double us) const;

    static constexpr std::string_view kUnlike = "*";

  private:
    using Key = std::tuple<const WorkloadInfo*, std::size_t, std::string_view, CacheState, bool>;

    std::map<Key, double> least_us_;
};

} // namespace nestbed
