#include "device/cpu/launch_shape.hpp"

#include <fmt/format.h>

namespace nestbed::inline on_cpu
{

void refuse_shared(const LaunchShape& shape, std::size_t allowed)
{
    throw DeviceFault(
        fmt::format("a launch with {} bytes of dynamic shared memory; allowed: at most {}, or as many as "
                    "allow_shared() has set",
                    shape.shared_bytes, allowed));
}

} // namespace nestbed::inline on_cpu
