// Statements of inline PTX with several instructions, registers of their own, predicates, branches, or numbers in place of registers.
#pragma once

#include <string>
#include <string_view>

namespace nestbed::program
{

struct PtxBlock {
    std::string types;   // of its own registers, for ptx_block<>
    std::string code;    // a function that ptx_block() calls; "": there is none
    std::string refused; // then: the instruction that is not supported, or the whole text
};
// `text`: with single blanks.
PtxBlock block_of_ptx(std::string_view text);

} // namespace nestbed::program
