// How many threads and blocks a multiprocessor can hold: for logs whose manifest is older than these facts.
#pragma once

#include "model/facts.hpp"

#include <string_view>

namespace nestbed
{

// Sets the facts from the compute capability: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability", "Maximum number of resident threads per SM" and "of resident blocks per SM". Leaves them at 0 for a compute
// capability that is not in the table here, 8.0 to 12.0.
void set_occupancy(DeviceFacts& facts, std::string_view compute_capability);

} // namespace nestbed
