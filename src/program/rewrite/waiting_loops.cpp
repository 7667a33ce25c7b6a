#include "program/rewrite/waiting_loops.hpp"

#include "program/rewrite/launches.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_set>

namespace nestbed::program
{
namespace
{

using Names = std::unordered_set<std::string_view>;

// Tokens; ranges may be empty.
struct Loop {
    std::size_t after; // where a call is inserted that runs before each test of the condition
    TokenRange condition{};
    TokenRange increment{};
    TokenRange body{};
};

bool is_compound_assignment(std::string_view text)
{
    static constexpr std::array<std::string_view, 9> kTokens = {
        "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<="};
    return std::ranges::find(kTokens, text) != kTokens.end();
}

class LoopReader
{
  public:
    explicit LoopReader(const Source& source) : source_(source) {}

    // Of `do … while`, at the `while`; `do_token` is its `do`, kNoToken for other loops.
    std::optional<Loop> read(std::size_t token, std::size_t do_token) const
    {
        const std::size_t open = token + 1;
        const std::size_t close = source_.is(open, "(") ? source_.match(open) : kNoToken;
        if (close == kNoToken)
            return {};
        Loop loop{.after = open};
        if (source_.is(token, "while")) {
            loop.condition = {open + 1, close};
            loop.body = do_token == kNoToken ? body_at(close + 1) : TokenRange{do_token + 1, token};
            return loop;
        }
        const std::size_t first = semicolon(open + 1, close);
        const std::size_t second = first == kNoToken ? kNoToken : semicolon(first + 1, close);
        if (second == kNoToken) // for (T each : all)
            return {};
        loop.after = first;
        loop.condition = {first + 1, second};
        loop.increment = {second + 1, close};
        loop.body = body_at(close + 1);
        return loop;
    }

    // The `while` that belongs to a `do`.
    std::size_t while_of(std::size_t token) const
    {
        const std::size_t end = body_at(token + 1).end;
        return source_.is(end, "while") ? end : kNoToken;
    }

  private:
    // With its `;` or braces.
    TokenRange body_at(std::size_t begin) const
    {
        std::size_t at = begin;
        while (at < source_.size() && !source_.is(at, ";") && !source_.is(at, "}")) {
            const bool is_block = source_.is(at, "{");
            const bool is_bracket = is_block || source_.is(at, "(") || source_.is(at, "[");
            at = is_bracket ? source_.match(at) : at;
            if (at == kNoToken)
                return {begin, begin};
            ++at;
            if (is_block)
                return {begin, at};
        }
        return {begin, std::min(at + 1, source_.size())};
    }

    std::size_t semicolon(std::size_t begin, std::size_t end) const
    {
        for (std::size_t at = begin; at < end; ++at) {
            if (source_.is(at, ";"))
                return at;
            if ((source_.is(at, "(") || source_.is(at, "[") || source_.is(at, "{")) && source_.match(at) != kNoToken)
                at = source_.match(at);
        }
        return kNoToken;
    }

    const Source& source_;
};

// What a loop changes, by the names of variables: `x += 1`, `++a[i]`, `p = p->next`. What it only reads again, as in `v = *flag`, is
// not changed by the loop itself.
class ChangedNames
{
  public:
    ChangedNames(const Source& source, const Loop& loop) : source_(source)
    {
        for (const TokenRange& part : {loop.condition, loop.increment, loop.body})
            for (std::size_t token = part.begin; token < part.end; ++token)
                read(token, part.end);
        // Taken out as long as something depends on nothing that changes.
        for (bool again = true; again;) {
            const auto is_read_again = [&](const Assignment& each) { return !mentions(each.value, names()); };
            again = false;
            for (const Assignment& each : assignments_)
                again |= is_read_again(each);
            std::erase_if(assignments_, is_read_again);
        }
    }

    Names names() const
    {
        Names all = counted_;
        for (const Assignment& each : assignments_)
            all.insert(each.name);
        return all;
    }
    bool mentions(const TokenRange& range, const Names& of) const
    {
        for (std::size_t token = range.begin; token < range.end; ++token)
            if (of.contains(source_.text(token)))
                return true;
        return false;
    }

  private:
    struct Assignment {
        std::string_view name;
        TokenRange value;
    };

    void read(std::size_t token, std::size_t end)
    {
        const std::string_view text = source_.text(token);
        const bool is_shift = text == ">=" && source_.is(token - 1, ">");
        if (text == "++" || text == "--") {
            const bool is_before = source_.is_identifier(token + 1);
            counted_.insert(is_before ? source_.text(token + 1) : name_before(token));
        } else if (is_compound_assignment(text) || is_shift) {
            counted_.insert(name_before(is_shift ? token - 1 : token));
        } else if (text == "=") {
            std::size_t last = token + 1;
            while (last < end && !source_.is(last, ";") && !source_.is(last, ",") && !source_.is(last, ")"))
                last = source_.is(last, "(") && source_.match(last) != kNoToken ? source_.match(last) + 1 : last + 1;
            assignments_.push_back({name_before(token), {token + 1, last}});
        }
    }

    // `a` of `a[i] =`
    std::string_view name_before(std::size_t token) const
    {
        std::size_t at = token;
        while (at > 0 && (source_.is(at - 1, "]") || source_.is(at - 1, ")")) && source_.match(at - 1) != kNoToken)
            at = source_.match(at - 1);
        return at > 0 ? source_.text(at - 1) : std::string_view{};
    }

    const Source& source_;
    Names counted_;
    std::vector<Assignment> assignments_;
};

class LoopRewriter
{
  public:
    LoopRewriter(const Source& source, Changes& changes) : source_(source), changes_(changes), reader_(source) {}

    void rewrite(const TokenRange& device)
    {
        std::unordered_set<std::size_t> whiles_of_do;
        Names labels; // that came before
        for (std::size_t token = device.begin; token < device.end; ++token) {
            if (source_.is(token, ":") && source_.is_identifier(token - 1))
                labels.insert(source_.text(token - 1));
            if (source_.is(token, "goto") && labels.contains(source_.text(token + 1)))
                rewrite_goto(token);
            std::size_t loop_token = token;
            std::size_t do_token = kNoToken;
            if (source_.is(token, "do")) {
                do_token = token;
                loop_token = reader_.while_of(token);
                whiles_of_do.insert(loop_token);
            } else if ((!source_.is(token, "while") && !source_.is(token, "for")) || whiles_of_do.contains(token)) {
                continue;
            }
            if (const std::optional<Loop> loop = reader_.read(loop_token, do_token))
                rewrite(*loop);
        }
    }

  private:
    // Backwards: a loop that nobody wrote as one.
    void rewrite_goto(std::size_t token)
    {
        changes_.insert_before(token, "{ ::nestbed::program::waits(::nestbed::program::kRound); ");
        changes_.insert_after(token + 2, " }");
    }

    void rewrite(const Loop& loop)
    {
        const std::size_t length = loop.body.end - loop.condition.begin;
        static constexpr std::size_t kMaxTokens = 1000; // loops within loops are read again: keeps the time linear
        if ((loop.body.end > loop.condition.begin && length > kMaxTokens) || declares(loop.condition))
            return;
        const ChangedNames changed(source_, loop);
        const Names names = changed.names();
        const bool is_endless = !has_names(loop.condition);
        if (is_endless ? !leaves_unless_changed(loop.body, changed, names) : changed.mentions(loop.condition, names))
            return;
        bool has_body = false;
        for (std::size_t token = loop.body.begin; token < loop.body.end; ++token)
            has_body |= !source_.is(token, "{") && !source_.is(token, "}") && !source_.is(token, ";");
        const bool is_empty = loop.condition.begin == loop.condition.end;
        changes_.insert_after(loop.after,
                              std::string("::nestbed::program::waits(") +
                                  (has_body ? "::nestbed::program::kRound" : "::nestbed::program::kSpin") +
                                  (is_empty ? "), true" : "), "));
    }

    // while (int value = next())
    bool declares(const TokenRange& condition) const
    {
        for (std::size_t token = condition.begin; token + 1 < condition.end; ++token) {
            const bool is_pointer =
                source_.is(token + 1, "*") || source_.is(token + 1, "&") || source_.is(token + 1, ">");
            const std::size_t name = is_pointer ? token + 2 : token + 1;
            if (source_.is_identifier(token) && source_.is_identifier(name) &&
                (source_.is(name + 1, "=") || source_.is(name + 1, "{")))
                return true;
        }
        return false;
    }

    bool has_names(const TokenRange& condition) const
    {
        for (std::size_t token = condition.begin; token < condition.end; ++token)
            if (source_.is_identifier(token) && !source_.is(token, "true"))
                return true;
        return false;
    }

    // `if (condition) break;` or return, and no condition of one depends on what the loop changes.
    bool leaves_unless_changed(const TokenRange& body, const ChangedNames& changed, const Names& names) const
    {
        bool leaves = false;
        for (std::size_t token = body.begin; token < body.end; ++token) {
            const std::size_t close = source_.is(token, "if") ? source_.match(token + 1) : kNoToken;
            if (close == kNoToken)
                continue;
            const std::size_t first = close + 1;
            const std::size_t end = source_.is(first, "{") ? source_.match(first) : first + 1;
            for (std::size_t at = first; at < end && at < body.end; ++at) {
                if (!source_.is(at, "break") && !source_.is(at, "return"))
                    continue;
                if (changed.mentions({token + 2, close}, names))
                    return false;
                leaves = true;
            }
        }
        return leaves;
    }

    const Source& source_;
    Changes& changes_;
    LoopReader reader_;
};

} // namespace

void rewrite_waiting_loops(const Source& source, const std::vector<TokenRange>& device, Changes& changes)
{
    LoopRewriter rewriter(source, changes);
    for (const TokenRange& each : device)
        rewriter.rewrite(each);
}

} // namespace nestbed::program
