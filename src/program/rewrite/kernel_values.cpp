#include "program/rewrite/kernel_values.hpp"

#include "program/rewrite/launches.hpp"
#include "program/rewrite/template_parameters.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace nestbed::program
{
namespace
{

template <std::size_t count>
bool is_one_of(std::string_view text, const std::array<std::string_view, count>& texts)
{
    return std::ranges::find(texts, text) != texts.end();
}

class KernelValues
{
  public:
    KernelValues(const Source& source, const std::vector<Function>& functions,
                 const std::function<bool(std::size_t)>& names_kernel, std::string_view level, Changes& changes)
        : source_(source), level_(level), changes_(changes), templates_(source, changes)
    {
        for (const Function& function : functions)
            if (function.is_kernel)
                note(function);
        std::set<std::size_t> declared;
        for (const Function& function : functions)
            declared.insert(function.name);
        for (std::size_t token = 0; token < source.size(); ++token) {
            if (kernel_names_.contains(source.text(token)) && !declared.contains(token))
                note_if_overload(token);
            for (std::size_t at = token + 1; source.is(token, "namespace") && source.is_identifier(at);
                 at = source.is(at + 1, "::") ? at + 2 : kNoToken)
                namespaces_.insert(source.text(at));
            if (source.is_identifier(token) && names_kernel(token))
                uses_.push_back(token);
        }
    }

    void cast()
    {
        while (!uses_.empty()) { // template parameters add to them
            const std::size_t use = uses_.back();
            uses_.pop_back();
            read(use);
        }
        while (!no_constants_.empty()) { // and declarations to these
            const std::size_t value = no_constants_.back();
            no_constants_.pop_back();
            take_constexpr_from(value);
        }
    }

  private:
    // Tokens [begin, end), with & before the name or without.
    struct Value {
        std::size_t begin, end;
        bool has_address;
    };

    // Kernels of which one name has several: each use says by its type which it means.
    void note(const Function& kernel)
    {
        const std::string_view name = source_.text(kernel.name);
        if (source_.is(kernel.name + 1, "<")) // a specialisation
            return;
        bool is_template = false;
        for (std::size_t at = kernel.attribute; at-- > 0 && !ends_statement(source_, at);)
            if (source_.is(at, "template") && source_.is(at + 1, "<")) {
                if (source_.is(at + 2, ">"))
                    return; // the same without arguments
                is_template = true;
            }
        if (is_template)
            templates_of_kernels_.insert(name);
        const std::string scope = scope_of(kernel.name);
        kernel_names_.insert(name);
        kernels_.insert({name, scope});
        const bool is_second = kernel.body != kNoToken && !defined_.insert({name, is_template, scope}).second;
        const auto [first, is_new] = first_.insert({{name, is_template, scope}, kernel.parameters});
        if (is_second || (!is_new && differ(first->second, kernel.parameters)))
            overloaded_.insert({name, is_template});
    }
    // Surely, whatever the types are called: by their number, or by a word of C.
    bool differ(std::size_t parameters, std::size_t others) const
    {
        const std::vector<TokenRange> some =
            parts_between_commas(source_, parameters, [](std::string_view) { return true; });
        const std::vector<TokenRange> more =
            parts_between_commas(source_, others, [](std::string_view) { return true; });
        bool differs = some.size() != more.size();
        for (std::size_t index = 0; !differs && index < some.size(); ++index) {
            const std::string_view word = source_.text(some[index].begin), other = source_.text(more[index].begin);
            differs = word != other && is_number_word(word) && is_number_word(other);
        }
        return differs;
    }
    // A function of the host beside a kernel of its name.
    void note_if_overload(std::size_t name)
    {
        const std::size_t end = source_.is(name + 1, "(") ? source_.match(name + 1) : kNoToken;
        const bool has_type =
            name > 0 && (source_.is_identifier(name - 1) ? !is_before_expression(source_.text(name - 1))
                                                         : source_.is(name - 1, "*") || source_.is(name - 1, "&"));
        if (end == kNoToken || !has_type || !(source_.is(end + 1, "{") || source_.is(end + 1, ";")) ||
            !kernels_.contains({source_.text(name), scope_of(name)}))
            return;
        for (std::size_t at = name; at-- > 0 && !ends_statement(source_, at);)
            if (source_.is(at, "=") || (source_.is(at, "template") && !source_.is(at + 1, "<")))
                return; // an instantiation
        overloaded_.insert({source_.text(name), false});
    }
    // The names of the namespaces around a token, and a brace that is of none.
    std::string scope_of(std::size_t token) const
    {
        std::string scope;
        for (std::size_t around = source_.parent(token); around != kNoToken; around = source_.parent(around)) {
            std::size_t begin = around;
            while (begin > 0 && (source_.is_identifier(begin - 1) || source_.is(begin - 1, "::")) &&
                   !source_.is(begin, "namespace"))
                --begin;
            if (source_.is_string(around - 1))
                continue; // extern "C"
            scope = (source_.is(begin, "namespace") ? source_.on_one_line(begin, around) : std::to_string(around)) +
                    scope;
        }
        return scope;
    }

    void read(std::size_t name)
    {
        Value value{name, name + 1, false};
        const bool is_template = templates_of_kernels_.contains(source_.text(name));
        if (is_template && source_.is(name + 1, "<"))
            value.end = template_arguments_end(source_, name + 1);
        if (value.end == kNoToken)
            return;
        const bool is_of_class = name > 1 && source_.is(name - 1, "::") && source_.is_identifier(name - 2) &&
                                 !namespaces_.contains(source_.text(name - 2)) &&
                                 !is_before_expression(source_.text(name - 2));
        while (value.begin > 1 && source_.is(value.begin - 1, "::"))
            value.begin -=
                source_.is_identifier(value.begin - 2) && !is_before_expression(source_.text(value.begin - 2)) ? 2
                                                                                                               : 1;
        const bool is_counted =
            source_.is(value.begin - 1, "(") && source_.is(value.begin - 2, "..."); // sizeof...(names)
        if (value.begin == 0 || is_of_class || is_counted)
            return;
        const bool has_arguments = value.end != name + 1;
        const bool has_several =
            (is_template && !has_arguments) || overloaded_.contains({source_.text(name), has_arguments});
        if (is_address(value.begin - 1) || (has_several && is_address_behind_cast(value.begin - 1))) {
            value.has_address = true;
            --value.begin;
        }
        const std::size_t before = value.begin - 1;
        if (source_.is(before, "(") && before > 0 && source_.is(before - 1, "decltype") && !value.has_address) {
            changes_.insert_before(before - 1, "::nestbed_count::Function<");
            changes_.insert_before(value.begin, "::nestbed_count::user<" + std::string(level_) + ">(");
            changes_.insert_after(value.end, ")>");
        } else if (const std::size_t opening = templates_.arguments_around(value.begin, value.end);
                   opening != kNoToken) {
            std::ranges::copy(templates_.retype_parameters(opening, value.begin), std::back_inserter(uses_));
        } else if (is_expression(value, has_several && !has_arguments)) {
            write_cast(value, has_several, has_arguments);
            no_constants_.push_back(value.begin);
        }
    }

    // Not behind a cast, which needs no other one: (a) & k may be of variables.
    bool is_address(std::size_t token) const
    {
        static constexpr std::array<std::string_view, 12> kBefore{"(", ",", "=",  "{",  "<",  "?",
                                                                  "[", ":", "==", "!=", "&&", "||"};
        return source_.is(token, "&") && token > 0 &&
               (is_one_of(source_.text(token - 1), kBefore) || is_before_expression(source_.text(token - 1)));
    }

    bool is_address_behind_cast(std::size_t token) const
    {
        const std::size_t cast =
            source_.is(token, "&") && source_.is(token - 1, ")") ? source_.match(token - 1) : kNoToken;
        return cast != kNoToken && cast > 0 && !ends_expression(cast - 1);
    }

    // Where no declaration can have the name. Of several kernels: where a type says which.
    bool is_expression(const Value& value, bool has_several) const
    {
        static constexpr std::array<std::string_view, 12> kBehind{",", ")",  ";",  "}",  "?",  ":",
                                                                  "]", "==", "!=", "&&", "||", "..."};
        static constexpr std::array<std::string_view, 8> kBefore{"=", "return", "?", ":", ")", "==", "!=", "("};
        static constexpr std::array<std::string_view, 7> kWithoutType{"?", ":", "==", "!=", "&&", "||", "]"};
        const std::string_view before = source_.text(value.begin - 1), behind = source_.text(value.end);
        if (!is_one_of(behind, kBehind))
            return false;
        if (behind == "]") // of a subscript or `[name = k]`, not of a capture
            return before == "=" || (before == "[" && ends_expression(value.begin - 2));
        if (has_several && (is_one_of(before, kWithoutType) || is_one_of(behind, kWithoutType)))
            return false;
        if (is_one_of(before, kBefore) || behind == "==" || behind == "!=")
            return true;
        const std::size_t around = source_.parent(value.begin);
        return before == "{" ? is_list(value.begin - 1)
                             : before == "," && behind != ";" && (source_.is(around, "(") || is_list(around));
    }
    bool ends_expression(std::size_t token) const
    {
        return source_.is(token, ")") || source_.is(token, "]") ||
               (source_.is_identifier(token) && !source_.is(token, "auto") &&
                !is_before_expression(source_.text(token)));
    }
    // {a, b} of values.
    bool is_list(std::size_t brace) const
    {
        const std::size_t end = source_.is(brace, "{") ? source_.match(brace) : kNoToken;
        if (end == kNoToken)
            return false;
        for (std::size_t at = brace + 1; at < end; at = token_behind(source_, at))
            if (source_.is(at, ";"))
                return false;
        for (std::size_t at = brace; at-- > 0 && !ends_statement(source_, at) && !source_.is(at, ")");)
            if (source_.is(at, "enum"))
                return false;
        return true;
    }
    void write_cast(const Value& value, bool has_several, bool has_arguments)
    {
        const std::string text = source_.on_one_line(value.begin, value.end);
        if (has_several) {
            const std::string to = "static_cast<typename decltype(nestbed_to)::type>(";
            changes_.insert_before(value.begin, "::nestbed_count::named<" + std::string(level_) +
                                                    ">([](auto nestbed_to) -> decltype(" + to + text +
                                                    ")) { return " + to);
            const std::string one = "::nestbed_count::one<" + std::string(level_) + ">(nestbed_to, " + text + ")";
            changes_.insert_before(
                value.end,
                "); }" +
                    (has_arguments ? ", [](auto nestbed_to) -> decltype(" + one + ") { return " + one + "; }" : "") +
                    ")");
        } else if ((is_in_function(value.begin) && !is_static(value.begin)) ||
                   (source_.is(value.begin - 1, "=") && is_reference(value.begin - 1))) {
            changes_.insert_before(value.begin + (value.has_address ? 1 : 0),
                                   "::nestbed_count::value<" + std::string(level_) + ">(");
            changes_.insert_after(value.end - 1, ")");
        } else { // a constant for static initialisation, which variables of the device need
            changes_.insert_before(value.begin, cast_to("user", text) + cast_to("bare", text));
        }
    }
    bool is_in_function(std::size_t token) const
    {
        for (std::size_t around = source_.parent(token); around != kNoToken; around = source_.parent(around))
            if (is_function_body(around))
                return true;
        return false;
    }
    // Or of a loop or a branch.
    bool is_function_body(std::size_t brace) const
    {
        bool has_parameters = false, has_value = false;
        for (std::size_t at = statement_begin(brace); source_.is(brace, "{") && at < brace;
             at = token_behind(source_, at)) {
            has_parameters |= source_.is(at, "(") && !is_variable(at);
            has_value |= source_.is(at, "=");
        }
        return has_parameters && !has_value;
    }
    // `static F name = token`, `static F names[] = {token}` in a function
    bool is_static(std::size_t token) const
    {
        for (std::size_t inner = token; inner != kNoToken; inner = source_.parent(inner)) {
            bool has_word = false, has_value = false;
            for (std::size_t at = statement_begin(inner); at < inner; at = token_behind(source_, at)) {
                has_word |= source_.is(at, "static");
                has_value |= source_.is(at, "=");
            }
            if (has_word && (has_value || inner != token))
                return has_value || !is_function_body(inner);
            if (is_function_body(inner))
                return false;
        }
        return false;
    }
    // `F& name =`, `void (&name)(int) =`
    bool is_reference(std::size_t equal) const
    {
        const std::size_t opening =
            source_.is(equal - 1, ")") ? source_.match(source_.match(equal - 1) - 1) : kNoToken;
        return source_.is(equal - 2, "&") || (source_.is(opening, "(") && source_.is(opening + 1, "&"));
    }
    std::string cast_to(std::string_view type, const std::string& value) const
    {
        return "(decltype(::nestbed_count::" + std::string(type) + "<" + std::string(level_) + ">(" + value + ")))";
    }

    // ---- constants ----

    // From the declarations around the token: of its variable, of the function in which it is.
    void take_constexpr_from(std::size_t token)
    {
        for (std::size_t inner = token; inner != kNoToken; inner = source_.parent(inner)) {
            const std::size_t begin = statement_begin(inner);
            for (std::size_t at = begin; at < inner; at = token_behind(source_, at))
                if (source_.is(at, "constexpr") && !source_.is(at - 1, "if") && no_constexpr_.insert(at).second)
                    take_constexpr(begin, at, inner);
        }
    }
    // The begin of what is around the token in its bracket.
    std::size_t statement_begin(std::size_t token) const
    {
        std::size_t begin = token;
        while (begin > 0) {
            const std::size_t before = begin - 1;
            if (ends_statement(source_, before) || source_.is(before, "(") || source_.is(before, "["))
                break;
            const bool closes = source_.is(before, ")") || source_.is(before, "]");
            begin = closes && source_.match(before) != kNoToken ? source_.match(before) : before;
        }
        return begin;
    }
    void take_constexpr(std::size_t begin, std::size_t word, std::size_t inner)
    {
        std::size_t name = kNoToken;
        bool has_parameters = false, has_value = false, is_inline = false;
        for (std::size_t at = begin; at < inner; at = token_behind(source_, at)) {
            is_inline |= source_.is(at, "inline");
            has_value |= source_.is(at, "=");
            if (is_declarator(at) && !has_value)
                name = declared_in(at);
            has_parameters |= source_.is(at, "(") && !is_variable(at);
            if (source_.is_identifier(at) && !has_parameters && !has_value && !is_declarator(at + 1))
                name = at;
        }
        changes_.warn(source_.message(word, "what is made of a kernel's name is no constant in a counted build, so "
                                            "constexpr was left out; allowed: no static_assert, no array size and no "
                                            "template argument that needs it"));
        const bool is_function = has_parameters && !has_value && source_.is(inner, "{");
        const bool is_member = is_in_class(begin);
        changes_.replace(word, std::string((is_function || is_member) && !is_inline ? "inline" : "") +
                                   (is_function || makes_declarators_constant(word) ? "" : " const"));
        if (name == kNoToken || source_.is(name, "operator"))
            return;
        for (std::size_t at = 1; at < source_.size(); ++at) // they are no constants either
            if (at != name && source_.text(at) == source_.text(name) && !source_.is(at - 1, ".") &&
                !source_.is(at - 1, "->"))
                no_constants_.push_back(at);
    }
    // The ( of `void (*name)(int)`, `void (&name)(int)`, `void (*name(int))(int)`.
    bool is_declarator(std::size_t opening) const
    {
        return source_.is(opening, "(") && (source_.is(opening + 1, "*") || source_.is(opening + 1, "&"));
    }
    std::size_t declared_in(std::size_t opening) const
    {
        std::size_t name = opening + 1;
        while (source_.is(name, "*") || source_.is(name, "&") || source_.is(name, "const"))
            ++name;
        return name;
    }
    bool is_variable(std::size_t opening) const
    {
        return (is_declarator(opening) && !source_.is(declared_in(opening) + 1, "(")) ||
               (source_.is(opening - 1, ")") && is_declarator(source_.match(opening - 1)) &&
                is_variable(source_.match(opening - 1)));
    }
    // Of pointers and references: a pointer is const behind its last *, and a reference is it as it is.
    bool makes_declarators_constant(std::size_t word)
    {
        std::size_t star = kNoToken;
        bool is_changed = false, in_value = false, is_pointer = false;
        for (std::size_t at = word + 1; at < source_.size() && !source_.is(at, ";"); at = token_behind(source_, at)) {
            const std::size_t last = is_declarator(at) ? declared_in(at) - 1 : at;
            const bool begins_value = source_.is(at, "=") || source_.is(at, "{");
            if (begins_value && star != kNoToken && !in_value) {
                changes_.insert_after(star, " const ");
                star = kNoToken;
            }
            in_value = (in_value || begins_value) && !source_.is(at, ",");
            if (in_value)
                continue;
            is_changed |= source_.is(at, "const") || source_.is(last, "const") || source_.is(last, "&");
            if (source_.is(last, "*")) {
                star = last;
                is_pointer = true;
            } else if (source_.is(at, "const") || source_.is(last, "const")) {
                star = kNoToken;
            }
        }
        return is_changed || is_pointer;
    }
    bool is_in_class(std::size_t token) const
    {
        const std::size_t brace = source_.parent(token);
        if (!source_.is(brace, "{"))
            return false;
        for (std::size_t at = statement_begin(brace); at < brace && !source_.is(at, "(") && !source_.is(at, "=");
             at = token_behind(source_, at))
            if (source_.is(at, "class") || source_.is(at, "struct") || source_.is(at, "union"))
                return true;
        return false;
    }

    const Source& source_;
    std::string_view level_;
    Changes& changes_;
    TemplateParameters templates_;
    using Known = std::tuple<std::string_view, bool, std::string>; // name, is a template, scope
    std::set<Known> defined_;
    std::map<Known, std::size_t> first_;                         // the parameters of the first declaration
    std::set<std::pair<std::string_view, std::string>> kernels_; // name, scope
    std::set<std::pair<std::string_view, bool>> overloaded_;
    std::unordered_set<std::string_view> kernel_names_, templates_of_kernels_, namespaces_;
    std::vector<std::size_t> uses_;         // names of kernels, and of template parameters that are kernels
    std::vector<std::size_t> no_constants_; // tokens of values
    std::set<std::size_t> no_constexpr_;    // words that were changed
};

} // namespace

void cast_kernel_values(const Source& source, const std::vector<Function>& functions,
                        const std::function<bool(std::size_t token)>& names_kernel, std::string_view level,
                        Changes& changes)
{
    KernelValues(source, functions, names_kernel, level, changes).cast();
}

} // namespace nestbed::program
