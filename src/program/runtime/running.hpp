// What the library knows of the threads that run now: for times of grids, the watchdog and messages at a crash.
#pragma once

#include "program/runtime/program_ledger.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace nestbed::program
{

// A thread of a kernel, from its begin to its end.
class RunningThread
{
  public:
    explicit RunningThread(GridRecord& grid);
    RunningThread(const RunningThread&) = delete;
    RunningThread& operator=(const RunningThread&) = delete;
    ~RunningThread();

  private:
    GridRecord& grid_;
};

// A run of a grid that the host launched. The watchdog watches it.
class WatchedRun
{
  public:
    WatchedRun();
    WatchedRun(const WatchedRun&) = delete;
    WatchedRun& operator=(const WatchedRun&) = delete;
    ~WatchedRun();
};

// Something other than a loop has happened: a thread began or ended, launched, or reached a barrier.
void made_progress();

// Prints and writes what the end of the program would, at a signal that ends it. Called on the thread of last_report; a thread that a signal
// has stopped may hold any lock. Returns false if another thread has begun to do so, because the program has come to its end.
// `why`: what ended it; `failed`: where that was a fault of a kernel.
bool report_so_far(const std::string& why, const std::optional<FailedKernel>& failed);
// The same where the program ends by _exit(): called on that thread, too, because a handler of a signal may have called it. Returns the exit
// code, if it differs from the program's.
std::optional<int> report_at_exit(int status);
// Has that done, and waits for it.
std::optional<int> reported_code_at_exit(int status);
// False in a child of the program that executes no other program.
bool is_process_of_program();

// Messages at signals that end the program, on this operating-system thread.
void prepare_for_crashes();

// The calling operating-system thread runs threads of kernels.
void register_worker();

// "my.cu:12", of an address of code; empty if it is not known. Runs addr2line.
std::string source_of(const void* code);

} // namespace nestbed::program
