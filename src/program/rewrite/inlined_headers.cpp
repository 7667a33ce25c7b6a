#include "program/rewrite/inlined_headers.hpp"

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "program/rewrite/tokens.hpp"

#include <algorithm>
#include <string_view>

namespace nestbed::program
{
namespace
{

namespace fs = std::filesystem;

constexpr std::size_t kMaxIncludes = 100;
constexpr std::size_t kMaxInlined = 10000;

// The words of a directive, without the blanks around them: `include` and `"FILE"`.
struct Directive {
    std::string_view name;
    std::string_view rest;
};

std::string_view stripped(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r\f\v";
    const std::size_t begin = text.find_first_not_of(kBlanks);
    return begin == std::string_view::npos ? std::string_view{}
                                           : text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

Directive directive_of(std::string_view text)
{
    const std::string_view words = stripped(text.substr(1));
    const std::size_t end = std::min(words.find_first_of(" \t\"<"), words.size());
    return {words.substr(0, end), stripped(words.substr(end))};
}

class Inliner
{
  public:
    explicit Inliner(const fs::path& file) : folder_(file.parent_path()) {}

    void add(const fs::path& file)
    {
        if (open_.size() == kMaxIncludes)
            throw RunError(file.string() + ": it is included from " + std::to_string(kMaxIncludes) +
                           " files that include each other; allowed: headers with #pragma once or a guard");
        open_.push_back(file);
        if (std::ranges::find(files_, file) == files_.end())
            files_.push_back(file);
        const std::string text = read_text_file(file.string());
        if (++inlined_ > kMaxInlined)
            throw RunError(open_.front().string() + ": more than " + std::to_string(kMaxInlined) +
                           " headers are included, again and again");
        mark(file, 1, open_.size() > 1 ? " 1" : "");
        TokenReader reader(text);
        std::size_t line = 1;
        bool has_once = false;
        bool has_marks = false; // of headers
        while (!reader.at_end()) {
            const Token token = reader.next();
            const std::string_view all = std::string_view(text).substr(token.begin, token.end - token.begin);
            line += std::ranges::count(all, '\n');
            if (token.kind != TokenKind::directive) {
                out_ += all;
                continue;
            }
            const Directive directive = directive_of(all);
            if (directive.name == "include" && include(directive.rest, line)) {
                has_marks = true;
            } else if (directive.name == "pragma" && directive.rest == "once" && open_.size() > 1 && !has_once) {
                // Where the header is included first may be a branch that is not taken.
                const std::string name = "NESTBED_ONCE_" + std::to_string(number_of(file));
                out_ += "#ifndef " + name + "\n#define " + name + "\n";
                mark(file, line, "");
                has_once = true;
            } else {
                out_ += all;
                if (is_never(directive))
                    line += skip(text, reader, token.end);
                else if (has_marks && (directive.name.starts_with("el") || directive.name == "endif"))
                    mark_again(line); // a mark in a branch that is not taken does not count
            }
        }
        if (!out_.ends_with('\n'))
            out_ += '\n';
        if (has_once)
            out_ += "#endif\n";
        open_.pop_back();
    }

    const std::string& text() const { return out_; }
    const std::vector<fs::path>& files() const { return files_; }

  private:
    // Whether the file is one of the user's, which is now in place of the directive.
    bool include(std::string_view name, std::size_t line)
    {
        if (name.empty() || (name.front() != '"' && name.front() != '<'))
            throw RunError(
                open_.back().string() + ":" + std::to_string(line) +
                ": the header is named by a macro; allowed in a workload: #include \"FILE\", #include <FILE>");
        const std::size_t end = name.find(name.front() == '"' ? '"' : '>', 1);
        if (end == std::string::npos)
            return false;
        for (const fs::path& folder : {open_.back().parent_path(), folder_}) {
            const fs::path file = (folder / name.substr(1, end - 1)).lexically_normal();
            if (!fs::is_regular_file(file))
                continue;
            if (std::ranges::find(open_, file) == open_.end() || !is_guarded(file)) {
                add(file);
                mark(open_.back(), line, " 2");
            }
            return true;
        }
        return false;
    }

    // Whether a header that is included while it is read is empty.
    static bool is_guarded(const fs::path& file)
    {
        const std::string text = read_text_file(file.string());
        for (TokenReader reader(text); !reader.at_end();) {
            const Token token = reader.next();
            if (token.kind != TokenKind::directive)
                continue;
            const auto [name, rest] =
                directive_of(std::string_view(text).substr(token.begin, token.end - token.begin));
            return name == "ifndef" || (name == "pragma" && rest == "once");
        }
        return false;
    }

    std::size_t number_of(const fs::path& file) const
    {
        return static_cast<std::size_t>(std::ranges::find(files_, file) - files_.begin());
    }

    void mark_again(std::size_t line)
    {
        out_ += '\n';
        mark(open_.back(), line, "");
    }

    // `#if 0`. What follows may be no code, and have quotes without end.
    static bool is_never(const Directive& directive)
    {
        const auto& [name, rest] = directive;
        return name == "if" && (rest == "0" || rest.starts_with("0 ") || rest.starts_with("0/"));
    }

    // Leaves the lines from here to #else, #elif or #endif out, but not their ends. Returns how many.
    std::size_t skip(std::string_view text, TokenReader& reader, std::size_t at)
    {
        std::size_t lines = 0;
        std::size_t inner = 0;
        while ((at = text.find('\n', at)) != std::string_view::npos) {
            const std::size_t begin = at + 1;
            const std::string_view line = stripped(text.substr(begin, text.find('\n', begin) - begin));
            const std::string_view name = line.starts_with('#') ? directive_of(line).name : std::string_view{};
            if (inner == 0 && (name == "else" || name == "elif" || name == "endif")) {
                out_ += std::string(++lines, '\n');
                reader.continue_at(begin);
                return lines;
            }
            inner += name.starts_with("if") ? 1 : 0;
            inner -= name == "endif" ? 1 : 0;
            ++lines;
            at = begin;
        }
        return 0; // there is none: the compiler says so
    }

    void mark(const fs::path& file, std::size_t line, std::string_view flag)
    {
        std::string name;
        for (const char byte : file.string()) {
            if (byte == '"' || byte == '\\')
                name += '\\';
            name += byte;
        }
        out_ += "# " + std::to_string(line) + " \"" + name + "\"" + std::string(flag) + "\n";
    }

    fs::path folder_;
    std::vector<fs::path> open_;
    std::vector<fs::path> files_;
    std::size_t inlined_ = 0;
    std::string out_;
};

} // namespace

std::string with_user_headers(const fs::path& file, std::vector<fs::path>& files)
{
    Inliner inliner(file);
    inliner.add(file);
    files = inliner.files();
    return inliner.text();
}

} // namespace nestbed::program
