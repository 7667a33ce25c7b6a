#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/table.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "inspect/claim_results.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <ostream>
#include <sstream>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr std::array<std::string_view, 4> kActions{"check", "list", "compare", "write"};

po::options_description claims_options()
{
    po::options_description options("Options", 80);
    options.add_options()("results", po::value<std::vector<std::string>>()->value_name("FOLDER"),
                          "where claims.json lies, beside a README.md and under another (results)");
    options.add_options()("json", po::bool_switch(), "list, compare: as JSON, with the lines of the rows");
    options.add_options()("csv", po::value<std::vector<std::string>>()->value_name("FILE"),
                          "compare: a row a number; a new file");
    options.add_options()("help,h", po::bool_switch(), "print this");
    return options;
}

struct Documents {
    std::string readme; // whose numbers are links
    std::string page;   // results/README.md

    explicit Documents(const std::string& folder) : page((fs::path(folder) / "README.md").string())
    {
        // "results", "." in it, or a link to it: the README is beside the folder itself. Its path is said as short as it can be.
        fs::path root = fs::weakly_canonical(folder);
        root = (root.has_filename() ? root : root.parent_path()).parent_path();
        readme = (root / "README.md").lexically_proximate(fs::current_path()).string();
        if (fs::path(folder).is_absolute())
            readme = (root / "README.md").string();
    }
};

void append(std::vector<std::string>& to, const std::vector<std::string>& more)
{
    to.insert(to.end(), more.begin(), more.end());
}

// The claim of a line of the page: the last number in it; empty for a line that is of none.
std::string claim_of(const std::string& line)
{
    constexpr std::string_view kAnchor = "<a id=\"";
    const std::size_t anchor = line.rfind(kAnchor);
    if (anchor == std::string::npos)
        return "";
    const std::size_t begin = anchor + kAnchor.size();
    return line.substr(begin, line.find('"', begin) - begin);
}

// One for each claim whose line the page has not; one for the page where that is all right and something else is not, if all
// claims could be measured.
std::vector<std::string> page_problems(const std::string& path, const std::string& is, const std::string& should,
                                       bool all_measured)
{
    if (is == should)
        return {};
    std::vector<std::string> problems;
    std::istringstream lines(should);
    std::string line;
    while (std::getline(lines, line))
        if (const std::string claim = claim_of(line); !claim.empty() && is.find(line + "\n") == std::string::npos)
            problems.push_back(fmt::format("{}: claim {}: the CSVs give another line: {}", path, claim, line));
    if (problems.empty() && all_measured)
        problems.push_back(
            fmt::format("{}: what is between the claims is not what the CSVs give: nestbed claims write "
                        "writes it again",
                        path));
    return problems;
}

int say_problems(const std::vector<std::string>& problems, std::ostream& err)
{
    for (const std::string& problem : problems)
        err << fmt::format("nestbed: {}\n", problem);
    return problems.empty() ? exit_ok : exit_rows_bad;
}

std::size_t numbers_of(const ClaimResults& results)
{
    std::size_t count = 0;
    for (const MeasuredClaim& claim : results.measured)
        count += claim.numbers.size();
    return count;
}

int check_claims(const ClaimResults& results, std::ostream& out, std::ostream& err)
{
    const Documents documents(results.folder);
    std::vector<std::string> problems = results.problems;
    const LinkedText links = linked(results, documents.readme, read_text_file(documents.readme));
    for (const auto* const more : {&links.wrong, &links.broken, &links.left})
        append(problems, *more);
    const std::string page = read_text_file(documents.page);
    append(problems, page_problems(documents.page, page, with_page(documents.page, page, claims_page(results)),
                                   results.problems.empty()));
    if (problems.empty())
        out << fmt::format("{} claims, {} numbers: {}, {} and the CSVs agree\n", results.measured.size(),
                           numbers_of(results), documents.readme, documents.page);
    return say_problems(problems, err);
}

void rewrite(const std::string& path, const std::string& text, const std::string& old, std::ostream& out)
{
    if (text == old)
        return;
    replace_file(path, text, "the text");
    out << path << '\n';
}

// Nothing is written unless every claim has its numbers.
int write_claims(const ClaimResults& results, std::ostream& out, std::ostream& err)
{
    if (!results.problems.empty())
        return say_problems(results.problems, err);
    const Documents documents(results.folder);
    const std::string readme = read_text_file(documents.readme);
    const std::string page = read_text_file(documents.page);
    const LinkedText links = linked(results, documents.readme, readme);
    const std::string new_page = with_page(documents.page, page, claims_page(results));
    if (!links.broken.empty())
        return say_problems(links.broken, err);
    rewrite(documents.page, new_page, page, out);
    rewrite(documents.readme, links.text, readme, out);
    return say_problems(links.left, err);
}

std::string list_text(const ClaimResults& results)
{
    std::vector<Column> columns{
        {.name = "claim", .left = true}, {.name = "number"}, {.name = "95% CI"}, {.name = "rows"}};
    for (const MeasuredClaim& claim : results.measured)
        for (std::size_t index = 0; index < claim.numbers.size(); ++index) {
            const MeasuredNumber& found = claim.numbers[index];
            const ClaimNumber& number = claim.claim.numbers[index];
            const std::string cells[]{number.id, found.text, interval_text(number, found.interval),
                                      std::to_string(found.lines.size())};
            for (std::size_t column = 0; column < columns.size(); ++column)
                columns[column].cells.push_back(cells[column]);
        }
    return table_text(std::move(columns));
}

std::string verdict_of(const SecondNumber& again)
{
    return !again.second ? "not there" : again.near ? "near" : "far";
}

std::string compare_text(const std::vector<SecondNumber>& seconds)
{
    std::vector<Column> columns{{.name = "claim", .left = true},
                                {.name = "first"},
                                {.name = "second"},
                                {.name = "asked", .left = true},
                                {.name = "is", .left = true}};
    for (const SecondNumber& again : seconds) {
        const ClaimNumber& number = again.claim->claim.numbers[again.index];
        const std::string cells[]{number.id, again.claim->numbers[again.index].text,
                                  again.second ? again.second->text : "", within_text(number), verdict_of(again)};
        for (std::size_t column = 0; column < columns.size(); ++column)
            columns[column].cells.push_back(cells[column]);
    }
    return table_text(std::move(columns));
}

std::string cell_of(double value)
{
    return fmt::format("{:.6g}", value);
}

std::string compare_csv(const std::vector<SecondNumber>& seconds)
{
    std::string text = csv_line({"claim", "unit", "first", "first_low", "first_high", "second", "second_low",
                                 "second_high", "ratio", "within", "status", "detail"});
    const auto bounds = [](const std::optional<MeasuredNumber>& number, double Interval::*bound) {
        return number && number->interval ? cell_of((*number->interval).*bound) : "";
    };
    for (const SecondNumber& again : seconds) {
        const ClaimNumber& number = again.claim->claim.numbers[again.index];
        const std::optional<MeasuredNumber> first = again.claim->numbers[again.index];
        const bool ratio = again.second && first->value != 0;
        text += csv_line({number.id, number.unit, cell_of(first->value), bounds(first, &Interval::low),
                          bounds(first, &Interval::high), again.second ? cell_of(again.second->value) : "",
                          bounds(again.second, &Interval::low), bounds(again.second, &Interval::high),
                          ratio ? fmt::format("{:.4f}", again.second->value / first->value) : "",
                          cell_of(number.within), verdict_of(again), again.why});
    }
    return text;
}

int compare_claims(const ClaimResults& results, const std::string& folder, const std::string& csv, bool json,
                   std::ostream& out, std::ostream& err)
{
    if (!fs::is_directory(folder))
        throw UsageError(
            fmt::format("compare {}: there is no such folder; allowed: one with CSVs of a second run", folder));
    const std::vector<SecondNumber> seconds = measure_second(results, folder);
    if (!csv.empty())
        write_new_file(csv, compare_csv(seconds), "the CSV", "--csv");
    out << (json ? claims_json(results, seconds) : compare_text(seconds));
    std::vector<std::string> reasons; // a missing log is said once
    for (const SecondNumber& again : seconds)
        if (!again.why.empty() && std::ranges::find(reasons, again.why) == reasons.end())
            reasons.push_back(again.why);
    say_problems(results.problems, err);
    say_problems(reasons, err);
    const bool all = std::ranges::all_of(seconds, &SecondNumber::near) && results.problems.empty();
    return all ? exit_ok : exit_rows_bad;
}

// The action and, for compare, its folder.
void check_words(const std::vector<std::string>& words)
{
    const std::string action = words.empty() ? "" : words.front();
    if (std::ranges::find(kActions, action) == kActions.end())
        throw UsageError(fmt::format("claims {}: there is no such action{}; allowed: {}", action,
                                     did_you_mean(action, kActions), fmt::join(kActions, ", ")));
    const std::size_t wanted = action == "compare" ? 2 : 1;
    if (words.size() != wanted)
        throw UsageError(fmt::format("claims {}: {} words; allowed: claims {}{}", fmt::join(words, " "), words.size(),
                                     action, wanted == 2 ? " FOLDER" : ""));
}

} // namespace

int claims(const Arguments& arguments, std::ostream& out, std::ostream& err)
{
    const po::options_description options = claims_options();
    const Given given = parse_arguments(arguments, options, SIZE_MAX);
    if (given.contains("help")) {
        out << "nestbed claims check           the README, results/README.md and the CSVs agree\n"
            << "nestbed claims list            every number, computed from its CSV\n"
            << "nestbed claims compare FOLDER  the same numbers from the CSVs of a second run\n"
            << "nestbed claims write           the numbers into both documents\n\n"
            << options;
        return exit_ok;
    }
    const std::vector<std::string>& words = given.at("argument");
    check_words(words);
    const std::string& action = words.front();
    const std::string csv = only_value(given, "csv", "", "a file's name");
    const bool json = given.contains("json");
    if (!csv.empty() && action != "compare")
        throw UsageError(fmt::format("--csv {}: claims {} writes none; allowed: with compare", csv, action));
    if (json && action != "compare" && action != "list")
        throw UsageError(fmt::format("--json: claims {} has none; allowed: with list, compare", action));
    if (!csv.empty())
        check_new_file(csv, "--csv");
    const ClaimResults results = measure_claims(only_value(given, "results", "results", "a folder's name"));
    if (action == "check")
        return check_claims(results, out, err);
    if (action == "write")
        return write_claims(results, out, err);
    if (action == "compare")
        return compare_claims(results, words[1], csv, json, out, err);
    out << (json ? claims_json(results, {}) : list_text(results));
    return say_problems(results.problems, err);
}

} // namespace nestbed
