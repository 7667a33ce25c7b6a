// Accesses outside of memory, and reads of memory that nothing has written. The file is compiled like the strategies that the detector
// watches.
#include "inspect/race_text.hpp"
#include "rules.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstring>
#include <memory>

namespace nestbed
{
namespace
{

class BadAccesses : public Rules
{
  protected:
    static constexpr std::size_t kGuard = 64;
    static constexpr std::size_t kCount = 16;

    BadAccesses()
    {
        cpu::observer->memory({.begin = in,
                               .bytes = kCount * sizeof(int),
                               .element = sizeof(int),
                               .name = "in",
                               .guard_bytes = kGuard,
                               .uninitialized = true});
    }
    ~BadAccesses() override { cpu::observer->forget(in); }
    BadAccesses(const BadAccesses&) = delete;
    BadAccesses& operator=(const BadAccesses&) = delete;

    std::vector<BadAccess> found(const cpu::KernelCall& kernel, unsigned threads = 1)
    {
        return watch([&](cpu::Executor& executor) { executor.run(1, threads, kernel); }).bad_accesses;
    }

    std::unique_ptr<int[]> room = std::make_unique<int[]>(kCount + 2 * kGuard / sizeof(int));
    int* const in = room.get() + kGuard / sizeof(int);
    volatile int at = 0; // an index that the compiler does not know
};

TEST_P(BadAccesses, AreOutOfBoundsBehindAndBeforeTheMemory)
{
    const auto past = [&](int index) {
        at = index;
        return found([this] { in[at] = 1; });
    };
    EXPECT_TRUE(past(0).empty());
    EXPECT_TRUE(past(kCount - 1).empty());
    const std::vector<BadAccess> behind = past(kCount);
    ASSERT_EQ(behind.size(), 1U);
    EXPECT_EQ(behind[0].kind, BadAccess::Kind::out_of_bounds);
    EXPECT_EQ(behind[0].memory, "in[16]");
    EXPECT_EQ(behind[0].beyond, 4);
    EXPECT_EQ(behind[0].bytes, 4U);
    EXPECT_TRUE(behind[0].access.write);
    EXPECT_EQ(behind[0].access.places.front().file, "tests/races/memory_test.cpp");
    EXPECT_EQ(past(kCount + 3)[0].beyond, 16);
    const std::vector<BadAccess> before = past(-2);
    ASSERT_EQ(before.size(), 1U);
    EXPECT_EQ(before[0].memory, "in[-2]");
    EXPECT_EQ(before[0].beyond, -8);
    const std::vector<BadAccess> half = found([this] { *reinterpret_cast<long*>(&in[kCount - 1]) = 1; });
    ASSERT_EQ(half.size(), 1U);
    EXPECT_EQ(half[0].memory, "in[16]");
    EXPECT_EQ(half[0].beyond, 4);
}

TEST_P(BadAccesses, AreCountedByPlaceAndNoRaces)
{
    const Races races =
        watch([&](cpu::Executor& executor) { executor.run(1, 8, [this] { in[kCount + thread() % 2] = 1; }); });
    EXPECT_TRUE(races.races.empty());
    ASSERT_EQ(races.bad_accesses.size(), 1U);
    EXPECT_EQ(races.bad_accesses[0].count, 8U);
    EXPECT_FALSE(races.none());
}

TEST_P(BadAccesses, OfMemoryWithoutAGuardAreNotReported)
{
    EXPECT_TRUE(found([this] { in[0] = data[at]; }).empty());
    EXPECT_TRUE(found([this] { data[63] = 1; }).empty());
}

TEST_P(BadAccesses, AreReadsOfWhatNothingHasWritten)
{
    const auto read = [this] { data[0] = in[5]; };
    const std::vector<BadAccess> bad = found(read);
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].kind, BadAccess::Kind::uninitialized);
    EXPECT_EQ(bad[0].memory, "in[5]");
    EXPECT_FALSE(bad[0].access.write);
    EXPECT_TRUE(found([this] {
                    in[5] = 1;
                    data[0] = in[5];
                }).empty());
    EXPECT_TRUE(found(read).empty()) << "it stays written";
    EXPECT_FALSE(found([this] { data[0] = in[6]; }).empty());
    cpu::observer->host_wrote(&in[6], sizeof(int));
    EXPECT_TRUE(found([this] { data[0] = in[6]; }).empty());
    EXPECT_FALSE(found([this] { data[0] = in[7]; }).empty());
    cpu::observer->host_wrote(in, kCount * sizeof(int));
    EXPECT_TRUE(found([this] { data[0] = in[7]; }).empty());
}

TEST_P(BadAccesses, OfSeveralElementsAreUninitializedIfAllAre)
{
    const auto copy = [this] { std::memcpy(&data[0], &in[1], 3 * sizeof(int)); };
    EXPECT_EQ(found(copy).size(), 1U);
    EXPECT_TRUE(found([&] {
                    in[2] = 1;
                    copy();
                }).empty())
        << "the rest may be padding";
    EXPECT_TRUE(found([this] {
                    std::memset(&in[8], 0, 3 * sizeof(int));
                    data[0] = in[10];
                }).empty());
}

TEST_P(BadAccesses, OfAtomicsAreUpdatesAndLoads)
{
    EXPECT_EQ(found([this] { atomicAdd(&in[0], 1); }).size(), 1U);
    EXPECT_TRUE(found([this] { atomicAdd(&in[0], 1); }).empty()) << "it has written";
    EXPECT_TRUE(found([this] { atomicExch(&in[1], 1); }).empty());
    EXPECT_TRUE(found([this] { data[0] = in[1]; }).empty());
    EXPECT_EQ(found([this] { data[0] = *const_cast<volatile int*>(&in[2]); }).size(), 1U);
    EXPECT_TRUE(found([this] { std::atomic_ref(in[3]).store(1, std::memory_order_relaxed); }).empty());
}

TEST_P(BadAccesses, AreThoseOfSharedMemoryTooWhichIsNewForEachBlock)
{
    const auto kernel = [this](bool writes) {
        return watch([&, writes](cpu::Executor& executor) {
                   executor.run(3, 1, [this, writes] {
                       BLOCK_SHARED(int, tile, 4);
                       if (writes)
                           tile[2] = 1;
                       data[blockIdx.x] = tile[2];
                   });
               })
            .bad_accesses;
    };
    EXPECT_TRUE(kernel(true).empty());
    const std::vector<BadAccess> bad = kernel(false);
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].memory, "tile[2]");
    EXPECT_EQ(bad[0].count, 3U);
}

TEST_P(BadAccesses, AreInTheTextAndInTheObject)
{
    at = kCount;
    const Races races = watch([&](cpu::Executor& executor) {
        executor.run(1, 1, [this] {
            in[at] = 1;
            launch(1, 1, Mechanism::fire_and_forget, [this] { data[0] = in[3]; });
        });
    });
    const std::string text = races_text(races);
    EXPECT_THAT(
        text,
        HasSubstr("out of bounds: write of in[16], 4 bytes past its end\n  write  tests/races/memory_test.cpp:"));
    EXPECT_THAT(text, HasSubstr("uninitialized: read of in[3], which nothing has written\n"));
    EXPECT_THAT(text, HasSubstr("         launched at tests/races/memory_test.cpp:"));
    EXPECT_THAT(
        text,
        HasSubstr("no races, 1 place with accesses out of bounds, 1 place with reads of uninitialized memory: "));
    const nlohmann::ordered_json json = bad_access_json(races.bad_accesses.front());
    EXPECT_EQ(json.at("kind"), "out of bounds");
    EXPECT_EQ(json.at("memory"), "in[16]");
    EXPECT_EQ(json.at("beyond"), 4);
    EXPECT_EQ(json.at("count"), 1);
    EXPECT_EQ(json.at("access").at("kind"), "write");
}

INSTANTIATE_TEST_SUITE_P(Races, BadAccesses, kSchedules, kScheduleName);

} // namespace
} // namespace nestbed
