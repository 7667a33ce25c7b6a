// Stand-ins for strategies: entries without kernels. The tests of the stages that plan, log and report use them, so
// that these tests link no backend. Each has the name, the mechanisms and the closed form of a real strategy;
// tests/device/every_strategy_test.cpp checks this.
#pragma once

#include "model/strategy.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace nestbed
{

class StandIn final : public Strategy
{
  public:
    using Launches = std::function<ExpectedLaunches(const Case&)>;
    using ScratchBytes = std::function<std::uint64_t(const Case&)>;

    explicit StandIn(const StrategyInfo& info, Launches launches = {}, ScratchBytes scratch_bytes = {});

    const StrategyInfo& info() const override { return info_; }
    ExpectedLaunches launches(const Case& point) const override;
    std::uint64_t scratch_bytes(const Case& point) const override;

  private:
    StrategyInfo info_;
    Launches launches_;
    ScratchBytes scratch_bytes_;
};

const std::vector<const Strategy*>& stand_ins();

// Registers them as strategies of the executor. Only for programs without the real strategies.
void register_stand_ins();

// Launches by depth of a recursion over a matrix: one launch per quadrant, down to tiles of 32 x 64 or to the depth.
// They are counted one by one. Each cut is in the middle of the tiles of that part.
std::vector<std::uint64_t> quadrants_by_depth(std::uint32_t nx, std::uint32_t ny, std::optional<std::uint32_t> depth);

} // namespace nestbed
