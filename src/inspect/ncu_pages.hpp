// The pages of an Nsight Compute report as `ncu --csv` prints them: launches from the source page, counters from the
// raw page. Pure. Errors are RunError with the file, the line, and what is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// The counters of root grids, including all grids that descend from them. Empty: ncu did not report the value.
struct Counters {
    std::uint64_t root_grids = 0;
    std::optional<std::uint64_t> blocks; // all blocks, including those that the device runtime launches for itself
    std::optional<std::uint64_t> warps;  // all warps, including those of the device runtime
    std::optional<double> occupancy_percent; // active warps, in percent of the device's maximum, weighted by duration
    std::optional<std::uint64_t> dram_read_bytes;
    std::optional<std::uint64_t> dram_write_bytes;
    std::optional<double> duration_us; // sum over the root grids
};

// The raw page: a row of names, a row of units, and one row per root grid.
struct RawPage {
    std::vector<std::string> kernels; // of the root grids, in the order of their launches
    Counters counters;                // over all root grids
};

RawPage parse_raw_page(const std::string& path, std::string_view text);

// The counts of the source page, over all root grids.
struct SourcePage {
    std::uint64_t launches = 0;                // launches from the device
    std::optional<std::uint64_t> kernel_warps; // warps of the kernels, without those of the device runtime
};

// The number of device launches is how often the first instruction of the device runtime's launch function was
// executed. The number of kernel warps is how often a warp executed the first instruction of a kernel. The page is a
// list of sections, one per function. It contains, for each root grid, the sections of the kernels and functions that
// the root grid and its descendants ran. ncu prints some pages with every section repeated. Only the raw page shows
// whether sections are copies or belong to several root grids. Throws if this is unclear because there is no raw
// page.
SourcePage parse_source_page(const std::string& path, std::string_view text, const std::optional<RawPage>& raw);

} // namespace nestbed
