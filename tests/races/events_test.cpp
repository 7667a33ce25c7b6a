// What the detector is told between the accesses: streams and events, of the host and of a block; when a run begins and ends; what to do
// after the next access. The file is compiled like the strategies that the detector watches.
#include "device/cpu/interruptible.hpp"
#include "rules.hpp"

#include <atomic>

namespace nestbed
{
namespace
{

class Events : public Rules
{
  protected:
    static cpu::Captured captured(std::uint64_t stream) { return cpu::observer->captures(nullptr, stream); }
    static void wait(std::uint64_t stream, const cpu::Captured& event)
    {
        cpu::observer->stream_waits(nullptr, stream, event);
    }

    // What a kernel's thread does with the streams of its block.
    static void launch_into(std::uint64_t stream, const cpu::KernelCall& kernel)
    {
        cpu::launch_into(stream, 1, 1, Mechanism::named_stream, kernel, nullptr);
    }
    static cpu::Captured captured_here(std::uint64_t stream)
    {
        cpu::complete_children(); // the event is after them, and the thread is not
        return cpu::observer->captures(cpu::current_thread->observed, stream);
    }
    static void wait_here(std::uint64_t stream, const cpu::Captured& event)
    {
        cpu::observer->stream_waits(cpu::current_thread->observed, stream, event);
    }

    const cpu::KernelCall write = [this] { data[0] = 1; };
};

TEST_P(Events, OfTheHostOrderTheStreamThatWaitsForThem)
{
    const auto by = [&](auto between, unsigned second = 1) {
        return watch([&](cpu::Executor& executor) {
                   executor.run(1, 1, write, 0);
                   between();
                   executor.run(1, 1, write, second);
               })
            .pairs();
    };
    EXPECT_EQ(by([] {}), 1U);
    EXPECT_EQ(by([] { wait(1, captured(0)); }), 0U);
    EXPECT_EQ(by([] { wait(1, captured(0)); }, 2), 1U) << "another stream";
    EXPECT_EQ(by([] { wait(1, captured(2)); }), 1U) << "an event of another stream";
    EXPECT_EQ(by([] {
                  const cpu::Captured first = captured(2);
                  const cpu::Captured second = captured(0);
                  wait(2, first);
                  wait(1, second);
              }),
              0U)
        << "the second event";
    EXPECT_EQ(by([] {
                  captured(0);
                  wait(1, captured(2));
              }),
              1U);
    EXPECT_EQ(by([] {
                  wait(2, captured(0));
                  wait(1, captured(2));
              }),
              0U)
        << "by the stream between";
    EXPECT_EQ(by([] { cpu::observer->event_synchronized(captured(0)); }), 0U);
    EXPECT_EQ(by([] { cpu::observer->event_synchronized(captured(2)); }), 1U);
    EXPECT_EQ(by([] { cpu::observer->stream_synchronized(0); }), 0U);
    EXPECT_EQ(by([] { cpu::observer->stream_synchronized(1); }), 1U);
    EXPECT_EQ(watch([&](cpu::Executor& executor) {
                  const cpu::Captured early = captured(0);
                  executor.run(1, 1, write, 0);
                  wait(1, early);
                  executor.run(1, 1, write, 1);
              }).pairs(),
              1U)
        << "an event before the kernel";
}

TEST_P(Events, OfAnEarlierRunAreThoseOfNobody)
{
    cpu::Captured event;
    watch([&](cpu::Executor& executor) {
        executor.run(1, 1, write, 0);
        event = captured(0);
    });
    EXPECT_EQ(watch([&](cpu::Executor& executor) {
                  executor.run(1, 1, write, 0);
                  wait(1, event);
                  executor.run(1, 1, write, 1);
              }).pairs(),
              1U);
}

TEST_P(Events, OfABlockOrderTheStreamThatWaitsForThem)
{
    const auto by = [&](auto between, std::uint64_t second = 2) {
        return pairs(1, 1, [&, second] {
            launch_into(1, write);
            between();
            launch_into(second, write);
        });
    };
    EXPECT_EQ(by([] {}), 1U);
    EXPECT_EQ(by([] { cpu::complete_children(); }), 1U) << "which is no wait that CUDA has";
    EXPECT_EQ(by([] { wait_here(2, captured_here(1)); }), 0U);
    EXPECT_EQ(by([] { wait_here(2, captured_here(1)); }, 3), 1U) << "another stream";
    EXPECT_EQ(by([] { wait_here(2, captured_here(3)); }), 1U) << "an event of another stream";
    EXPECT_EQ(by([] {
                  wait_here(3, captured_here(1));
                  wait_here(2, captured_here(3));
              }),
              0U)
        << "by a stream that has nothing but the wait";
    EXPECT_EQ(by([] {
                  wait_here(3, captured_here(1));
                  launch_into(3, [] {});
                  wait_here(2, captured_here(3));
              }),
              0U)
        << "by a grid between";
    expect_pairs("an event before the launch", Gt(0U), 1, 1, [&] {
        const cpu::Captured early = captured_here(1);
        launch_into(1, write);
        cpu::complete_children();
        wait_here(2, early);
        launch_into(2, write);
    });
    expect_pairs("the thread itself waits for nothing", Gt(0U), 1, 1, [&] {
        launch_into(1, write);
        wait_here(2, captured_here(1));
        data[0] += 1;
    });
}

TEST_P(Events, ABlocksNullStreamIsNoneOfItsNamedStreams)
{
    const auto by = [&](std::uint64_t stream) {
        return pairs(1, 1, [&, stream] {
            launch(1, 1, Mechanism::null_stream, write);
            launch_into(stream, write);
        });
    };
    EXPECT_EQ(by(1), 1U);
    EXPECT_EQ(by(2), 1U);
}

// ---- a run begins and ends ----

TEST_P(Events, OnlyWhatRunsBetweenBeginAndEndCounts)
{
    cpu::Executor executor(parse_schedule(GetParam()), 1);
    const auto race = [&] { executor.run(2, 1, write); };
    race();
    cpu::observer->begin();
    EXPECT_EQ(cpu::observer->end().accesses, 0U) << "before it";
    cpu::observer->begin();
    race();
    cpu::observer->begin();
    EXPECT_TRUE(cpu::observer->end().none()) << "before it began again";
    cpu::observer->begin();
    race();
    const Races races = cpu::observer->end();
    EXPECT_EQ(races.pairs(), 1U);
    EXPECT_EQ(races.accesses, 2U);
    EXPECT_EQ(races.threads, 2U);
    EXPECT_EQ(races.grids, 1U);
    race();
    EXPECT_EQ(cpu::observer->end().accesses, 0U) << "after it";
    EXPECT_THROW(cpu::observer->watch([] { throw std::runtime_error("work"); }), std::runtime_error);
    race();
    EXPECT_EQ(cpu::observer->end().accesses, 0U) << "after an exception";
}

TEST_P(Events, TheRunAfterAFaultHasItsOwnRaces)
{
    const auto races = [&](unsigned stream) {
        return watch([&](cpu::Executor& executor) {
                   EXPECT_THROW(executor.run(1, 1, [] { throw cpu::Fault("fault"); }), cpu::Fault);
                   executor.run(2, 1, write, stream);
               })
            .pairs();
    };
    EXPECT_EQ(races(0), 1U);
    EXPECT_EQ(races(1), 1U);
}

TEST_P(Events, TheLastAccessIsNamedWithItsPlaceWhileARunGoesOn)
{
    EXPECT_EQ(cpu::interruptible->last_access(), "");
    std::string last;
    const auto access = [&](const cpu::KernelCall& kernel) {
        last.clear();
        watch([&](cpu::Executor& executor) {
            EXPECT_EQ(cpu::interruptible->last_access(), "");
            executor.run(1, 2, [&] {
                if (thread() == 1)
                    kernel();
            });
            last = cpu::interruptible->last_access();
        });
        EXPECT_EQ(cpu::interruptible->last_access(), "");
        return last;
    };
    EXPECT_THAT(access([this] { data[3] = 1; }),
                testing::MatchesRegex(
                    "write of data\\[3\\] at tests/races/events_test.cpp:[0-9]+ \\(depth 0, block 0, thread 1\\)"));
    EXPECT_THAT(access([this] { launch(1, 1, Mechanism::null_stream, [this] { atomicAdd(&data[2], 1); }); }),
                testing::MatchesRegex("atomic write of data\\[2\\] at .*:[0-9]+ \\(depth 1, block 0, thread 0\\)"));
    EXPECT_THAT(access([this] { static_cast<void>(std::atomic_ref(data[1]).load()); }),
                StartsWith("atomic read of data[1] at "));
}

INSTANTIATE_TEST_SUITE_P(Races, Events, kSchedules, kScheduleName);

} // namespace
} // namespace nestbed
