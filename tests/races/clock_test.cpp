#include "device/races/clock.hpp"

#include "support/matchers.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace nestbed::races
{
namespace
{

using Times = std::map<std::uint64_t, std::uint32_t>;

TEST(Clock, HasWhatAMapOfTheLaterTimesHas)
{
    std::mt19937_64 random(7); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in every run
    Clocks clocks;
    std::vector<std::pair<Clock, Times>> made{{nullptr, {}}};
    // Few bits, so that keys are equal often; and the highest bit, so that branches are high too.
    const auto key = [&] { return (random() % 23) << (random() % 3 * 20) | (random() % 2) << 63U; };
    for (int step = 0; step < 5000; ++step) {
        auto [clock, times] = made[random() % made.size()];
        if (random() % 2 == 0) {
            const std::uint64_t actor = key();
            const auto time = static_cast<std::uint32_t>(1 + random() % 50);
            clock = clocks.with(clock, actor, time);
            times[actor] = std::max(times[actor], time);
        } else {
            const auto& [other, other_times] = made[random() % made.size()];
            clock = clocks.merged(clock, other);
            for (const auto& [actor, time] : other_times)
                times[actor] = std::max(times[actor], time);
        }
        for (const auto& [actor, time] : times)
            ASSERT_EQ(time_of(clock, actor), time) << step;
        const std::uint64_t any = key();
        ASSERT_EQ(time_of(clock, any), times.contains(any) ? times.at(any) : 0) << step;
        if (made.size() < 200)
            made.emplace_back(clock, times);
        else
            made[random() % made.size()] = {clock, times};
    }
}

TEST(Clock, ThatHasAllOfAnotherIsTheirUnion)
{
    Clocks clocks;
    Clock small = nullptr;
    for (std::uint64_t actor = 0; actor < 1000; ++actor)
        small = clocks.with(small, actor * 4096, 1);
    const Clock large = clocks.with(small, 17, 3);
    EXPECT_EQ(clocks.merged(large, small), large);
    EXPECT_EQ(clocks.merged(small, large), large);
    EXPECT_EQ(clocks.merged(large, nullptr), large);
    EXPECT_EQ(clocks.merged(nullptr, large), large);
    EXPECT_EQ(clocks.with(large, 17, 2), large);
}

} // namespace
} // namespace nestbed::races
