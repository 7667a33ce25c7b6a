#include "workloads/hello/picture.hpp"

#include <fmt/format.h>

namespace nestbed
{

namespace
{

constexpr PictureSetting kSettings[]{{"strategy", "hello", "hello or hello_synced, which waits for its child"},
                                     {"backend"},
                                     {"grid", "1"}, // as in the book
                                     {"block", "8"},
                                     {"depth"},
                                     {"schedule"},
                                     {"workers"}};

std::string why_not(const StrategyInfo& /*info*/, const Case& point, bool /*flagged*/)
{
    constexpr std::uint64_t kMaxLines = 1'000'000;
    const std::uint64_t lines = 2 * std::uint64_t{point.grid} * point.block;
    return lines <= kMaxLines ? ""
                              : fmt::format("--grid {} --block {}: some {} lines; allowed: grid x block up to {}",
                                            point.grid, point.block, lines, kMaxLines / 2);
}

std::string before(const Case& point, std::string_view device)
{
    return fmt::format("Execution Configuration: grid {} block {} on {}\n", point.grid, point.block, device);
}

Drawing draw(const Case& /*point*/, const Sample& sample, bool /*flagged*/)
{
    return {.text = sample.status == Status::ok ? greetings_text(sample) : ""};
}

} // namespace

constinit const Picture kGreetings{
    .arguments = "[--grid N] [--block N] [options]",
    .summary = "print a nested hello world",
    .text = "Every thread prints a greeting, and so do the threads of the launched grids.\n",
    .draws = "prints one case",
    .refusal = "it prints no greetings; allowed: hello, hello_synced",
    .settings = kSettings,
    .why_not = why_not,
    .before = before,
    .draw = draw,
};

std::string greetings_text(const Sample& sample)
{
    return fmt::format("{} threads greeted, {}\n", sample.answer,
                       sample.launches ? fmt::format("{} device launches", sample.launches->attempted)
                                       : "device launches not counted (no ledger)");
}

} // namespace nestbed
