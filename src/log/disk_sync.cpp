#include "log/disk_sync.hpp"

#include "base/descriptor.hpp"
#include "base/thread.hpp"

#include <cerrno>
#include <unistd.h>

namespace nestbed
{

DiskSync::DiskSync(int descriptor)
    : descriptor_(descriptor), thread_(start_thread("the thread that syncs rows to the disk",
                                                    [this](const std::stop_token& stop) { run(stop); }))
{
}

DiskSync::~DiskSync()
{
    static_cast<void>(finish());
}

int DiskSync::written()
{
    const std::scoped_lock lock(mutex_);
    ++written_;
    changed_.notify_all();
    return error_;
}

int DiskSync::finish()
{
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return synced_ == written_; });
    return error_;
}

void DiskSync::run(const std::stop_token& stop)
{
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return synced_ != written_; })) {
        const std::size_t until = written_;
        lock.unlock();
        const int error = uninterrupted([this] { return fdatasync(descriptor_); }) == 0 ? 0 : errno;
        lock.lock();
        error_ = error_ == 0 ? error : error_;
        synced_ = until;
        changed_.notify_all();
    }
}

} // namespace nestbed
