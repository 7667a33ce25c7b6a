// What a plan would take: the memory of a case, and the table of --dry-run.
#pragma once

#include "plan/plan.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace nestbed
{

// Bytes that a case needs at once: its workload's buffers on the device; on the executor also the host's vectors
// and the grids of its widest level, for there they share one memory.
std::uint64_t memory_bytes(const Case& point);

// Why the device has not the memory for a case, with both amounts; empty if it has.
std::string why_too_large(const Case& point, const DeviceFacts& facts);

// What --dry-run prints.
std::string describe(const Plan& plan, const std::map<BackendKind, DeviceFacts>& devices);

} // namespace nestbed
