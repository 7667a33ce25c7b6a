// Accesses outside of memory, and reads of memory that nothing has written. The file is compiled like the strategies that the detector
// watches.
#include "inspect/race_text.hpp"
#include "rules.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstring>
#include <memory>
#include <tuple>

namespace nestbed
{
namespace
{

[[gnu::noinline]] void write_one(int* to)
{
    *to = 1;
}

class BadAccesses : public Rules
{
  protected:
    static constexpr std::size_t kGuard = 64;
    static constexpr std::size_t kCount = 16;

    BadAccesses() { name_in("in", kCount * sizeof(int), sizeof(int)); }
    ~BadAccesses() override { cpu::observer->forget(in); }
    BadAccesses(const BadAccesses&) = delete;
    BadAccesses& operator=(const BadAccesses&) = delete;

    void name_in(std::string_view name, std::size_t bytes, std::size_t element)
    {
        cpu::observer->memory({.begin = in,
                               .bytes = bytes,
                               .element = element,
                               .name = name,
                               .guard_bytes = kGuard,
                               .uninitialized = true});
    }
    std::vector<BadAccess> found(const cpu::KernelCall& kernel, unsigned threads = 1)
    {
        return watch([&](cpu::Executor& executor) { executor.run(1, threads, kernel); }).bad_accesses;
    }

    std::unique_ptr<int[]> room = std::make_unique<int[]>(kCount + 2 * kGuard / sizeof(int));
    int* const in = room.get() + kGuard / sizeof(int);
    volatile int at = 0; // an index that the compiler does not know
    int sum = 0;
};

TEST_P(BadAccesses, AreOutOfBoundsBehindAndBeforeTheMemory)
{
    const auto past = [&](int index) {
        at = index;
        return found([this] { in[at] = 1; });
    };
    EXPECT_TRUE(past(0).empty());
    EXPECT_TRUE(past(kCount - 1).empty());
    for (const auto& [index, memory, beyond] :
         {std::tuple(16, "in[16]", 4), {19, "in[19]", 16}, {-2, "in[-2]", -8}, {-1, "in[-1]", -4}}) {
        const std::vector<BadAccess> bad = past(index);
        ASSERT_EQ(bad.size(), 1U);
        EXPECT_EQ(bad[0].kind, BadAccess::Kind::out_of_bounds);
        EXPECT_EQ(bad[0].memory, memory);
        EXPECT_EQ(bad[0].beyond, beyond);
        EXPECT_EQ(bad[0].bytes, 4U);
        EXPECT_TRUE(bad[0].access.write);
        EXPECT_EQ(bad[0].access.places.front().file, "tests/races/memory_test.cpp");
    }
    const std::vector<BadAccess> half = found([this] { *reinterpret_cast<long*>(&in[kCount - 1]) = 1; });
    ASSERT_EQ(half.size(), 2U); // the other one is that it is misaligned
    EXPECT_EQ(half[0].memory, "in[16]");
    EXPECT_EQ(half[0].beyond, 4);
}

// Part of such an access is of the memory, and may race.
TEST_P(BadAccesses, MayBeginBeforeTheMemoryOrEndBehindIt)
{
    cpu::observer->host_wrote(in, kCount * sizeof(int));
    const auto set = [&](std::ptrdiff_t begin, std::size_t bytes) {
        return watch([&](cpu::Executor& executor) {
            executor.run(2, 1, [this, begin, bytes] {
                if (blockIdx.x == 0)
                    std::memset(reinterpret_cast<char*>(in) + begin, 0, bytes);
                else
                    in[0] = in[kCount - 1] = 1;
            });
        });
    };
    const auto size = static_cast<std::ptrdiff_t>(kCount * sizeof(int));
    const auto bad = [&](std::ptrdiff_t begin, std::size_t bytes, const char* memory, std::ptrdiff_t beyond,
                         std::uint64_t pairs) {
        const Races races = set(begin, bytes);
        ASSERT_EQ(races.bad_accesses.size(), 1U);
        EXPECT_EQ(races.bad_accesses[0].memory, memory);
        EXPECT_EQ(races.bad_accesses[0].bytes, bytes);
        EXPECT_EQ(races.bad_accesses[0].beyond, beyond);
        EXPECT_EQ(races.pairs(), pairs);
    };
    bad(-1, 1, "in[-1]", -1, 0);
    bad(-4, 4, "in[-1]", -4, 0);
    bad(-5, 5, "in[-2]", -5, 0);
    bad(-4, 5, "in[-1]", -4, 1);
    bad(-8, 12, "in[-2]", -8, 1);
    bad(0, size + 8, "in[16]", 8, 2);
    bad(size - 1, 2, "in[16]", 1, 1);
    bad(size, 1, "in[16]", 1, 0);
    bad(-4, size + 8, "in[-1]", -4, 2);
    const Races inside = set(0, static_cast<std::size_t>(size));
    EXPECT_TRUE(inside.bad_accesses.empty());
    EXPECT_EQ(inside.pairs(), 2U);
}

TEST_P(BadAccesses, OfOneElementOrOfBytesAreSpelledAsSuch)
{
    const auto by = [&](std::size_t bytes, std::size_t element, std::ptrdiff_t offset) {
        name_in("one", bytes, element);
        const std::vector<BadAccess> bad = found([this, offset] { sum = sum + reinterpret_cast<char*>(in)[offset]; });
        return bad.empty() ? "none" : bad[0].memory;
    };
    EXPECT_EQ(by(4, 4, 0), "one");
    EXPECT_EQ(by(4, 4, 3), "one");
    EXPECT_EQ(by(4, 4, 4), "one[1]");
    EXPECT_EQ(by(4, 4, -1), "one[-1]");
    EXPECT_EQ(by(8, 4, 3), "one[0]");
    EXPECT_EQ(by(8, 1, 3), "one, byte 3");
    EXPECT_EQ(by(8, 1, 8), "one, byte 8");
    EXPECT_EQ(by(8, 2, 3), "one[1]");
    EXPECT_EQ(by(1, 1, 0), "one, byte 0") << "memory of one byte";
    EXPECT_EQ(by(6, 4, 5), "one[1]") << "whose last element is not whole";
}

TEST_P(BadAccesses, OfOnePlaceAreOneAlsoWhereTheirCallersDiffer)
{
    const std::vector<BadAccess> bad = found([&] {
        write_one(&in[kCount]);
        write_one(&in[kCount + 1]);
        sum = sum + in[kCount + 2];
    });
    ASSERT_EQ(bad.size(), 2U);
    EXPECT_EQ(bad[0].count + bad[1].count, 3U);
    const BadAccess& writes = bad[0].access.write ? bad[0] : bad[1];
    EXPECT_EQ(writes.count, 2U);
    EXPECT_EQ(writes.memory, "in[16]");
    // One place that is read atomically and not, or that is out of bounds and uninitialised, is two.
    EXPECT_EQ(found([this] { sum = sum + in[3] + in[kCount]; }).size(), 2U);
    EXPECT_EQ(found([this] { sum = sum + in[kCount] + std::atomic_ref(in[kCount]).load(); }).size(), 2U);
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
    EXPECT_EQ(bad[0].beyond, 0);
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

TEST_P(BadAccesses, OfWhatWasWrittenAreThoseBesideIt)
{
    const auto unwritten = [&](const cpu::KernelCall& writes) {
        name_in("in", kCount * sizeof(int), sizeof(int));
        writes();
        std::string all;
        for (std::size_t index = 0; index < kCount; ++index)
            all += found([this, index] { sum = sum + in[index]; }).empty() ? '.' : '?';
        return all;
    };
    const auto host = [this](std::size_t first_byte, std::size_t bytes) {
        return [=, this] { cpu::observer->host_wrote(reinterpret_cast<char*>(in) + first_byte, bytes); };
    };
    const auto kernel = [this](std::size_t first, std::size_t count) {
        return [=, this] {
            found([=, this] {
                for (std::size_t index = first; index < first + count; ++index)
                    in[index] = 1;
            });
        };
    };
    EXPECT_EQ(unwritten([] {}), "????????????????");
    EXPECT_EQ(unwritten(kernel(0, 1)), ".???????????????");
    EXPECT_EQ(unwritten(kernel(15, 1)), "???????????????.");
    EXPECT_EQ(unwritten(kernel(6, 2)), "??????..????????");
    EXPECT_EQ(unwritten(host(0, 4)), ".???????????????");
    EXPECT_EQ(unwritten(host(4, 60)), "?...............");
    EXPECT_EQ(unwritten(host(0, 60)), "...............?");
    EXPECT_EQ(unwritten(host(0, 64)), "................");
    EXPECT_EQ(unwritten(host(23, 1)), "????????????????") << "one byte of it";
    EXPECT_EQ(unwritten(host(23, 2)), "????????????????") << "and one of the next";
    EXPECT_EQ(unwritten(host(20, 5)), "?????.??????????");
    EXPECT_EQ(unwritten(host(60, 100)), "???????????????.") << "and what is behind";
    EXPECT_EQ(unwritten([this] { cpu::observer->host_wrote(in - 2, 12); }), ".???????????????") << "and before";
    EXPECT_EQ(unwritten([this] { cpu::observer->host_wrote(in - 2, 8); }), "????????????????");
    EXPECT_EQ(unwritten(host(20, 0)), "????????????????");
    EXPECT_EQ(unwritten(host(64, 4)), "????????????????");
}

TEST_P(BadAccesses, TheHostMayWriteToSeveralMemoriesAtOnce)
{
    std::array<int, 6> three{};
    const auto name = [&](std::size_t index, std::string_view called) {
        cpu::observer->memory(
            {.begin = &three[2 * index], .bytes = 8, .element = 4, .name = called, .uninitialized = true});
    };
    const auto unwritten = [&](std::size_t first, std::size_t count) {
        name(0, "first");
        name(1, "second");
        name(2, "third");
        cpu::observer->host_wrote(&three[first], 4 * count);
        std::string all;
        for (const int& one : three)
            all += found([&] { sum = sum + one; }).empty() ? '.' : '?';
        return all;
    };
    EXPECT_EQ(unwritten(1, 4), "?....?");
    EXPECT_EQ(unwritten(0, 6), "......");
    EXPECT_EQ(unwritten(0, 2), "..????");
    EXPECT_EQ(unwritten(2, 2), "??..??");
    for (std::size_t index = 0; index < 3; ++index)
        cpu::observer->forget(&three[2 * index]);
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
    EXPECT_THAT(text, HasSubstr("no races, 1 place with accesses out of bounds, 1 place with reads of\n"
                                "uninitialized memory: "));
    const nlohmann::ordered_json json = bad_access_json(races.bad_accesses.front());
    EXPECT_EQ(json.at("kind"), "out of bounds");
    EXPECT_EQ(json.at("memory"), "in[16]");
    EXPECT_EQ(json.at("beyond"), 4);
    EXPECT_EQ(json.at("count"), 1);
    EXPECT_EQ(json.at("access").at("kind"), "write");
}

TEST_P(BadAccesses, AreAllThatIsDoneToFreedMemory)
{
    cpu::observer->freed(in, nullptr);
    const std::vector<BadAccess> bad = found([this] { in[at] = 1; });
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].kind, BadAccess::Kind::freed);
}

INSTANTIATE_TEST_SUITE_P(Races, BadAccesses, kSchedules, kScheduleName);

} // namespace
} // namespace nestbed
