// `nestbed draw blobs`: the image that the workload draws.
#pragma once

#include "model/picture.hpp"

namespace nestbed
{

extern const Picture kBlobsPicture;

} // namespace nestbed
