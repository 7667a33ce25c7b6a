// Root grids that run in an order drawn from a seed, with all that they launch.
#pragma once

#include "base/split_mix.hpp"
#include "device/cpu/executor_state.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <random>
#include <unordered_map>
#include <vector>

namespace nestbed::cpu
{

// Limits of the blocks and threads in progress at once: each stopped thread holds a fiber, and each fiber takes two
// of the 65530 memory mappings that Linux allows a process. If no block can continue because all wait for children,
// children start beyond these limits, one chain at a time.
inline constexpr std::size_t kResidentBlocks = 24;
inline constexpr std::size_t kResidentThreads = 8192;

struct ResidentBlock : Block {
    std::vector<std::uint32_t> unstarted; // thread numbers
    std::vector<Carrier*> runnable;
    std::vector<Carrier*> gave_way; // can continue too, but wait for what another thread does
    std::vector<Carrier*> at_barrier;
    std::vector<Carrier*> at_warp;
    std::uint32_t live = 0; // threads that have not exited

    std::size_t able() const { return unstarted.size() + runnable.size() + gave_way.size(); }
};

// What continues: a thread of a resident block, or a thread of a new block.
struct Choice {
    ResidentBlock* block = nullptr;
    std::size_t thread =
        0; // among the unstarted threads of the block, then its runnable ones, then those that gave way
    Grid* grid = nullptr;      // without a block: of which a new one starts
    std::size_t new_block = 0; // among those of the grid that have not started

    friend bool operator==(const Choice&, const Choice&) = default;
};

// The random numbers of one decision.
class Draws
{
  public:
    using result_type = std::uint64_t;
    Draws(std::uint64_t seed, std::uint64_t decision) : seed_(split_mix(seed, decision)) {}
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
    result_type operator()() { return split_mix(seed_, drawn_++); }

    std::size_t below(std::size_t choices)
    {
        return std::uniform_int_distribution<std::size_t>(0, choices - 1)(*this);
    }

  private:
    std::uint64_t seed_;
    std::uint64_t drawn_ = 0;
};

class RandomRun final : public Engine
{
  public:
    RandomRun(PendingLaunches& launches, CarrierPool& carriers, Deviations& deviations, std::uint64_t seed)
        : Engine(launches), carriers_(carriers), deviations_(deviations), seed_(seed)
    {
    }

    // ReferenceTimes those that have not ended: returns when the next one may begin.
    void run(std::unique_ptr<Grid> root);
    void finish();
    bool is_complete() const { return graph_.empty(); }
    void on_launch(Block& block, std::unique_ptr<Grid> grid, bool wait) override;
    void on_wait(Block& block) override;
    void on_trigger(Block& block) override;
    void on_wait_for_previous(Block& block) override;

  private:
    void step();
    bool stands_still();
    void fail_if_for_ever();
    Choice drawn_choice(const std::vector<ResidentBlock*>& able, bool may_start, bool room, Draws& draws);
    Choice default_choice(const std::vector<ResidentBlock*>& able, bool may_start, bool room);
    std::vector<std::uint64_t>& unstarted_blocks(Grid& grid);
    ResidentBlock& start_block(const Choice& choice);
    Carrier& carrier_of(ResidentBlock& block, std::size_t thread);
    void go_on(ResidentBlock& block, Carrier& carrier);
    void finish(ResidentBlock& block);

    CarrierPool& carriers_;
    Deviations& deviations_;
    std::uint64_t seed_;
    std::uint64_t steps_ = 0;
    GridGraph graph_;
    std::list<ResidentBlock> resident_;
    std::size_t resident_threads_ = 0;
    std::uint64_t calm_steps_ = 0;
    std::unordered_map<Grid*, std::vector<std::uint64_t>> unstarted_blocks_;
    Carrier* last_ = nullptr; // the thread that ran last, if it has not ended
};

} // namespace nestbed::cpu
