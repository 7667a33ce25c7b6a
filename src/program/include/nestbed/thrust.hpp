// Thrust: what programs commonly use of it. A function for memory of the device is a kernel of a library, which the table does not show:
// what it calls of the program runs in a thread for each element, the rest in one thread and in order.
#pragma once

#include "thrust/elements.hpp"
#include "thrust/order.hpp"
#include "thrust/random.hpp"
#include "thrust/reductions.hpp"
#include "thrust/searches.hpp"
#include "thrust/vectors.hpp"

#undef NESTBED_ALGORITHM
#undef NESTBED_FORM
#undef NESTBED_LIST
#undef NESTBED_WITHOUT_POLICY
