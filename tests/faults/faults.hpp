// Faults: strategies that fail like real programs, to prove that a run survives them. Only the test program contains
// them, and only when it acts as nestbed (tests/main.cpp). So the tests of all strategies do not see them.
#pragma once

namespace nestbed
{

// Creates the registry entry of a fault.
using EnterFault = void (*)();

// Called by RegisterFault while static objects are initialized.
void add_fault(EnterFault enter);

// Creates the entries of all faults, on every backend that is built in.
void register_faults();

} // namespace nestbed
