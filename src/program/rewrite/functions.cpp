#include "program/rewrite/functions.hpp"

#include "program/rewrite/launches.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace nestbed::program
{
namespace
{

// Words that are followed by parentheses, but are not the name of a function.
bool is_attribute_word(std::string_view word)
{
    static constexpr std::array<std::string_view, 17> kWords = {"__launch_bounds__",
                                                                "__attribute__",
                                                                "__maxnreg__",
                                                                "__cluster_dims__",
                                                                "__block_size__",
                                                                "__align__",
                                                                "__builtin_align__",
                                                                "__declspec",
                                                                "alignas",
                                                                "decltype",
                                                                "noexcept",
                                                                "throw",
                                                                "requires",
                                                                "explicit",
                                                                "__typeof__",
                                                                "typeof",
                                                                "asm"};
    return std::ranges::find(kWords, word) != kWords.end();
}

bool is_type_word(std::string_view word)
{
    static constexpr std::array<std::string_view, 12> kWords = {
        "void", "int", "unsigned", "signed", "long", "short", "char", "float", "double", "bool", "auto", "const"};
    return std::ranges::find(kWords, word) != kWords.end();
}

// Words between a function's parameters and its body.
bool is_trailing_word(std::string_view word)
{
    static constexpr std::array<std::string_view, 6> kWords = {"const", "volatile", "override",
                                                               "final", "try",      "mutable"};
    return std::ranges::find(kWords, word) != kWords.end() || is_attribute_word(word);
}

class FunctionReader
{
  public:
    FunctionReader(const Source& source, const Function& begun) : source_(source), function_(begun) {}

    // Whether a function follows the attribute. It stops at the next attribute, so that reading all takes linear time.
    bool read()
    {
        at_ = function_.attribute_end;
        while (at_ < source_.size()) {
            const std::string_view text = source_.text(at_);
            if (text == ";" || text == "{" || text == "}" || text == "=" || text == ")" || text == "]" ||
                begins_next())
                return false;
            if (text == "operator") {
                read_operator();
            } else if (text == "<") {
                at_ = template_arguments_end(source_, at_);
            } else if (text == "[") {
                at_ = after_match(at_);
            } else if (text == "(") {
                if (read_parentheses()) {
                    read_rest();
                    return true;
                }
            } else {
                if (source_.is_identifier(at_))
                    name_ = at_;
                else if (text != "::" && text != "~")
                    name_ = kNoToken;
                ++at_;
            }
        }
        return false;
    }

    const Function& function() const { return function_; }

  private:
    std::size_t after_match(std::size_t token) const
    {
        const std::size_t other = source_.match(token);
        return other == kNoToken ? source_.size() : other + 1;
    }
    bool begins_next() const { return begins_attribute(at_); }
    bool begins_attribute(std::size_t token) const
    {
        return attribute_end(source_, token, "global") != kNoToken ||
               attribute_end(source_, token, "device") != kNoToken;
    }

    void read_operator()
    {
        name_ = at_++;
        if (source_.is(at_, "(") && source_.is(at_ + 1, ")"))
            at_ += 2;
        while (at_ < source_.size() && !source_.is(at_, "(") && !source_.is(at_, ";") && !source_.is(at_, "{") &&
               !begins_next())
            ++at_;
    }

    // At `(`. Whether it begins the parameters; otherwise moves behind it.
    bool read_parentheses()
    {
        const std::size_t end = source_.match(at_);
        if (end == kNoToken) {
            at_ = source_.size();
            return false;
        }
        const std::string_view before = name_ == kNoToken ? std::string_view{} : source_.text(name_);
        const bool is_name = !before.empty() && !is_attribute_word(before) && !is_type_word(before);
        if (is_name) {
            const bool is_unknown_attribute = source_.is_identifier(end + 1) && before != "operator" &&
                                              !is_trailing_word(source_.text(end + 1)) && !begins_attribute(end + 1);
            if (!is_unknown_attribute) {
                function_.name = name_;
                function_.parameters = at_;
                function_.parameters_end = end;
                return true;
            }
        }
        // `void (k)(int)`: the name is in parentheses.
        const bool is_name_within = is_type_word(before) && end > at_ + 1 && source_.is_identifier(end - 1) &&
                                    source_.is(end + 1, "(") && !source_.is(at_ + 1, "*");
        name_ = is_name_within ? end - 1 : kNoToken;
        at_ = end + 1;
        return false;
    }

    // From the parameters to the body, over noexcept(…), attributes, the return type and initialisers of members.
    void read_rest()
    {
        std::size_t at = function_.parameters_end + 1;
        bool in_initialisers = false;
        while (at < source_.size()) {
            const std::string_view text = source_.text(at);
            if (text == ";" || text == "=" || text == "}" || text == ")" || begins_attribute(at))
                return;
            if (text == "{" && !(in_initialisers && is_initialiser(at)) && !is_requirement(at)) {
                function_.body = source_.match(at) == kNoToken ? kNoToken : at;
                function_.body_end = source_.match(at);
                return;
            }
            in_initialisers |= text == ":";
            at = text == "(" || text == "[" || text == "{" ? after_match(at) : at + 1;
        }
    }
    // `member{value}` in place of `member(value)`: a comma or the body follows.
    bool is_initialiser(std::size_t brace) const
    {
        const std::size_t next = after_match(brace);
        return (source_.is_identifier(brace - 1) || source_.is(brace - 1, ">")) &&
               (source_.is(next, ",") || source_.is(next, "{"));
    }

    // `requires requires (T value) { … }`
    bool is_requirement(std::size_t brace) const
    {
        if (!source_.is(brace - 1, ")"))
            return source_.is(brace - 1, "requires");
        const std::size_t opening = source_.match(brace - 1);
        return opening != kNoToken && opening > 1 && source_.is(opening - 1, "requires") &&
               source_.is(opening - 2, "requires");
    }

    const Source& source_;
    Function function_;
    std::size_t at_ = 0;
    std::size_t name_ = kNoToken; // the last identifier, if it may be the name
};

} // namespace

std::size_t attribute_end(const Source& source, std::size_t token, std::string_view word)
{
    const std::string_view text = source.text(token);
    if (text.size() == word.size() + 4 && text.starts_with("__") && text.ends_with("__") &&
        text.substr(2, word.size()) == word)
        return token + 1;
    // As CUDA's headers define the words: __attribute__((global)).
    return text == "__attribute__" && source.is(token + 1, "(") && source.is(token + 2, "(") &&
                   source.is(token + 3, word) && source.is(token + 4, ")") && source.is(token + 5, ")")
               ? token + 6
               : kNoToken;
}

std::vector<Function> find_functions(const Source& source)
{
    std::vector<Function> functions;
    for (std::size_t at = 0; at < source.size(); ++at) {
        Function begun;
        begun.attribute = at;
        begun.attribute_end = attribute_end(source, at, "global");
        begun.is_kernel = begun.attribute_end != kNoToken;
        if (!begun.is_kernel)
            begun.attribute_end = attribute_end(source, at, "device");
        if (begun.attribute_end == kNoToken)
            continue;
        FunctionReader reader(source, begun);
        if (reader.read())
            functions.push_back(reader.function());
        else if (begun.is_kernel)
            source.fail(at, "the function after __global__ cannot be read");
        at = begun.attribute_end - 1;
    }
    return functions;
}

std::vector<std::string> reference_parameters(const Source& source, const Function& function)
{
    std::vector<std::string> names;
    bool in_default = false;
    for (std::size_t at = function.parameters + 1; at < function.parameters_end; ++at) {
        const std::string_view text = source.text(at);
        if (text == "," || text == "=") {
            in_default = text == "=";
        } else if (text == "<") {
            if (const std::size_t end = template_arguments_end(source, at); end != kNoToken)
                at = end - 1;
        } else if (text == "[" || text == "{" || (text == "(" && !source.is(at + 1, "&"))) { // not `(&array)[4]`
            if (source.match(at) != kNoToken)
                at = source.match(at);
        } else if ((text == "&" || text == "&&") && !in_default) {
            std::size_t name = at + 1;
            const bool is_pack = source.is(name, "...");
            name += is_pack ? 1 : 0;
            while (source.text(name).starts_with("__restrict"))
                ++name;
            if (source.is_identifier(name))
                names.push_back(std::string(source.text(name)) + (is_pack ? "..." : ""));
        }
    }
    return names;
}

// The name is the last identifier of a parameter behind its type, or the one in the parentheses of `(*f)(int)` and `(&array)[4]`.
std::optional<std::vector<std::string>> parameter_names(const Source& source, const Function& function)
{
    static constexpr std::array<std::string_view, 8> kNoType = {"const", "volatile", "struct",   "class",
                                                                "union", "enum",     "typename", "..."};
    static constexpr std::array<std::string_view, 14> kNoName = {"const",  "volatile", "int",  "char", "bool",
                                                                 "float",  "double",   "void", "long", "short",
                                                                 "signed", "unsigned", "auto", "..."};
    std::vector<std::string> names;
    std::string name;
    bool has_type = false;
    bool is_pack = false;
    bool in_default = false;
    bool is_empty = true;
    const auto end_parameter = [&] {
        if (name.empty())
            return false;
        names.push_back(std::exchange(name, "") + (is_pack ? "..." : ""));
        has_type = is_pack = in_default = false;
        return true;
    };
    for (std::size_t at = function.parameters + 1; at < function.parameters_end; ++at) {
        const std::string_view text = source.text(at);
        if (text == ",") {
            if (!end_parameter())
                return std::nullopt;
            continue;
        }
        if (is_empty && text == "void" && at + 1 == function.parameters_end)
            return names;
        is_empty = false;
        if (text == "=") {
            in_default = true;
        } else if (text == "<") {
            if (const std::size_t end = template_arguments_end(source, at); end != kNoToken)
                at = end - 1;
            has_type = true;
        } else if (text == "(" && has_type && (source.is(at + 1, "*") || source.is(at + 1, "&"))) {
            if (!in_default && source.is_identifier(at + 2))
                name = source.text(at + 2);
            at = source.match(at);
        } else if (text == "[" || text == "{" || text == "(") {
            if (source.match(at) != kNoToken)
                at = source.match(at);
        } else if (in_default || text == "__restrict" || text == "__attribute" ||
                   (text.starts_with("__") && text.ends_with("__"))) {
            continue;
        } else if (source.is_identifier(at) && has_type && !source.is(at - 1, "::") &&
                   std::ranges::find(kNoName, text) == kNoName.end()) {
            name = text;
        } else {
            is_pack |= text == "...";
            has_type |= std::ranges::find(kNoType, text) == kNoType.end();
        }
    }
    if (!is_empty && !end_parameter())
        return std::nullopt;
    return names;
}

std::vector<LambdaBody> find_lambdas(const Source& source)
{
    static constexpr std::size_t kMaxHeader = 200; // tokens from the captures to the body; keeps the time linear
    std::vector<LambdaBody> lambdas;
    for (std::size_t at = 0; at < source.size(); ++at) {
        // After an operand, [ is an index; [[ begins an attribute.
        const bool is_index = at > 0 && !is_before_expression(source.text(at - 1)) &&
                              (source.is_identifier(at - 1) || source.is_string(at - 1) || source.is(at - 1, ")") ||
                               source.is(at - 1, "]") || source.is(at - 1, "["));
        if (!source.is(at, "[") || source.is(at + 1, "[") || is_index || source.match(at) == kNoToken)
            continue;
        LambdaBody lambda{.captures = at, .body = kNoToken, .body_end = kNoToken, .is_device = false};
        const std::size_t limit = std::min(source.size(), source.match(at) + kMaxHeader);
        for (std::size_t next = source.match(at) + 1; next < limit; ++next) {
            const std::string_view text = source.text(next);
            lambda.is_device |= attribute_end(source, next, "device") != kNoToken;
            if (text == "{") {
                lambda.body = next;
                break;
            }
            if (text == "(" || text == "[")
                next = source.match(next);
            if (next == kNoToken || text == ";" || text == ")" || text == "]" || text == "}")
                break;
        }
        lambda.body_end = source.match(lambda.body);
        if (lambda.body_end != kNoToken)
            lambdas.push_back(lambda);
    }
    return lambdas;
}

std::vector<TokenRange> parts_between_commas(const Source& source, std::size_t opening,
                                             const std::function<bool(std::string_view)>& is_template)
{
    std::vector<TokenRange> parts;
    const std::size_t end = source.match(opening);
    std::size_t begin = opening + 1;
    for (std::size_t at = begin; at <= end; ++at) {
        if (at == end || (source.is(at, ",") && source.parent(at) == opening)) {
            if (at > begin)
                parts.push_back({begin, at});
            begin = at + 1;
        } else if (source.is(at, "<") && source.is_identifier(at - 1) && is_template(source.text(at - 1))) {
            if (const std::size_t behind = template_arguments_end(source, at);
                behind != kNoToken && behind <= end && !source.is(behind, "("))
                at = behind - 1;
        }
    }
    return parts;
}

std::vector<TokenRange> device_code(const std::vector<Function>& functions, const std::vector<LambdaBody>& lambdas)
{
    std::vector<TokenRange> all;
    for (const Function& each : functions)
        all.push_back({each.attribute, (each.body == kNoToken ? each.parameters_end : each.body_end) + 1});
    for (const LambdaBody& each : lambdas)
        if (each.is_device)
            all.push_back({each.captures, each.body_end + 1});
    std::ranges::sort(all, {}, &TokenRange::begin);
    std::vector<TokenRange> outer;
    for (const TokenRange& each : all)
        if (outer.empty() || each.begin >= outer.back().end)
            outer.push_back(each);
    return outer;
}

} // namespace nestbed::program
