#include "program/rewrite/inlined_headers.hpp"

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "program/rewrite/tokens.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace nestbed::program
{
namespace
{

namespace fs = std::filesystem;

constexpr std::size_t kMaxIncludes = 100;

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
        mark(file, 1, open_.size() > 1 ? " 1" : "");
        TokenReader reader(text);
        std::size_t line = 1;
        while (!reader.at_end()) {
            const Token token = reader.next();
            const std::string_view all = std::string_view(text).substr(token.begin, token.end - token.begin);
            line += std::ranges::count(all, '\n');
            if (token.kind != TokenKind::directive || !directive(all, line))
                out_ += all;
        }
        if (!out_.ends_with('\n'))
            out_ += '\n';
        open_.pop_back();
    }

    std::string text() && { return std::move(out_); }
    std::vector<fs::path> files() && { return std::move(files_); }

  private:
    // Whether something else stands in place of the directive.
    bool directive(std::string_view text, std::size_t line)
    {
        const auto [name, rest] = directive_of(text);
        if (name == "pragma" && rest == "once" && open_.size() > 1) {
            once_.insert(open_.back());
            return true;
        }
        const std::size_t end = name == "include" && rest.starts_with('"') ? rest.find('"', 1) : std::string::npos;
        if (end == std::string::npos)
            return false;
        for (const fs::path& folder : {open_.back().parent_path(), folder_}) {
            const fs::path file = (folder / rest.substr(1, end - 1)).lexically_normal();
            if (!fs::is_regular_file(file))
                continue;
            if (!once_.contains(file)) {
                add(file);
                mark(open_.back(), line, " 2");
            }
            return true;
        }
        return false;
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
    std::set<fs::path> once_;
    std::string out_;
};

} // namespace

std::string with_own_headers(const fs::path& file, std::vector<fs::path>& files)
{
    Inliner inliner(file);
    inliner.add(file);
    std::string text = std::move(inliner).text();
    files = std::move(inliner).files();
    return text;
}

} // namespace nestbed::program
