// `nestbed draw mandelbrot`: the image in colour and, if asked, the tree of its regions over it.
#pragma once

#include "model/picture.hpp"

namespace nestbed
{

extern const Picture kMandelbrotPicture;

} // namespace nestbed
