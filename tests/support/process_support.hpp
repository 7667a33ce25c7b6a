// Other processes, as /proc shows them, and waiting for what they do. A process may end while its files are read.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace nestbed
{

// Whether it has not ended. A zombie has: nobody has collected its exit status.
inline bool runs(pid_t process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(file, text); // a process that is gone: no text
    const std::size_t name_end = text.rfind(')');
    return name_end != std::string::npos && text.substr(name_end, 3) != ") Z";
}

// The processes that its first thread started.
inline std::vector<pid_t> children_of(pid_t process)
{
    std::vector<pid_t> found;
    std::ifstream file("/proc/" + std::to_string(process) + "/task/" + std::to_string(process) + "/children");
    for (pid_t child = 0; file >> child;)
        found.push_back(child);
    return found;
}

// The number of its threads, 0 if it is gone.
inline std::size_t threads_of(pid_t process)
{
    std::error_code gone;
    std::size_t threads = 0;
    for (auto at = std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task", gone);
         !gone && at != std::filesystem::directory_iterator(); at.increment(gone))
        ++threads;
    return threads;
}

// Whether done() is true within 20 s.
template <class Done>
bool soon(const Done& done)
{
    for (int time = 0; time < 2000; ++time, std::this_thread::sleep_for(std::chrono::milliseconds(10)))
        if (done())
            return true;
    return false;
}

} // namespace nestbed
