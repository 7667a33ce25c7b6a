#include "program/orders/orders.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

namespace nestbed::program
{

namespace
{

constexpr std::size_t kMaxShown = 100; // characters of a line in a message

std::string shown(std::string_view line)
{
    return line.size() <= kMaxShown ? fmt::format("'{}'", printable(line))
                                    : fmt::format("'{}…'", printable(line.substr(0, kMaxShown)));
}

} // namespace

std::set<std::size_t> unstable_lines(const std::string& first, const std::string& second)
{
    const std::vector<std::string_view> a = split_lines(first);
    const std::vector<std::string_view> b = split_lines(second);
    std::set<std::size_t> lines;
    if (a.size() == b.size())
        for (std::size_t line = 0; line < a.size(); ++line)
            if (a[line] != b[line])
                lines.insert(line);
    return lines;
}

std::string sorted_lines(const std::string& text)
{
    std::vector<std::string_view> lines = split_lines(text);
    std::ranges::sort(lines);
    std::string sorted;
    for (const std::string_view line : lines)
        sorted.append(line) += '\n';
    return sorted;
}

std::vector<Problem> problems_of(const Json& report, const std::string& messages)
{
    std::vector<Problem> problems;
    if (!report.is_object())
        return problems;
    for (const Json& failed : report.value("failed", Json::array())) {
        Problem problem{.what = fmt::format("kernel {}, launched at {}, failed", failed.value("kernel", ""),
                                            failed.value("place", "")),
                        .detail = failed.value("text", "")};
        if (std::ranges::find(problems, problem.what, &Problem::what) == problems.end())
            problems.push_back(std::move(problem));
    }
    std::uint64_t launches = 0;
    std::uint64_t refused = 0;
    for (const Json& kernel : report.value("kernels", Json::array())) {
        const auto count = [&](const char* name) { return kernel.value(name, std::uint64_t{0}); };
        const std::uint64_t all = count("from_host") + count("from_device") + count("in_graphs");
        launches += all;
        refused += count("refused");
        if (count("refused") != 0)
            problems.push_back({.what = fmt::format("launches of kernel {} were refused (cudaError{})",
                                                    kernel.value("kernel", ""), kernel.value("first_error", "")),
                                .detail = fmt::format("{} of {}, the first at {}", count("refused"), all,
                                                      kernel.value("place", ""))});
    }
    if (refused != 0 && refused == launches)
        problems.push_back({.what = "no kernel ran"});
    if (report.value("suspect", false) && problems.empty()) {
        static constexpr std::string_view kMark = "nestbed: ";
        Problem problem{.what = "the executor reports an error"};
        for (const std::string_view line : split_lines(messages))
            if (line.starts_with(kMark) && problem.detail.empty())
                problem.detail = line.substr(kMark.size());
        problems.push_back(std::move(problem));
    }
    return problems;
}

std::vector<std::string> problems_text(const std::vector<std::pair<std::string, std::vector<Problem>>>& orders)
{
    struct Found {
        Problem first;
        std::vector<std::string> orders;
    };
    std::vector<Found> all;
    for (const auto& [order, problems] : orders)
        for (const Problem& problem : problems) {
            auto found =
                std::ranges::find_if(all, [&](const Found& each) { return each.first.what == problem.what; });
            if (found == all.end())
                found = all.insert(all.end(), {.first = problem});
            found->orders.push_back(order);
        }
    constexpr std::size_t kMaxNames = 3;
    std::vector<std::string> texts;
    for (const Found& found : all) {
        std::string text = fmt::format("in all {} orders: {}", orders.size(), found.first.what);
        if (found.orders.size() != orders.size())
            text = fmt::format("in {} of {} orders ({}{}): {}", found.orders.size(), orders.size(),
                               fmt::join(found.orders.begin(),
                                         found.orders.begin() +
                                             static_cast<std::ptrdiff_t>(std::min(found.orders.size(), kMaxNames)),
                                         ", "),
                               found.orders.size() > kMaxNames ? ", …" : "", found.first.what);
        if (!found.first.detail.empty())
            text += ": " + found.first.detail;
        texts.push_back(std::move(text));
    }
    return texts;
}

std::optional<std::string> difference_of(const Outcome& outcome, const Outcome& expected,
                                         const std::string& reference, const std::set<std::size_t>& ignored)
{
    if (outcome.too_much_output)
        return "the program printed too much and was ended";
    if (outcome.end.text() != expected.end.text())
        return fmt::format("{}, by {} {}", outcome.end.text(), reference, expected.end.text());
    const auto lacks = [](const Outcome& in, const Problem& problem) {
        return std::ranges::find(in.problems, problem.what, &Problem::what) == in.problems.end();
    };
    if (outcome.is_suspect)
        for (const Problem& problem : outcome.problems)
            if (lacks(expected, problem))
                return fmt::format("{}, not by {}", problem.what, reference);
    if (expected.is_suspect)
        for (const Problem& problem : expected.problems)
            if (lacks(outcome, problem))
                return fmt::format("by {}, but not here, {}", reference, problem.what);
    const std::vector<std::string_view> lines = split_lines(outcome.output);
    const std::vector<std::string_view> others = split_lines(expected.output);
    for (std::size_t line = 0; line < std::max(lines.size(), others.size()); ++line) {
        if (line >= lines.size())
            return fmt::format("the output ends before line {}, which is {} by {}", line + 1, shown(others[line]),
                               reference);
        if (line >= others.size())
            return fmt::format("line {} is {}, and by {} the output ends before it", line + 1, shown(lines[line]),
                               reference);
        if (lines[line] != others[line] && !ignored.contains(line))
            return fmt::format("line {} is {}, by {} {}", line + 1, shown(lines[line]), reference,
                               shown(others[line]));
    }
    return {};
}

std::string text_of(const std::vector<Decisions>& decisions)
{
    std::string text;
    for (const Decisions& one : decisions)
        text += one.first == one.last ? fmt::format("{}{}", text.empty() ? "" : ",", one.first)
                                      : fmt::format("{}{}-{}", text.empty() ? "" : ",", one.first, one.last);
    return text.empty() ? "none" : text;
}

std::vector<Preemption> read_preemptions(const std::string& path)
{
    std::ifstream file(path);
    std::vector<Preemption> preemptions;
    for (std::string line; std::getline(file, line);) {
        Preemption one;
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), one.decision);
        if (error != std::errc{})
            throw RunError(
                fmt::format("{}: '{}' does not begin with the number of a decision", path, printable(line)));
        one.text = line.substr(std::min(line.size(), static_cast<std::size_t>(end - line.data()) + 1));
        preemptions.push_back(std::move(one));
    }
    return preemptions;
}

namespace
{

using Preemptions = std::vector<Preemption>;

class Shrinker
{
  public:
    Shrinker(const std::function<RestrictedRun(const std::vector<Decisions>&)>& run,
             const std::function<bool()>& may_go_on)
        : run_(run), may_go_on_(may_go_on)
    {
    }

    std::optional<Shrunk> shrink(const Preemptions& all)
    {
        Preemptions current;
        if (try_to({}, current))
            return Shrunk{.preemptions = {}, .runs = runs_};
        if (all.empty())
            return {};
        current = all;
        constexpr std::uint64_t kDistances = 16; // of the average one
        neighbours_ = kDistances * (1 + (all.back().decision - all.front().decision) / all.size());
        cut_end(current);
        cut_begin(current);
        remove_parts(current);
        // A last run, for those that are taken, with their texts.
        stopped_ = stopped_ || !may_go_on_();
        const RestrictedRun last = run_(decisions_of(current));
        ++runs_;
        if (!last.fails)
            return {};
        return Shrunk{.preemptions = last.taken, .runs = runs_, .smallest = !stopped_};
    }

  private:
    // Each number is allowed by itself, or, if there are too many for an environment variable, all between neighbours.
    // Neighbours are those between which no part was removed, so far as the distance shows it.
    std::vector<Decisions> decisions_of(const Preemptions& some) const
    {
        constexpr std::size_t kMaxSingle = 4000;
        std::vector<Decisions> decisions;
        for (const Preemption& one : some) {
            if (some.size() > kMaxSingle && !decisions.empty() && one.decision - decisions.back().last <= neighbours_)
                decisions.back().last = one.decision;
            else
                decisions.push_back({one.decision, one.decision});
        }
        return decisions;
    }

    // Runs with these preemptions only. If the program fails, `current` becomes those that were taken of them: others
    // have no effect.
    bool try_to(const Preemptions& some, Preemptions& current)
    {
        if (stopped_ || !may_go_on_()) {
            stopped_ = true;
            return false;
        }
        ++runs_;
        RestrictedRun result = run_(decisions_of(some));
        if (!result.fails || (!current.empty() && result.taken.size() >= current.size()))
            return false;
        current = std::move(result.taken);
        return true;
    }

    // Binary search for how many of the first, or of the last, suffice. It need not be monotonic: the result fails in
    // any case, and remove_parts() makes it smaller.
    void cut_end(Preemptions& current)
    {
        for (std::size_t step = current.size() / 2; step > 0; step /= 2)
            while (current.size() > step &&
                   try_to({current.begin(), current.end() - static_cast<std::ptrdiff_t>(step)}, current))
                ;
    }
    void cut_begin(Preemptions& current)
    {
        for (std::size_t step = current.size() / 2; step > 0; step /= 2)
            while (current.size() > step &&
                   try_to({current.begin() + static_cast<std::ptrdiff_t>(step), current.end()}, current))
                ;
    }

    void remove_parts(Preemptions& current)
    {
        for (std::size_t part = std::max<std::size_t>(current.size() / 2, 1); !current.empty();) {
            bool removed = false;
            for (std::size_t begin = 0; begin < current.size() && !stopped_;) {
                Preemptions rest(current.begin(), current.begin() + static_cast<std::ptrdiff_t>(begin));
                const std::size_t end = std::min(begin + part, current.size());
                rest.insert(rest.end(), current.begin() + static_cast<std::ptrdiff_t>(end), current.end());
                if (!rest.empty() && try_to(rest, current))
                    removed = true;
                else
                    begin = end;
            }
            if (stopped_ || (part == 1 && !removed))
                return;
            part = std::max<std::size_t>(std::min(part, current.size()) / 2, 1);
        }
    }

    const std::function<RestrictedRun(const std::vector<Decisions>&)>& run_;
    const std::function<bool()>& may_go_on_;
    std::uint64_t neighbours_ = 0; // largest distance of neighbours
    std::size_t runs_ = 0;
    bool stopped_ = false;
};

} // namespace

std::optional<Shrunk> shrink(const std::vector<Preemption>& all,
                             const std::function<RestrictedRun(const std::vector<Decisions>&)>& run,
                             const std::function<bool()>& may_go_on)
{
    return Shrinker(run, may_go_on).shrink(all);
}

} // namespace nestbed::program
