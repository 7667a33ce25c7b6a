// Remembers the pending-launch limit of a device, so that the limit is changed only when necessary. A change costs
// one or two launches.
#pragma once

#include <cstdint>
#include <optional>

namespace nestbed
{

class PendingLimit
{
  public:
    // Calls change(), which sets the limit, unless the limit is known to be `launches`. The limit is unknown while
    // change() runs. If change() throws, the limit stays unknown and the next call changes it, whatever value it
    // requests.
    template <class Change>
    void set(std::uint32_t launches, Change&& change)
    {
        if (known_ == launches)
            return;
        known_.reset();
        change();
        known_ = launches;
    }

  private:
    std::optional<std::uint32_t> known_;
};

} // namespace nestbed
