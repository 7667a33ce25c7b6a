// Sections of pages of ncu, for the tests.
#pragma once

#include <string>

namespace nestbed
{

// The section of a kernel: one instruction, executed by 64 threads.
inline std::string section(const std::string& name, const std::string& threads = "64",
                           const std::string& column = "thread_inst_executed")
{
    return "\"Kernel Name\",\"" + name + "\",\n\"Address\",\"Source\",\"" + column +
           "\"\n\"0x10\",\"  LDC R1, c[0x0]\",\"" + threads + "\"\n\"0x20\",\"  NOP\",\"" + threads + "\"\n";
}

} // namespace nestbed
