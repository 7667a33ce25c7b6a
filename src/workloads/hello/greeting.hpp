// Strategies of the workload `hello` include this header. It defines their job and the registration of their entry.
#pragma once

#include "device/launch_waves.hpp"
#include "workloads/hello/descriptor.hpp"

#include <array>
#include <cstdint>

namespace nestbed::inline NESTBED_BACKEND
{

// Every thread of every grid adds 1 to *greetings, and prints its line if the job is with_output.
struct Greeting : PreparedRun {
    unsigned long long* greetings;
};

// A strategy has the members that Register requires.
struct HelloTraits {
    using Job = Greeting;
    using Facts = NoFacts;
    static constexpr std::array kWorkloads{&workloads::hello};
};

} // namespace nestbed::inline NESTBED_BACKEND
