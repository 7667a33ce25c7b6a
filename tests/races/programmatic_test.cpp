// Programmatic dependent launch, as the detector orders it: in kernels of this file, which is compiled like the strategies that the
// detector watches. PTX ISA, griddepcontrol; CUDA programming guide, "Programmatic Dependent Launch and Synchronization".
#include "rules.hpp"

namespace nestbed
{
namespace
{

enum class First { writes_then_triggers, triggers_then_writes, fences_between, fences_before_both, only_writes };

class Programmatic : public Rules
{
  public:
    void first(cpu::Executor& executor, First how, unsigned blocks = 1)
    {
        executor.run(blocks, 1, [this, how] {
            if (how == First::triggers_then_writes)
                cpu::let_next_grid_begin();
            if (how == First::fences_before_both)
                __threadfence();
            data[blockIdx.x] = 1;
            if (how == First::fences_between)
                __threadfence();
            if (how != First::only_writes)
                cpu::let_next_grid_begin();
        });
    }
    template <class Kernel>
    static void next(cpu::Executor& executor, const Kernel& kernel, unsigned threads = 1)
    {
        executor.run(1, threads, kernel, 0, true);
    }
    template <class Kernel>
    std::uint64_t pairs_with(First how, const Kernel& second)
    {
        return watch([&](cpu::Executor& executor) {
                   first(executor, how);
                   next(executor, second);
                   executor.finish();
               })
            .pairs();
    }
};

TEST_P(Programmatic, AWaitOrdersAllOfTheGridBefore)
{
    for (const First how : {First::writes_then_triggers, First::triggers_then_writes, First::only_writes}) {
        EXPECT_EQ(pairs_with(how,
                             [&] {
                                 cpu::wait_for_previous_grid();
                                 data[0] += 1;
                             }),
                  0U);
        EXPECT_EQ(pairs_with(how, [&] { data[10] = data[11]; }), 0U);
    }
}

TEST_P(Programmatic, WithoutAWaitATriggerOrdersNothing)
{
    for (const First how : {First::writes_then_triggers, First::triggers_then_writes, First::only_writes}) {
        EXPECT_EQ(pairs_with(how, [&] { data[10] = data[0]; }), 1U);
        EXPECT_EQ(pairs_with(how, [&] { data[0] = 2; }), 1U) << "two writes";
        EXPECT_EQ(pairs_with(how,
                             [&] {
                                 data[10] = data[0];
                                 cpu::wait_for_previous_grid();
                             }),
                  1U)
            << "the wait comes too late";
    }
}

TEST_P(Programmatic, AFenceBeforeTheTriggerOrdersWhatComesBeforeTheFence)
{
    EXPECT_EQ(pairs_with(First::fences_between, [&] { data[10] = data[0]; }), 0U);
    EXPECT_EQ(pairs_with(First::fences_before_both, [&] { data[10] = data[0]; }), 1U);
}

// PTX ISA: further calls of the block have no effect. Another thread's fence is none of the thread that triggers.
TEST_P(Programmatic, TheFirstTriggerOfABlockCounts)
{
    const auto pairs_by = [&](bool barrier_first) {
        return watch([&](cpu::Executor& executor) {
                   executor.run(1, 2, [&] {
                       data[thread()] = 1;
                       if (barrier_first)
                           __syncthreads();
                       __threadfence();
                       cpu::let_next_grid_begin();
                   });
                   next(executor, [&] { data[10] = data[0] + data[1]; });
                   executor.finish();
               })
            .pairs();
    };
    EXPECT_EQ(pairs_by(false), 1U) << "of the other thread";
    EXPECT_EQ(pairs_by(true), 0U) << "the barrier orders both writes before each fence";
}

TEST_P(Programmatic, OneThreadWaitsForItselfAndForWhomABarrierOrders)
{
    const auto pairs_by = [&](bool barrier) {
        return watch([&](cpu::Executor& executor) {
                   first(executor, First::triggers_then_writes);
                   next(
                       executor,
                       [&] {
                           if (thread() == 0)
                               cpu::wait_for_previous_grid();
                           if (barrier)
                               __syncthreads();
                           if (thread() == 1)
                               data[10] = data[0];
                       },
                       2);
                   executor.finish();
               })
            .pairs();
    };
    EXPECT_EQ(pairs_by(false), 1U);
    EXPECT_EQ(pairs_by(true), 0U);
}

TEST_P(Programmatic, AWaitIsForTheGridBeforeAndForWhatThatHasWaitedFor)
{
    const auto pairs_by = [&](bool middle_waits, bool ordinary) {
        return watch([&](cpu::Executor& executor) {
                   first(executor, First::triggers_then_writes);
                   next(executor, [&] {
                       if (middle_waits)
                           cpu::wait_for_previous_grid();
                       cpu::let_next_grid_begin();
                   });
                   executor.run(
                       1, 1,
                       [&] {
                           cpu::wait_for_previous_grid();
                           data[10] = data[0];
                       },
                       0, !ordinary);
                   executor.finish();
               })
            .pairs();
    };
    EXPECT_EQ(pairs_by(true, false), 0U);
    EXPECT_EQ(pairs_by(false, false), 1U);
    EXPECT_EQ(pairs_by(false, true), 0U) << "an ordinary launch comes after all of its stream";
}

// What was complete before the first grid began is so for the next one too.
TEST_P(Programmatic, WhatCameBeforeTheFirstGridNeedsNoWait)
{
    EXPECT_EQ(watch([&](cpu::Executor& executor) {
                  executor.run(1, 1, [&] { data[20] = 1; });
                  first(executor, First::triggers_then_writes);
                  next(executor, [&] { data[10] = data[20]; });
                  executor.finish();
              }).pairs(),
              0U);
}

TEST_P(Programmatic, WhatTheHostHasWaitedForNeedsNoWait)
{
    EXPECT_EQ(watch([&](cpu::Executor& executor) {
                  first(executor, First::triggers_then_writes);
                  executor.finish();
                  cpu::observer->synchronized();
                  next(executor, [&] { data[10] = data[0]; });
              }).pairs(),
              0U);
}

// Launched into a stream that waits for an event of another one, it comes after that.
TEST_P(Programmatic, AnEventOrdersAsItDoesForOrdinaryLaunches)
{
    const auto pairs_by = [&](bool waits) {
        return watch([&](cpu::Executor& executor) {
                   executor.run(
                       1, 1, [&] { data[20] = 1; }, 1);
                   first(executor, First::triggers_then_writes);
                   executor.finish();
                   if (waits)
                       cpu::observer->stream_waits(nullptr, 0, cpu::observer->captures(nullptr, 1));
                   next(executor, [&] { data[10] = data[20]; });
               })
            .pairs();
    };
    EXPECT_EQ(pairs_by(true), 0U);
    EXPECT_EQ(pairs_by(false), 1U);
}

TEST_P(Programmatic, TheReportSaysWhatIsMissing)
{
    const Races races = watch([&](cpu::Executor& executor) {
        first(executor, First::triggers_then_writes, 2);
        next(executor, [&] { data[10] = data[1]; });
        executor.finish();
    });
    ASSERT_EQ(races.races.size(), 1U);
    EXPECT_THAT(races.races.front().missing,
                HasSubstr("a cudaGridDependencySynchronize() before its access would do"));
}

TEST_P(Programmatic, AfterAFaultNothingOfTheGridsThatRanIsOpen)
{
    EXPECT_EQ(watch([&](cpu::Executor& executor) {
                  const auto both = [&] {
                      first(executor, First::triggers_then_writes);
                      next(executor, [&] {
                          cpu::wait_for_previous_grid();
                          throw cpu::Fault("late");
                      });
                      executor.finish();
                  };
                  EXPECT_THROW(both(), cpu::Fault);
                  cpu::observer->synchronized();
                  executor.run(1, 1, [&] { data[0] = 3; });
              }).pairs(),
              0U);
}

INSTANTIATE_TEST_SUITE_P(Races, Programmatic, kSchedules, kScheduleName);

} // namespace
} // namespace nestbed
