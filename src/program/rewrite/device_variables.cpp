#include "program/rewrite/device_variables.hpp"

#include "program/rewrite/launches.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace nestbed::program
{
namespace
{

struct Declaration {
    std::size_t begin = kNoToken;
    std::size_t type = kNoToken; // the first token that is no attribute
    std::size_t end = kNoToken;  // ;
    std::vector<std::size_t> names;
    bool is_static = false; // or has internal linkage for another reason
    bool is_extern = false;
    const char* kind = "device"; // VariableKind
};

class VariableRewriter
{
  public:
    VariableRewriter(const Source& source, bool whole_program, Changes& changes)
        : source_(source), whole_program_(whole_program), changes_(changes)
    {
    }

    void rewrite()
    {
        std::vector<Declaration> found;
        for (std::size_t token = 0; token < source_.size(); ++token) {
            if (!is_of_variable(token) || !is_outside(token))
                continue;
            Declaration one;
            if (!read(token, one))
                continue;
            token = one.end;
            if (one.is_extern)
                for (const std::size_t name : one.names)
                    external_.insert(source_.text(name));
            else
                found.push_back(std::move(one));
        }
        for (const Declaration& each : found)
            change(each);
    }

  private:
    static constexpr std::size_t kMaxTokens =
        500; // of a declarator, without those in brackets: keeps the time linear

    // At __device__, __constant__ or __managed__.
    bool is_of_variable(std::size_t token) const
    {
        return source_.is(token, "__device__") ||
               (source_.is(token, "__attribute__") &&
                (source_.is(token + 3, "nestbed_constant") || source_.is(token + 3, "nestbed_managed")));
    }

    // Only namespaces and extern "C" are around.
    bool is_outside(std::size_t token) const
    {
        for (std::size_t around = source_.parent(token); around != kNoToken; around = source_.parent(around))
            if (!is_namespace(around))
                return false;
        return true;
    }
    bool is_namespace(std::size_t brace) const
    {
        if (!source_.is(brace, "{"))
            return false;
        std::size_t before = brace - 1;
        if (source_.is_string(before))
            return source_.is(before - 1, "extern");
        while (before != 0 && (source_.is(before, "::") || source_.is_identifier(before)) &&
               !source_.is(before, "namespace"))
            --before;
        return source_.is(before, "namespace");
    }

    // False of functions, templates and what else is no variable of its own.
    bool read(std::size_t token, Declaration& to) const
    {
        to.begin = token;
        while (to.begin > 0 && !is_end(source_.text(to.begin - 1))) {
            if (token - to.begin > kMaxTokens)
                return false;
            --to.begin;
            if (source_.is(to.begin, ")")) // of an attribute
                to.begin = source_.match(to.begin);
            if (to.begin == kNoToken)
                return false;
        }
        std::size_t name = kNoToken;
        bool is_behind_class = false; // struct { … } x
        std::size_t steps = 0;
        for (std::size_t at = to.begin; at < source_.size() && ++steps < kMaxTokens; ++at) {
            const std::string_view text = source_.text(at);
            if (const std::size_t end = attribute_end_at(at, to); end != kNoToken) {
                at = end - 1;
                continue;
            }
            if (to.type == kNoToken)
                to.type = at;
            if (text == ";" || text == "," || text == "=" || text == "[" || (text == "{" && !is_behind_class)) {
                if (name == kNoToken)
                    return false;
                to.names.push_back(name);
                at = declarator_end(at);
                if (source_.is(at, ";")) {
                    to.end = at;
                    return true;
                }
                if (!source_.is(at, ","))
                    return false;
                name = kNoToken;
            } else if (text == "{") {
                at = source_.match(at);
                is_behind_class = false;
            } else if (text == "<") {
                const std::size_t end = template_arguments_end(source_, at);
                if (end == kNoToken)
                    return false;
                at = end - 1;
            } else if (text == "struct" || text == "class" || text == "union" || text == "enum") {
                is_behind_class = true;
            } else if (text == "static" || text == "constexpr") {
                to.is_static = true;
            } else if (text == "extern") {
                to.is_extern = true;
            } else if (text == "(" || is_of_others(text)) {
                return false;
            } else if (source_.is_identifier(at) && text != "const" && text != "volatile") {
                name = at;
            }
            if (at == kNoToken)
                return false;
        }
        return false;
    }
    static bool is_end(std::string_view text) { return text == ";" || text == "{" || text == "}"; }
    static bool is_of_others(std::string_view text)
    {
        static constexpr std::array<std::string_view, 8> kWords = {"template", "typedef", "using",    "friend",
                                                                   "operator", "inline",  "decltype", "auto"};
        return std::ranges::find(kWords, text) != kWords.end();
    }
    // The token after an attribute of any kind that begins here; kNoToken if none does.
    std::size_t attribute_end_at(std::size_t at, Declaration& to) const
    {
        if (source_.is(at, "__device__"))
            return at + 1;
        if (source_.is(at, "[") && source_.is(at + 1, "["))
            return source_.match(at) == kNoToken ? kNoToken : source_.match(at) + 1;
        const bool has_list = source_.is(at, "__attribute__") || source_.is(at, "alignas");
        if (!has_list || !source_.is(at + 1, "(") || source_.match(at + 1) == kNoToken)
            return kNoToken;
        if (source_.is(at + 3, "nestbed_constant"))
            to.kind = "constant";
        if (source_.is(at + 3, "nestbed_managed"))
            to.kind = "managed";
        return source_.match(at + 1) + 1;
    }
    // The `,` or `;` behind dimensions and initial value.
    std::size_t declarator_end(std::size_t at) const
    {
        for (std::size_t steps = 0; at < source_.size() && steps < kMaxTokens; ++at, ++steps) {
            const std::string_view text = source_.text(at);
            if (text == ";" || text == ",")
                return at;
            if (text == "(" || text == "[" || text == "{")
                at = source_.match(at);
            if (at == kNoToken)
                break;
        }
        return kNoToken;
    }

    void change(const Declaration& of)
    {
        const bool is_external =
            std::ranges::any_of(of.names, [&](std::size_t name) { return external_.contains(source_.text(name)); });
        if (whole_program_ && !of.is_static && !is_external)
            changes_.insert_before(of.type, "static ");
        std::string calls;
        for (const std::size_t name : of.names) {
            const std::string text(source_.text(name));
            calls += " static const bool nestbed_known_" + text + " = ::nestbed::program::register_symbol(" + text +
                     ", \"" + namespaces(name) + text + "\", " + "::nestbed::program::VariableKind::" + of.kind +
                     ");";
        }
        changes_.insert_after(of.end, calls);
    }
    std::string namespaces(std::size_t token) const
    {
        std::string text;
        for (std::size_t around = source_.parent(token); around != kNoToken; around = source_.parent(around)) {
            if (source_.is_string(around - 1)) // extern "C"
                continue;
            std::string name;
            for (std::size_t at = around - 1; !source_.is(at, "namespace"); --at)
                name.insert(0, source_.text(at));
            text.insert(0, (name.empty() ? "(anonymous namespace)" : name) + "::");
        }
        return text;
    }

    const Source& source_;
    const bool whole_program_;
    Changes& changes_;
    std::unordered_set<std::string_view> external_; // what the file declares extern
};

} // namespace

void rewrite_device_variables(const Source& source, bool whole_program, Changes& changes)
{
    VariableRewriter(source, whole_program, changes).rewrite();
}

} // namespace nestbed::program
