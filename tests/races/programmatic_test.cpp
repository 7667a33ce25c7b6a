// Programmatic dependent launch beside what the host does, as the detector orders it: in kernels of this file, which is compiled like the
// strategies that the detector watches. program/labelled/programmatic.cu has what the kernels do. PTX ISA, griddepcontrol; CUDA programming
// guide, "Programmatic Dependent Launch and Synchronization".
#include "rules.hpp"

namespace nestbed
{
namespace
{

class Programmatic : public Rules
{
  public:
    // It triggers, and then writes.
    void first(cpu::Executor& executor, unsigned blocks = 1)
    {
        executor.run(blocks, 1, [this] {
            cpu::let_next_grid_begin();
            data[blockIdx.x] = 1;
        });
    }
    template <class Kernel>
    static void next(cpu::Executor& executor, const Kernel& kernel)
    {
        executor.run(1, 1, kernel, 0, true);
    }
};

TEST_P(Programmatic, AWaitOrdersAllOfTheGridBefore)
{
    const auto pairs_by = [&](bool waits) {
        return watch([&](cpu::Executor& executor) {
                   first(executor);
                   next(executor, [&] {
                       if (waits)
                           cpu::wait_for_previous_grid();
                       data[10] = data[0];
                   });
                   executor.finish();
               })
            .pairs();
    };
    EXPECT_EQ(pairs_by(true), 0U);
    EXPECT_EQ(pairs_by(false), 1U);
}

TEST_P(Programmatic, WhatTheHostHasWaitedForNeedsNoWait)
{
    EXPECT_EQ(watch([&](cpu::Executor& executor) {
                  first(executor);
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
                   first(executor);
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
        first(executor, 2);
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
                      first(executor);
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
