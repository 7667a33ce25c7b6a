#include "model/occupancy.hpp"

#include <algorithm>
#include <array>

namespace nestbed
{

void set_occupancy(DeviceFacts& facts, std::string_view compute_capability)
{
    struct Limits {
        std::string_view capability;
        std::uint32_t threads, blocks;
    };
    constexpr std::array<Limits, 7> kLimits{{{"8.0", 2048, 32},
                                             {"8.6", 1536, 16},
                                             {"8.7", 1536, 16},
                                             {"8.9", 1536, 24},
                                             {"9.0", 2048, 32},
                                             {"10.0", 2048, 32},
                                             {"12.0", 1536, 24}}};
    const auto* const found = std::ranges::find(kLimits, compute_capability, &Limits::capability);
    if (found == kLimits.end())
        return;
    facts.max_threads_per_multiprocessor = found->threads;
    facts.max_blocks_per_multiprocessor = found->blocks;
}

} // namespace nestbed
