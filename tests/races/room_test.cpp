// What the detector keeps: of which memory, under which name, and how much room it takes. The file is compiled like the strategies that the
// detector watches.
#include "device/races/shadow.hpp"
#include "rules.hpp"

#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

namespace nestbed
{
namespace
{

class Room : public Rules
{
  protected:
    std::uint64_t bytes_of(unsigned grid, unsigned block, const cpu::KernelCall& kernel)
    {
        return watch([&](cpu::Executor& executor) {
                   executor.set_pending_limit(100000);
                   executor.run(grid, block, kernel);
               })
            .memory_bytes;
    }
    // What a write of the element is told to be of, if it is in no memory.
    std::string bad_at(std::size_t index)
    {
        const Races races =
            watch([&](cpu::Executor& executor) { executor.run(1, 1, [&, index] { data[index] = 1; }); });
        return races.bad_accesses.empty() ? "none" : races.bad_accesses.front().memory;
    }
    static void expect_between(std::uint64_t bytes, std::uint64_t least, std::uint64_t most)
    {
        EXPECT_GE(bytes, least);
        EXPECT_LE(bytes, most);
    }
};

constexpr std::uint64_t kPage = 256 * sizeof(races::Cell); // cells are made by pages of 256
constexpr std::uint64_t kFew = 400'000;                    // of all else

TEST_P(Room, OfARunWithoutGridsIsNone)
{
    EXPECT_EQ(watch([](cpu::Executor&) {}).memory_bytes, 0U);
}

TEST_P(Room, IsCountedOfThreadsOfGridsAndOfClocks)
{
    const std::uint64_t one = bytes_of(1, 1, [] {});
    const std::uint64_t many = bytes_of(1, 1024, [] {});
    expect_between(many - one, 1023 * 100, 1023 * 1000);
    EXPECT_LT(bytes_of(500, 1, [] {}), one + 30 * 1000) << "of blocks, those that run";
    const auto launches = [&](unsigned count) {
        return bytes_of(1, 1, [count] {
            for (unsigned i = 0; i < count; ++i)
                launch(1, 1, Mechanism::null_stream, [] {});
        });
    };
    expect_between(launches(5000), 5000 * 200, 5000 * 10000);
    const auto releases = [&](unsigned count) {
        return bytes_of(1, 1, [count, this] {
            for (unsigned i = 0; i < count; ++i)
                std::atomic_ref(data[0]).fetch_add(1, std::memory_order_release);
        });
    };
    expect_between(releases(100000), 100000 * 40, 100000 * 40 * 6); // a node of a clock each, and what others know
    const auto events = [&](unsigned count, std::size_t kept) {
        std::vector<cpu::Captured> all(kept);
        return bytes_of(1, 1, [&, count] {
            for (unsigned i = 0; i < count; ++i)
                all[i % all.size()] = cpu::observer->captures(cpu::current_thread->observed, 1);
            data[0] = 1;
        });
    };
    expect_between(events(100000, 100000), 100000 * 32, 100000 * 48 * 2 + kFew);
    EXPECT_LT(events(100000, 1), one + kFew) << "what nobody has any more is forgotten";
}

TEST_P(Room, IsCountedOfCellsByPages)
{
    constexpr std::size_t kMany = 1U << 22U;
    const std::unique_ptr<char[]> large(new char[kMany]); // nothing writes there
    name_memory(large.get(), kMany, 1, "large");
    const auto of_pages = [&](std::size_t pages) {
        return bytes_of(1, 1, [&, pages] {
            for (std::size_t page = 0; page < pages; ++page)
                large[page * 256] = 1;
        });
    };
    constexpr std::uint64_t kList = kMany / 256 * sizeof(void*);
    const std::uint64_t one = of_pages(1);
    expect_between(one, kList + kPage, kList + kPage + kFew);
    expect_between(of_pages(1001) - one, 1000 * kPage, 1000 * kPage + 1000 * 200);
    expect_between(bytes_of(1, 1, [&] { std::memset(large.get() + 100, 0, 256); }), kList + 2 * kPage,
                   kList + 2 * kPage + 256 * 100 + kFew);
    cpu::observer->forget(large.get());
}

TEST_P(Room, IsCountedOfAccessesOfOneElement)
{
    const std::uint64_t of_one = bytes_of(1, 512, [&] {
        if (thread() == 0)
            for (int& element : data)
                static_cast<void>(*const_cast<volatile int*>(&element)); // an atomic read
    });
    const std::uint64_t of_all = bytes_of(1, 512, [&] {
        for (int& element : data)
            static_cast<void>(*const_cast<volatile int*>(&element));
    });
    expect_between(of_all - of_one, 510 * data.size() * sizeof(races::Access),
                   3 * 511 * data.size() * sizeof(races::Access));
}

// Two threads read an element in turn.
TEST_P(Room, IsLimitedForReadsOfOneElement)
{
    const auto by = [&](unsigned rounds) {
        return bytes_of(1, 2, [rounds, this] {
            int sum = 0;
            for (unsigned round = 0; round < rounds; ++round) {
                sum += data[0];
                cpu::give_way();
            }
            data[1 + thread()] = sum;
        });
    };
    EXPECT_LT(by(5000), by(10) + 20000);
}

TEST_P(Room, IsCountedOfAddressesOfAtomics)
{
    std::vector<unsigned> flags(20000);
    name_memory(flags.data(), flags.size() * sizeof(unsigned), sizeof(unsigned), "flags");
    const auto by = [&](bool atomic, bool releases) {
        return bytes_of(1, 1, [&, atomic, releases] {
            for (unsigned& flag : flags)
                if (!atomic)
                    flag = 1;
                else
                    std::atomic_ref(flag).store(1, releases ? std::memory_order_release : std::memory_order_relaxed);
        });
    };
    const std::uint64_t plain = by(false, false);
    const std::uint64_t relaxed = by(true, false);
    expect_between(relaxed - plain, 20000 * 100, 20000 * 500);
    expect_between(by(true, true) - relaxed, 20000 * 40, 20000 * 300);
    cpu::observer->forget(flags.data());
}

TEST_P(Room, IsGivenBackWithTheMemory)
{
    const std::unique_ptr<char[]> part(new char[25600]);
    const auto by = [&](unsigned times, bool forgets) {
        return watch([&](cpu::Executor& executor) {
                   for (unsigned time = 0; time < times; ++time) {
                       name_memory(part.get(), 25600, 1, "part");
                       executor.run(1, 1, [&] { std::memset(part.get(), 0, 25600); });
                       if (forgets)
                           cpu::observer->forget(part.get());
                   }
               })
            .memory_bytes;
    };
    EXPECT_LT(by(20, true), by(1, true) + kFew);
    EXPECT_LT(by(20, false), by(1, false) + kFew) << "and in place of it";
    cpu::observer->forget(part.get());
}

// ---- names ----

std::string memory_of(const Races& races)
{
    return races.races.size() == 1 ? races.races.front().memory : std::to_string(races.races.size()) + " races";
}

TEST_P(Room, MemoryIsNamedInPlaceOfWhatItCoversAndOfNothingElse)
{
    const auto at = [&](std::size_t index) {
        return memory_of(
            watch([&](cpu::Executor& executor) { executor.run(2, 1, [&, index] { data[index] = 1; }); }));
    };
    cpu::observer->forget(data.data());
    EXPECT_EQ(at(0), "0 races") << "memory without a name, and no variable";
    name_memory(&data[0], 16, 4, "a");
    name_memory(&data[4], 16, 4, "b");
    name_memory(&data[8], 16, 4, "c");
    const auto all = [&] { return at(3) + " " + at(4) + " " + at(7) + " " + at(8); };
    EXPECT_EQ(all(), "a[3] b[0] b[3] c[0]");
    name_memory(&data[4], 16, 4, "d");
    EXPECT_EQ(all(), "a[3] d[0] d[3] c[0]");
    name_memory(&data[5], 8, 4, "e");
    EXPECT_EQ(all(), "a[3] 0 races 0 races c[0]") << "what is left of d belongs to nothing";
    EXPECT_EQ(at(6), "e[1]");
    name_memory(&data[3], 24, 4, "f");
    EXPECT_EQ(all(), "f[0] f[1] f[4] f[5]");
    EXPECT_EQ(at(2), "0 races");
    EXPECT_EQ(at(9), "0 races");
    cpu::observer->forget(&data[4]);
    EXPECT_EQ(at(4), "f[1]") << "no memory begins there";
    name_memory(&data[20], 0, 4, "empty");
    EXPECT_EQ(at(20), "0 races");
    name_memory(&data[20], 1, 4, "one");
    EXPECT_EQ(at(20), "one[0]");
    for (const std::size_t begin : {3, 20})
        cpu::observer->forget(&data[begin]);
    EXPECT_EQ(at(3), "0 races");
}

TEST_P(Room, GuardsBelongToTheirMemory)
{
    cpu::observer->forget(data.data());
    cpu::observer->memory({.begin = &data[16], .bytes = 16, .element = 4, .name = "a", .guard_bytes = 16});
    cpu::observer->memory({.begin = &data[28], .bytes = 16, .element = 4, .name = "b", .guard_bytes = 16});
    EXPECT_EQ(bad_at(11), "none");
    EXPECT_EQ(bad_at(12), "a[-4]");
    EXPECT_EQ(bad_at(15), "a[-1]");
    EXPECT_EQ(bad_at(19), "none");
    EXPECT_EQ(bad_at(23), "a[7]");
    EXPECT_EQ(bad_at(24), "b[-4]");
    EXPECT_EQ(bad_at(35), "b[7]");
    EXPECT_EQ(bad_at(36), "none");
    cpu::observer->forget(&data[16]);
    EXPECT_EQ(bad_at(15), "none");
    cpu::observer->forget(&data[28]);
}

TEST_P(Room, NewMemoryReplacesWhatItsGuardReachesInto)
{
    cpu::observer->forget(data.data());
    cpu::observer->memory({.begin = &data[16], .bytes = 16, .element = 4, .name = "old", .guard_bytes = 16});
    cpu::observer->memory({.begin = &data[22], .bytes = 16, .element = 4, .name = "new", .guard_bytes = 16});
    EXPECT_EQ(bad_at(14), "none"); // the guard of what is not there any more
    EXPECT_EQ(bad_at(18), "new[-4]");
    EXPECT_EQ(bad_at(22), "none");
    cpu::observer->forget(&data[22]);
}

// As a program has it that forgets a variable of its own that it never named.
TEST_P(Room, ForgettingWhatHasNoNameForgetsNoAtomics)
{
    std::array<unsigned, 2> flags{};
    name_memory(flags.data(), sizeof flags, sizeof(unsigned), "flags");
    EXPECT_EQ(watch([&](cpu::Executor& executor) {
                  executor.run(1, 1, [&] {
                      data[0] = 1;
                      std::atomic_ref(flags[1]).store(1, std::memory_order_release);
                  });
                  cpu::observer->forget(&flags[1]);
                  executor.run(
                      1, 1,
                      [&] {
                          if (std::atomic_ref(flags[1]).load(std::memory_order_acquire) == 1)
                              data[0] = 2;
                      },
                      1);
              }).pairs(),
              0U);
    cpu::observer->forget(flags.data());
}

TEST_P(Room, AReleaseInMemoryThatIsForgottenDoesNotGoOn)
{
    std::array<unsigned, 3> flags{};
    const auto name = [&](std::size_t index, std::string_view called) {
        name_memory(&flags[index], sizeof(unsigned), sizeof(unsigned), called);
    };
    const auto by = [&](std::size_t again) {
        flags = {};
        for (std::size_t index = 0; index < 3; ++index)
            name(index, "flag");
        unsigned now = 0;
        return pairs(1, 2, [&, again] {
            const std::atomic_ref seen(flags[1]);
            if (thread() == 0) {
                data[0] = 1;
                seen.store(1, std::memory_order_release);
                name(again, "again");
                seen.store(2, std::memory_order_relaxed);
                now = 1;
            } else {
                while (now != 1)
                    cpu::give_way();
                seen.load(std::memory_order_acquire);
                data[0] = 2;
            }
        });
    };
    EXPECT_EQ(by(0), 0U);
    EXPECT_EQ(by(1), 1U);
    EXPECT_EQ(by(2), 0U);
    for (unsigned& flag : flags)
        cpu::observer->forget(&flag);
}

// ---- elements ----

// Races are counted by elements; memory whose elements are not distinguished counts an access once, however many bytes it has.
TEST_P(Room, PairsAreCountedByElementsAndNotByBytes)
{
    const auto by = [&](std::size_t element, const cpu::KernelCall& first, const cpu::KernelCall& second) {
        name_memory(data.data(), sizeof data, element, "data");
        return pairs(2, 1, [&] { blockIdx.x == 0 ? first() : second(); });
    };
    char* const bytes = reinterpret_cast<char*>(data.data());
    const auto set = [bytes](std::size_t begin, std::size_t count) {
        return [=] { std::memset(bytes + begin, 0, count); };
    };
    EXPECT_EQ(by(1, set(0, 8), set(0, 8)), 1U);
    EXPECT_EQ(by(2, set(0, 8), set(0, 8)), 4U);
    EXPECT_EQ(by(4, set(0, 8), set(0, 8)), 2U);
    EXPECT_EQ(by(8, set(0, 8), set(0, 8)), 1U);
    EXPECT_EQ(by(1, set(0, 1), set(0, 1)), 1U) << "the first byte";
    EXPECT_EQ(by(1, set(255, 1), set(255, 1)), 1U) << "the last one";
    EXPECT_EQ(by(1, set(0, 8), set(8, 8)), 0U);
    EXPECT_EQ(by(1, set(0, 9), set(8, 8)), 1U);
    EXPECT_EQ(by(4, set(3, 1), set(4, 1)), 0U);
    EXPECT_EQ(by(4, set(0, 1), set(3, 1)), 0U) << "different bytes of one element";
    EXPECT_EQ(by(4, set(0, 2), set(1, 2)), 1U);
    EXPECT_EQ(by(4, set(2, 4), set(5, 1)), 1U) << "of the second of two elements";
    EXPECT_EQ(by(4, set(2, 4), set(6, 1)), 0U);
    EXPECT_EQ(by(4, set(1, 1), set(0, 4)), 1U) << "a part and the whole";
    EXPECT_EQ(by(16, set(0, 2), set(2, 2)), 0U) << "of an element of 16 bytes, by pairs";
    // Of one access and two others, of two places of a thread: two pairs.
    const auto halves = [=] {
        set(0, 4)();
        std::memset(bytes + 4, 1, 4);
    };
    if (std::string_view(GetParam()) == "fifo") {
        EXPECT_EQ(by(1, halves, set(0, 8)), 2U);
        EXPECT_EQ(by(1, set(0, 8), halves), 2U);
    }
}

TEST_P(Room, OneByteIsAnAccess)
{
    char* const bytes = reinterpret_cast<char*>(data.data());
    name_memory(bytes, 8, 1, "bytes");
    EXPECT_EQ(pairs(2, 1, [=] { bytes[0] = 1; }), 1U);
    EXPECT_EQ(pairs(2, 1, [=] { bytes[blockIdx.x] = 1; }), 0U);
}

INSTANTIATE_TEST_SUITE_P(Races, Room, kSchedules, kScheduleName);

} // namespace
} // namespace nestbed
