// Colours of pictures.
#pragma once

#include "base/image.hpp"

namespace nestbed
{

// A colour of OKLCH, in which equal steps look equal. Source: B. Ottosson, "A perceptual color space for image
// processing", 2020.
struct Oklch {
    double light, chroma, hue; // light: 0 to 1; hue: degrees
};

Rgb rgb_of(const Oklch& colour);

// The colour of a depth of a tree; deeper levels have less light. `levels`: of the tree, with its root.
Rgb colour_of_depth(unsigned depth, unsigned levels);

} // namespace nestbed
