// What a report says: which order is missing, of whom, and how often. The file is compiled like the strategies that the detector watches.
#include "device/cpu/interruptible.hpp"
#include "rules.hpp"

#include <string>
#include <vector>

namespace nestbed
{
namespace
{

class Reports : public Rules
{
  protected:
    Races of(unsigned grid, unsigned block, const cpu::KernelCall& kernel)
    {
        return watch([&](cpu::Executor& executor) { executor.run(grid, block, kernel); });
    }
    std::string missing(unsigned grid, unsigned block, const cpu::KernelCall& kernel)
    {
        const Races races = of(grid, block, kernel);
        return races.races.size() == 1 ? races.races.front().missing : std::to_string(races.races.size()) + " races";
    }
    bool is(std::string_view schedule) const { return schedule == GetParam(); }

    const cpu::KernelCall write = [this] { data[0] = 1; };
    const cpu::KernelCall read = [this] { data[1] = data[0]; };
};

constexpr auto kForget = Mechanism::fire_and_forget;

TEST_P(Reports, SayWhatAParentsAccessNeeds)
{
    EXPECT_EQ(missing(3, 1,
                      [this] {
                          if (blockIdx.x == 1)
                              launch(1, 1, kForget, write);
                          if (blockIdx.x == 2)
                              data[0] = 1;
                      }),
              "block 2's write is not ordered before block 1's launch (no barrier orders blocks; a tail launch waits "
              "for all)");
    EXPECT_EQ(
        missing(1, 4,
                [this] {
                    if (thread() == 3)
                        read();
                    if (thread() == 2)
                        launch(1, 1, kForget, write);
                }),
        "thread 3's read is not ordered before thread 2's launch (a __syncthreads() between them would do, if the "
        "read comes first)");
    const auto after = [&](unsigned accessor, bool barrier, const cpu::KernelCall& childs,
                           const cpu::KernelCall& own) {
        return missing(1, 4, [&, accessor, barrier] {
            if (thread() == 2)
                launch(1, 1, kForget, childs);
            if (barrier)
                __syncthreads();
            if (thread() == accessor)
                own();
        });
    };
    const std::string_view waits =
        ", which comes after the launch (a wait for the child would do, or a tail launch for "
        "what comes after)";
    EXPECT_EQ(after(2, false, write, read),
              std::string("the child's write is not ordered before thread 2's read").append(waits));
    EXPECT_EQ(after(3, true, write, read),
              std::string("the child's write is not ordered before thread 3's read").append(waits))
        << "another thread, behind a barrier";
    EXPECT_THAT(after(3, false, write, read), HasSubstr("is not ordered before thread 2's launch"));
    const std::string of_read = after(2, false, read, write);
    const std::string child_first =
        std::string("the child's read is not ordered before thread 2's write").append(waits);
    const std::string parent_first = "thread 2's write comes after the launch, and the child need not wait for it (a "
                                     "launch after it would do)";
    EXPECT_THAT(of_read, testing::AnyOf(child_first, parent_first));
    if (is("fifo") || is("eager")) {
        EXPECT_EQ(of_read, is("eager") ? child_first : parent_first);
    }
}

// The launch is that of the grid above the descendant, so the report has its line.
TEST_P(Reports, SayWhatADescendantsAccessNeeds)
{
    const unsigned line = __LINE__ + 3;
    const std::string missing_order = missing(1, 4, [this] {
        if (thread() == 3)
            launch(1, 1, kForget, [this] { launch(1, 1, kForget, write); });
        if (thread() == 1)
            data[0] = 1;
    });
    EXPECT_EQ(missing_order,
              "thread 1's write is not ordered before thread 3's launch (a __syncthreads() between them "
              "would do, if the write comes first); that launch is at tests/races/reports_test.cpp:" +
                  std::to_string(line));
}

TEST_P(Reports, SayWhichLaunchesAreInNoOrder)
{
    const std::string none =
        " are in no order (one stream of one block, as its NULL stream, would order them, or a tail "
        "launch)";
    const auto either = [&](const std::string& one, const std::string& other) {
        return testing::AnyOf("a grid launched " + one + " and one launched " + other + none,
                              "a grid launched " + other + " and one launched " + one + none);
    };
    EXPECT_THAT(missing(3, 1,
                        [this] {
                            if (blockIdx.x == 1)
                                launch(1, 1, Mechanism::null_stream, write);
                            if (blockIdx.x == 2)
                                launch(1, 1, kForget, write);
                        }),
                either("into the NULL stream of block 1", "fire and forget by block 2"));
    // The grids that differ are those below the grid that both descend from.
    EXPECT_THAT(missing(3, 1,
                        [this] {
                            if (blockIdx.x == 1)
                                launch(1, 1, Mechanism::null_stream, [this] { launch(1, 1, kForget, write); });
                            if (blockIdx.x == 2)
                                launch(1, 1, kForget, write);
                        }),
                either("into the NULL stream of block 1", "fire and forget by block 2"));
    EXPECT_THAT(missing(1, 1,
                        [this] {
                            launch(3, 1, Mechanism::null_stream, [this] {
                                if (blockIdx.x == 2)
                                    launch(1, 1, Mechanism::named_stream, write);
                                if (blockIdx.x == 0)
                                    launch(1, 1, kForget, write);
                            });
                        }),
                either("into a named stream of block 2", "fire and forget by block 0"));
    const Races races = watch([&](cpu::Executor& executor) {
        executor.run(1, 1, write, 3);
        executor.run(1, 1, write, 7);
    });
    ASSERT_EQ(races.races.size(), 1U);
    EXPECT_EQ(races.races[0].missing, "the host's streams 3 and 7 are in no order");
    const Races of_children = watch([&](cpu::Executor& executor) {
        for (const unsigned stream : {3, 7})
            executor.run(
                1, 1, [this] { launch(1, 1, kForget, write); }, stream);
    });
    ASSERT_EQ(of_children.races.size(), 1U);
    EXPECT_EQ(of_children.races[0].missing, "the host's streams 3 and 7 are in no order");
}

TEST_P(Reports, NameTheAtomicThatWasLast)
{
    if (!is("fifo"))
        return; // by the order of this run
    std::array<unsigned, 8> flags{};
    name_memory(flags.data(), sizeof flags, sizeof(unsigned), "flags");
    const auto by = [&](std::vector<unsigned> before_barrier, std::vector<unsigned> behind) {
        return missing(2, 2, [&, before_barrier, behind] {
            if (thread() == 0 && blockIdx.x == 0)
                data[0] = 1;
            for (const unsigned flag : before_barrier)
                if (thread() == 1 || blockIdx.x == 0)
                    atomicAdd(&flags[flag], 1U);
            __syncthreads();
            for (const unsigned flag : behind)
                if (thread() == 0)
                    atomicAdd(&flags[flag], 1U);
            __syncthreads();
            if (thread() == 0 && blockIdx.x == 1)
                data[0] = 1;
        });
    };
    const auto names = [](const char* flag) {
        return HasSubstr("an atomic of flags[" + std::string(flag) + "] is between them");
    };
    EXPECT_THAT(by({1}, {}), names("1"));
    EXPECT_THAT(by({1, 2}, {}), names("2"));
    EXPECT_THAT(by({2, 1}, {}), names("1"));
    EXPECT_THAT(by({1}, {2}), names("2")) << "of another thread, behind a barrier";
    EXPECT_THAT(by({1, 2, 1}, {}), names("1"));
    // Of many, the last four are known.
    const auto behind = [&](unsigned count) {
        return missing(2, 1, [&] {
            for (unsigned flag = blockIdx.x == 0 ? 1 : 0; flag < (blockIdx.x == 0 ? 5 : count); ++flag)
                atomicAdd(&flags[flag], 1U);
            data[0] = 1;
            if (blockIdx.x == 0)
                atomicAdd(&flags[0], 1U);
        });
    };
    EXPECT_THAT(behind(4), names("0"));
    EXPECT_THAT(behind(5), HasSubstr("blocks 0 and 1 of a grid are in no order"));
    cpu::observer->forget(flags.data());
}

// A lane's fence before a __syncwarp() counts for the atomics of another lane behind it, as one before a barrier does.
TEST_P(Reports, AFenceCountsBehindASyncwarp)
{
    unsigned arrived = 0;
    name_memory(&arrived, sizeof arrived, sizeof arrived, "arrived");
    const auto by = [&](bool first, bool second, std::uint32_t mask) {
        arrived = 0;
        return pairs(2, 2, [&, first, second, mask] {
            const std::uint64_t* all = nullptr;
            BLOCK_SHARED(bool, last, 1);
            data[2 * blockIdx.x + thread()] = 1;
            if (first)
                __threadfence();
            cpu::exchange_in_warp(mask, 0, all, true);
            if (thread() == 0)
                last[0] = atomicAdd(&arrived, 1U) == 1;
            cpu::exchange_in_warp(mask, 0, all, true);
            if (second)
                __threadfence();
            if (last[0])
                data[10 + thread()] = data[0] + data[1] + data[2] + data[3];
        });
    };
    for (const std::uint32_t mask : {~0U, 0b11U}) {
        EXPECT_EQ(by(true, true, mask), 0U);
        EXPECT_GT(by(false, true, mask), 0U);
        EXPECT_GT(by(true, false, mask), 0U);
    }
    cpu::observer->forget(&arrived);
}

// ---- places and counts ----

[[gnu::noinline]] void write_one(int* to)
{
    *to = 1;
}

TEST_P(Reports, OfOnePlaceAreOneWhoeverCallsIt)
{
    const Races races = of(3, 1, [this] {
        write_one(data.data());
        write_one(data.data() + 1);
    });
    ASSERT_EQ(races.races.size(), 1U);
    EXPECT_EQ(races.races[0].pairs, 6U) << "of three blocks, at two elements";
    EXPECT_GT(races.races[0].first.places.size(), 1U) << "the callers";
    EXPECT_EQ(races.races[0].first.places.front(), races.races[0].second.places.front());
}

TEST_P(Reports, OfTwoKindsOfOnePlaceAreTwoAndTheMostFrequentComesFirst)
{
    const Races races = of(4, 1, [this] {
        data[0] = 1;
        if (blockIdx.x < 2)
            data[1] = 1;
        if (blockIdx.x < 3)
            data[2] = 1;
    });
    ASSERT_EQ(races.races.size(), 3U);
    EXPECT_EQ(races.races[0].memory, "data[0]");
    EXPECT_EQ(races.races[0].pairs, 6U);
    EXPECT_EQ(races.races[1].memory, "data[2]");
    EXPECT_EQ(races.races[1].pairs, 3U);
    EXPECT_EQ(races.races[2].memory, "data[1]");
    EXPECT_EQ(races.races[2].pairs, 1U);
}

// Of writes that are in order, what comes later is a pair with the last one alone: also where the stream of their grids orders them.
TEST_P(Reports, CountAPairWithTheLastOfSeveralWritesInOrder)
{
    if (!is("eager"))
        return; // by the order of this run
    const auto by = [&](Mechanism how) {
        return pairs(1, 1, [&, how] {
            for (int time = 0; time < 3; ++time)
                launch(1, 1, how, write);
            launch(1, 1, kForget, read);
        });
    };
    EXPECT_EQ(by(Mechanism::null_stream), 1U);
    EXPECT_EQ(by(kForget), 3U + 3U) << "which are in no order";
}

int variable[4]{}; // a __device__ variable

TEST_P(Reports, NameAVariableOfTheProgramAndTheByte)
{
    const auto at = [&](unsigned index) {
        const Races races = of(2, 1, [index] { variable[index] = 1; });
        return races.races.size() == 1 ? races.races.front().memory : "";
    };
    EXPECT_THAT(at(0), EndsWith("variable"));
    EXPECT_THAT(at(3), EndsWith("variable, byte 12"));
    EXPECT_THAT(variable, ElementsAre(1, 0, 0, 1));
}

TEST_P(Reports, SayWhoLaunchedAGrid)
{
    const Races races = of(2, 4, [this] {
        if (blockIdx.x == 1 && thread() == 3)
            launch(2, 1, kForget, [this] { launch(1, 1, kForget, write); });
    });
    ASSERT_EQ(races.races.size(), 1U);
    for (const RaceAccess& access : {races.races[0].first, races.races[0].second}) {
        EXPECT_EQ(access.depth, 2U);
        EXPECT_EQ(access.block, 0U);
        EXPECT_EQ(access.thread, 0U);
        ASSERT_TRUE(access.launched_by.has_value());
        EXPECT_EQ(access.launched_by->thread, 0U);
        EXPECT_EQ(access.launched_by->place.file, "tests/races/reports_test.cpp");
    }
    EXPECT_EQ(races.races[0].first.launched_by->block + races.races[0].second.launched_by->block, 1U);
}

TEST_P(Reports, SayWhichMemoryIsNearestToAnAddressWithoutMemory)
{
    const auto said_of = [](const void* address) { return cpu::interruptible->access_without_memory(address); };
    EXPECT_THAT(
        said_of(data.data() + data.size() + 1),
        EndsWith(", where no memory is; the nearest is 'data', which has 256 bytes and ends 4 bytes before it"));
    EXPECT_THAT(said_of(data.data() - 2),
                EndsWith("; the nearest is 'data', which has 256 bytes and begins 8 bytes after it"));
    EXPECT_EQ(said_of(nullptr), "an access of address 0x0, where no memory is");
}

INSTANTIATE_TEST_SUITE_P(Races, Reports, kSchedules, kScheduleName);

} // namespace
} // namespace nestbed
