// The cost of a plan: the memory of a case, and the table of --dry-run.
#pragma once

#include "plan/cost.hpp"
#include "plan/plan.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace nestbed
{

// Bytes that a case needs at the same time: the buffers of its workload on the device. On the executor, host and
// device share one memory, so this includes the host's vectors and the grids of the widest level.
std::uint64_t memory_bytes(const Case& point);

// Why the device has too little memory for a case, with both amounts; empty if it has enough.
std::string why_too_large(const Case& point, const DeviceFacts& facts);

// The text that --dry-run prints.
std::string describe(const Plan& plan, const std::map<BackendKind, DeviceFacts>& devices, const CaseTimes& times);

} // namespace nestbed
