// `nestbed warps`: how many threads and warps of a block add in each step of a reduction in shared memory.
#include "base/error.hpp"
#include "base/table.hpp"
#include "cli/arguments.hpp"
#include "commands/commands.hpp"
#include "model/halving.hpp"
#include "plan/axis.hpp"

#include <fmt/format.h>

#include <bit>
#include <ostream>

namespace nestbed
{

namespace
{

std::uint32_t block_of(const std::string& text)
{
    constexpr std::uint64_t kMax = 1024;
    const std::uint64_t block = parse_number({.key = "block", .value = text, .file = "", .line = 0}, 1, kMax);
    if (!std::has_single_bit(block))
        throw UsageError(
            fmt::format("--block {}: a block of {} threads cannot be halved down to one; allowed: powers of two from "
                        "1 to {}",
                        text, block, kMax));
    return static_cast<std::uint32_t>(block);
}

std::string table_of(Pairing pairing, std::uint32_t block)
{
    std::vector<Column> columns{{"step"}, {"stride"}, {"threads"}, {"warps"}};
    std::uint32_t warps = 0;
    const std::vector<HalvingStep> steps = halving_steps(pairing, block);
    for (const HalvingStep& step : steps) {
        warps += step.warps;
        const std::vector<std::string> cells{std::to_string(columns[0].cells.size() + 1), std::to_string(step.stride),
                                             std::to_string(step.threads), std::to_string(step.warps)};
        for (std::size_t index = 0; index < columns.size(); ++index)
            columns[index].cells.push_back(cells[index]);
    }
    return fmt::format("{}\n{}{} warps in {} steps\n", strategies_of(pairing),
                       steps.empty() ? "" : table_text(std::move(columns)), warps, steps.size());
}

int warps(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& /*err*/)
{
    const std::uint32_t block = block_of(only_value(given, "block", "512", "a number"));
    out << fmt::format("a block of {} threads and as many numbers\n", block);
    for (const Pairing pairing : kPairings)
        out << '\n' << table_of(pairing, block);
    return exit_ok;
}

} // namespace

Command warps_command()
{
    return {.name = "warps",
            .arguments = "[--block N]",
            .summary = "show which warps add in each step of a reduction",
            .text = "Prints for each step how many threads of a block add, and in how many warps of\n"
                    "32 they are: a warp in which one thread adds takes part as a whole. Needs no\n"
                    "GPU: the numbers follow from the strategies' indices.\n",
            .settings = key_options(Values::one, {{"block"}}),
            .call = warps};
}

} // namespace nestbed
