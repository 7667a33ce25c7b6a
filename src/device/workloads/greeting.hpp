// What a strategy of the workload `hello` includes: the job it is given, and how its entry is registered.
#pragma once

#include "device/launch_waves.hpp"

#include <array>
#include <cstdint>

namespace nestbed::inline NESTBED_BACKEND
{

// Every thread of every grid adds 1 to *greetings, and prints its line if the job is aloud.
struct Greeting : PreparedRun {
    unsigned long long* greetings;
};

class GreetingStrategy : public Strategy
{
  public:
    static constexpr std::array<std::string_view, 1> kWorkloads{"hello"};

    virtual void run(const Greeting& job) const = 0;
};

// Makes S an entry of this backend's registry. S has what Entry says, and
//     static void run(const Greeting&);             issues all work, waits for none
template <class S>
class RegisterGreeting final : public Entry<S, GreetingStrategy>
{
    void run(const Greeting& job) const override { S::run(job); }
};

} // namespace nestbed::inline NESTBED_BACKEND
