#include "program/rewrite/programmatic.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace nestbed::program
{
namespace
{

using Tokens = std::vector<std::size_t>;

constexpr std::string_view kAttribute = "cudaLaunchAttributeProgrammaticStreamSerialization";
// Calls that may stand between two launches: they order nothing.
constexpr std::array<std::string_view, 11> kHarmless{"cudaGetLastError",
                                                     "cudaPeekAtLastError",
                                                     "cudaGetErrorString",
                                                     "cudaGetErrorName",
                                                     "dim3",
                                                     "sizeof",
                                                     "fprintf",
                                                     "printf",
                                                     "exit",
                                                     "abort",
                                                     "while"};

struct HostFunction {
    std::size_t name;
    std::size_t parameters; // (
    std::size_t body;       // {
};

struct LaunchOfKernel {
    std::size_t begin, end; // its first token, and that behind it
    std::size_t block;      // the { of the host's code; kNoToken if there is none
    const Function* kernel;
    std::vector<std::string> arguments;
    std::string stream; // as it is written; "" is the NULL stream
    bool is_programmatic = false;
};

// What a kernel does, by the tokens of its body.
struct KernelFacts {
    Tokens waits, triggers, fences;
    std::map<std::string, Tokens, std::less<>> reads, writes; // by parameter
};

class Reader
{
  public:
    Reader(const Source& source, const std::vector<Function>& functions, const std::vector<Launch>& launches,
           Changes& changes)
        : source_(source), functions_(functions), launches_(launches), changes_(changes)
    {
    }

    void warn()
    {
        find_host_functions();
        find_waiting_classes();
        find_launches();
        std::ranges::sort(found_, {}, &LaunchOfKernel::begin);
        for (std::size_t next = 1; next < found_.size(); ++next)
            if (follows(found_[next - 1], found_[next]))
                compare(found_[next - 1], found_[next]);
    }

  private:
    bool is_in(std::size_t token, std::size_t bracket) const
    {
        return token > bracket && token < source_.match(bracket);
    }

    // `name (…) {`, outside of what a GPU runs.
    void find_host_functions()
    {
        static constexpr std::array<std::string_view, 6> kNone{"if", "for", "while", "switch", "catch", "constexpr"};
        for (std::size_t token = 0; token + 1 < source_.size(); ++token) {
            if (!source_.is_identifier(token) || !source_.is(token + 1, "(") ||
                std::ranges::find(kNone, source_.text(token)) != kNone.end() || source_.match(token + 1) == kNoToken)
                continue;
            const std::size_t body = source_.match(token + 1) + 1;
            if (source_.is(body, "{") && source_.match(body) != kNoToken && function_of_device(token) == nullptr)
                host_.push_back({token, token + 1, body});
        }
    }
    const Function* function_of_device(std::size_t name) const
    {
        const auto found = std::ranges::find(functions_, name, &Function::name);
        return found == functions_.end() ? nullptr : &*found;
    }
    bool contains(std::size_t bracket, std::string_view word) const
    {
        for (std::size_t token = bracket; token < source_.match(bracket); ++token)
            if (source_.is(token, word))
                return true;
        return false;
    }

    // The only definition of a kernel of this name.
    const Function* kernel_named(std::string_view name) const
    {
        const Function* found = nullptr;
        for (const Function& function : functions_)
            if (function.is_kernel && function.body != kNoToken && source_.is(function.name, name)) {
                if (found != nullptr)
                    return nullptr;
                found = &function;
            }
        return found;
    }

    // The parts between commas, of a call's parentheses: [begin, end). Those of template arguments are not seen apart: such a part has no
    // meaning here then.
    std::vector<TokenRange> parts_of(std::size_t opening) const
    {
        std::vector<TokenRange> parts;
        const std::size_t end = source_.match(opening);
        std::size_t begin = opening + 1;
        for (std::size_t at = begin; at <= end; ++at) {
            if (at == end || (source_.is(at, ",") && source_.parent(at) == opening)) {
                if (at > begin)
                    parts.push_back({begin, at});
                begin = at + 1;
            } else if (source_.is(at, "<")) {
                if (const std::size_t behind = template_arguments_end(source_, at);
                    behind != kNoToken && behind <= end && !source_.is(behind, "(") &&
                    source_.is_identifier(at - 1) && kernel_named(source_.text(at - 1)) != nullptr)
                    at = behind - 1;
            }
        }
        return parts;
    }
    std::string text_of(const TokenRange& part) const { return source_.on_one_line(part.begin, part.end); }
    static std::string stream_of(const std::string& text)
    {
        return text == "nullptr" || text == "0" || text == "NULL" ? "" : text;
    }

    // The { around a launch; not that of the do { … } while (0) of a macro.
    std::size_t block_of(std::size_t token) const
    {
        std::size_t at = source_.parent(token);
        while (at != kNoToken && (!source_.is(at, "{") || (at > 0 && source_.is(at - 1, "do"))))
            at = source_.parent(at);
        return at;
    }

    void find_launches()
    {
        for (const Launch& each : launches_) {
            const Function* const kernel = each.name == kNoToken ? nullptr : kernel_named(source_.text(each.name));
            if (kernel == nullptr || is_of_device(each.callee))
                continue;
            LaunchOfKernel launch{each.callee, each.end + 1, block_of(each.callee), kernel, {}, ""};
            for (const TokenRange& part : parts_of(each.arguments))
                launch.arguments.push_back(text_of(part));
            const std::vector<std::size_t> ends = configuration_ends(source_, each);
            if (ends.size() > 3)
                launch.stream = stream_of(text_of({ends[2] + 1, ends[3]}));
            found_.push_back(std::move(launch));
        }
        for (std::size_t token = 0; token + 1 < source_.size(); ++token) {
            if (!source_.is_identifier(token) || is_of_device(token))
                continue;
            if (source_.is(token, "cudaLaunchKernelEx") && source_.is(token + 1, "("))
                add_launch_with_configuration(token);
            else
                for (const HostFunction& function : host_)
                    if (source_.text(function.name) == source_.text(token) && function.name != token &&
                        only_launches_early(function))
                        add_launch_by(function, token);
        }
    }
    // Whether a function sets the attribute in any case, and launches once.
    bool only_launches_early(const HostFunction& function) const
    {
        std::size_t launches = 0;
        bool is_allowed = false;
        bool is_used = false;
        for (std::size_t token = function.body; token < source_.match(function.body); ++token) {
            launches += source_.is(token, "<<<") || source_.text(token).starts_with("cudaLaunch") ? 1 : 0;
            launches -=
                source_.text(token).starts_with("cudaLaunchAttribute") || source_.is(token, "cudaLaunchConfig_t") ? 1
                                                                                                                  : 0;
            is_allowed = is_allowed || sets(token, "programmaticStreamSerializationAllowed");
            is_used = is_used || sets(token, "numAttrs");
            if (source_.is(token, "?") || source_.is(token, "else"))
                return false;
        }
        return launches == 1 && is_allowed && is_used;
    }
    // `name = 1;`, and not under a condition.
    bool sets(std::size_t token, std::string_view name) const
    {
        return source_.is(token, name) && source_.is(token + 1, "=") && !source_.is(token + 2, "0") &&
               !source_.is(token + 2, "false") && source_.is(token + 3, ";") && is_unconditional(token);
    }
    std::size_t statement_begin(std::size_t token, std::size_t block) const
    {
        std::size_t begin = token;
        while (source_.parent(begin) != block && source_.parent(begin) != kNoToken)
            begin = source_.parent(begin);
        while (begin > block + 1 && !source_.is(begin - 1, ";") && !source_.is(begin - 1, "}") &&
               !source_.is(begin - 1, "{"))
            --begin;
        return begin;
    }
    // Whether the statement of a token is no branch, loop or return.
    bool is_unconditional(std::size_t token) const
    {
        static constexpr std::array<std::string_view, 11> kWords{
            "if", "else", "for", "while", "switch", "case", "default", "goto", "return", "?", ":"};
        for (std::size_t at = statement_begin(token, block_of(token)); at < token; ++at)
            if (std::ranges::find(kWords, source_.text(at)) != kWords.end())
                return false;
        return true;
    }
    bool is_of_device(std::size_t token) const
    {
        return std::ranges::any_of(functions_, [&](const Function& function) {
            return function.body != kNoToken && token > function.body && token < function.body_end;
        });
    }
    // The parts behind the kernel are its arguments.
    std::optional<LaunchOfKernel> launch_at(std::size_t name, const std::vector<TokenRange>& parts,
                                            std::size_t opening) const
    {
        for (std::size_t part = 0; part < parts.size(); ++part) {
            std::size_t at = parts[part].begin;
            while (source_.is_identifier(at) && source_.is(at + 1, "::"))
                at += 2;
            const Function* const kernel = source_.is_identifier(at) ? kernel_named(source_.text(at)) : nullptr;
            if (kernel == nullptr || (at + 1 != parts[part].end && !source_.is(at + 1, "<")))
                continue;
            LaunchOfKernel launch{name, source_.match(opening) + 1, block_of(name), kernel, {}, "", true};
            for (std::size_t next = part + 1; next < parts.size(); ++next)
                launch.arguments.push_back(text_of(parts[next]));
            return launch;
        }
        return std::nullopt;
    }
    void add_launch_with_configuration(std::size_t name)
    {
        const std::vector<TokenRange> parts = parts_of(name + 1);
        std::optional<LaunchOfKernel> launch = launch_at(name, parts, name + 1);
        const auto around =
            std::ranges::find_if(host_, [&](const HostFunction& function) { return is_in(name, function.body); });
        if (!launch || around == host_.end() || !contains(around->body, kAttribute) ||
            !source_.is(parts[0].begin, "&"))
            return;
        const std::string_view configuration = source_.text(parts[0].begin + 1);
        bool has_attributes = false;
        bool is_allowed = false;
        for (std::size_t at = around->body; at < name; ++at) {
            if (source_.is(at, "programmaticStreamSerializationAllowed") && source_.is(at + 1, "="))
                is_allowed = sets(at, "programmaticStreamSerializationAllowed"); // the last one counts
            if (!source_.is(at, configuration))
                continue;
            if (source_.is(at + 1, "=") || source_.is(at + 1, "{")) { // anew
                has_attributes = false;
                launch->stream.clear();
            } else if (source_.is(at + 1, ".") && source_.is(at + 2, "numAttrs") && source_.is(at + 3, "=")) {
                has_attributes = sets(at + 2, "numAttrs");
            } else if (source_.is(at + 1, ".") && source_.is(at + 2, "stream") && source_.is(at + 3, "=")) {
                std::size_t end = at + 4;
                while (end < name && !source_.is(end, ";"))
                    ++end;
                launch->stream = stream_of(text_of({at + 4, end}));
            }
        }
        if (has_attributes && is_allowed)
            found_.push_back(std::move(*launch));
    }
    void add_launch_by(const HostFunction& function, std::size_t name)
    {
        std::size_t opening = name + 1;
        if (source_.is(opening, "<"))
            opening = template_arguments_end(source_, opening);
        if (opening == kNoToken || !source_.is(opening, "(") || source_.match(opening) == kNoToken)
            return;
        const std::vector<TokenRange> parts = parts_of(opening);
        std::optional<LaunchOfKernel> launch = launch_at(name, parts, opening);
        const std::vector<TokenRange> parameters = parts_of(function.parameters);
        if (!launch || parameters.empty() || parts.size() < parameters.size() ||
            !source_.is(parameters.back().end - 2, "...")) // `A... a`: what the kernel gets
            return;
        launch->arguments.clear();
        for (std::size_t at = parameters.size() - 1; at < parts.size(); ++at)
            launch->arguments.push_back(text_of(parts[at]));
        for (std::size_t at = 0; at < parameters.size() && at < parts.size(); ++at)
            for (std::size_t token = parameters[at].begin; token < parameters[at].end; ++token)
                if (source_.is(token, "cudaStream_t"))
                    launch->stream = stream_of(text_of(parts[at]));
        found_.push_back(std::move(*launch));
    }

    // Whether a launch need not wait for the one before it: their statements follow each other, and are no branch.
    bool follows(const LaunchOfKernel& first, const LaunchOfKernel& second) const
    {
        if (!second.is_programmatic || first.block == kNoToken || first.block != second.block ||
            first.stream != second.stream || first.end > second.begin || !is_unconditional(first.begin) ||
            !is_unconditional(second.begin))
            return false;
        // What is between them: checks of errors, and what sets the next configuration.
        static constexpr std::array<std::string_view, 17> kChanges{
            "+=", "-=",  "*=",   "/=",   "%=",     "&=",   "|=",    "^=",     "++",
            "--", "for", "case", "else", "return", "goto", "break", "default"};
        const std::size_t statement = statement_begin(second.begin, second.block);
        for (std::size_t token = first.end; token < second.begin; ++token) {
            const bool is_call = source_.is_identifier(token) && source_.is(token + 1, "(") && token < statement;
            if (is_call && !source_.is(token, "if") &&
                std::ranges::find(kHarmless, source_.text(token)) == kHarmless.end())
                return false;
            // `x.y = …` and `T name = …` change no argument.
            const bool is_harmless =
                source_.is_identifier(token - 1) && (source_.is(token - 2, ".") || source_.is_identifier(token - 2));
            if ((source_.is(token, "=") && !is_harmless) ||
                std::ranges::find(kChanges, source_.text(token)) != kChanges.end())
                return false;
        }
        return true;
    }

    // Whether a token is in a branch of `if constexpr`, or of any `if`.
    bool is_in_chosen_branch(std::size_t token, std::size_t body, bool any = false) const
    {
        for (std::size_t at = token; at != body && at != kNoToken; at = source_.parent(at)) {
            const std::size_t outer = source_.parent(at);
            std::size_t begin = at; // of the statement
            while (begin > outer + 1 && !source_.is(begin - 1, ";") && !source_.is(begin - 1, "}") &&
                   !source_.is(begin - 1, "{"))
                --begin;
            for (std::size_t word = begin; word <= at; ++word)
                if (source_.is(word, "else") ||
                    (source_.is(word, "if") && (any || source_.is(word + 1, "constexpr"))))
                    return true;
        }
        return false;
    }

    // Device functions that wait, trigger or fence, by their names.
    bool does(std::size_t token, std::string_view what, std::string_view ptx, unsigned depth = 0) const
    {
        const std::string_view text = source_.text(token);
        if (text == what || (source_.is_string(token) && text.find(ptx) != std::string_view::npos))
            return true;
        if (depth == 4 || !source_.is_identifier(token) || !source_.is(token + 1, "("))
            return false;
        for (const Function& function : functions_)
            if (!function.is_kernel && function.body != kNoToken && source_.is(function.name, text))
                for (std::size_t inner = function.body; inner < function.body_end; ++inner)
                    if (does(inner, what, ptx, depth + 1))
                        return true;
        return false;
    }
    // A call that may wait: of a method, of another namespace, or by its name; or a class of which a function waits.
    bool may_wait(std::size_t token) const
    {
        if (!source_.is_identifier(token))
            return false;
        if (std::ranges::find(waiting_classes_, source_.text(token)) != waiting_classes_.end())
            return true;
        if (!source_.is(token + 1, "("))
            return false;
        const std::string_view before = token == 0 ? "" : source_.text(token - 1);
        if (before == "." || before == "->" || before == "::")
            return true;
        const bool is_known = std::ranges::any_of(functions_, [&](const Function& function) {
            return function.body != kNoToken && source_.is(function.name, source_.text(token));
        });
        if (is_known || source_.text(token).starts_with(
                            "__")) // does() has looked into it; CUDA's own, such as __pipeline_wait_prior()
            return false;
        std::string name(source_.text(token));
        std::ranges::transform(name, name.begin(),
                               [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
        return name.find("wait") != std::string::npos || name.find("depend") != std::string::npos;
    }
    void find_waiting_classes()
    {
        for (std::size_t token = 0; token < source_.size(); ++token) {
            if (!source_.is(token, "cudaGridDependencySynchronize") &&
                !(source_.is_string(token) &&
                  source_.text(token).find("griddepcontrol.wait") != std::string_view::npos))
                continue;
            for (std::size_t at = source_.parent(token); at != kNoToken; at = source_.parent(at))
                for (std::size_t word = at; source_.is(at, "{") && word > 0 && !source_.is(word - 1, ";") &&
                                            !source_.is(word - 1, "}") && !source_.is(word - 1, "{");
                     --word)
                    if (source_.is(word - 1, "struct") || source_.is(word - 1, "class"))
                        waiting_classes_.push_back(source_.text(word));
        }
    }

    KernelFacts facts_of(const Function& kernel) const
    {
        KernelFacts facts;
        const std::vector<std::string> parameters = pointers_of(kernel);
        for (std::size_t token = kernel.body + 1; token < kernel.body_end; ++token) {
            if (does(token, "cudaGridDependencySynchronize", "griddepcontrol.wait") || may_wait(token))
                facts.waits.push_back(token);
            if (is_in_chosen_branch(token, kernel.body))
                continue;
            if (does(token, "cudaTriggerProgrammaticLaunchCompletion", "griddepcontrol.launch_dependents"))
                facts.triggers.push_back(token);
            if (does(token, "__threadfence", "fence."))
                facts.fences.push_back(token);
            if (source_.is_identifier(token) &&
                std::ranges::find(parameters, source_.text(token)) != parameters.end() &&
                !is_not_evaluated(token, kernel.body))
                access(token, facts);
        }
        // A fence under `if constexpr` may be one.
        for (std::size_t token = kernel.body + 1; token < kernel.body_end; ++token)
            if (is_in_chosen_branch(token, kernel.body) && does(token, "__threadfence", "fence."))
                facts.fences.push_back(token);
        return facts;
    }
    // The parameters that point to what is no pointer itself.
    std::vector<std::string> pointers_of(const Function& kernel) const
    {
        std::vector<std::string> names;
        for (const TokenRange& part : parts_of(kernel.parameters)) {
            std::size_t stars = 0;
            bool is_other = false;
            for (std::size_t token = part.begin; token < part.end; ++token) {
                stars += source_.is(token, "*") ? 1 : 0;
                is_other = is_other || source_.is(token, "&") || source_.is(token, "[") || source_.is(token, "...");
            }
            if (stars == 1 && !is_other && source_.is_identifier(part.end - 1))
                names.emplace_back(source_.text(part.end - 1));
        }
        return names;
    }
    // Whether a token stands where it is not evaluated, or later: in sizeof() and the like, or in a lambda.
    bool is_not_evaluated(std::size_t token, std::size_t body) const
    {
        static constexpr std::array<std::string_view, 4> kWords{"sizeof", "decltype", "alignof", "noexcept"};
        for (std::size_t at = source_.parent(token); at != body && at != kNoToken; at = source_.parent(at)) {
            if (source_.is(at, "(") && std::ranges::find(kWords, source_.text(at - 1)) != kWords.end())
                return true;
            if (source_.is(at, "{"))
                for (std::size_t before = at - 1; before > body && !source_.is(before, ";") &&
                                                  !source_.is(before, "{") && !source_.is(before, "}");
                     --before)
                    if (source_.is(before, "[") && !is_operand(before - 1))
                        return true;
        }
        return false;
    }
    // `p[i]`, `*p`, `__ldg(p + i)`, `atomicAdd(p, …)`, with what comes behind.
    void access(std::size_t token, KernelFacts& facts) const
    {
        const std::string name(source_.text(token));
        const std::string_view before = token == 0 ? "" : source_.text(token - 1);
        if (before == "." || before == "->" || before == "::")
            return;
        std::size_t begin = token;
        std::size_t end = token + 1;
        bool is_access = false;
        if (source_.is(end, "[")) {
            is_access = true;
        } else if (before == "*" && !is_operand(token - 2)) {
            is_access = true;
            begin = token - 1;
        }
        while (source_.is(end, "[") || (is_access && source_.is(end, ".") && source_.is_identifier(end + 1)))
            end = source_.is(end, "[") ? source_.match(end) + 1 : end + 2;
        if (begin > 0 && source_.is(begin - 1, "&") && !is_operand(begin - 2)) {
            --begin;
            is_access = false;
        }
        if (begin > 2 && source_.is(begin - 1, "=") && source_.is(begin - 3, "&")) // of a reference
            return;
        const std::string_view callee = begin > 1 && source_.is(begin - 1, "(") ? source_.text(begin - 2) : "";
        if (callee == "__ldg") {
            facts.reads[name].push_back(token);
        } else if (callee.starts_with("atomic")) {
            facts.writes[name].push_back(token);
        } else if (is_access) {
            static constexpr std::array<std::string_view, 10> kCompound{
                "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--"};
            const bool is_compound = std::ranges::find(kCompound, source_.text(end)) != kCompound.end() ||
                                     (begin > 0 && (source_.is(begin - 1, "++") || source_.is(begin - 1, "--")));
            const bool is_set = source_.is(end, "=");
            if (is_set || is_compound)
                facts.writes[name].push_back(token);
            if (!is_set)
                facts.reads[name].push_back(token);
        }
    }
    // Whether `*` or `&` behind this token takes two operands.
    bool is_operand(std::size_t token) const
    {
        const std::string_view text = source_.text(token);
        return text == ")" || text == "]" || (source_.is_identifier(token) && text != "return") ||
               (!text.empty() && text[0] >= '0' && text[0] <= '9');
    }

    // Whether the second token may come after the first one: it is behind it, or both are in one loop.
    bool may_come_behind(std::size_t second, std::size_t first, const Function& kernel) const
    {
        if (second > first)
            return true;
        for (std::size_t at = source_.parent(first); at != kernel.body && at != kNoToken; at = source_.parent(at)) {
            const std::size_t head =
                source_.is(at, "{") && source_.is(at - 1, ")") ? source_.match(at - 1) : kNoToken;
            const bool is_loop =
                source_.is(at, "{") &&
                (source_.is(at - 1, "do") ||
                 (head != kNoToken && (source_.is(head - 1, "for") || source_.is(head - 1, "while"))));
            if (is_loop && is_in(second, at))
                return true;
        }
        return false;
    }

    std::string place_of(std::size_t token) const
    {
        const Place place = source_.place(token);
        return place.file + ":" + std::to_string(place.line);
    }
    // "line N", of the file of another token, or "FILE:N".
    std::string line_of(std::size_t token, std::size_t beside) const
    {
        const Place place = source_.place(token);
        return place.file == source_.place(beside).file ? "line " + std::to_string(place.line) : place_of(token);
    }

    void compare(const LaunchOfKernel& first, const LaunchOfKernel& second)
    {
        const KernelFacts writer = facts_of(*first.kernel);
        const KernelFacts reader = facts_of(*second.kernel);
        const auto of_writer = parameter_names(source_, *first.kernel);
        const auto of_reader = parameter_names(source_, *second.kernel);
        if (!of_writer || !of_reader)
            return;
        for (std::size_t in = 0; in < std::min(second.arguments.size(), of_reader->size()); ++in)
            for (std::size_t out = 0; out < std::min(first.arguments.size(), of_writer->size()); ++out) {
                const auto reads = reader.reads.find((*of_reader)[in]);
                const auto writes = writer.writes.find((*of_writer)[out]);
                if (second.arguments[in] == first.arguments[out] && reads != reader.reads.end() &&
                    writes != writer.writes.end() && is_plain(second.arguments[in]))
                    if (warn_of(first, writer, writes->second, second, reader, reads->second))
                        return; // one warning per launch
            }
    }
    // A name, not a number or the value of a call.
    static bool is_plain(const std::string& argument)
    {
        return argument.find('(') == std::string::npos && argument.find("++") == std::string::npos &&
               !(argument[0] >= '0' && argument[0] <= '9');
    }
    bool warn_of(const LaunchOfKernel& first, const KernelFacts& writer, const Tokens& writes,
                 const LaunchOfKernel& second, const KernelFacts& reader, const Tokens& reads)
    {
        const std::size_t wait = reader.waits.empty() ? kNoToken : reader.waits.front();
        std::size_t read = reads.front();
        if (wait != kNoToken) { // a branch may end, or be another one than that of the wait
            const auto found = std::ranges::find_if(
                reads, [&](std::size_t each) { return !is_in_chosen_branch(each, second.kernel->body, true); });
            read = found == reads.end() ? kNoToken : *found;
        }
        if (read >= wait && wait != kNoToken)
            return false;
        const std::string reader_name(source_.text(second.kernel->name));
        const std::string writer_name(source_.text(first.kernel->name));
        const std::string of_reader = place_of(read) + ": warning: kernel " + reader_name +
                                      ", which is launched programmatically at " + line_of(second.begin, read) +
                                      ", reads '" + std::string(source_.text(read)) + "' ";
        const std::string which = wait == kNoToken ? "and never waits (cudaGridDependencySynchronize)"
                                                   : "before its wait at " + line_of(wait, read);
        const std::size_t trigger = writer.triggers.empty() ? kNoToken : writer.triggers.front();
        const bool hands_over = !writer.fences.empty() && !writer.triggers.empty() &&
                                *std::ranges::min_element(writer.fences) < writer.triggers.back();
        if (!hands_over) {
            changes_.warn(of_reader + which + "; kernel " + writer_name + " before it writes that at " +
                          line_of(writes.front(), read));
            return true;
        }
        // The fence orders what comes before the first trigger.
        for (const std::size_t write : writes)
            if (may_come_behind(write, trigger, *first.kernel)) {
                changes_.warn(place_of(write) + ": warning: kernel " + writer_name + " writes '" +
                              std::string(source_.text(write)) + "' after its trigger at " + line_of(trigger, write) +
                              "; kernel " + reader_name +
                              ", which is launched programmatically behind it, reads that at " +
                              line_of(read, write) + " " + which);
                return true;
            }
        return false;
    }

    const Source& source_;
    const std::vector<Function>& functions_;
    const std::vector<Launch>& launches_;
    Changes& changes_;
    std::vector<HostFunction> host_;
    std::vector<std::string_view> waiting_classes_;
    std::vector<LaunchOfKernel> found_;
};

} // namespace

void warn_of_programmatic_launches(const Source& source, const std::vector<Function>& functions,
                                   const std::vector<Launch>& launches, Changes& changes)
{
    for (std::size_t token = 0; token < source.size(); ++token)
        if (source.is(token, kAttribute))
            return Reader(source, functions, launches, changes).warn();
}

} // namespace nestbed::program
