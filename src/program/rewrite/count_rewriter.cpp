// Modes count and trace: launches of a program of nvcc are counted, and kernels know their nesting level, or their record in a trace.
#include "program/rewrite/functions.hpp"
#include "program/rewrite/kernel_values.hpp"
#include "program/rewrite/launches.hpp"
#include "program/rewrite/refused_names.hpp"
#include "program/rewrite/rewriter.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

namespace nestbed::program
{
namespace
{

constexpr std::string_view kOtherLaunches = "cudaLaunchKernel* cudaLaunchCooperativeKernel*";
constexpr std::string_view kGraphLaunches = "cudaGraphLaunch* cuGraphLaunch*";
constexpr std::string_view kCaptures = "cudaStreamBeginCapture* cuStreamBeginCapture*";
constexpr std::string_view kWhyNoLaunch = "this launch cannot be counted";
constexpr std::string_view kWhyMayBeLoaded =
    "this launch cannot be counted if its kernel was loaded when the program ran";
constexpr std::string_view kWhyNoGraph = "launches of CUDA graphs cannot be traced";
// Kernels have a parameter more, of which these launches do not know.
constexpr std::array kRefusedInCounts{
    RefusedNames{"cudaLaunchCooperativeKernelMultiDevice* cudaLaunchDevice* cudaGetParameterBuffer*", kWhyNoLaunch}};
// What ends a traced build, and a strict one that counts; of other builds the table says what it does not have.
constexpr std::array kRefusedInTraces{
    RefusedNames{kOtherLaunches,
                 "this launch cannot be traced; nestbed trace supports kernel<<<grid, block>>>(arguments) only"},
    RefusedNames{"cuLaunch*", kWhyNoLaunch},
    RefusedNames{kGraphLaunches, kWhyNoGraph},
    RefusedNames{kCaptures, kWhyNoGraph},
};
constexpr std::array kSaid{
    RefusedNames{"cuLaunchGrid* cuLaunchCooperativeKernelMultiDevice*", kWhyNoLaunch},
    RefusedNames{"cuGraphLaunch* cuStreamBeginCapture*", "graphs of the driver API cannot be counted"},
};

// Functions of CUDA that launch the kernel at an address, and what counts them: with the number and the place as the first arguments.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kLaunchCalls = {{
    {"cudaLaunchKernel", "::nestbed_count::launch_kernel"},
    {"cudaLaunchCooperativeKernel", "::nestbed_count::launch_cooperative_kernel"},
    {"cudaLaunchKernelEx", "::nestbed_count::launch_kernel_ex"},
    {"cudaLaunchKernelExC", "::nestbed_count::launch_kernel_exc"},
}};
// The driver's: what counts them takes their name as well, and returns what to call in their place.
constexpr std::array<std::string_view, 3> kDriverLaunches = {"cuLaunchKernel", "cuLaunchKernelEx",
                                                             "cuLaunchCooperativeKernel"};
// Functions whose last argument has those of a kernel.
constexpr std::array<std::string_view, 6> kNodeCalls = {
    "cudaGraphAddKernelNode", "cudaGraphKernelNodeSetParams", "cudaGraphExecKernelNodeSetParams",
    "cudaGraphAddNode",       "cudaGraphNodeSetParams",       "cudaGraphExecNodeSetParams"};

// What kernels call with offsets of parameters.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kDeviceCalls = {{
    {"cudaGraphKernelNodeSetParam", "::nestbed_count::kernel_node_set_param"},
    {"cudaGraphKernelNodeUpdatesApply", "::nestbed_count::kernel_node_updates_apply"},
}};
// Calls of the host before or in which the header reads the counts of the GPU, and those that know a kernel's parameters.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kHostCalls = {{
    {"cudaGetFuncBySymbol", "::nestbed_count::function_by_symbol"},
    {"cudaGetKernel", "::nestbed_count::kernel_by_symbol"},
    {"cudaGraphKernelNodeGetParams", "::nestbed_count::kernel_node_params"},
    {"cudaDeviceReset", "::nestbed_count::device_reset"},
    {"cudaDeviceSynchronize", "::nestbed_count::device_synchronize"},
    {"_exit", "::nestbed_count::exit_at_once"},
    {"_Exit", "::nestbed_count::exit_at_once"},
    {"quick_exit", "::nestbed_count::quick_exit"},
}};

class CountRewriter
{
  public:
    CountRewriter(const Source& source, std::string_view folder, RewriteMode mode)
        : source_(source), folder_(folder), traces_(mode == RewriteMode::trace),
          is_strict_(mode != RewriteMode::count),
          level_(traces_ ? "::nestbed_trace::Level" : "::nestbed_count::Level"), functions_(find_functions(source)),
          lambdas_(find_lambdas(source)), changes_(source)
    {
        for (const Function& function : functions_) {
            if (function.is_kernel)
                kernels_.insert(source_.text(function.name));
            if (function.body != kNoToken)
                bodies_.push_back(
                    {function.body, function.body_end, function.is_kernel ? Runs::kernel : Runs::device});
        }
        // A lambda runs where it says, or may run where the function around it does.
        for (const LambdaBody& lambda : lambdas_)
            bodies_.push_back({lambda.body, lambda.body_end, lambda.is_device ? Runs::device : Runs::as_around});
        std::ranges::sort(bodies_, {}, &Body::begin);
    }

    Changes rewrite() &&
    {
        refuse(kRefusedInCounts);
        if (traces_)
            refuse(kRefusedInTraces);
        find_variables();
        const std::vector<Launch> launches = find_launches(source_);
        for (const Launch& launch : launches)
            count(launch);
        if (!traces_) {
            count_calls();
            say_uncounted();
        }
        for (const Function& function : functions_)
            if (function.is_kernel)
                give_level(function);
        give_level_to_instantiations();
        cast_kernel_values(
            source_, functions_,
            [this](std::size_t token) {
                return is_kernel(token) && !callee_names_.contains(token) && !declared_names_.contains(token);
            },
            level_, changes_);
        replace_calls(kHostCalls, true);
        if (!traces_)
            replace_calls(kDeviceCalls, false);
        source_.fail_if_any(refused_);
        return std::move(changes_);
    }

  private:
    enum class Runs : std::uint8_t { host, kernel, device, as_around };
    struct Variable {
        std::size_t begin; // its name
        std::size_t end;   // of its scope
    };
    struct Body {
        std::size_t begin;
        std::size_t end;
        Runs runs;
    };

    // Where the code of a token runs: in the body of a kernel itself, elsewhere on the device, or on the host.
    Runs runs_at(std::size_t token) const
    {
        bool in_lambda_or_class = false;
        for (std::size_t around = source_.parent(token); around != kNoToken; around = source_.parent(around)) {
            if (!source_.is(around, "{"))
                continue;
            const auto body = std::ranges::lower_bound(bodies_, around, {}, &Body::begin);
            if (body == bodies_.end() || body->begin != around)
                in_lambda_or_class |= !is_block(around);
            else if (body->runs == Runs::as_around)
                in_lambda_or_class = true;
            else
                return body->runs == Runs::kernel && in_lambda_or_class ? Runs::device : body->runs;
        }
        return Runs::host;
    }

    // Whether a brace surely begins a statement, not a class or a function.
    bool is_block(std::size_t brace) const
    {
        const std::size_t before = brace == 0 ? kNoToken : brace - 1;
        for (const std::string_view text : {"{", "}", ";", ":", "else", "do", "try"})
            if (source_.is(before, text))
                return true;
        const std::size_t opening = source_.is(before, ")") ? source_.match(before) : kNoToken;
        if (opening == kNoToken || opening == 0)
            return false;
        for (const std::string_view text : {"if", "for", "while", "switch", "constexpr", "catch"})
            if (source_.is(opening - 1, text))
                return true;
        return false;
    }

    void refuse(std::span<const RefusedNames> names)
    {
        for (const auto& [token, name, reason] : find_calls(source_, names, UserFunctions::defined))
            refused_.emplace(token, std::string(name) + ": " + std::string(reason));
    }

    bool names_kernel(const Launch& launch) const { return launch.name != kNoToken && is_kernel(launch.name); }
    // Whether the name means a kernel here, not a member or a variable.
    bool is_kernel(std::size_t name) const
    {
        if (!kernels_.contains(source_.text(name)) ||
            (name > 0 && (source_.is(name - 1, ".") || source_.is(name - 1, "->"))))
            return false;
        return !is_variable(name);
    }
    bool is_variable(std::size_t name) const
    {
        return (name == 0 || !source_.is(name - 1, "::")) &&
               std::ranges::any_of(variables_, [&](const Variable& each) {
                   return each.begin <= name && name < each.end && source_.text(each.begin) == source_.text(name);
               });
    }
    bool names_library_kernel(const Launch& launch)
    {
        if (!library_kernels_)
            library_kernels_ = find_library_kernels();
        return launch.name != kNoToken && library_kernels_->contains(source_.text(launch.name)) &&
               !kernels_.contains(source_.text(launch.name));
    }
    // All kernels, also those in headers of the system, which the source does not look into: the name before the first ( that is not of an
    // attribute.
    std::unordered_set<std::string_view> find_library_kernels() const
    {
        static constexpr std::size_t kMaxTokens = 60;
        static constexpr std::array<std::string_view, 2> kMarks{"__attribute__((global))", "__global__"};
        std::unordered_set<std::string_view> names;
        const std::string_view text = source_.whole_text();
        for (const std::string_view mark : kMarks)
            for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
                const std::string_view behind = text.substr(at + mark.size(), 2000);
                TokenReader reader(behind);
                std::string_view name;
                std::size_t depth = 0;
                for (std::size_t count = 0; count < kMaxTokens && !reader.at_end(); ++count) {
                    const Token token = reader.next();
                    const std::string_view word = behind.substr(token.begin, token.end - token.begin);
                    if (word == "(" && depth == 0 && !name.empty() && !name.starts_with("__")) {
                        names.insert(name);
                        break;
                    }
                    depth += word == "(" ? 1 : 0;
                    depth -= word == ")" && depth > 0 ? 1 : 0;
                    if (token.kind == TokenKind::identifier && depth == 0)
                        name = word;
                }
            }
        return names;
    }
    // Variables and parameters that have the name of a kernel or of a function of CUDA, and where they can be seen.
    void find_variables()
    {
        static constexpr std::array<std::string_view, 6> kBehind{",", ")", "=", ";", "{", "["};
        for (std::size_t token = 1; token < source_.size(); ++token) {
            std::size_t around = source_.parent(token);
            const std::string_view name = source_.text(token);
            const bool can_hide =
                kernels_.contains(name) || name.starts_with("cuLaunch") || name.starts_with("cudaLaunch");
            if (around == kNoToken || !can_hide)
                continue;
            if (is_enum(around) || declares_in_parentheses(token))
                around = source_.parent(around);
            else if (!declares(token) || std::ranges::find(kBehind, source_.text(token + 1)) == kBehind.end())
                continue;
            const std::size_t end = source_.match(around);
            if (source_.is(around, "{") && end != kNoToken)
                variables_.push_back({token, end});
            else if (end != kNoToken && source_.is(end + 1, "{") && source_.match(end + 1) != kNoToken)
                variables_.push_back({token, source_.match(end + 1)}); // of a function or a loop
            else if (end != kNoToken && around > 0 && source_.is(around - 1, "for"))
                variables_.push_back({token, statement_end(end + 1)});
        }
    }

    std::size_t statement_end(std::size_t at) const
    {
        while (at < source_.size() && !source_.is(at, ";") && !source_.is(at, "{"))
            at = (source_.match(at) == kNoToken || source_.match(at) < at ? at : source_.match(at)) + 1;
        return source_.is(at, "{") && source_.match(at) != kNoToken ? source_.match(at) : at;
    }

    bool is_enum(std::size_t brace) const
    {
        static constexpr std::size_t kMaxTokens = 6; // enum class name : unsigned long {
        for (std::size_t at = brace; source_.is(brace, "{") && at-- > 0 && brace - at <= kMaxTokens;) {
            if (source_.is(at, ";") || source_.is(at, "{") || source_.is(at, "}"))
                return false;
            if (source_.is(at, "enum"))
                return !source_.is(at + 1, "class") && !source_.is(at + 1, "struct");
        }
        return false;
    }

    // `int (&k)[3]`, `void (*k)(int)`
    bool declares_in_parentheses(std::size_t token) const
    {
        const bool is_pointer =
            source_.is(token - 1, "*") || source_.is(token - 1, "&") || source_.is(token - 1, "&&");
        if (!is_pointer || token < 3 || !source_.is(token - 2, "(") || !source_.is(token + 1, ")"))
            return false;
        return (source_.is(token + 2, "[") && (source_.is(token - 3, ">") || is_declared(source_, token - 2))) ||
               (source_.is(token + 2, "(") && source_.is(token - 3, "void"));
    }
    // `int k`, `int *k`, `int a, k`
    bool declares(std::size_t token) const
    {
        const std::string_view before = source_.text(token - 1);
        if (before == "*" || before == "&" || before == "&&")
            return source_.is(token - 2, ">") || source_.is(token - 2, "*") || is_declared(source_, token - 1);
        if (before == ",")
            return source_.is(source_.parent(token), "{") && !source_.is(token + 1, ",") &&
                   !source_.is(token + 1, ")");
        return is_declared(source_, token) && before != "template";
    }

    void count(const Launch& launch)
    {
        const bool is_of_library = !names_kernel(launch) && names_library_kernel(launch);
        if (!names_kernel(launch) && !traces_ && !is_of_library)
            return count_pointer(launch);
        if (traces_ && !names_kernel(launch)) {
            refused_[launch.opening] =
                "the launch of " + source_.on_one_line(launch.callee, launch.opening) +
                " cannot be traced: this is not the name of a __global__ function of this file or of the "
                "user's files that it includes; launch a kernel by its name";
            return;
        }
        const Runs runs = runs_at(launch.opening);
        launches_on_device_ |= runs == Runs::device;
        const std::string where = where_is(launch.opening);
        const std::string words = std::to_string(site(launch.opening, where)) + "u, \"" +
                                  std::string(source_.text(launch.name)) + "\", \"" + where + "\"";
        const bool in_kernel = runs == Runs::kernel;
        std::string level;
        if (traces_) {
            level = "nestbed_call.level()";
            changes_.insert_before(
                launch.callee, std::string(" __extension__ ({ ::nestbed_trace::Call nestbed_call(") +
                                   (in_kernel ? "nestbed_level" : "::nestbed_trace::level()") + ", " + words + "); ");
            note_configuration(launch);
            changes_.insert_after(launch.end, "; nestbed_call.launched(); })");
        } else {
            const std::string name = "\"" + std::string(source_.text(launch.name)) + "\"";
            level = in_kernel ? "nestbed_level + 1" : "::nestbed_count::level(" + name + ")";
            changes_.insert_before(launch.callee, "(::nestbed_count::before(), ");
            note_stream(launch);
            changes_.insert_after(launch.end, ", ::nestbed_count::after(" + words + ", " +
                                                  (in_kernel ? level : "::nestbed_count::level()") + "))");
        }
        if (!is_of_library) // which has no parameter for it
            changes_.insert_after(launch.arguments, launch.arguments + 1 == launch.end ? level : level + ", ");
        callee_names_.insert(launch.name);
    }

    // p<<<1, 1>>>(a) becomes pointer_launch(…, p).configured(1, 1)(a).
    void count_pointer(const Launch& launch)
    {
        const Runs runs = runs_at(launch.opening);
        launches_on_device_ |= runs == Runs::device;
        const std::string where = where_is(launch.opening);
        std::string text = source_.on_one_line(launch.callee, launch.opening);
        std::erase_if(text, [](char byte) { return byte == '"' || byte == '\\'; });
        changes_.insert_before(launch.callee,
                               " ::nestbed_count::pointer_launch(" + std::to_string(site(launch.opening, where)) +
                                   "u, \"" + text + "\", \"" + where + "\", " +
                                   (runs == Runs::kernel ? "nestbed_level + 1" : "::nestbed_count::level()") + ", ");
        changes_.remove(launch.opening, launch.configuration);
        changes_.insert_before(launch.configuration, ").configured(");
        changes_.remove(launch.closing, launch.arguments);
        changes_.insert_before(launch.arguments, ")");
    }

    // <<<grid, block, bytes, into(stream)>>>
    void note_stream(const Launch& launch)
    {
        constexpr std::size_t kStream = 3;
        const std::vector<std::size_t> ends = configuration_ends(source_, launch);
        if (ends.size() <= kStream || ends[kStream - 1] + 1 == ends[kStream])
            return;
        changes_.insert_before(ends[kStream - 1] + 1, "::nestbed_count::into(");
        changes_.insert_after(ends[kStream] - 1, ")");
    }

    std::string where_is(std::size_t token) const
    {
        const Place place = source_.place(token);
        return end_of(whole_name(folder_, place.file)) + ":" + std::to_string(place.line);
    }

    // --default-stream per-thread gives functions other names, and so did CUDA 12 to those with edge data.
    static std::string_view api_name(std::string_view name)
    {
        for (const std::string_view ending : {"_ptsz", "_ptds", "_v2"})
            if (name.ends_with(ending))
                name.remove_suffix(ending.size());
        return name;
    }

    // Calls of functions of CUDA on the host: those that launch, and those that take the arguments of a kernel.
    void count_calls()
    {
        searched_to_ = line_begin_ = 0;
        for (std::size_t token = 0; token < source_.size(); ++token) {
            const std::string_view text = api_name(source_.text(token));
            if (!text.starts_with("cu"))
                continue;
            const auto* const call =
                std::ranges::find(kLaunchCalls, text, &std::pair<std::string_view, std::string_view>::first);
            const bool is_node = std::ranges::find(kNodeCalls, text) != kNodeCalls.end();
            const bool is_graph_launch = text == "cudaGraphLaunch";
            const bool is_of_driver = std::ranges::find(kDriverLaunches, text) != kDriverLaunches.end();
            std::size_t begin = 0;
            if ((call == kLaunchCalls.end() && !is_node && !is_graph_launch && !is_of_driver) ||
                !source_.is(token + 1, "(") || source_.match(token + 1) == kNoToken ||
                !is_call_of_global_name(source_, token, begin) || is_declared(source_, begin) || is_own(text) ||
                is_variable(token))
                continue;
            const bool is_of_host = runs_at(token) == Runs::host;
            if (is_graph_launch) {
                changes_.remove(begin, token);
                changes_.replace(token, is_of_host ? "::nestbed_count::graph_launch"
                                                   : "::nestbed_count::graph_launch_on_device");
                continue;
            }
            if (!is_of_host)
                continue;
            if (is_node) {
                give_level_to_last_argument(token + 1);
                continue;
            }
            const std::string where = where_is(token);
            if (is_of_driver) {
                if (is_strict_)
                    refused_[token] = std::string(text) + ": " + std::string(kWhyMayBeLoaded);
                changes_.insert_before(begin, "::nestbed_count::driver_launch(" + std::to_string(site(token, where)) +
                                                  "u, \"" + where + "\", \"" + std::string(text) + "\", ");
                changes_.insert_after(token, ")");
                continue;
            }
            changes_.remove(begin, token);
            changes_.replace(token, std::string(call->second));
            changes_.insert_after(token + 1, std::to_string(site(token, where)) + "u, \"" + where + "\", ");
        }
    }
    void give_level_to_last_argument(std::size_t opening)
    {
        const std::size_t end = source_.match(opening);
        std::size_t begin = opening + 1;
        for (std::size_t at = begin; at < end; ++at) {
            if (source_.is(at, ","))
                begin = at + 1;
            else if (source_.match(at) != kNoToken && source_.match(at) > at)
                at = source_.match(at);
        }
        changes_.insert_before(begin, "::nestbed_count::with_level(");
        changes_.insert_before(end, ")");
    }
    // A line of the table, in place of a count; or an error.
    void say_uncounted()
    {
        std::size_t number = 0;
        for (const auto& [token, name, reason] : find_calls(source_, kSaid, UserFunctions::defined)) {
            if (is_strict_)
                refused_[token] = std::string(name) + ": " + std::string(reason);
            changes_.append_line("static const bool nestbed_uncounted_" + std::to_string(++number) +
                                 " __attribute__((unused)) = ::nestbed_count::not_counted(\"" + std::string(name) +
                                 "\", \"" + where_is(token) + "\");");
        }
    }

    // <<<nestbed_call.grid(grid), nestbed_call.block(block), bytes, nestbed_call.stream(stream)>>>
    void note_configuration(const Launch& launch)
    {
        static constexpr std::array<std::string_view, 4> kNotedBy{"grid", "block", "", "stream"};
        const std::vector<std::size_t> ends = configuration_ends(source_, launch);
        std::size_t begin = launch.configuration;
        for (std::size_t part = 0; part < ends.size() && part < kNotedBy.size(); begin = ends[part++] + 1) {
            if (kNotedBy.at(part).empty() || begin == ends[part])
                continue;
            changes_.insert_before(begin, "nestbed_call." + std::string(kNotedBy.at(part)) + "(");
            changes_.insert_after(ends[part] - 1, ")");
        }
    }

    // Of a long name as many folders as there is room for.
    static std::string end_of(std::string name)
    {
        constexpr std::size_t kMaxBytes = 80; // kPlaceBytes without the line
        if (name.size() <= kMaxBytes)
            return name;
        const std::size_t slash = name.find('/', name.size() - kMaxBytes);
        return name.substr(slash == std::string::npos ? name.rfind('/') + 1 : slash + 1);
    }

    // FNV-1a of the place. Both passes of nvcc give the same number. Launches of one line differ by their column.
    std::uint32_t site(std::size_t token, std::string_view place)
    {
        const std::size_t at = source_.all_tokens()[source_.position(token)].begin;
        const std::size_t line_end = source_.whole_text().substr(searched_to_, at - searched_to_).rfind('\n');
        if (line_end != std::string_view::npos)
            line_begin_ = searched_to_ + line_end + 1;
        searched_to_ = at;
        const std::size_t column = at - line_begin_;
        std::uint32_t hash = 2166136261u;
        for (const char byte : std::string(place) + ":" + std::to_string(column))
            hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619u;
        return hash == 0 ? 1 : hash;
    }

    void give_level_parameter(std::size_t parameters, std::size_t end)
    {
        const bool is_void = parameters + 2 == end && source_.is(parameters + 1, "void");
        const std::string parameter = std::string(level_) + " nestbed_level";
        if (is_void)
            changes_.replace(parameters + 1, parameter);
        else
            changes_.insert_after(parameters, parameter + (parameters + 1 == end ? "" : ", "));
    }

    void give_level(const Function& kernel)
    {
        give_level_parameter(kernel.parameters, kernel.parameters_end);
        declared_names_.insert(kernel.name);
        if (kernel.body != kNoToken && traces_)
            changes_.insert_after(kernel.body, std::string(" const ::nestbed_trace::Grid<") +
                                                   (launches_on_device_ ? "true" : "false") +
                                                   "> nestbed_grid(nestbed_level);");
        else if (kernel.body != kNoToken)
            changes_.insert_after(kernel.body,
                                  std::string(" ::nestbed_count::runs(nestbed_level);") +
                                      (launches_on_device_ ? " ::nestbed_count::enter(nestbed_level);" : ""));
    }

    // `template void k<int>(int*);` needs no __global__.
    void give_level_to_instantiations()
    {
        bool in_instantiation = false;
        for (std::size_t token = 0; token < source_.size(); ++token) {
            const std::string_view text = source_.text(token);
            if (text == "template")
                in_instantiation = !source_.is(token + 1, "<") &&
                                   (token == 0 || (!source_.is(token - 1, "::") && !source_.is(token - 1, ".") &&
                                                   !source_.is(token - 1, "->")));
            else if (text == ";" || text == "{" || text == "}" || text == "=")
                in_instantiation = false;
            if (!in_instantiation || !source_.is_identifier(token) || !kernels_.contains(text) ||
                callee_names_.contains(token) || declared_names_.contains(token))
                continue;
            const std::size_t behind =
                source_.is(token + 1, "<") ? template_arguments_end(source_, token + 1) : token + 1;
            if (source_.is(behind, "(") && source_.match(behind) != kNoToken &&
                source_.is(source_.match(behind) + 1, ";")) {
                give_level_parameter(behind, source_.match(behind));
                in_instantiation = false;
            }
        }
    }

    void replace_calls(std::span<const std::pair<std::string_view, std::string_view>> calls, bool of_host)
    {
        for (std::size_t token = 0; token < source_.size(); ++token) {
            const std::string_view text = source_.text(token);
            const auto call = std::ranges::find(calls, text, &std::pair<std::string_view, std::string_view>::first);
            std::size_t begin = 0;
            if (call == calls.end() || !is_call_of_global_name(source_, token, begin) ||
                (runs_at(token) == Runs::host) != of_host || is_declared(source_, begin) || is_own(text))
                continue;
            changes_.remove(begin, token);
            changes_.replace(token, std::string(call->second));
        }
    }
    bool is_own(std::string_view name)
    {
        if (!own_)
            own_ = defined_functions(source_);
        return own_->contains(name);
    }

    const Source& source_;
    std::string_view folder_;
    bool traces_, is_strict_;
    std::string_view level_; // the type of the hidden parameter of kernels
    std::vector<Function> functions_;
    std::vector<LambdaBody> lambdas_;
    Changes changes_;
    std::unordered_set<std::string_view> kernels_;
    std::vector<Variable> variables_;
    std::map<std::size_t, std::string> refused_;                          // why, by token
    std::optional<std::unordered_set<std::string_view>> library_kernels_; // filled when they are needed
    std::vector<Body> bodies_;                                            // of kernels, device functions and lambdas
    std::unordered_set<std::size_t> callee_names_;
    std::unordered_set<std::size_t> declared_names_;
    std::optional<std::unordered_set<std::string_view>> own_; // functions; filled when it is needed
    std::size_t line_begin_ = 0;                              // of the launch read last
    std::size_t searched_to_ = 0;
    bool launches_on_device_ = false; // outside of the bodies of kernels themselves
};

} // namespace

Changes count_changes(const Source& source, std::string_view folder, RewriteMode mode)
{
    return CountRewriter(source, folder, mode).rewrite();
}

} // namespace nestbed::program
