// A kernel that waits for ever cannot be interrupted, and gtest says nothing of a test that does not end.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace nestbed
{

// Ends the process, and says what did not end, if this object still exists after `limit`.
class EndsWithin
{
  public:
    EndsWithin(std::chrono::seconds limit, const std::string& what)
        : thread_([limit, what](const std::stop_token& stop) {
              std::mutex mutex;
              std::unique_lock lock(mutex);
              std::condition_variable_any never;
              never.wait_for(lock, stop, limit, [] { return false; });
              if (stop.stop_requested())
                  return;
              fmt::print(stderr, "{} has not ended after {} s\n", what, limit.count());
              std::_Exit(1);
          })
    {
    }

  private:
    std::jthread thread_;
};

} // namespace nestbed
