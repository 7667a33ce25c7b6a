// Instructions of inline PTX whose operands are only said one after another: barriers, asynchronous copies, tensor cores, warps.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace nestbed::program
{

struct PtxForm {
    std::string name;         // in nestbed/program/ptx_*.hpp, with its template arguments
    std::size_t fewest, most; // operands
};
// `key`: the instruction without the words for shared memory (`shared`: there were some), for what it does anyway, and for hints. None: it
// is not known.
std::optional<PtxForm> ptx_form(std::string_view key, bool shared);

} // namespace nestbed::program
