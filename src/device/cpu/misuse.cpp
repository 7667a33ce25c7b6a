#include "device/cpu/misuse.hpp"

#include "base/reported_place.hpp"
#include "device/cpu/observer.hpp"

#include <fmt/format.h>

namespace nestbed::cpu
{

namespace
{

// "lanes 3, 16-31"
std::string lanes_text(std::uint32_t lanes)
{
    std::string text;
    unsigned count = 0;
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        if ((lanes >> lane & 1U) == 0)
            continue;
        unsigned last = lane;
        while (last + 1 < kWarpLanes && (lanes >> (last + 1) & 1U) != 0)
            ++last;
        count += last - lane + 1;
        text += text.empty() ? "" : ", ";
        text += last == lane ? fmt::format("{}", lane) : fmt::format("{}-{}", lane, last);
        lane = last;
    }
    return (count == 1 ? "lane " : "lanes ") + text;
}

std::string spelled(const CallPlace& place)
{
    return fmt::format("{}() at {}", place.function, reported_place(place.file, place.line));
}

} // namespace

std::string misuse_text(const Misuse& misuse)
{
    switch (misuse.kind) {
    case Misuse::Kind::outside_of_mask:
        return fmt::format("lane {} calls {}() with the mask {:#010x}, in which it is not; a lane that calls it must "
                           "be in its own mask",
                           misuse.lane, misuse.place.function, misuse.mask);
    case Misuse::Kind::other_mask:
        return fmt::format("lane {} calls {}() with the mask {:#010x}, and {} waits for it in {} with the mask "
                           "{:#010x}; all lanes of a mask must call the function with the same mask",
                           misuse.lane, misuse.place.function, misuse.mask, lanes_text(misuse.lanes),
                           spelled(misuse.other), misuse.other_mask);
    case Misuse::Kind::other_function:
        return fmt::format(
            "lane {} calls {}() with the mask {:#010x}, and {} calls {}; all lanes of a mask must call "
            "the same function",
            misuse.lane, misuse.place.function, misuse.mask, lanes_text(misuse.lanes), spelled(misuse.other));
    case Misuse::Kind::never_come:
        return fmt::format("{}() with the mask {:#010x} waits for {}, which never {}{}; all lanes of a mask that "
                           "have not ended must "
                           "call the function with the same mask",
                           misuse.place.function, misuse.mask, lanes_text(misuse.lanes),
                           (misuse.lanes & (misuse.lanes - 1)) == 0 ? "comes" : "come",
                           misuse.other.file == nullptr ? ""
                                                        : fmt::format(" (waiting in {})", spelled(misuse.other)));
    case Misuse::Kind::absent_lane:
        return fmt::format(
            "{}() with the mask {:#010x} reads the value of lane {}, which takes no part: the value is "
            "undefined",
            misuse.place.function, misuse.mask, misuse.lane);
    case Misuse::Kind::part_of_group:
        return fmt::format("{}() of a group, without its {}; all threads of a group must call it",
                           misuse.place.function, lanes_text(misuse.lanes));
    case Misuse::Kind::ended_threads:
        return fmt::format("{} of the {} threads of the block have ended without this barrier; CUDA allows a "
                           "barrier in a branch only if all threads of the block take the same one",
                           misuse.ended, misuse.threads);
    case Misuse::Kind::other_iteration:
        break;
    }
    return "threads of the block meet at this barrier in different iterations of a loop, because some have passed it "
           "by; CUDA allows a barrier in a branch only if all threads of the block take the same one";
}

void report_misuse(const Misuse& misuse)
{
    if (current_thread != nullptr && current_thread->observed != nullptr)
        observer->misused(current_thread->observed, misuse);
}

} // namespace nestbed::cpu
