// The README: its numbers are links to the claims.
#include "inspect/claim_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <set>

namespace nestbed
{

namespace
{

constexpr std::string_view kLink = "](results/README.md#";

std::size_t line_at(const std::string& text, std::size_t place)
{
    return 1 + static_cast<std::size_t>(
                   std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
}

// Blanks for what is between the marks, themselves among it, so that places and lines stay. `open` without `close`: to the end.
void blank(std::string& text, std::string_view open, std::string_view close)
{
    for (std::size_t begin = text.find(open); begin != std::string::npos; begin = text.find(open, begin + 1)) {
        const std::size_t inner = text.find(close, begin + open.size());
        const std::size_t end = inner == std::string::npos ? text.size() : inner + close.size();
        std::replace_if(
            text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end),
            [](char c) { return c != '\n'; }, ' ');
    }
}

// What a reader sees as text: no comments, no code.
std::string prose_of(std::string text)
{
    blank(text, "<!--", "-->");
    blank(text, "```", "```");
    blank(text, "`", "`");
    return text;
}

bool is_digit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Whether the number or the word that a link shows goes on behind it.
bool goes_on(const std::string& text, std::size_t end)
{
    const char next = end < text.size() ? text[end] : ' ';
    return std::isalnum(static_cast<unsigned char>(next)) != 0 ||
           (next == '.' && end + 1 < text.size() && is_digit(text[end + 1]));
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

class Linking
{
  public:
    Linking(const ClaimResults& results, const std::string& path, const std::string& text)
        : results_(results), path_(path), text_(text), prose_(prose_of(text))
    {
    }

    LinkedText linked()
    {
        for (std::size_t link = prose_.find(kLink); link != std::string::npos; link = prose_.find(kLink, link + 1)) {
            const std::size_t id_begin = link + kLink.size();
            const std::size_t id_end = prose_.find_first_of(")\n", id_begin);
            const std::string id = prose_.substr(id_begin, id_end - id_begin);
            if (id.find('.') != std::string::npos) // else to a claim or a heading
                number(id, link, id_end);
            behind_ = id_end;
        }
        made_.text += text_.substr(copied_);
        for (const Claim& claim : results_.claims.claims)
            for (const ClaimNumber& number : claim.numbers)
                if (!cited_.contains(number.id))
                    made_.left.push_back(fmt::format("{}: claim {}: there is no link to results/README.md#{}", path_,
                                                     number.id, number.id));
        find_unlinked();
        find_missing_files();
        return made_;
    }

  private:
    std::string place(std::size_t at) const { return fmt::format("{}:{}", path_, line_at(text_, at)); }

    // A link whose text ends at `link`.
    void number(const std::string& id, std::size_t link, std::size_t id_end)
    {
        cited_.insert(id);
        const std::size_t bracket = prose_.find_last_of("[]\n)", link - 1);
        if (bracket == std::string::npos || bracket < behind_ || prose_[bracket] != '[' ||
            id_end == std::string::npos || prose_[id_end] != ')') {
            made_.broken.push_back(fmt::format(
                "{}: claim {}: the link is not whole; allowed: [NUMBER](results/README.md#{})", place(link), id, id));
            return;
        }
        const ClaimNumber* const number = number_of(results_, id);
        if (number == nullptr) {
            made_.left.push_back(fmt::format("{}: there is no claim {}", place(link), id));
            return;
        }
        const std::size_t begin = bracket + 1;
        const std::string said = text_.substr(begin, link - begin);
        if (goes_on(prose_, id_end + 1))
            made_.broken.push_back(fmt::format(
                "{}: claim {}: what it says goes on behind the link; allowed: a blank, or the end of a sentence",
                place(link), id));
        const MeasuredNumber* const found = results_.find(id);
        if (found == nullptr || says(said, *number, *found))
            return;
        made_.wrong.push_back(fmt::format("{}: claim {}: it says {}, the CSV gives {} ({})", place(begin), id, said,
                                          found->text, description_of(*number)));
        const std::string_view suffix = unit_of(number->unit).suffix;
        made_.text +=
            text_.substr(copied_, begin - copied_) +
            (said.ends_with(suffix) ? found->text : found->text.substr(0, found->text.size() - suffix.size()));
        copied_ = link;
    }

    // Decimal numbers with a unit: what was measured is a claim.
    void find_unlinked()
    {
        std::string text = prose_;
        blank(text, "[", ")");
        constexpr std::array<std::string_view, 8> kUnits{"µs", "us", "ms", "ns", "%", "GB/s", "TB/s", "times"};
        for (std::size_t point = text.find('.', 1); point != std::string::npos; point = text.find('.', point + 1)) {
            if (!is_digit(text[point - 1]) || point + 1 >= text.size() || !is_digit(text[point + 1]))
                continue;
            std::size_t end = point + 1;
            while (end < text.size() && is_digit(text[end]))
                ++end;
            const std::size_t unit = text.find_first_not_of(' ', end);
            if (unit == std::string::npos || std::ranges::none_of(kUnits, [&](std::string_view name) {
                    return text.compare(unit, name.size(), name) == 0;
                }))
                continue;
            std::size_t begin = point;
            while (begin > 0 && is_digit(text[begin - 1]))
                --begin;
            made_.left.push_back(
                fmt::format("{}: {} with a unit is of no claim; allowed: [{}](results/README.md#CLAIM.NUMBER)",
                            place(begin), text.substr(begin, end - begin), text.substr(begin, end - begin)));
        }
    }

    // Of links to files.
    void find_missing_files()
    {
        const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
        for (std::size_t link = prose_.find("]("); link != std::string::npos; link = prose_.find("](", link + 1)) {
            const std::string target = prose_.substr(link + 2, prose_.find_first_of("#)\n", link + 2) - link - 2);
            if (!target.empty() && target.find("://") == std::string::npos &&
                !std::filesystem::exists(folder / target))
                made_.left.push_back(fmt::format("{}: there is no {}", place(link), target));
        }
    }

    const ClaimResults& results_;
    const std::string& path_;
    const std::string& text_;
    const std::string prose_; // of the same length
    LinkedText made_;
    std::size_t copied_ = 0; // of the text
    std::size_t behind_ = 0; // the last link
    std::set<std::string> cited_;
};

} // namespace

LinkedText linked(const ClaimResults& results, const std::string& path, const std::string& text)
{
    return Linking(results, path, text).linked();
}

} // namespace nestbed
