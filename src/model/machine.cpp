#include "model/machine.hpp"

#include "base/hash.hpp"

#include <array>
#include <unistd.h>

namespace nestbed
{

std::string machine_of(const DeviceFacts& device)
{
    constexpr std::size_t kDigits = 8;
    std::array<char, 256> host{};
    static_cast<void>(gethostname(host.data(), host.size() - 1));
    return sha256_of(std::string(host.data()) + '\n' + device.name + '\n' + device.uuid).substr(0, kDigits);
}

} // namespace nestbed
