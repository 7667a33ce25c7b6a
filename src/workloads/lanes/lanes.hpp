// Strategies of the workload `lanes` include this header: the lanes of a warp launch, and every block that runs is
// counted.
#pragma once

#include "device/launch_waves.hpp"
#include "workloads/lanes/descriptor.hpp"

#include <array>

namespace nestbed::inline NESTBED_BACKEND
{

struct LanesJob : PreparedRun {
    unsigned long long* ran; // blocks that ran; zero before every run
};

// A strategy has the members that Register requires.
struct LanesTraits {
    using Job = LanesJob;
    using Facts = NoFacts;
    static constexpr std::array kWorkloads{&workloads::lanes};
};

} // namespace nestbed::inline NESTBED_BACKEND
