#include "model/schedule.hpp"

#include "base/error.hpp"
#include "base/split_mix.hpp"

#include <fmt/format.h>

#include <charconv>

namespace nestbed
{

Schedule parse_schedule(std::string_view text)
{
    if (text == "fifo")
        return {};
    if (text == "eager")
        return {.order = Schedule::Order::eager};
    constexpr std::string_view kRandom = "random:";
    if (text.starts_with(kRandom)) {
        const std::string_view digits = text.substr(kRandom.size());
        Schedule schedule{.order = Schedule::Order::random};
        const auto [end, error] = std::from_chars(digits.begin(), digits.end(), schedule.seed);
        if (error == std::errc{} && end == digits.end())
            return schedule;
    }
    throw UsageError(
        fmt::format("'{}' is not a schedule; allowed: fifo, eager, random:SEED (SEED a whole number)", text));
}

std::string name_of(const Schedule& schedule)
{
    switch (schedule.order) {
    case Schedule::Order::fifo:
        return "fifo";
    case Schedule::Order::eager:
        return "eager";
    case Schedule::Order::random:
        break;
    }
    return fmt::format("random:{}", schedule.seed);
}

std::uint64_t seed_of_run(const std::string& key, unsigned repetition)
{
    std::uint64_t number = 0;
    std::from_chars(key.data(), key.data() + key.size(), number, 16);
    return split_mix(number, repetition);
}

} // namespace nestbed
