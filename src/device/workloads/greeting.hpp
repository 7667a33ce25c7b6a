// What a strategy of the workload `hello` includes: the job it is given, and how its entry is registered.
#pragma once

#include "device/tracer.hpp"
#include "model/launch_plan.hpp"
#include "model/strategy.hpp"

#include <cstdint>

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

// Every thread of every grid adds 1 to *greetings, and prints its line if the job is aloud.
struct Greeting {
    Context& context;
    std::uint32_t grid;
    std::uint32_t block;
    LaunchPlan plan;
    Ledger* ledger;
    unsigned max_depth;
    unsigned long long* greetings;
    bool aloud;
    Tracer* tracer; // of a traced run; else null
};

class GreetingStrategy : public Strategy
{
  public:
    virtual void run(const Greeting& job) const = 0;
};

// Makes S an entry of this backend's registry. S has
//     static constexpr StrategyInfo info;
//     static ExpectedLaunches launches(const Case&);      the closed form
//     static void run(const Greeting&);             issues all work, waits for none
template <class S>
class RegisterGreeting final : public GreetingStrategy
{
  public:
    RegisterGreeting() { Registry::add(kBackend, *this); }
    const StrategyInfo& info() const override { return S::info; }
    ExpectedLaunches launches(const Case& point) const override { return S::launches(point); }
    void run(const Greeting& job) const override { S::run(job); }
};

} // namespace NESTBED_BACKEND
} // namespace nestbed
