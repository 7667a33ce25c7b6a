// Syncs written data to the disk.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace nestbed
{

// Calls fdatasync on a descriptor in a background thread, so that the writing thread never waits for the disk. All
// rows written during one call are synced by the next call.
class DiskSync
{
  public:
    explicit DiskSync(int descriptor);
    DiskSync(const DiskSync&) = delete;
    DiskSync& operator=(const DiskSync&) = delete;
    ~DiskSync();
    // Reports that something was written. Returns the number of the first disk error so far, 0 for none.
    int written();
    // Waits until all data is on the disk. Returns the same.
    int finish();

  private:
    void run(const std::stop_token& stop);

    int descriptor_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::size_t written_ = 0;
    std::size_t synced_ = 0;
    int error_ = 0;
    std::jthread thread_;
};

} // namespace nestbed
