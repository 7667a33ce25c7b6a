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

// What a case has to do, as text, whatever does it: its workload and its problem (is_problem of model/axis_table.hpp),
// without what only tunes a strategy (the size of a leaf, the parts of a division).
std::string work_of(const Case& point);
// Whether all its GPU times are free of host time.
bool is_held(const CaseResult& result);

// The least median for each work of the forms that launch nothing from the device: for each clock, state of the L2 cache,
// and held or not. Only times of a GPU, because those of the executor say nothing about one.
class FlatTimes
{
  public:
    explicit FlatTimes(const std::vector<CaseResult>& results);

    // Its median time `us` divided by that of the fastest flat form of the same work by the same clock; with kUnlike if
    // only one of them is held. Empty if there is no such form, or if the workload has none.
    std::string ratio_of(const CaseResult& result, double us) const;

    static constexpr std::string_view kUnlike = "*";

  private:
    using Key = std::tuple<std::string, std::string_view, CacheState, bool>;

    std::map<Key, double> min_us_;
};

} // namespace nestbed
