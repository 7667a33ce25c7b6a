#include "program/rewrite/shared_variables.hpp"

#include "program/rewrite/launches.hpp"
#include "program/rewrite/name_scopes.hpp"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace nestbed::program
{
namespace
{

bool is_alignment(std::string_view word)
{
    return word == "alignas" || word == "__align__" || word == "__builtin_align__";
}

class SharedRewriter
{
  public:
    SharedRewriter(const Source& source, const std::vector<Function>& functions,
                   const std::vector<LambdaBody>& lambdas, std::string_view space, Changes& changes)
        : source_(source), changes_(changes), space_(space),
          scopes_(source, functions, lambdas, [](std::size_t) { return false; })
    {
        for (const LambdaBody& lambda : lambdas)
            lambdas_[lambda.body] = lambda;
    }

    void rewrite()
    {
        for (std::size_t token = 0; token < source_.size(); ++token)
            if (source_.is(token, "__shared__"))
                token = declaration(token);
        capture();
        if (!outside_.empty())
            uses_of_outside();
    }

  private:
    // Returns the `;`.
    std::size_t declaration(std::size_t shared)
    {
        const std::size_t end = declaration_end(shared);
        bool is_extern = false;
        bool is_typedef = false;
        std::size_t first = kNoToken; // of the first declarator with its type
        for (std::size_t at = declaration_begin(shared); at < end; ++at) {
            if (source_.is(at, "__shared__")) {
                changes_.replace(at, is_typedef ? "" : "typedef");
                is_typedef = true;
            } else if (source_.is(at, "extern") || source_.is(at, "static")) {
                is_extern |= source_.is(at, "extern");
                changes_.remove(at, at + 1);
            } else if (is_alignment(source_.text(at)) && source_.is(at + 1, "(") && source_.match(at + 1) < end) {
                changes_.remove(at, source_.match(at + 1) + 1); // not allowed in a typedef
                at = source_.match(at + 1);
            } else if (first == kNoToken) {
                first = at;
            }
        }
        for (const std::size_t name : names(shared, first, end))
            variable(name, end, is_extern);
        return end;
    }

    // Behind the statement before, or behind the brace or colon.
    std::size_t declaration_begin(std::size_t shared) const
    {
        std::size_t begin = shared;
        while (begin > 0) {
            const std::string_view before = source_.text(begin - 1);
            const std::size_t opening = before == ")" || before == "]" ? source_.match(begin - 1) : begin - 1;
            if (before == ")" || before == "]") {
                const bool is_attribute =
                    opening != kNoToken && opening > 0 &&
                    (before == "]" || is_alignment(source_.text(opening - 1)) ||
                     source_.is(opening - 1, "__attribute__") || source_.is(opening - 1, "decltype"));
                if (!is_attribute)
                    break;
            } else if (before == ";" || before == "{" || before == "}" || before == ":" || before == "(" ||
                       before == "[" || before == ",") {
                break;
            }
            begin = opening;
        }
        return begin;
    }

    std::size_t declaration_end(std::size_t shared) const
    {
        for (std::size_t at = shared; at < source_.size(); ++at) {
            const std::string_view text = source_.text(at);
            if (text == ";")
                return at;
            if (text == "(" || text == "[" || text == "{") {
                at = source_.match(at);
                if (at == kNoToken)
                    break;
            } else if (text == ")" || text == "]" || text == "}") {
                break;
            }
        }
        source_.fail(shared, "this __shared__ declaration has no end");
    }

    // The names that a declaration declares. `first` is the first token of its type.
    std::vector<std::size_t> names(std::size_t shared, std::size_t first, std::size_t end) const
    {
        std::vector<std::size_t> found;
        std::size_t name = kNoToken;
        bool is_dimension = false; // behind the name
        bool has_class = false;    // `struct { int a; } x`
        const auto finish = [&] {
            if (name == kNoToken || source_.is(name, "__shared__") || source_.is(name, "__device__") ||
                source_.is(name, "__global__"))
                source_.fail(shared, "the name of this __shared__ variable cannot be read");
            found.push_back(name);
            name = kNoToken;
            is_dimension = has_class = false;
        };
        for (std::size_t at = first; at < end; ++at) {
            const std::string_view text = source_.text(at);
            if (text == ",") {
                finish();
            } else if (text == "struct" || text == "class" || text == "union" || text == "enum") {
                has_class = true;
            } else if (text == "=" || (text == "{" && !has_class)) {
                source_.fail(at, "a __shared__ variable cannot have an initial value");
            } else if (text == "<" && !is_dimension) {
                at = template_arguments_end(source_, at);
                if (at == kNoToken)
                    source_.fail(shared, "the type of this __shared__ variable cannot be read");
                --at;
                name = kNoToken;
            } else if (text == "[") {
                is_dimension = name != kNoToken; // not at [[an attribute]]
                at = source_.match(at);
            } else if (text == "(" && source_.is(at + 1, "*")) { // int (*p)[4]
                name = name_in(at + 1, source_.match(at));
                is_dimension = true;
                at = source_.match(at);
            } else if (text == "(" || text == "{") {
                at = source_.match(at);
            } else if (source_.is_identifier(at) && !is_dimension && text != "__attribute__" && text != "const" &&
                       text != "volatile" && text != "__restrict__" && text != "decltype" && text != "__shared__") {
                name = at;
            }
        }
        finish();
        return found;
    }

    std::size_t name_in(std::size_t begin, std::size_t end) const
    {
        std::size_t name = kNoToken;
        for (std::size_t at = begin; at < end && !source_.is(at, "["); ++at)
            if (source_.is_identifier(at) && !source_.is(at, "const"))
                name = at;
        return name;
    }

    void variable(std::size_t token, std::size_t end, bool is_extern)
    {
        const std::string name(source_.text(token));
        const std::string type = "nestbed_type_of_" + name;
        const std::string key = "nestbed_key_of_" + name;
        changes_.replace(token, type);
        const std::string of_key =
            is_extern ? "" : " static const " + space_ + "SharedKey " + key + "{sizeof(" + type + ")};";
        const std::string memory = is_extern ? space_ + "dynamic_shared<" + type + ">(\"" + name + "\")"
                                             : space_ + "shared<" + type + ">(&" + key + ", \"" + name + "\")";
        if (is_local(token)) {
            changes_.insert_after(end, of_key + " " + type + "& " + name + " = " + memory + ";");
            remember(token);
            return;
        }
        declared_.insert(token);
        if (outside_.insert({name, source_.parent(token)}).second) { // not declared again
            // Its value is the same for all that a thread does.
            changes_.insert_after(
                end, " __attribute__((nestbed_device, const, noinline, no_sanitize(\"thread\"))) static " + type +
                         "& " + accessor(name) + " {" + of_key + " return " + memory + "; }");
            first_outside_.insert({source_.text(token), end});
        }
    }

    static std::string accessor(std::string_view name) { return "nestbed_shared_" + std::string(name) + "()"; }

    // Of variables outside of functions: each use becomes a call.
    void uses_of_outside()
    {
        for (std::size_t token = 0; token < source_.size(); ++token) {
            const std::string_view name = source_.text(token);
            const auto variable = first_outside_.find(name);
            if (variable == first_outside_.end() || token < variable->second || declared_.contains(token))
                continue;
            const bool is_qualified = source_.is(token - 1, "::");
            if (is_qualified ? !is_in_namespace_of(token) : scopes_.is_own(token, token + 1, name, true))
                continue;
            std::string use = accessor(name);
            std::size_t first = token; // of the qualified name
            while (source_.is(first - 1, "::") || (source_.is(first, "::") && source_.is_identifier(first - 1)))
                --first;
            if (source_.is(first, "using") || source_.is(first - 1, "using")) // it names the function
                use.resize(use.size() - 2);
            changes_.replace(token, std::move(use));
        }
    }
    // Whether `a::x` and `::x` name such a variable `x`.
    bool is_in_namespace_of(std::size_t token) const
    {
        const std::string_view name = source_.text(token);
        const bool is_global = token < 2 || !source_.is_identifier(token - 2);
        for (auto each = outside_.lower_bound({std::string(name), 0}); each != outside_.end() && each->first == name;
             ++each) {
            std::size_t brace = each->second;
            while (source_.is(brace - 1, "namespace")) // without a name
                brace = source_.parent(brace);
            if (is_global ? brace == kNoToken : source_.is(brace - 1, source_.text(token - 2)))
                return true;
        }
        return false;
    }

    void remember(std::size_t token)
    {
        names_.insert(source_.text(token));
        variables_.insert({{source_.text(token), source_.parent(token)}, token});
    }

    // Whether a bracket other than those of namespaces and of extern "C" is around.
    bool is_local(std::size_t token) const
    {
        for (std::size_t around = source_.parent(token); around != kNoToken; around = source_.parent(around))
            if (!is_namespace(around))
                return true;
        return false;
    }
    bool is_namespace(std::size_t brace) const
    {
        if (!source_.is(brace, "{") || brace == 0)
            return false;
        std::size_t before = brace - 1;
        if (source_.is_string(before))
            return before > 0 && source_.is(before - 1, "extern");
        // A name has a few parts.
        while (before > 0 && brace - before < 20 && (source_.is(before, "::") || source_.is_identifier(before)) &&
               !source_.is(before, "namespace"))
            --before;
        return source_.is(before, "namespace");
    }

    void capture()
    {
        if (lambdas_.empty())
            return;
        for (std::size_t token = 0; token < source_.size(); ++token) {
            const std::string_view name = source_.text(token);
            if (!names_.contains(name) || (token > 0 && (source_.is(token - 1, ".") || source_.is(token - 1, "->") ||
                                                         source_.is(token - 1, "::"))))
                continue;
            std::vector<const LambdaBody*> between; // the use and the declaration
            for (std::size_t around = source_.parent(token); around != kNoToken; around = source_.parent(around)) {
                const auto variable = variables_.find({name, around});
                if (variable != variables_.end() && variable->second <= token) {
                    for (const LambdaBody* lambda : between)
                        capture_in(*lambda, name);
                    break;
                }
                if (const auto lambda = lambdas_.find(around); lambda != lambdas_.end())
                    between.push_back(&lambda->second);
            }
        }
    }

    void capture_in(const LambdaBody& lambda, std::string_view name)
    {
        const std::size_t close = source_.match(lambda.captures);
        const bool captures_all = source_.is(lambda.captures + 1, "&") &&
                                  (lambda.captures + 2 == close || source_.is(lambda.captures + 2, ","));
        if (captures_all || !captured_.insert({lambda.captures, name}).second)
            return;
        for (std::size_t at = lambda.captures; at < lambda.body; ++at)
            if (source_.is(at, name)) // a capture or a parameter of the same name
                return;
        const bool is_first = lambda.captures + 1 == close && !captures_something_.contains(lambda.captures);
        captures_something_.insert(lambda.captures);
        changes_.insert_before(close, (is_first ? "&" : ", &") + std::string(name));
    }

    const Source& source_;
    Changes& changes_;
    std::string space_;
    std::unordered_map<std::size_t, LambdaBody> lambdas_; // by their brace
    std::unordered_set<std::string_view> names_;
    std::map<std::pair<std::string_view, std::size_t>, std::size_t> variables_; // name and bracket around it: token
    NameScopes scopes_;
    // Of variables outside of functions: name and brace around it; where it is declared; the end of the first declaration.
    std::set<std::pair<std::string, std::size_t>> outside_;
    std::unordered_set<std::size_t> declared_;
    std::unordered_map<std::string_view, std::size_t> first_outside_;
    std::set<std::pair<std::size_t, std::string_view>> captured_;
    std::set<std::size_t> captures_something_;
};

} // namespace

void rewrite_shared_variables(const Source& source, const std::vector<Function>& functions,
                              const std::vector<LambdaBody>& lambdas, std::string_view space, Changes& changes)
{
    SharedRewriter(source, functions, lambdas, space, changes).rewrite();
}

} // namespace nestbed::program
