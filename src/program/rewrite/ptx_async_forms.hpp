// Inline PTX of barriers in memory, named barriers, asynchronous copies, addresses in shared memory, and tensor cores.
#pragma once

#include <string>
#include <string_view>

namespace nestbed::program
{

// The function for an instruction, called with the place and the operands of its statement; "" for others. `text`: with single blanks.
std::string function_of_async(std::string_view text);
// Without the blanks around it.
std::string_view trimmed(std::string_view text);
// -12, 0x1F, 7U.
bool is_ptx_number(std::string_view text);

} // namespace nestbed::program
