// What the host has put into its streams and what has not run yet. By a random schedule, kernels, copies and functions of the host run when
// the host waits for them, or earlier if the schedule draws so: a program that does not wait sees what was there before. By other schedules
// they run at once, but functions of the host, and what comes behind them: their caller may have locks that they need, so they run where the
// host waits for them. The caller has the lock of running grids.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace nestbed::program
{

struct LateWork;
using LateWorks = std::vector<std::shared_ptr<LateWork>>;

// Runs the work in the order of the stream, at once or later.
void put_into(std::uint64_t stream, std::function<void()> work);
// The same for a function of the host, which runs by call_unlocked().
void put_function_into(std::uint64_t stream, std::function<void()> work);
// Other threads of the host go on meanwhile, but for what comes after it.
void call_unlocked(const std::function<void()>& call);
// What comes next in the stream comes after these.
void let_wait(std::uint64_t stream, const LateWorks& earlier);
// What the stream has now, without what has run.
LateWorks works_in(std::uint64_t stream);
void run(const LateWorks& works);
void run_all_works();
// Runs the work, and what it puts into streams, before anything else that waits.
void run_apart(const std::function<void()>& work);
// Whether there is a thread that runs what waits for long, and that it does nothing now.
bool is_helper_idle();
// The program ends: what waits runs no more on another thread.
void end_help();

} // namespace nestbed::program
