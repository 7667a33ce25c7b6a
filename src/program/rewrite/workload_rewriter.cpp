// Modes workload_cuda and workload_executor: the kernels and launches of a user's workload, as src/device has them.
#include "program/rewrite/functions.hpp"
#include "program/rewrite/launches.hpp"
#include "program/rewrite/rewriter.hpp"
#include "program/rewrite/shared_variables.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

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
        for (std::size_t token = 0; token < source_.size(); ++token)
            if (is_nest_type(token))
                changes_.replace(token, "auto");
        launches_ = find_launches(source_);
        find_nested_kernels();
        for (const Function& function : functions_)
            if (function.is_kernel)
                kernel(function);
        for (const Launch& launch : launches_)
            rewrite_launch(launch);
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
            const std::string_view text = source_.text_of(token);
            if (token.kind != TokenKind::directive || text.find("define") == std::string_view::npos)
                continue;
            for (const std::string_view word : {"<<<", "__global__", "__shared__"})
                if (text.find(word) != std::string_view::npos)
                    source_.fail_at(token.begin, "a macro with " + std::string(word) +
                                                     " is not for workloads; write out the kernel or the launch");
        }
    }

    void refuse_shared_outside() const
    {
        for (std::size_t token = 0; token < source_.size(); ++token)
            if (source_.is(token, "__shared__") && function_around(token) == nullptr)
                source_.fail(token, "a __shared__ variable outside of a function is not for workloads; declare it in "
                                    "the kernel");
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
            if (is_nest_type(token))
                for (std::size_t name = token + 1; name < function.parameters_end; ++name)
                    if (source_.is_identifier(name) && !source_.is(name, "const"))
                        return source_.text(name);
        return {};
    }

    // What the kernels of this file get: nothing, a Nest of their own, or one that is added.
    enum class Nested : std::uint8_t { no, declared, added };

    void find_nested_kernels()
    {
        for (const Function& function : functions_)
            if (function.is_kernel) {
                Nested& nested = kernels_[source_.text(function.name)];
                nested = std::max(nested, nest_of(function).empty() ? Nested::no : Nested::declared);
            }
        const auto add = [this](std::string_view name) {
            const auto kernel = kernels_.find(name);
            if (kernel != kernels_.end() && kernel->second == Nested::no)
                kernel->second = Nested::added;
        };
        for (const Launch& launch : launches_) {
            const Function* const around = function_around(launch.opening);
            if (around == nullptr)
                continue;
            if (around->is_kernel)
                add(source_.text(around->name));
            if (launch.name != kNoToken)
                add(source_.text(launch.name));
        }
    }

    Nested nested(std::string_view kernel) const
    {
        const auto found = kernels_.find(kernel);
        return found == kernels_.end() ? Nested::no : found->second;
    }

    void kernel(const Function& function)
    {
        const Nested of_kernel = nested(source_.text(function.name));
        if (of_kernel == Nested::no)
            return;
        std::string_view nest = nest_of(function);
        if (of_kernel == Nested::added) {
            nest = kHiddenNest;
            const bool is_void =
                function.parameters + 2 == function.parameters_end && source_.is(function.parameters + 1, "void");
            if (is_void)
                changes_.replace(function.parameters + 1, "");
            const bool is_only = is_void || function.parameters + 1 == function.parameters_end;
            changes_.insert_before(function.parameters_end, (is_only ? "auto " : ", auto ") + std::string(nest));
        }
        if (function.body != kNoToken && !enters(function))
            changes_.insert_after(function.body, " const auto nestbed_scope = " + std::string(nest) + ".enter();");
    }

    // Whether a kernel marks its begin by itself, as one must whose level is not that of its Nest.
    bool enters(const Function& kernel) const
    {
        for (std::size_t token = kernel.body; token < kernel.body_end; ++token)
            if (source_.is(token, "enter") && source_.is(token + 1, "("))
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
                at = close != kNoToken && close <= end ? close - 1 : at;
            } else if (text == ",") {
                parts.push_back({part, at});
                part = at + 1;
            }
        }
        if (part < end)
            parts.push_back({part, end});
        return parts;
    }

    // `kernel<<<grid, block, bytes, stream>>>(arguments)` becomes `call<kernel>(before, {grid, block, bytes}, arguments)`.
    void rewrite_launch(const Launch& launch)
    {
        if (launch.name == kNoToken || source_.is(launch.opening - 1, ")"))
            source_.fail(launch.opening, "the launch of " + source_.on_one_line(launch.callee, launch.opening) +
                                             ": in a workload, a kernel is launched by its name");
        const Function* const around = function_around(launch.opening);
        const std::vector<TokenRange> shape = separated(launch.configuration, launch.closing);
        std::vector<TokenRange> arguments = separated(launch.arguments + 1, launch.end);
        if (shape.size() < 2 || shape.size() > 4)
            source_.fail(launch.opening, "a launch has a grid, a block, and no more than a size and a stream");

        const std::string_view name = source_.text(launch.name);
        const Nested callee = nested(name);
        std::string nest; // of the launching code
        if (around != nullptr) {
            nest = around->is_kernel && nested(source_.text(around->name)) == Nested::added
                       ? std::string(kHiddenNest)
                       : std::string(nest_of(*around));
            if (nest.empty())
                source_.fail(launch.opening,
                             std::string(around->is_kernel ? "the kernel " : "the function ") +
                                 std::string(source_.text(around->name)) + " launches " + std::string(name) +
                                 ": give it a parameter `Nest nest`, and each call of it that argument");
        } else if (callee != Nested::no) {
            nest = "nest";
            if (callee == Nested::added && !has_nest_around(launch.opening))
                source_.fail(launch.opening,
                             "the host launches " + std::string(name) +
                                 ", whose grids launch grids or are launched by one, outside of the lambda of "
                                 "launch_waves(job, [&](const auto& wave, auto nest) { ... })");
        }
        // A Nest among the arguments is the last one, and is the launching code's. A kernel of another file may have one.
        const std::string_view last = !arguments.empty() && arguments.back().end == arguments.back().begin + 1
                                          ? source_.text(arguments.back().begin)
                                          : std::string_view{};
        const bool gives_nest = callee == Nested::declared
                                    ? !last.empty()
                                    : last == (around == nullptr && !kernels_.contains(name) ? "nest" : nest);
        if (callee == Nested::declared && !gives_nest)
            source_.fail(launch.opening, "the last argument of a launch of " + std::string(name) +
                                             " is the Nest: its last parameter is one");
        if (gives_nest)
            nest = last;

        std::string call = "::nestbed::launch_from_host<";
        std::string before;
        const std::string stream =
            shape.size() == 4 ? source_.on_one_line(shape[3].begin, shape[3].end) : std::string();
        if (around != nullptr) {
            const bool by_nest = stream == nest + ".stream";
            call = by_nest ? "::nestbed::launch<" : "::nestbed::launch_into<";
            before = nest + ", " + (by_nest ? "" : (stream.empty() ? "nullptr" : stream) + ", ");
        } else if (!stream.empty()) {
            before = stream + ", ";
        }
        changes_.insert_before(launch.callee, call);
        if (!nest.empty()) {
            const std::string type = "::std::remove_cvref_t<decltype(" + nest + ")>";
            if (source_.is(launch.opening - 1, ">"))
                changes_.insert_before(launch.opening - 1, ", " + type);
            else
                changes_.insert_after(launch.opening - 1, "<" + type + ">");
        }
        changes_.remove(launch.opening, launch.configuration);
        changes_.insert_before(launch.configuration, ">(" + before + "{");
        if (shape.size() >= 3) {
            changes_.insert_before(shape[2].begin, "static_cast<unsigned>(");
            changes_.insert_after(shape[2].end - 1, ")");
        }
        if (shape.size() == 4)
            changes_.remove(shape[2].end, launch.closing);
        changes_.remove(launch.closing, launch.arguments + 1);
        // From the host, the Nest is an argument like the others; a kernel's child gets its own.
        if (gives_nest && around != nullptr) {
            arguments.pop_back();
            changes_.remove(arguments.empty() ? launch.arguments + 1 : arguments.back().end, launch.end);
        }
        changes_.insert_after(launch.arguments, arguments.empty() ? "}" : "}, ");
        if (around == nullptr && callee == Nested::added)
            changes_.insert_before(launch.end, ", nest");
    }

    const Source& source_;
    std::vector<Function> functions_;
    std::vector<LambdaBody> lambdas_;
    std::vector<Launch> launches_;
    std::unordered_map<std::string_view, Nested> kernels_;
    Changes changes_;
};

} // namespace

Changes workload_changes(const Source& source, bool for_executor)
{
    return WorkloadRewriter(source).rewrite(for_executor);
}

} // namespace nestbed::program
