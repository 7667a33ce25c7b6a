#include "program/rewrite/launches.hpp"

#include <algorithm>
#include <array>

namespace nestbed::program
{
namespace
{

// The token after `<<<` if a launch opens here, otherwise kNoToken. The preprocessor writes `<< <` if macros are
// involved. `operator<< <T>` is none.
std::size_t after_opening(const Source& source, std::size_t token)
{
    if (token > 0 && source.is(token - 1, "operator"))
        return kNoToken;
    if (source.is(token, "<<<"))
        return token + 1;
    return source.is(token, "<<") && source.is(token + 1, "<") ? token + 2 : kNoToken;
}

bool closes_here(const Source& source, std::size_t token)
{
    return source.is(token, ">") && source.touches_next(token) && source.is(token + 1, ">") &&
           source.is(token + 2, ">");
}

bool is_statement(const Source& source, std::size_t opening_parenthesis)
{
    static constexpr std::array kWords = {std::string_view("if"), std::string_view("for"), std::string_view("while"),
                                          std::string_view("switch"), std::string_view("constexpr")};
    return opening_parenthesis > 0 && std::ranges::find(kWords, source.text(opening_parenthesis - 1)) != kWords.end();
}

// Reads an expression backwards, from its last token. It stays within the brackets around it and behind the launch
// before it, so that reading all callees takes linear time.
class CalleeReader
{
  public:
    CalleeReader(const Source& source, std::size_t end) : source_(source), end_(end) {}

    // The first token. Throws RunError if there is no expression.
    std::size_t begin()
    {
        std::size_t first = end_; // of what is read so far
        while (true) {
            const std::size_t part = part_begin(first);
            if (part == kNoToken)
                break;
            first = part;
            if (!continues_before(first))
                break;
        }
        if (first == end_)
            source_.fail(end_, "this launch has no kernel before <<<");
        return first;
    }

  private:
    std::size_t before(std::size_t token) const { return token == 0 ? kNoToken : token - 1; }

    // The begin of `name`, `name<…>`, `(…)` or `[…]` that ends before `end`.
    std::size_t part_begin(std::size_t end)
    {
        std::size_t last = before(end);
        if (source_.is(last, ")") || source_.is(last, "]"))
            return source_.match(last);
        if (source_.is(last, ">"))
            last = before(template_arguments_begin(last));
        return source_.is_identifier(last) && !is_before_expression(source_.text(last)) ? last : kNoToken;
    }

    // The `<` that belongs to this `>`.
    std::size_t template_arguments_begin(std::size_t token) const
    {
        std::size_t depth = 0;
        for (std::size_t at = token; at != kNoToken; at = before(at)) {
            const std::string_view text = source_.text(at);
            if (text == ">") {
                ++depth;
            } else if (text == "<") {
                if (--depth == 0)
                    return at;
            } else if (text == ")" || text == "]" || text == "}") {
                at = source_.match(at);
                if (at == kNoToken)
                    break;
            } else if (text == "(" || text == "[" || text == "{" || text == ";") {
                break;
            } else if (text == "<<<") {
                source_.fail(end_, "a launch cannot be the kernel of another launch");
            }
        }
        source_.fail(end_, "the template arguments of this launch cannot be read; put the kernel in parentheses");
    }

    // Whether something of the same expression is before its part that begins here; moves `first` over `::` and `.`.
    bool continues_before(std::size_t& first) const
    {
        const std::size_t last = before(first);
        const std::string_view text = source_.text(last);
        if (source_.is(first, "(") || source_.is(first, "[")) {
            if (text == "]" || text == ">")
                return source_.match(last) != kNoToken || text == ">";
            if (text == ")") // `if (x) (*p)<<<…` and `(*f(x))(y)`
                return source_.match(last) != kNoToken && !is_statement(source_, source_.match(last));
            return source_.is_identifier(last) && !is_before_expression(text);
        }
        if (text == "template") {
            first = last;
            return continues_before_name(first);
        }
        return continues_before_name(first);
    }

    bool continues_before_name(std::size_t& first) const
    {
        const std::size_t connection = before(first);
        const std::string_view text = source_.text(connection);
        if (text != "::" && text != "." && text != "->")
            return false;
        const std::size_t last = before(connection);
        const bool is_name = source_.is_identifier(last) && !is_before_expression(source_.text(last));
        const bool is_bracket = source_.is(last, ")") || source_.is(last, "]");
        if (text == "::") {
            first = connection;
            const bool is_decltype = source_.is(last, ")") && source_.match(last) != kNoToken &&
                                     source_.is(before(source_.match(last)), "decltype");
            return is_name || is_decltype || source_.is(last, ">");
        }
        first = connection;
        return is_name || is_bracket || source_.is(last, ">");
    }

    const Source& source_;
    std::size_t end_;
};

// The first token of `>>>` of the launch. In `k<<<f<g<h<int>>>(), 1>>>()`, the first `>>>` closes template arguments:
// there are three open `<`, and there is another `>>>` behind it.
std::size_t closing_of(const Source& source, std::size_t opening, std::size_t configuration)
{
    std::size_t found = kNoToken;
    std::size_t angles = 0;
    for (std::size_t at = configuration; at < source.size(); ++at) {
        const std::string_view text = source.text(at);
        if (text == "(" || text == "[" || text == "{") {
            at = source.match(at);
            if (at == kNoToken)
                break;
        } else if (text == ")" || text == "]" || text == "}" || text == ";" ||
                   after_opening(source, at) != kNoToken) {
            break;
        } else if (closes_here(source, at) && source.is(at + 3, "(")) {
            found = at;
            if (angles < 3)
                break;
            angles -= 3;
            at += 2;
        } else if (text == "<") {
            ++angles;
        } else if (text == ">" && angles > 0) {
            --angles;
        }
    }
    if (found == kNoToken)
        source.fail(opening, "this launch is not closed by >>> and arguments in parentheses");
    return found;
}

// The last name of `a::b<c>::name<d>`, also in parentheses or with & or * before it.
std::size_t name_of(const Source& source, std::size_t begin, std::size_t end)
{
    while (end > begin && source.is(begin, "(") && source.match(begin) == end - 1) {
        ++begin;
        --end;
        if (source.is(begin, "&") || source.is(begin, "*"))
            ++begin;
    }
    std::size_t name = kNoToken;
    for (std::size_t at = begin; at < end; ++at) {
        if (source.is_identifier(at)) {
            name = at;
        } else if (source.is(at, "<")) {
            at = template_arguments_end(source, at);
            if (at == kNoToken || at > end)
                return kNoToken;
            --at;
        } else if (!source.is(at, "::") && !source.is(at, ".") && !source.is(at, "->")) {
            return kNoToken;
        }
    }
    return name;
}

} // namespace

bool is_before_expression(std::string_view word)
{
    static constexpr std::array<std::string_view, 13> kWords = {"return", "else", "do",    "case",      "throw",
                                                                "and",    "or",   "not",   "co_return", "co_yield",
                                                                "goto",   "new",  "delete"};
    return std::ranges::find(kWords, word) != kWords.end();
}

std::size_t template_arguments_end(const Source& source, std::size_t opening)
{
    // Callers ask again from within what they could not read, so a limit keeps the time linear.
    static constexpr std::size_t kMaxTokens = 500;
    std::size_t depth = 0;
    std::size_t steps = 0;
    for (std::size_t at = opening; at < source.size() && steps < kMaxTokens; ++at, ++steps) {
        const std::string_view text = source.text(at);
        if (text == "<") {
            ++depth;
        } else if (text == ">") {
            if (--depth == 0)
                return at + 1;
        } else if (text == "(" || text == "[" || text == "{") {
            at = source.match(at);
            if (at == kNoToken)
                break;
        } else if (text == ")" || text == "]" || text == "}" || text == ";" || text == "__global__" ||
                   text == "__device__" || text == "<<<") {
            break;
        }
    }
    return kNoToken;
}

std::vector<std::size_t> configuration_ends(const Source& source, const Launch& launch)
{
    std::vector<std::size_t> ends;
    for (std::size_t at = launch.configuration; at < launch.closing; ++at) {
        if (source.is(at, ",")) {
            ends.push_back(at);
        } else if (source.is(at, "(") || source.is(at, "[") || source.is(at, "{")) {
            at = source.match(at);
        } else if (source.is(at, "<") && at > launch.configuration && source.is_identifier(at - 1)) {
            const std::size_t behind = template_arguments_end(source, at);
            if (behind != kNoToken && behind <= launch.closing)
                at = behind - 1;
        }
    }
    ends.push_back(launch.closing);
    return ends;
}

std::vector<Launch> find_launches(const Source& source)
{
    std::vector<Launch> launches;
    for (std::size_t at = 0; at < source.size(); ++at) {
        const std::size_t configuration = after_opening(source, at);
        if (configuration == kNoToken)
            continue;
        Launch launch{};
        launch.opening = at;
        launch.configuration = configuration;
        launch.closing = closing_of(source, at, configuration);
        launch.arguments = launch.closing + 3;
        launch.end = source.match(launch.arguments);
        if (launch.end == kNoToken)
            source.fail(at, "the arguments of this launch are not closed by a parenthesis");
        launch.callee = CalleeReader(source, at).begin();
        launch.name = name_of(source, launch.callee, at);
        launches.push_back(launch);
        at = configuration - 1;
    }
    return launches;
}

} // namespace nestbed::program
