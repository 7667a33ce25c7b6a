#include "model/picture.hpp"

namespace nestbed
{

std::string launches_text(const Sample& sample)
{
    const std::uint64_t launches = sample.launches ? sample.launches->attempted : 0;
    return launches == 0 ? "" : ", " + std::to_string(launches) + " device launches";
}

} // namespace nestbed
