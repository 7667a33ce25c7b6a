// `nestbed info warps`: how many warps of a block take part in each step of a reduction, by which threads add.
#include "base/error.hpp"
#include "base/table.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "plan/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <ostream>

namespace nestbed
{

namespace
{

int warps(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& /*err*/)
{
    const std::string text = only_value(given, "block", "512", "a number");
    const std::uint64_t block = parse_number({.key = "block", .value = text, .file = "", .line = 0}, 1, 1024);
    if (!std::has_single_bit(block))
        throw UsageError(
            fmt::format("--block {}: it cannot be halved down to one; allowed: powers of two from 1 to 1024", text));
    const auto warps_of = [](std::uint64_t threads) { return (threads + 31) / 32; };
    std::vector<Column> columns{{"step"}, {"threads"}, {"neighbored"}, {"neighbored_less, interleaved"}};
    std::uint64_t spread = 0; // the threads that add are 2, 4, 8, ... apart
    std::uint64_t first = 0;  // they are the first ones of the block
    for (std::uint64_t threads = block / 2, step = 1; threads > 0; threads /= 2, ++step) {
        const std::uint64_t apart = std::min(threads, warps_of(block));
        spread += apart;
        first += warps_of(threads);
        add_row(columns, {std::to_string(step), std::to_string(threads), std::to_string(apart),
                          std::to_string(warps_of(threads))});
    }
    add_row(columns, {"all", "", std::to_string(spread), std::to_string(first)});
    out << fmt::format("Warps that take part in a block of {} threads\n{}", block, table_text(std::move(columns)));
    return exit_ok;
}

} // namespace

Command warps_command()
{
    return {.name = "info warps",
            .arguments = "[--block N]",
            .summary = "show which warps add in each step of a reduction",
            .text = "Prints for each step how many threads of a block add, and in how many warps of\n"
                    "32 they are: a warp in which one thread adds takes part as a whole.\n",
            .settings = key_options(Values::one, {{"block"}}),
            .call = warps};
}

} // namespace nestbed
