// `nestbed draw quadtree`: the squares of a tree over its points.
#pragma once

#include "model/picture.hpp"

namespace nestbed
{

extern const Picture kQuadtreePicture;

} // namespace nestbed
