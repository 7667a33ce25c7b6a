#include "program/rewrite/programmatic_launches.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace nestbed::program
{
namespace
{

constexpr std::string_view kProgrammaticAttribute = "cudaLaunchAttributeProgrammaticStreamSerialization";
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

class HostReader
{
  public:
    HostReader(const Source& source, const std::vector<Function>& functions) : source_(source), functions_(functions)
    {
        find_host_functions();
    }

    std::vector<LaunchPair> pairs(const std::vector<Launch>& launches)
    {
        find_launches(launches);
        std::ranges::sort(found_, {}, &LaunchOfKernel::begin);
        std::vector<LaunchPair> pairs;
        for (std::size_t next = 1; next < found_.size(); ++next)
            if (follows(found_[next - 1], found_[next]))
                pairs.push_back({found_[next - 1], found_[next]});
        return pairs;
    }

  private:
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

    // Template arguments of kernels are no parts of their own.
    std::vector<TokenRange> parts_of(std::size_t opening) const
    {
        return parts_between_commas(source_, opening,
                                    [&](std::string_view name) { return kernel_named(name) != nullptr; });
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

    void find_launches(const std::vector<Launch>& launches)
    {
        for (const Launch& each : launches) {
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
        const auto around = std::ranges::find_if(host_, [&](const HostFunction& function) {
            return name > function.body && name < source_.match(function.body);
        });
        if (!launch || around == host_.end() || !contains(around->body, kProgrammaticAttribute) ||
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

    const Source& source_;
    const std::vector<Function>& functions_;
    std::vector<HostFunction> host_;
    std::vector<LaunchOfKernel> found_;
};

} // namespace

std::vector<LaunchPair> programmatic_pairs(const Source& source, const std::vector<Function>& functions,
                                           const std::vector<Launch>& launches)
{
    for (std::size_t token = 0; token < source.size(); ++token)
        if (source.is(token, kProgrammaticAttribute))
            return HostReader(source, functions).pairs(launches);
    return {};
}

} // namespace nestbed::program
