// The pages of an Nsight Compute report as `ncu --csv` prints them: launches from the source page, counters from the raw
// one. Pure. Errors are RunError with the file, the line, and what is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// The counters of root grids, with those of all grids that descend from them. Empty: ncu did not say.
struct Counters {
    std::uint64_t root_grids = 0;
    std::optional<std::uint64_t> blocks;     // all, those that the device runtime launches for itself among them
    std::optional<std::uint64_t> warps;      // likewise
    std::optional<double> occupancy_percent; // active warps of those that the device can hold, weighted by duration
    std::optional<std::uint64_t> dram_read_bytes;
    std::optional<std::uint64_t> dram_write_bytes;
    std::optional<double> duration_us; // the root grids' one after another
};

// The raw page: a row of names, one of units, one a root grid.
struct RawPage {
    std::vector<std::string> kernels; // the root grids', in the order of their launches
    Counters counters;                // over all of them
};

RawPage parse_raw_page(const std::string& path, std::string_view text);

// What the source page says, over all root grids.
struct SourcePage {
    std::uint64_t launches = 0;                // from the device
    std::optional<std::uint64_t> kernel_warps; // of the kernels, those of the device runtime not among them
};

// Device launches are the times that the first instruction of the device runtime's launch function was executed; warps of the
// kernels the times that a warp executed the first instruction of one. The page is a list of sections, one a function: for each root
// grid those of the kernels and functions that it and its descendants ran. ncu prints some pages with every section repeated; the raw
// page tells copies from root grids. Throws without one where that is open.
SourcePage parse_source_page(const std::string& path, std::string_view text, const std::optional<RawPage>& raw);

} // namespace nestbed
