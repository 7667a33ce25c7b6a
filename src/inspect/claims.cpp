#include "inspect/claims.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <stdexcept>

namespace nestbed
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr std::array kUnits{
    Unit{"", 1, 0, ""},
    Unit{"us", 1, 0, " µs"},
    Unit{"ms", 1e-3, 0, " ms"},
    Unit{"GB/s", 1, 0, " GB/s"},
    Unit{"TB/s", 1e-3, 0, " TB/s"},
    Unit{"%", 100, 0, " %"},
    Unit{"% more", 100, -100, " %"},
};

struct Named {
    std::string_view name;
    Statistic statistic;
};
constexpr std::array kStatistics{Named{"median", Statistic::median}, Named{"ratio", Statistic::ratio},
                                 Named{"count", Statistic::count}, Named{"same", Statistic::same}};

struct NamedOver {
    std::string_view name;
    Over over;
};
constexpr std::array kOvers{NamedOver{"least", Over::least}, NamedOver{"greatest", Over::greatest},
                            NamedOver{"geometric mean", Over::geometric_mean}};

template <class Table>
std::string names_in(const Table& table)
{
    std::vector<std::string> names;
    for (const auto& entry : table)
        names.push_back(fmt::format("\"{}\"", entry.name));
    return fmt::format("{}", fmt::join(names, ", "));
}

// A part of the file, and what it is called in messages.
class Node
{
  public:
    Node(const Json& json, std::string place) : json_(json), place_(std::move(place)) {}

    const Json& json() const { return json_; }
    [[noreturn]] void refuse(const std::string& why) const { throw RunError(fmt::format("{}: {}", place_, why)); }

    // An object with these keys and no others.
    void check_keys(const std::set<std::string>& allowed) const
    {
        if (!json_.is_object())
            refuse(fmt::format("it is {}; allowed: an object", json_.dump()));
        const std::vector<std::string_view> names(allowed.begin(), allowed.end());
        for (const auto& [key, value] : json_.items())
            if (!allowed.contains(key))
                refuse(fmt::format("there is no key '{}'{}; allowed: {}", key, did_you_mean(key, names),
                                   fmt::join(names, ", ")));
    }
    bool has(const char* key) const { return json_.contains(key); }
    Node at(const std::string& key, const std::string& name) const { return {json_.at(key), place_ + ", " + name}; }
    std::string text(const char* key) const
    {
        if (!has(key) || !json_.at(key).is_string() || json_.at(key).get<std::string>().empty())
            refuse(fmt::format("\"{}\" is {}; allowed: a text", key, has(key) ? json_.at(key).dump() : "missing"));
        return json_.at(key).get<std::string>();
    }
    std::string text_or_empty(const char* key) const
    {
        return !has(key) ? "" : json_.at(key).is_string() ? json_.at(key).get<std::string>() : text(key);
    }

  private:
    const Json& json_;
    std::string place_;
};

std::string cell_text(const Node& node, const Json& value)
{
    if (value.is_string())
        return value.get<std::string>();
    if (value.is_number_unsigned())
        return std::to_string(value.get<std::uint64_t>());
    if (value.is_number_integer())
        return std::to_string(value.get<std::int64_t>());
    node.refuse(fmt::format("a cell is {}; allowed: a text or a whole number", value.dump()));
}

Condition condition_of(const Node& node)
{
    const Json& json = node.json();
    if (json.is_object()) {
        node.check_keys({"from", "to"});
        for (const char* key : {"from", "to"})
            if (!json.contains(key) || !json.at(key).is_number())
                node.refuse(fmt::format("\"{}\" is missing or no number; allowed: {{\"from\": 1, \"to\": 2}}", key));
        Condition range{.any_of = {}, .from = json.at("from").get<double>(), .to = json.at("to").get<double>()};
        if (range.from > range.to)
            node.refuse(fmt::format("no number is from {} to {}", range.from, range.to));
        return range;
    }
    Condition condition;
    if (!json.is_array())
        condition.any_of.push_back(cell_text(node, json));
    else
        for (const Json& value : json)
            condition.any_of.push_back(cell_text(node, value));
    if (condition.any_of.empty())
        node.refuse("the list is empty; allowed: at least one cell");
    return condition;
}

// The conditions of `base` with those of the node added, or instead where both name a column.
Selection selection_of(const Node& node, Selection base)
{
    if (!node.json().is_object())
        node.refuse(fmt::format("it is {}; allowed: an object of columns", node.json().dump()));
    for (const auto& [column, value] : node.json().items())
        base[column] = condition_of(node.at(column, column));
    return base;
}

Statistic statistic_of(const Node& node)
{
    const Named* found = nullptr;
    for (const Named& one : kStatistics) {
        if (!node.has(one.name.data()))
            continue;
        if (found != nullptr)
            node.refuse(fmt::format("it has both \"{}\" and \"{}\"; allowed: one of {}", found->name, one.name,
                                    names_in(kStatistics)));
        found = &one;
    }
    if (found == nullptr)
        node.refuse(fmt::format("it has no statistic; allowed: one of {}", names_in(kStatistics)));
    return found->statistic;
}

std::vector<Selection> compared_to(const Node& node, Statistic statistic, const Selection& rows)
{
    if (node.has("to") != (statistic == Statistic::ratio))
        node.refuse("\"to\" goes with \"ratio\", and with nothing else");
    std::vector<Selection> to;
    if (!node.has("to"))
        return to;
    const Node list = node.at("to", "to");
    if (!list.json().is_array())
        return {selection_of(list, rows)};
    for (const Json& one : list.json())
        to.push_back(selection_of({one, fmt::format("one of {}", list.json().dump())}, rows));
    if (to.empty())
        list.refuse("the list is empty; allowed: at least one selection of rows");
    return to;
}

// A text or a list of texts.
std::vector<std::string> columns_of(const Node& node, const char* key)
{
    if (!node.has(key))
        return {};
    const Json& json = node.json().at(key);
    if (!json.is_array())
        return {node.text(key)};
    std::vector<std::string> columns;
    for (const Json& column : json) {
        if (!column.is_string())
            node.refuse(fmt::format("\"{}\" has {}; allowed: names of columns", key, column.dump()));
        columns.push_back(column.get<std::string>());
    }
    return columns;
}

Over over_of(const Node& node)
{
    if (node.has("by") != node.has("over"))
        node.refuse("\"by\" and \"over\" go together");
    if (!node.has("over"))
        return Over::none;
    const std::string name = node.text("over");
    const auto* const found = std::ranges::find(kOvers, name, &NamedOver::name);
    if (found == kOvers.end())
        node.refuse(fmt::format("\"over\" is \"{}\"; allowed: {}", name, names_in(kOvers)));
    return found->over;
}

// What would be said of a number and not done.
void check_together(const Node& node, const ClaimNumber& number)
{
    const bool as_is = number.statistic == Statistic::count || number.statistic == Statistic::same;
    if (as_is && number.over == Over::geometric_mean)
        node.refuse("\"over\" is \"geometric mean\"; allowed for \"count\" and \"same\": \"least\", \"greatest\"");
    if (as_is && !number.unit.empty())
        node.refuse(fmt::format("\"unit\" is \"{}\"; allowed for \"count\" and \"same\": none", number.unit));
    if (!number.per.empty() && number.statistic != Statistic::median)
        node.refuse("\"per\" goes with \"median\", and with nothing else");
}

ClaimNumber number_of(const Node& node, const std::string& id, const Selection& base)
{
    node.check_keys(
        {"median", "ratio", "count", "same", "rows", "to", "by", "over", "per", "unit", "digits", "within"});
    ClaimNumber number{.id = id};
    number.statistic = statistic_of(node);
    if (number.statistic == Statistic::count)
        number.counted = selection_of(node.at("count", "count"), {});
    else
        number.what = node.text(std::ranges::find(kStatistics, number.statistic, &Named::statistic)->name.data());
    number.rows = node.has("rows") ? selection_of(node.at("rows", "rows"), base) : base;
    number.to = compared_to(node, number.statistic, number.rows);
    number.by = columns_of(node, "by");
    number.over = over_of(node);
    number.per = node.text_or_empty("per");
    number.unit = node.text_or_empty("unit");
    if (std::ranges::find(kUnits, number.unit, &Unit::name) == kUnits.end())
        node.refuse(fmt::format("\"unit\" is \"{}\"; allowed: {}", number.unit, names_in(kUnits)));
    if (node.has("digits")) {
        const Json& digits = node.json().at("digits");
        if (!digits.is_number_unsigned() || digits.get<std::uint64_t>() < 1 || digits.get<std::uint64_t>() > 9)
            node.refuse(fmt::format("\"digits\" is {}; allowed: 1 to 9", digits.dump()));
        number.digits = digits.get<int>();
    }
    if (!node.has("within") || !node.json().at("within").is_number() || node.json().at("within").get<double>() < 0)
        node.refuse(fmt::format("\"within\" is {}; allowed: a share, 0.1 for one, or 0 for exactly",
                                node.has("within") ? node.json().at("within").dump() : "missing"));
    number.within = node.json().at("within").get<double>();
    check_together(node, number);
    return number;
}

// A name that can be a part of a link: small letters, digits, and - between them.
void check_name(const Node& node, const std::string& name)
{
    constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-_";
    if (name.empty() || name.find_first_not_of(kAllowed) != std::string::npos)
        node.refuse(fmt::format("'{}' is no name; allowed: small letters, digits, - and _", name));
}

Claim claim_of(const Node& node)
{
    node.check_keys({"id", "claim", "log", "rows", "numbers"});
    Claim claim{.id = node.text("id"), .sentence = node.text("claim"), .log = node.text("log"), .numbers = {}};
    check_name(node, claim.id);
    const Selection base = node.has("rows") ? selection_of(node.at("rows", "rows"), {}) : Selection{};
    if (!node.has("numbers") || !node.json().at("numbers").is_object() || node.json().at("numbers").empty())
        node.refuse("\"numbers\" is missing; allowed: an object with at least one number");
    for (const auto& [name, value] : node.json().at("numbers").items()) {
        check_name(node, name);
        if (claim.sentence.find(fmt::format("{{{}}}", name)) == std::string::npos)
            node.refuse(fmt::format("the sentence has no {{{}}}", name));
        claim.numbers.push_back(
            number_of(Node(value, fmt::format("claim {}, number {}", claim.id, name)), claim.id + "." + name, base));
    }
    for (std::size_t at = claim.sentence.find('{'); at != std::string::npos; at = claim.sentence.find('{', at + 1)) {
        const std::string name = claim.sentence.substr(at + 1, claim.sentence.find('}', at) - at - 1);
        if (!node.json().at("numbers").contains(name))
            node.refuse(fmt::format("the sentence has {{{}}}, and there is no such number", name));
    }
    return claim;
}

} // namespace

bool Condition::holds(std::string_view cell) const
{
    if (!any_of.empty())
        return std::ranges::find(any_of, cell) != any_of.end();
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return !cell.empty() && error == std::errc{} && end == cell.data() + cell.size() && value >= from && value <= to;
}

const Unit& unit_of(std::string_view name)
{
    const auto* const found = std::ranges::find(kUnits, name, &Unit::name);
    if (found == kUnits.end())
        throw std::out_of_range("a unit that there is not");
    return *found;
}

Claims parse_claims(const std::string& path, std::string_view text)
{
    try {
        const Json json = Json::parse(text);
        const Node file(json, "the file");
        file.check_keys({"logs", "claims"});
        Claims claims;
        if (!file.has("logs") || !json.at("logs").is_object())
            file.refuse("\"logs\" is missing; allowed: an object of CSVs");
        for (const auto& [name, value] : json.at("logs").items()) {
            const Node log(value, "log " + name);
            log.check_keys({"figure", "command"});
            claims.logs[name] = {.figure = log.text_or_empty("figure"), .command = log.text_or_empty("command")};
        }
        if (!file.has("claims") || !json.at("claims").is_array())
            file.refuse("\"claims\" is missing; allowed: a list of claims");
        std::set<std::string> ids;
        for (const Json& one : json.at("claims")) {
            const bool named = one.is_object() && one.contains("id") && one.at("id").is_string();
            const std::string id = named ? one.at("id").get<std::string>() : "without an id";
            const Node node(one, "claim " + id);
            claims.claims.push_back(claim_of(node));
            const Claim& claim = claims.claims.back();
            if (!ids.insert(claim.id).second)
                node.refuse("there is another of that id");
            if (!claims.logs.contains(claim.log))
                node.refuse(fmt::format("its log {} is not among \"logs\"", claim.log));
        }
        for (const auto& [name, log] : claims.logs)
            if (std::ranges::find(claims.claims, name, &Claim::log) == claims.claims.end())
                throw RunError(fmt::format("log {}: no claim rests on it", name));
        return claims;
    } catch (const Json::exception& error) {
        throw RunError(fmt::format("{}: {}", path, error.what()));
    } catch (const RunError& error) {
        throw RunError(fmt::format("{}: {}", path, error.what()));
    }
}

} // namespace nestbed
