// Faults: strategies that go wrong as programs do, to prove that a run outlives them. Only the test program has them, and
// only when it acts as nestbed (tests/main.cpp): no test of all strategies meets one.
#pragma once

namespace nestbed
{

// Makes a fault's entry in the registry.
using EnterFault = void (*)();

// Called while static objects are made, by RegisterFault.
void add_fault(EnterFault enter);

// Makes the entries of all faults, on every backend that is built in.
void register_faults();

} // namespace nestbed
