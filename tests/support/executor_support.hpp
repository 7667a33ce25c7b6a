// What tests of the executor share: the index of the thread, and all orders.
#pragma once

#include "device/cpu/context.hpp"
#include "device/cpu/executor.hpp"
#include "support/matchers.hpp"

#include <functional>
#include <string>
#include <vector>

namespace nestbed::cpu
{

inline unsigned thread_x()
{
    return current_thread->thread_index.x;
}

inline unsigned block_x()
{
    return current_thread->block_index.x;
}

// Calls work(executor) under fifo, eager and many random orders, up to the first failure.
template <class Work>
void under_every_schedule(Work work)
{
    std::vector<std::string> names{"fifo", "eager"};
    for (unsigned seed = 0; seed < 200; ++seed)
        names.push_back("random:" + std::to_string(seed));
    for (const std::string& name : names) {
        SCOPED_TRACE(name);
        Executor executor(parse_schedule(name), 1);
        work(executor);
        if (testing::Test::HasFailure())
            return;
    }
}

// What the kernel appends to a log must be this under every schedule.
using Log = std::vector<int>;
inline void expect_log(dim3 grid, dim3 block, const std::function<void(Log&)>& kernel,
                       const testing::Matcher<const Log&>& expected)
{
    under_every_schedule([&](Executor& executor) {
        Log log;
        executor.run(grid, block, [&] { kernel(log); });
        EXPECT_THAT(log, expected);
    });
}

} // namespace nestbed::cpu
