// Kernels whose races are counted. The files that include this are compiled as the strategies that the detector watches.
#pragma once

#include "device/cpu/context.hpp"
#include "device/cpu/observer.hpp"
#include "support/matchers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>

namespace nestbed
{

using cpu::launch;

inline void name_memory(const void* begin, std::size_t bytes, std::size_t element, std::string_view name)
{
    cpu::observer->memory({.begin = begin, .bytes = bytes, .element = element, .name = name});
}

// By schedule.
class Rules : public testing::TestWithParam<const char*>
{
  public:
    Rules() { name_memory(data.data(), sizeof data, sizeof(int), "data"); }
    ~Rules() override { cpu::observer->forget(data.data()); }
    Rules(const Rules&) = delete;
    Rules& operator=(const Rules&) = delete;

    // Number of racing pairs in a run of one grid.
    std::uint64_t pairs(unsigned grid, unsigned block, const cpu::KernelCall& kernel)
    {
        return watch([&](cpu::Executor& executor) { executor.run(grid, block, kernel); }).pairs();
    }

    void expect_pairs(const std::string& what, const testing::Matcher<std::uint64_t>& expected, unsigned grid,
                      unsigned block, const cpu::KernelCall& kernel,
                      std::source_location at = std::source_location::current())
    {
        const testing::ScopedTrace trace(at.file_name(), static_cast<int>(at.line()), what);
        EXPECT_THAT(pairs(grid, block, kernel), expected);
    }
    void expect_pairs(const testing::Matcher<std::uint64_t>& expected, unsigned grid, unsigned block,
                      const cpu::KernelCall& kernel, std::source_location at = std::source_location::current())
    {
        expect_pairs("", expected, grid, block, kernel, at);
    }

    // The same of one thread in each of two blocks.
    std::uint64_t of_two(const cpu::KernelCall& first, const cpu::KernelCall& second)
    {
        return pairs(2, 1, [&] { blockIdx.x == 0 ? first() : second(); });
    }
    template <class Work>
    Races watch(Work&& work)
    {
        cpu::Executor executor(parse_schedule(GetParam()), 1);
        return cpu::observer->watch([&] { work(executor); });
    }

    std::array<int, 64> data{};
};

inline unsigned thread()
{
    return threadIdx.x;
}
inline void child(int* to, Mechanism how, unsigned threads = 1)
{
    launch(1, threads, how, [=] { to[thread()] += 1; });
}

inline const auto kSchedules = testing::Values("fifo", "eager", "random:1", "random:2");
inline const auto kScheduleName = [](const testing::TestParamInfo<const char*>& test) {
    std::string name = test.param;
    std::ranges::replace(name, ':', '_');
    return name;
};

} // namespace nestbed
