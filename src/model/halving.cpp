#include "model/halving.hpp"

namespace nestbed
{

namespace
{

constexpr std::uint32_t kWarp = 32;

bool adds(Pairing pairing, std::uint32_t thread, std::uint32_t stride, std::uint32_t block)
{
    switch (pairing) {
    case Pairing::neighbours:
        return thread % (2 * stride) == 0;
    case Pairing::neighbours_by_firsts:
        return 2 * stride * thread < block;
    case Pairing::halves:
        break;
    }
    return thread < stride;
}

} // namespace

std::string_view strategies_of(Pairing pairing)
{
    switch (pairing) {
    case Pairing::neighbours:
        return "neighbored, shared_neighbored";
    case Pairing::neighbours_by_firsts:
        return "neighbored_less";
    case Pairing::halves:
        break;
    }
    return "interleaved, shared_interleaved";
}

std::vector<HalvingStep> halving_steps(Pairing pairing, std::uint32_t block)
{
    std::vector<HalvingStep> steps;
    for (std::uint32_t number = 1; number < block; number *= 2) {
        HalvingStep step{.stride = pairing == Pairing::halves ? block / (2 * number) : number};
        std::uint32_t last_warp = UINT32_MAX;
        for (std::uint32_t thread = 0; thread < block; ++thread) {
            if (!adds(pairing, thread, step.stride, block))
                continue;
            ++step.threads;
            step.warps += thread / kWarp != last_warp ? 1 : 0;
            last_warp = thread / kWarp;
        }
        steps.push_back(step);
    }
    return steps;
}

} // namespace nestbed
