// The claims in the documents: results/README.md, which is made of them, and the README, whose numbers are links to it.
#include "claim_results.hpp"

#include "error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace nestbed
{

namespace
{

constexpr std::string_view kBegin = "<!-- claims: begin (nestbed claims write) -->\n";
constexpr std::string_view kEnd = "<!-- claims: end -->\n";
constexpr std::string_view kLink = "](results/README.md#";

std::string duration_text(double minutes)
{
    return minutes < 1 ? fmt::format("{:.0f} seconds", 60 * minutes) : fmt::format("{:.1f} minutes", minutes);
}

std::string log_heading(const std::string& name, const LogFacts& log)
{
    std::string text = fmt::format("### `{}`\n\n", name);
    std::vector<std::string> parts;
    if (!log.command.empty())
        parts.push_back(fmt::format("`{}`", log.command));
    if (!log.hardware.empty())
        parts.push_back(fmt::format("{}{} (nestbed {})", log.hardware,
                                    log.minutes > 0 ? ", " + duration_text(log.minutes) : "", log.git));
    parts.push_back(fmt::format("[CSV]({})", name));
    if (!log.figure.empty())
        parts.push_back(fmt::format("[figure]({})", log.figure));
    return text + fmt::format("{}\n\n", fmt::join(parts, " · "));
}

std::string claim_lines(const MeasuredClaim& measured)
{
    std::string text;
    for (std::size_t index = 0; index < measured.numbers.size(); ++index) {
        const ClaimNumber& number = measured.claim.numbers[index];
        const MeasuredNumber& found = measured.numbers[index];
        const std::string claim =
            index > 0 ? "" : fmt::format("<a id=\"{}\"></a>{}", measured.claim.id, measured.sentence);
        text += fmt::format("| {} | <a id=\"{}\"></a>{} | {} | {}; {} rows | {} |\n", claim, number.id, found.text,
                            interval_text(number, found.interval), description_of(number), found.lines.size(),
                            within_text(number));
    }
    return text;
}

std::size_t line_at(const std::string& text, std::size_t place)
{
    return 1 + static_cast<std::size_t>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
}

// Whether a document may say it so: the number with its unit or without.
bool says(const std::string& said, const ClaimNumber& number, const MeasuredNumber& found)
{
    return said == found.text || said + std::string(unit_of(number.unit).suffix) == found.text;
}

const ClaimNumber* number_of(const ClaimResults& results, const std::string& id)
{
    for (const Claim& claim : results.claims.claims)
        for (const ClaimNumber& number : claim.numbers)
            if (number.id == id)
                return &number;
    return nullptr;
}

} // namespace

std::string claims_page(const ClaimResults& results)
{
    std::string text;
    std::set<std::string> done;
    for (const MeasuredClaim& first : results.measured) {
        const std::string& name = first.claim.log;
        if (!done.insert(name).second)
            continue;
        text += log_heading(name, results.logs.at(name));
        text += "| claim | number | 95 % interval | how it comes about | a second run |\n|---|---|---|---|---|\n";
        for (const MeasuredClaim& measured : results.measured)
            if (measured.claim.log == name)
                text += claim_lines(measured);
        text += "\n";
    }
    return text;
}

std::string linked(const ClaimResults& results, const std::string& path, const std::string& text,
                   std::vector<std::string>& problems)
{
    std::string made;
    std::size_t copied = 0;
    std::set<std::string> cited;
    for (std::size_t link = text.find(kLink); link != std::string::npos; link = text.find(kLink, link + 1)) {
        const std::size_t begin = text.rfind('[', link) + 1;
        const std::size_t id_begin = link + kLink.size();
        const std::string id = text.substr(id_begin, text.find(')', id_begin) - id_begin);
        const std::string said = text.substr(begin, link - begin);
        if (id.find('.') == std::string::npos) // to a claim or a heading
            continue;
        cited.insert(id);
        const ClaimNumber* number = number_of(results, id);
        if (number == nullptr) {
            problems.push_back(fmt::format("{}:{}: there is no claim {}", path, line_at(text, begin), id));
            continue;
        }
        const MeasuredNumber* found = results.find(id);
        if (found == nullptr || says(said, *number, *found))
            continue;
        problems.push_back(fmt::format("{}:{}: claim {}: it says {}, the CSV gives {} ({})", path,
                                       line_at(text, begin), id, said, found->text, description_of(*number)));
        const std::string_view suffix = unit_of(number->unit).suffix;
        const bool with_unit = said.ends_with(suffix);
        made += text.substr(copied, begin - copied) +
                (with_unit ? found->text : found->text.substr(0, found->text.size() - suffix.size()));
        copied = link;
    }
    for (const Claim& claim : results.claims.claims)
        for (const ClaimNumber& number : claim.numbers)
            if (!cited.contains(number.id))
                problems.push_back(fmt::format("{}: claim {}: there is no link to results/README.md#{}", path,
                                               number.id, number.id));
    return made + text.substr(copied);
}

std::string with_page(const std::string& path, const std::string& text, const std::string& page)
{
    const std::size_t begin = text.find(kBegin);
    const std::size_t end = text.find(kEnd);
    if (begin == std::string::npos || end == std::string::npos || end < begin)
        throw RunError(fmt::format("{}: the claims have no place in it; allowed: a line {}and later a line {}", path,
                                   kBegin, kEnd));
    return text.substr(0, begin + kBegin.size()) + "\n" + page + text.substr(end);
}

} // namespace nestbed
