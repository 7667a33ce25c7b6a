// What nestbed remembers of the pending-launch limit, with devices that refuse it; and how long a parent waits for
// its child.
#include "device/nest.hpp"
#include "device/pending_limit.hpp"
#include "support/matchers.hpp"

#include <stdexcept>
#include <vector>

namespace nestbed
{
namespace
{

// A device whose change of the limit may fail half-way: it then has the new limit, but reports an error.
struct Device {
    unsigned limit = 2048;
    bool fails = false;
    std::vector<unsigned> changes{};

    void change(unsigned launches)
    {
        limit = launches;
        changes.push_back(launches);
        if (fails)
            throw std::runtime_error("out of memory");
    }
};

TEST(PendingLimit, IsChangedOnlyWhenItIsAnother)
{
    PendingLimit known;
    Device device;
    for (const unsigned launches : {2048U, 2048U, 65536U, 65536U, 2048U})
        known.set(launches, [&] { device.change(launches); });
    EXPECT_THAT(device.changes, ElementsAre(2048, 65536, 2048)); // first: the device limit is not known yet
}

TEST(PendingLimit, IsUnknownAfterAChangeThatFailed)
{
    PendingLimit known;
    Device device;
    const auto set = [&](unsigned launches) { known.set(launches, [&] { device.change(launches); }); };
    set(4096);
    device.fails = true;
    EXPECT_THROW(set(65536), std::runtime_error);
    EXPECT_EQ(device.limit, 65536U);
    device.fails = false;
    set(4096); // the last limit known to have worked, but not the one that the device has
    EXPECT_EQ(device.limit, 4096U);
    EXPECT_THAT(device.changes, ElementsAre(4096, 65536, 4096));
}

TEST(Patience, OutlastsTheDelaysOfAllLevelsBelow)
{
    constexpr unsigned long long kSecond = 1'000'000'000;
    EXPECT_EQ(patience_ns(8, 0), 2 * kSecond);
    EXPECT_EQ(patience_ns(8, 20), 2 * kSecond + 160'000);
    EXPECT_EQ(patience_ns(9, 1'000'000), 11 * kSecond); // synced, 1024 threads per block, one second per level
    EXPECT_EQ(patience_ns(1, 1'000'000), 3 * kSecond);
    EXPECT_EQ(patience_ns(2048, 4'000'000'000), 2 * kSecond + 2048 * 4000 * kSecond); // no overflow
}

} // namespace
} // namespace nestbed
