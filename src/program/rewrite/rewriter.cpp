#include "program/rewrite/rewriter.hpp"

namespace nestbed::program
{

std::size_t find_count_mark(std::string_view text)
{
    static constexpr std::string_view kMark = "static_assert(nestbed_rewritten";
    for (std::size_t at = text.find(kMark); at != std::string_view::npos; at = text.find(kMark, at + 1))
        if (at == 0 || text[at - 1] == '\n')
            return at;
    return std::string_view::npos;
}

std::string rewrite(std::string_view text, RewriteMode mode, std::string_view folder,
                    std::vector<std::string>* warnings, bool keeps_columns)
{
    if (mode == RewriteMode::workload_cuda || mode == RewriteMode::workload_executor) {
        const Source source(text);
        return workload_changes(source, mode == RewriteMode::workload_executor).result();
    }
    if (mode != RewriteMode::count && mode != RewriteMode::count_strict && mode != RewriteMode::trace) {
        const Source source(text);
        Changes changes = executor_changes(source, folder, mode == RewriteMode::executor_whole);
        if (warnings != nullptr)
            *warnings = changes.warnings();
        if (keeps_columns)
            changes.keep_columns();
        return changes.result();
    }
    const std::size_t mark = find_count_mark(text);
    if (mark == std::string_view::npos)
        return std::string(text);
    const Source source(text);
    const Changes changes = count_changes(source, folder, mode);
    if (warnings != nullptr)
        *warnings = changes.warnings();
    std::string rewritten = changes.result();
    // Insertions do not begin lines, so the mark is still the first line of its kind.
    const std::size_t line = find_count_mark(rewritten);
    rewritten.erase(line, rewritten.find('\n', line) - line);
    return rewritten;
}

} // namespace nestbed::program
