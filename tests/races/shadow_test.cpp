#include "device/races/shadow.hpp"

#include "support/matchers.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <random>

namespace nestbed::races
{
namespace
{

// find() answers from the spans that it found last: of memory, of guards, and of the gaps between them.
TEST(Shadow, FindsWhatIsThereAfterEveryChange)
{
    struct Known {
        std::uintptr_t begin, end; // with its guards
    };
    std::mt19937_64 random(11); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in every run
    Shadow shadow;
    std::map<std::uintptr_t, Known> known;  // by the begin of the memory
    constexpr std::uintptr_t kFirst = 4096; // where no program has variables
    constexpr std::uintptr_t kBytes = 400;
    const auto pointer = [](std::uintptr_t address) {
        return reinterpret_cast<const void*>(address); // NOLINT(performance-no-int-to-ptr)
    };
    for (int step = 0; step < 4000; ++step) {
        const std::uint64_t change = random() % 8;
        const auto any =
            known.empty() ? known.end() : std::next(known.begin(), static_cast<int>(random() % known.size()));
        if (change < 2) {
            const std::size_t guard = random() % 3 * 4;
            const std::size_t bytes = 1 + random() % 40;
            const std::uintptr_t begin = kFirst + guard + random() % kBytes;
            const Known added{begin - guard, begin + bytes + guard};
            std::erase_if(known, [&](const auto& each) {
                return each.second.begin < added.end && added.begin < each.second.end;
            });
            known[begin] = added;
            shadow.add({.begin = pointer(begin), .bytes = bytes, .name = "memory", .guard_bytes = guard});
        } else if (change == 2 && any != known.end()) {
            EXPECT_NE(shadow.remove(pointer(any->first)), 0U);
            known.erase(any);
        } else if (change == 3 && any != known.end()) {
            EXPECT_NE(shadow.free(pointer(any->first), nullptr), 0U);
            EXPECT_TRUE(shadow.find(any->first)->is_freed);
        } else if (change == 4) {
            shadow.clear();
        }
        for (int look = 0; look < 6; ++look) {
            const std::uintptr_t address = kFirst + random() % kBytes;
            const Region* const found = shadow.find(address);
            const auto wanted = std::ranges::find_if(known, [address](const auto& each) {
                return address >= each.second.begin && address < each.second.end;
            });
            ASSERT_EQ(found == nullptr ? 0 : found->begin, wanted == known.end() ? 0 : wanted->first)
                << "step " << step << ", address " << address;
        }
    }
}

} // namespace
} // namespace nestbed::races
