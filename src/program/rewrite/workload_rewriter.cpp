// Modes workload_cuda and workload_executor: the kernels and launches of a user's workload, as src/device has them.
#include "program/rewrite/functions.hpp"
#include "program/rewrite/launches.hpp"
#include "program/rewrite/rewriter.hpp"
#include "program/rewrite/shared_variables.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

namespace nestbed::program
{
namespace
{

constexpr std::string_view kHiddenNest = "nestbed_nest";

class WorkloadRewriter
{
  public:
    explicit WorkloadRewriter(const Source& source)
        : source_(source), functions_(find_functions(source)), lambdas_(find_lambdas(source)), changes_(source)
    {
    }

    Changes rewrite(bool for_executor) &&
    {
        refuse_macros();
        refuse_unpaired();
        for (std::size_t token = 0; token < source_.size(); ++token)
            if (is_nest_type(token))
                changes_.replace(token, has_no_name(token) ? "auto " + std::string(kHiddenNest) : "auto");
        launches_ = find_launches(source_);
        find_nested_kernels();
        for (const Function& function : functions_)
            if (function.is_kernel)
                kernel(function, for_executor);
        for (const Launch& launch : launches_)
            rewrite_launch(launch, for_executor);
        if (for_executor) {
            refuse_shared_outside();
            rewrite_shared_variables(source_, functions_, lambdas_, "::nestbed::cpu::", changes_);
        }
        return std::move(changes_);
    }

  private:
    // The rewriter does not see what a macro becomes.
    void refuse_macros() const
    {
        for (const Token& token : source_.all_tokens()) {
            if (token.kind != TokenKind::directive)
                continue;
            const std::string_view directive = source_.text_of(token).substr(1);
            std::vector<std::string_view> words; // `define`, the name, and what follows
            for (TokenReader reader(directive); !reader.at_end();)
                if (const Token part = reader.next(); is_code(part.kind))
                    words.push_back(directive.substr(part.begin, part.end - part.begin));
            if (words.empty() || words.front() != "define")
                continue;
            for (const std::string_view word : {"<<<", "__global__", "__shared__"})
                if (std::find(words.begin() + std::min<std::ptrdiff_t>(2, std::ssize(words)), words.end(), word) !=
                    words.end())
                    source_.fail_at(token.begin, "a macro with " + std::string(word) +
                                                     " is not for workloads; write out the kernel or the launch");
        }
    }

    // All branches of an #if are read, one after another.
    void refuse_unpaired() const
    {
        for (std::size_t token = 0; token < source_.size(); ++token)
            for (const std::string_view bracket : {"(", ")", "[", "]", "{", "}"})
                if (source_.is(token, bracket) && source_.match(token) == kNoToken)
                    source_.fail(token,
                                 "this bracket has no pair; allowed in a workload: #if, #else and #endif around "
                                 "whole statements");
    }

    void refuse_shared_outside() const
    {
        for (std::size_t token = 0; token < source_.size(); ++token) {
            std::size_t around = source_.parent(token);
            while (source_.is(around, "{") && is_of_namespace(around))
                around = source_.parent(around);
            if (source_.is(token, "__shared__") && around == kNoToken)
                source_.fail(token, "a __shared__ variable outside of a function is not for workloads; declare it in "
                                    "the kernel");
        }
    }
    bool is_of_namespace(std::size_t brace) const
    {
        std::size_t before = brace;
        while (before > 0 && (source_.is(before - 1, "::") || source_.is_identifier(before - 1)) &&
               !source_.is(before, "namespace"))
            --before;
        return source_.is(before, "namespace") || source_.is_string(brace - 1);
    }

    // `Nest` as the type of a parameter. Its real type is the mechanism of the launches.
    bool is_nest_type(std::size_t token) const
    {
        if (!source_.is(token, "Nest"))
            return false;
        const std::size_t parenthesis = source_.parent(token);
        const bool is_parameter = source_.is(parenthesis, "(");
        const std::string_view before = source_.text(token - 1);
        const std::string_view after = source_.text(token + 1);
        return is_parameter && (before == "(" || before == "," || before == "const") &&
               (source_.is_identifier(token + 1) || after == "&" || after == ")" || after == ",");
    }

    bool has_no_name(std::size_t nest_type) const
    {
        return source_.is(nest_type + 1, ",") || source_.is(nest_type + 1, ")");
    }

    // The function of the device whose body a token is in, the innermost one; nullptr: it runs on the host.
    const Function* function_around(std::size_t token) const
    {
        const Function* found = nullptr;
        for (const Function& function : functions_)
            if (function.body != kNoToken && function.body < token && token < function.body_end)
                found = &function;
        return found;
    }

    // The name of a function's parameter of type Nest. Empty if it has none.
    std::string_view nest_of(const Function& function) const
    {
        for (std::size_t token = function.parameters + 1; token < function.parameters_end; ++token)
            if (is_nest_type(token)) {
                for (std::size_t name = token + 1; name < function.parameters_end && !source_.is(name, ","); ++name)
                    if (source_.is_identifier(name) && !source_.is(name, "const"))
                        return source_.text(name);
                return kHiddenNest;
            }
        return {};
    }

    // What the kernels of this file get: nothing, a Nest of their own, or one that is added.
    enum class Nested : std::uint8_t { no, declared, added };

    void find_nested_kernels()
    {
        for (const Launch& launch : launches_) {
            const Function* const around = function_around(launch.opening);
            if (around == nullptr)
                continue;
            if (around->is_kernel)
                nested_names_.insert(source_.text(around->name));
            if (launch.name != kNoToken)
                nested_names_.insert(source_.text(launch.name));
        }
        for (const Function& function : functions_)
            if (function.is_kernel)
                kernels_.insert({source_.text(function.name), nested(function)});
    }

    Nested nested(const Function& kernel) const
    {
        if (!nest_of(kernel).empty())
            return Nested::declared;
        return nested_names_.contains(source_.text(kernel.name)) ? Nested::added : Nested::no;
    }

    // Of the kernel that is launched by this name. Of several, it is one with a Nest of its own if the last argument is one.
    Nested nested(std::string_view name, bool gives_nest) const
    {
        const auto [begin, end] = kernels_.equal_range(name);
        Nested found = Nested::no;
        for (auto each = begin; each != end; ++each)
            if (found == Nested::no || each->second == (gives_nest ? Nested::declared : Nested::added))
                found = each->second;
        return found;
    }

    void kernel(const Function& function, bool for_executor)
    {
        const std::string name(source_.text(function.name));
        const Nested of_kernel = nested(function);
        std::string body;
        if (for_executor)
            body = " ::nestbed::cpu::kernel(\"" + name + "\", [=]() mutable -> void {";
        if (of_kernel == Nested::added) {
            refuse_what_is_no_template(function);
            const bool is_void =
                function.parameters + 2 == function.parameters_end && source_.is(function.parameters + 1, "void");
            if (is_void)
                changes_.replace(function.parameters + 1, "");
            const bool is_only = is_void || function.parameters + 1 == function.parameters_end;
            changes_.insert_after(function.parameters, "auto " + std::string(kHiddenNest) + (is_only ? "" : ", "));
        }
        if (function.body == kNoToken)
            return;
        if (of_kernel != Nested::no && !enters(function))
            body += " const auto nestbed_scope = " + std::string(nest_in(function)) + ".enter();";
        changes_.insert_after(function.body, body);
        if (for_executor)
            changes_.insert_before(function.body_end, "});");
    }

    // The kernel becomes a template. No function of C can be one, and nvcc takes none with a parameter behind a pack.
    void refuse_what_is_no_template(const Function& kernel) const
    {
        const auto fails = [&](std::string_view what) {
            source_.fail(kernel.name, "the kernel " + std::string(source_.text(kernel.name)) +
                                          " launches grids or is launched by one, and " + std::string(what) +
                                          "; in a workload it cannot be both");
        };
        for (std::size_t token = kernel.parameters; token < kernel.parameters_end; ++token)
            if (source_.is(token, "..."))
                fails("has a parameter pack");
        for (std::size_t token = kernel.attribute; token-- > 0;) {
            const std::string_view text = source_.text(token);
            if (text == ";" || text == "}" || text == "{")
                break;
            if (text == "template" && (token + 1 == kernel.attribute || source_.is(token + 2, ">")))
                fails("is a specialisation or an instantiation");
            if (text == "extern" && source_.is_string(token + 1))
                fails("is extern \"C\"");
        }
        for (std::size_t around = source_.parent(kernel.attribute); around != kNoToken;
             around = source_.parent(around))
            if (around >= 2 && source_.is_string(around - 1) && source_.is(around - 2, "extern"))
                fails("is extern \"C\"");
    }

    // Whether a kernel marks its begin by itself, as one must whose level is not that of its Nest.
    bool enters(const Function& kernel) const
    {
        for (std::size_t token = kernel.body; token < kernel.body_end; ++token)
            if (source_.is(token, "enter") && source_.is(token + 1, "(") && source_.is(token - 1, "."))
                return true;
        return false;
    }

    // Whether a lambda around the token has a parameter `nest`, as that of launch_waves() has.
    bool has_nest_around(std::size_t token) const
    {
        return std::ranges::any_of(lambdas_, [&](const LambdaBody& lambda) {
            if (token < lambda.body || token > lambda.body_end)
                return false;
            for (std::size_t at = source_.match(lambda.captures); at < lambda.body; ++at)
                if (source_.is(at, "nest"))
                    return true;
            return false;
        });
    }

    // Tokens [begin, end) without the commas that separate them.
    std::vector<TokenRange> separated(std::size_t begin, std::size_t end) const
    {
        std::vector<TokenRange> parts;
        std::size_t part = begin;
        for (std::size_t at = begin; at < end; ++at) {
            const std::string_view text = source_.text(at);
            if (text == "(" || text == "[" || text == "{") {
                at = source_.match(at) < end ? source_.match(at) : end;
            } else if (text == "<" && source_.is_identifier(at - 1)) {
                const std::size_t close = template_arguments_end(source_, at);
                at = close != kNoToken && close <= end && ends_template_arguments(close, end) ? close - 1 : at;
            } else if (text == ",") {
                parts.push_back({part, at});
                part = at + 1;
            }
        }
        if (part < end)
            parts.push_back({part, end});
        return parts;
    }

    // Of what could be two comparisons.
    bool ends_template_arguments(std::size_t after, std::size_t end) const
    {
        const std::string_view text = source_.text(after);
        return after == end || text == "(" || text == "{" || text == "::" || text == "," || text == ">";
    }

    std::string_view nest_in(const Function& function) const
    {
        return function.is_kernel && nested(function) == Nested::added ? kHiddenNest : nest_of(function);
    }

    // A lambda between a launch and its kernel must have the kernel's Nest, too.
    void capture(std::size_t launch, const Function& kernel, std::string_view nest)
    {
        for (const LambdaBody& lambda : lambdas_) {
            if (lambda.body < kernel.body || lambda.body > launch || lambda.body_end < launch)
                continue;
            const std::size_t first = lambda.captures + 1;
            const std::size_t close = source_.match(lambda.captures);
            bool has_it = (source_.is(first, "=") || source_.is(first, "&")) &&
                          (first + 1 == close || source_.is(first + 1, ","));
            for (std::size_t at = first; at < lambda.body; ++at) // a capture, or a parameter
                has_it |= source_.is(at, nest);
            if (!has_it && capturing_.insert(lambda.captures).second)
                changes_.insert_before(close, (first == close ? "" : ", ") + std::string(nest));
        }
    }

    // In a kernel, `k<<<grid, block, bytes, stream>>>(a)` becomes
    //   ::nestbed::launched_into(nest, stream, {grid, block, bytes}, [&](auto nestbed_next, …) { k<<<…>>>(nestbed_next, a); })
    // and for the executor, where kernels are functions, `k(nestbed_next, a)` there.
    void rewrite_launch(const Launch& launch, bool for_executor)
    {
        const Function* const around = function_around(launch.opening);
        const std::vector<TokenRange> shape = separated(launch.configuration, launch.closing);
        const std::vector<TokenRange> arguments = separated(launch.arguments + 1, launch.end);
        if (shape.empty() || shape.size() > 4) // one may be a macro
            source_.fail(launch.opening, "a launch has a grid, a block, and no more than a size and a stream");
        const std::string_view name = source_.text(launch.name);
        const std::size_t last = !arguments.empty() && arguments.back().end == arguments.back().begin + 1
                                     ? arguments.back().begin
                                     : kNoToken;
        const std::string nest_around(around == nullptr ? "nest" : nest_in(*around));
        const Nested callee = nested(name, source_.is(last, nest_around));
        std::string call = "::nestbed::launched_from_host(";
        std::string parameters = "[&](const ::nestbed::LaunchShape& nestbed_shape, cudaStream_t nestbed_stream)";
        std::string first; // argument of the kernel, if the Nest is added
        const std::string stream =
            shape.size() == 4 ? source_.on_one_line(shape[3].begin, shape[3].end) : std::string();
        if (around != nullptr) {
            const std::string& nest = nest_around;
            if (nest.empty())
                source_.fail(launch.opening,
                             std::string(around->is_kernel ? "the kernel " : "the function ") +
                                 std::string(source_.text(around->name)) + " launches " + std::string(name) +
                                 ": give it a last parameter `Nest nest`, and each call of it that argument");
            capture(launch.opening, *around, nest);
            parameters.insert(4, "auto nestbed_next, ");
            call = stream == nest + ".stream"
                       ? "::nestbed::launched(" + nest + ", "
                       : "::nestbed::launched_into(" + nest + ", " + (stream.empty() ? "nullptr" : stream) + ", ";
            if (callee == Nested::added)
                first = "nestbed_next";
            else if (callee == Nested::declared || source_.is(last, nest))
                change_last(launch, last, nest);
        } else {
            call += stream.empty() ? "0u, " : stream + ", ";
            if (callee == Nested::added && !has_nest_around(launch.opening))
                source_.fail(launch.opening,
                             "the host launches " + std::string(name) +
                                 ", whose grids launch grids or are launched by one, outside of the lambda of "
                                 "launch_waves(job, [&](const auto& wave, auto nest) { ... })");
            if (callee == Nested::added)
                first = "nest";
        }
        if (!for_executor)
            changes_.insert_after(launch.opening - 1, "<<<nestbed_shape.grid, nestbed_shape.block, "
                                                      "nestbed_shape.shared_bytes, nestbed_stream>>>");
        changes_.move(launch.callee, launch.opening, launch.arguments, call);
        changes_.remove(launch.opening, launch.configuration);
        changes_.insert_before(launch.configuration, "{");
        if (shape.size() >= 3) {
            changes_.insert_before(shape[2].begin, "static_cast<unsigned>(");
            changes_.insert_after(shape[2].end - 1, ")");
        }
        if (shape.size() == 4)
            changes_.remove(shape[2].end, launch.closing);
        changes_.remove(launch.closing, launch.arguments);
        changes_.replace(launch.closing, "}, " + parameters + " { ");
        changes_.insert_after(launch.arguments, arguments.empty() || first.empty() ? first : first + ", ");
        changes_.insert_after(launch.end, "; })");
    }

    // The launching kernel's Nest is the last argument; the child gets its own.
    void change_last(const Launch& launch, std::size_t last, std::string_view nest)
    {
        if (!source_.is(last, nest))
            source_.fail(launch.opening, "the last argument of a launch of " +
                                             std::string(source_.text(launch.name)) +
                                             " is the Nest of the launching kernel: its last parameter is one");
        changes_.replace(last, "nestbed_next");
    }

    const Source& source_;
    std::vector<Function> functions_;
    std::vector<LambdaBody> lambdas_;
    std::vector<Launch> launches_;
    std::unordered_set<std::string_view> nested_names_; // of kernels that launch, or that a kernel launches
    std::unordered_multimap<std::string_view, Nested> kernels_;
    std::unordered_set<std::size_t> capturing_; // lambdas, by their [
    Changes changes_;
};

} // namespace

Changes workload_changes(const Source& source, bool for_executor)
{
    return WorkloadRewriter(source).rewrite(for_executor);
}

} // namespace nestbed::program
