// What must hold for every text that the rewriter takes, for its tests and for fuzzing.
#pragma once

#include "base/error.hpp"
#include "program/rewrite/rewriter.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestbed::program
{

inline constexpr std::string_view kCountMark = "static_assert(nestbed_rewritten, \"\");\n";

// (line, text) of the code tokens of the user's parts, except those whose numbers are in `without`, which is sorted.
inline std::vector<std::pair<std::size_t, std::string_view>>
tokens_with_lines(const Source& source, const std::vector<std::size_t>& without)
{
    std::vector<std::pair<std::size_t, std::string_view>> tokens;
    const std::string_view text = source.whole_text();
    std::size_t line = 0;
    std::size_t at = 0;
    auto skipped = without.begin();
    for (std::size_t token = 0; token < source.size(); ++token) {
        const std::size_t begin = source.all_tokens()[source.position(token)].begin;
        line += static_cast<std::size_t>(std::count(text.begin() + at, text.begin() + begin, '\n'));
        at = begin;
        while (skipped != without.end() && *skipped < token)
            ++skipped;
        if (skipped == without.end() || *skipped != token)
            tokens.emplace_back(line, source.text(token));
    }
    return tokens;
}

// Directives and system parts, without spaces and without the words in place of which the executor has spaces.
inline std::vector<std::string> untouched_parts(const Source& source)
{
    static constexpr std::array<std::string_view, 2> kWords{"__device__", "__host__"};
    std::vector<std::string> parts;
    for (const Token& token : source.all_tokens())
        if (token.kind == TokenKind::directive || token.kind == TokenKind::system) {
            std::string& part = parts.emplace_back(source.text_of(token));
            for (const std::string_view word : kWords)
                for (std::size_t at = part.find(word); at != std::string::npos; at = part.find(word))
                    part.erase(at, word.size());
            std::erase(part, ' ');
        }
    return parts;
}

inline std::size_t count_of(std::string_view text, std::string_view part)
{
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
        ++found;
    return found;
}

inline std::size_t launches_in(const Source& source)
{
    std::size_t launches = 0;
    for (std::size_t token = 0; token < source.size(); ++token) {
        const bool opens = source.is(token, "<<<") || (source.is(token, "<<") && source.is(token + 1, "<"));
        launches += opens && (token == 0 || !source.is(token - 1, "operator")) ? 1 : 0;
    }
    return launches;
}

// Returns what does not hold for this mode; "" if all does. `refusal` becomes the text of the error, if there is one.
inline std::string broken_property(std::string_view text, RewriteMode mode, std::string& refusal)
{
    refusal.clear();
    try {
        const Source source(text);
        const bool of_workload = mode == RewriteMode::workload_cuda || mode == RewriteMode::workload_executor;
        const Changes changes = of_workload ? workload_changes(source, mode == RewriteMode::workload_executor)
                                : mode == RewriteMode::count ? count_changes(source, "", mode)
                                                             : executor_changes(source, "", false);
        std::string result = changes.result();
        // The line at the end that registers the files.
        if (const std::size_t line = result.rfind("namespace { __attribute__((unused)) const bool nestbed_sources");
            mode == RewriteMode::executor &&
            std::ranges::any_of(source.user_files(), [](auto file) { return !file.empty(); }))
            result.erase(line > 0 && !text.ends_with('\n') ? line - 1 : line);
        // And those that say what is not counted.
        if (const std::size_t lines = result.find("static const bool nestbed_uncounted_1 ");
            mode == RewriteMode::count && lines != std::string::npos)
            result.erase(lines > 0 && !text.ends_with('\n') ? lines - 1 : lines);
        const Source rewritten(result);
        if (untouched_parts(source) != untouched_parts(rewritten))
            return "directives and system parts stay as they are";
        const auto before = tokens_with_lines(source, changes.changed_tokens());
        const auto after = tokens_with_lines(rewritten, {});
        auto at = after.begin();
        for (const auto& token : before) {
            at = std::find(at, after.end(), token);
            if (at == after.end())
                return "tokens that are not rewritten stay on their lines: " + std::string(token.second);
            ++at;
        }
        if (count_of(result, "\n") != count_of(text, "\n"))
            return "line breaks stay";
        if ((mode == RewriteMode::executor || mode == RewriteMode::workload_executor) && launches_in(rewritten) != 0)
            return "no launch is left out";
        const auto counted = [&](std::string_view by) { return count_of(result, by) - count_of(text, by); };
        const std::size_t by_pointers = counted("::nestbed_count::pointer_launch(");
        if (mode == RewriteMode::count && launches_in(source) != launches_in(rewritten) + by_pointers)
            return "no launch is lost";
        if (mode == RewriteMode::count && counted("::nestbed_count::after(") + by_pointers != launches_in(source))
            return "every launch is counted";
        if (of_workload &&
            count_of(result, "::nestbed::launched") - count_of(text, "::nestbed::launched") != launches_in(source))
            return "every launch is counted";
        for (std::size_t token = 0; mode == RewriteMode::executor && token < rewritten.size(); ++token)
            if (rewritten.is(token, "__global__") || rewritten.is(token, "__shared__") ||
                rewritten.is(token, "__device__"))
                return "no word of CUDA is left: " + std::string(rewritten.text(token));
    } catch (const RunError& error) {
        refusal = error.what();
        if (refusal.empty())
            return "a refusal says something";
    }
    return "";
}

// Whether the tokens of a text, one after another, are the text.
inline bool tokens_are_the_text(std::string_view text)
{
    TokenReader reader(text);
    std::size_t at = 0;
    while (!reader.at_end()) {
        const Token token = reader.next();
        if (token.begin != at || token.end <= token.begin || token.end > text.size())
            return false;
        at = token.end;
    }
    return at == text.size();
}

} // namespace nestbed::program
