// Which pending-launch limit a device is known to have, so that it is changed only when it must be: a change costs a launch or two.
#pragma once

#include <cstdint>
#include <optional>

namespace nestbed
{

class PendingLimit
{
  public:
    // Calls change(), which sets the limit, unless it is known to be `launches`. From the begin of a change to its end the limit is
    // unknown: when change() throws, the next call changes it, whatever it asks for.
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
