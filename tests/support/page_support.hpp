// Pages of ncu for the tests: real ones from tests/data, and sections made by hand.
#pragma once

#include "support/matchers.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace nestbed
{

inline std::string data(const std::string& name)
{
    std::ifstream file(std::filesystem::path(NESTBED_DATA) / name, std::ios::binary);
    EXPECT_TRUE(file.is_open()) << name;
    return {std::istreambuf_iterator<char>(file), {}};
}

// The section of a kernel: one instruction, executed by 64 threads.
inline std::string section(const std::string& name, const std::string& threads = "64",
                           const std::string& column = "thread_inst_executed")
{
    return "\"Kernel Name\",\"" + name + "\",\n\"Address\",\"Source\",\"" + column +
           "\"\n\"0x10\",\"  LDC R1, c[0x0]\",\"" + threads + "\"\n\"0x20\",\"  NOP\",\"" + threads + "\"\n";
}

} // namespace nestbed
