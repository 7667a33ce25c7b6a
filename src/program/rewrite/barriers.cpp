#include "program/rewrite/barriers.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

namespace nestbed::program
{
namespace
{

constexpr std::array<std::string_view, 4> kBarriers{"__syncthreads", "__syncthreads_count", "__syncthreads_and",
                                                    "__syncthreads_or"};
constexpr std::array<std::string_view, 2> kOfGroups{"sync", "barrier_wait"}; // of cooperative groups

bool is_one_of(std::string_view text, const auto& names)
{
    return std::ranges::find(names, text) != names.end();
}

class BarrierRewriter
{
  public:
    BarrierRewriter(const Source& source, const std::vector<Function>& functions, Changes& changes)
        : source_(source), changes_(changes)
    {
        // A function that calls a function with a barrier has one.
        for (std::size_t known = 1; known != with_barrier_.size();) {
            known = with_barrier_.size();
            for (const Function& function : functions)
                if (function.body != kNoToken && !with_barrier_.contains(source.text(function.name)) &&
                    has_barrier(function.body, function.body_end))
                    with_barrier_.insert(source.text(function.name));
        }
    }

    void rewrite(const TokenRange& device)
    {
        std::set<std::size_t> loops;
        for (std::size_t token = device.begin; token < device.end; ++token) {
            if (is_numbered(token))
                number(token);
            if (is_barrier(token))
                loops_around(token, device.begin, loops);
        }
        for (const std::size_t loop : loops)
            count_iterations(loop);
    }

  private:
    bool is_call(std::size_t token) const { return source_.is_identifier(token) && source_.is(token + 1, "("); }
    bool is_numbered(std::size_t token) const { return is_call(token) && is_one_of(source_.text(token), kBarriers); }
    bool is_barrier(std::size_t token) const
    {
        return is_call(token) &&
               (is_one_of(source_.text(token), kBarriers) || is_one_of(source_.text(token), kOfGroups) ||
                with_barrier_.contains(source_.text(token)));
    }
    bool has_barrier(std::size_t begin, std::size_t end) const
    {
        for (std::size_t token = begin; token < end; ++token)
            if (is_barrier(token))
                return true;
        return false;
    }

    // The second one of a line and those after it get their number.
    void number(std::size_t token)
    {
        const std::size_t close = source_.match(token + 1);
        if (close == kNoToken)
            return;
        const Place place = source_.place(token);
        const bool is_same_line = place.line == last_.line && place.file == last_.file;
        in_line_ = is_same_line ? in_line_ + 1 : 0;
        last_ = place;
        if (in_line_ != 0)
            changes_.insert_before(close, std::string(close == token + 2 ? "" : ", ") +
                                              "__builtin_FILE(), __builtin_LINE(), " + std::to_string(in_line_));
    }

    // Adds the tokens for, while and do of the loops whose body has the token.
    void loops_around(std::size_t token, std::size_t begin, std::set<std::size_t>& loops) const
    {
        while (token != kNoToken && token > begin) {
            std::size_t at = token;
            // Back to the beginning of the statement.
            while (at > begin && !source_.is(at - 1, ";") && !source_.is(at - 1, "{") && !source_.is(at - 1, "}")) {
                --at;
                if (source_.is(at, ")") && source_.match(at) != kNoToken) {
                    at = source_.match(at);
                    if (at > 0 && (source_.is(at - 1, "for") || source_.is(at - 1, "while")))
                        loops.insert(at - 1);
                } else if (source_.is(at, "do")) {
                    loops.insert(at);
                }
            }
            token = source_.parent(token);
        }
    }

    // The semicolon of the head of a loop; kNoToken: there is none.
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

    void count_iterations(std::size_t loop)
    {
        std::size_t head = loop;
        if (source_.is(loop, "do"))
            head = source_.is(loop + 1, "{") ? source_.match(loop + 1) + 1 : kNoToken;
        const std::size_t open = head == kNoToken ? kNoToken : head + 1;
        const std::size_t close = source_.is(open, "(") ? source_.match(open) : kNoToken;
        if (close == kNoToken)
            return;
        if (source_.is(head, "for")) {
            const std::size_t first = semicolon(open + 1, close);
            const std::size_t second = first == kNoToken ? kNoToken : semicolon(first + 1, close);
            if (second == kNoToken) // for (T each : all)
                return;
            changes_.insert_after(second, second + 1 == close ? kNext : std::string(kNext) + ", ");
        } else if (source_.is(head, "while") && !declares(open + 1, close)) {
            changes_.insert_after(open, std::string(kNext) + " && (");
            changes_.insert_before(close, ")");
        } else {
            return;
        }
        changes_.insert_before(
            loop, "for (::nestbed::program::Iterations nestbed_iterations; nestbed_iterations.once();) ");
    }

    // while (int value = next())
    bool declares(std::size_t begin, std::size_t end) const
    {
        const bool may_declare = source_.is_identifier(begin) && !source_.is(begin + 1, "=") &&
                                 !source_.is(begin + 1, "(") && !source_.is(begin + 1, "[");
        for (std::size_t at = begin; may_declare && at < end; ++at)
            if (source_.is(at, "="))
                return true;
        return false;
    }

    static constexpr const char* kNext = "nestbed_iterations.next()";

    const Source& source_;
    Changes& changes_;
    std::unordered_set<std::string_view> with_barrier_; // names of functions
    Place last_{"", 0};
    unsigned in_line_ = 0;
};

} // namespace

void rewrite_barriers(const Source& source, const std::vector<Function>& functions,
                      const std::vector<TokenRange>& device, Changes& changes)
{
    BarrierRewriter rewriter(source, functions, changes);
    for (const TokenRange& each : device)
        rewriter.rewrite(each);
}

} // namespace nestbed::program
