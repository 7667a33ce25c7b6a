// Strategies of the workload `lanes` include this header: the lanes of a warp launch, and every block that runs is
// counted.
#pragma once

#include "device/launch_waves.hpp"

#include <array>

namespace nestbed::inline NESTBED_BACKEND
{

struct LanesJob : PreparedRun {
    unsigned long long* ran; // blocks that ran; zero before every run
};

class LanesStrategy : public Strategy
{
  public:
    static constexpr std::array<std::string_view, 1> kWorkloads{"lanes"};

    // Issues all work, waits for none.
    virtual void run(const LanesJob& job) const = 0;
};

// Registers S with this backend. S has the members that Entry requires, and
//     static void run(const LanesJob&);
template <class S>
class RegisterLanes final : public Entry<S, LanesStrategy>
{
    void run(const LanesJob& job) const override { S::run(job); }
};

} // namespace nestbed::inline NESTBED_BACKEND
