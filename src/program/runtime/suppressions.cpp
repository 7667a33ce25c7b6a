#include "program/runtime/suppressions.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace nestbed::program
{

namespace
{

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r";
    const std::size_t first = text.find_first_not_of(kBlanks);
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Calls use(number, line) for each line of the text, from 1.
template <class Use>
void for_each_line(std::string_view text, Use&& use)
{
    for (unsigned number = 1; !text.empty(); ++number) {
        const std::size_t end = text.find('\n');
        use(number, text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

std::optional<SourcePlace> place_of(std::string_view text)
{
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0)
        return {};
    SourcePlace place{.file = std::string(text.substr(0, colon))};
    const auto [end, error] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), place.line);
    if (error != std::errc{} || end != text.data() + text.size() || place.line == 0)
        return {};
    return place;
}

// Whether both name the same file: one of them may begin further down in the tree.
bool same_file(std::string_view left, std::string_view right)
{
    while (left.starts_with("./"))
        left.remove_prefix(2);
    while (right.starts_with("./"))
        right.remove_prefix(2);
    if (left.size() < right.size())
        std::swap(left, right);
    return left.ends_with(right) && (left.size() == right.size() || left[left.size() - right.size() - 1] == '/');
}

bool covers(const Suppression& suppression, const SourcePlace& place, const RaceAccess& access)
{
    if (access.places.empty())
        return false;
    const SourcePlace& of_access = access.places.front();
    const bool line = of_access.line == place.line || (suppression.next_line && of_access.line == place.line + 1);
    return line && same_file(of_access.file, place.file);
}

// `element`: "sum[3]".
bool is_of(const std::string& memory, std::string_view element)
{
    return element.substr(0, element.find('[')) == memory;
}

// Moves the findings that a suppression covers to `suppressed`.
template <class Finding>
void take_suppressed(std::vector<Finding>& findings, const std::vector<Suppression>& suppressions,
                     std::vector<bool>& used, std::vector<CheckedRaces::Suppressed<Finding>>& suppressed)
{
    std::vector<Finding> kept;
    for (Finding& finding : findings) {
        std::optional<std::size_t> by;
        for (std::size_t index = 0; index < suppressions.size(); ++index)
            if (suppresses(suppressions[index], finding)) {
                used[index] = true;
                by = by.value_or(index);
            }
        if (by)
            suppressed.push_back({.finding = std::move(finding), .by = suppressions[*by]});
        else
            kept.push_back(std::move(finding));
    }
    findings = std::move(kept);
}

} // namespace

std::vector<Suppression> suppressions_in_source(const std::string& file, std::string_view text)
{
    constexpr std::string_view kMark = "nestbed: benign";
    std::vector<Suppression> found;
    for_each_line(text, [&](unsigned number, std::string_view line) {
        const std::size_t comment = line.find("//");
        if (comment == std::string_view::npos)
            return;
        const std::size_t mark = line.find(kMark, comment);
        if (mark == std::string_view::npos || !trimmed(line.substr(comment + 2, mark - comment - 2)).empty())
            return;
        std::string_view why = trimmed(line.substr(mark + kMark.size()));
        while (!why.empty() && (why.front() == ':' || why.front() == ','))
            why = trimmed(why.substr(1));
        const std::string place = fmt::format("{}:{}", file, number);
        found.push_back({.origin = place,
                         .what = place,
                         .why = std::string(why),
                         .memory = "",
                         .places = {{.file = file, .line = number}},
                         .next_line = true});
    });
    return found;
}

std::vector<Suppression> suppressions_in_file(const std::string& file, std::string_view text)
{
    std::vector<Suppression> found;
    for_each_line(text, [&](unsigned number, std::string_view line) {
        line = trimmed(line.substr(0, line.find('#')));
        if (line.empty())
            return;
        Suppression suppression{.origin = fmt::format("{}:{}", file, number),
                                .what = std::string(line),
                                .why = "",
                                .memory = "",
                                .places = {}};
        constexpr std::string_view kMemory = "memory ";
        if (line.starts_with(kMemory)) {
            suppression.memory = std::string(trimmed(line.substr(kMemory.size())));
        } else {
            std::vector<std::string> words = split(line, ' ');
            std::erase(words, "");
            for (const std::string& word : words)
                if (std::optional<SourcePlace> place = place_of(word))
                    suppression.places.push_back(*std::move(place));
            if (suppression.places.size() != words.size() || words.size() > 2)
                throw UsageError(fmt::format("{}:{}: '{}' is not a suppression; allowed: FILE:LINE, FILE:LINE "
                                             "FILE:LINE, memory NAME",
                                             file, number, line));
        }
        found.push_back(std::move(suppression));
    });
    return found;
}

bool suppresses(const Suppression& suppression, const BadAccess& bad)
{
    if (!suppression.memory.empty())
        return is_of(suppression.memory, bad.memory);
    return suppression.places.size() == 1 && covers(suppression, suppression.places[0], bad.access);
}

bool suppresses(const Suppression& suppression, const Race& race)
{
    if (!suppression.memory.empty())
        return is_of(suppression.memory, race.memory);
    const auto& places = suppression.places;
    if (places.size() == 1)
        return covers(suppression, places[0], race.first) || covers(suppression, places[0], race.second);
    return (covers(suppression, places[0], race.first) && covers(suppression, places[1], race.second)) ||
           (covers(suppression, places[1], race.first) && covers(suppression, places[0], race.second));
}

CheckedRaces check_races(Races races, const std::vector<Suppression>& suppressions)
{
    CheckedRaces checked;
    checked.races = std::move(races);
    std::vector<bool> used(suppressions.size());
    take_suppressed(checked.races.races, suppressions, used, checked.suppressed_races);
    take_suppressed(checked.races.bad_accesses, suppressions, used, checked.suppressed_accesses);
    take_suppressed(checked.races.warnings, suppressions, used, checked.suppressed_accesses);
    for (std::size_t index = 0; index < suppressions.size(); ++index)
        if (!used[index])
            checked.unused.push_back(suppressions[index]);
    return checked;
}

} // namespace nestbed::program
