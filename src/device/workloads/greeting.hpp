// Strategies of the workload `hello` include this header. It defines their job and the registration of their entry.
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

// Registers S with this backend. S has the members that Entry requires, and
//     static void run(const Greeting&);             issues all work, does not wait for it
template <class S>
class RegisterGreeting final : public Entry<S, GreetingStrategy>
{
    void run(const Greeting& job) const override { S::run(job); }
};

} // namespace nestbed::inline NESTBED_BACKEND
