// What was written to a file, brought to the disk.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace nestbed
{

// Calls fdatasync for what is written to a descriptor, beside the thread that writes, which never waits for the disk: all rows written
// during one call are the next one's.
class DiskSync
{
  public:
    explicit DiskSync(int descriptor);
    DiskSync(const DiskSync&) = delete;
    DiskSync& operator=(const DiskSync&) = delete;
    ~DiskSync();
    // Something was written. The number of the error that the disk gave so far, 0 for none.
    int written();
    // Waits until all is on the disk; likewise.
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
