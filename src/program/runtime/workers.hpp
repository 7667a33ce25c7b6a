// The operating-system threads that run threads of kernels, for the watchdog.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace nestbed::program
{

// Where a worker is. Empty texts: it runs no thread of a kernel.
struct WhereAWorkerIs {
    std::string kernel;
    std::string launched_at;
    std::string thread; // "block (0,0,0), thread (3,0,0)"
    const void* code = nullptr;
};

// Asks every worker by a signal.
std::vector<WhereAWorkerIs> where_workers_are();

} // namespace nestbed::program
