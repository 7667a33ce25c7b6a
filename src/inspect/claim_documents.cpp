// The part of results/README.md that is made of the claims.
#include "inspect/claim_results.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <set>

namespace nestbed
{

namespace
{

constexpr std::string_view kBegin = "<!-- claims: begin (nestbed claims write) -->\n";
constexpr std::string_view kEnd = "<!-- claims: end -->\n";

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

std::string rows_text(std::size_t rows)
{
    return fmt::format("{} row{}", rows, rows == 1 ? "" : "s");
}

std::string claim_lines(const MeasuredClaim& measured)
{
    std::string text;
    for (std::size_t index = 0; index < measured.numbers.size(); ++index) {
        const ClaimNumber& number = measured.claim.numbers[index];
        const MeasuredNumber& found = measured.numbers[index];
        const std::string claim =
            index > 0 ? "" : fmt::format("<a id=\"{}\"></a>{}", measured.claim.id, measured.sentence);
        text += fmt::format("| {} | <a id=\"{}\"></a>{} | {} | {}; {} | {} |\n", claim, number.id, found.text,
                            interval_text(number, found.interval), description_of(number),
                            rows_text(found.lines.size()), within_text(number));
    }
    return text;
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
