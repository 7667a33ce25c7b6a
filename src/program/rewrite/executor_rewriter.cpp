// Mode executor: plain C++ for the executor.
#include "program/rewrite/barriers.hpp"
#include "program/rewrite/device_variables.hpp"
#include "program/rewrite/functions.hpp"
#include "program/rewrite/heap_calls.hpp"
#include "program/rewrite/inline_ptx.hpp"
#include "program/rewrite/kernel_attributes.hpp"
#include "program/rewrite/launches.hpp"
#include "program/rewrite/own_names.hpp"
#include "program/rewrite/programmatic.hpp"
#include "program/rewrite/recursive_functions.hpp"
#include "program/rewrite/refused_names.hpp"
#include "program/rewrite/rewriter.hpp"
#include "program/rewrite/shared_variables.hpp"
#include "program/rewrite/sides.hpp"
#include "program/rewrite/template_parameters.hpp"
#include "program/rewrite/waiting_loops.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace nestbed::program
{
namespace
{

constexpr std::string_view kLaunches =
    "cudaLaunchCooperativeKernelMultiDevice cudaLaunchDevice* cudaGetParameterBuffer*";
constexpr std::string_view kGraphCalls =
    "cudaGraphAddExternalSemaphores* cudaGraphExternalSemaphores* cudaGraphExecExternalSemaphores* "
    "cudaGraphRetainUserObject cudaGraphReleaseUserObject cudaUserObject*";
constexpr std::string_view kGraphicsCalls = "cudaGraphics* cudaD3D* cudaGL* cudaVDPAU* cudaEGL*";
constexpr std::string_view kTextureCalls =
    "cudaBindTexture* cudaBindSurface* cudaUnbindTexture cudaMallocMipmappedArray cudaFreeMipmappedArray "
    "cudaGetMipmappedArrayLevel cudaMipmappedArray* tex1DGrad tex1DLayered* tex2DGrad tex2DLayeredLod "
    "tex2DLayeredGrad "
    "tex2Dgather tex3DLod tex3DGrad texCubemap* surf1DLayered* surf2DLayered* surfCubemap*";
constexpr std::string_view kCallsOfOthers =
    "cudaIpc* cudaImportExternal* cudaDestroyExternal* cudaExternalMemory* cudaSignalExternal* cudaWaitExternal* "
    "cudaMemPoolExport* cudaMemPoolImport*";
constexpr std::string_view kNeverHad =
    "cudaLibrary* cudaKernelSetAttributeForDevice cudaGetKernel cudaLogs* cudaMemPrefetchBatchAsync cudaMemDiscard* "
    "cudaMemcpyBatchAsync cudaMemcpy3DBatchAsync cudaMemRangeGetAttribute* cudaMemGetMemPool cudaMemSetMemPool "
    "cudaMemGetDefaultMemPool cudaDeviceRegisterAsyncNotification cudaDeviceUnregisterAsyncNotification "
    "cudaDeviceFlushGPUDirectRDMAWrites cudaDeviceGetNvSciSyncAttributes cudaGetExportTable cudaArrayGetPlane "
    "cudaArrayGetSparseProperties cudaArrayGetMemoryRequirements";
// A program that calls one of these ends there. It is built, because it may never get there.
constexpr std::array kEnding{
    RefusedNames{kLaunches, "the executor launches kernels by <<<>>>, cudaLaunchKernel(), cudaLaunchKernelEx() and "
                            "cudaLaunchCooperativeKernel() only"},
    RefusedNames{kGraphCalls, "the graphs of the executor have no semaphores of other programs and objects of users"},
    RefusedNames{kGraphicsCalls, "the executor shares no memory with graphics libraries"},
    RefusedNames{kTextureCalls, "the executor has no texture references, mipmaps, cube maps and gradients, and of "
                                "layers tex2DLayered() alone"},
    RefusedNames{kCallsOfOthers, "the executor shares no memory and events with other programs"},
    RefusedNames{kNeverHad, "the executor does not have it"},
};
constexpr std::string_view kDriverCalls =
    "cuLaunch* cuModule* cuLibrary* cuCtx* cuInit cuDeviceGet* cuMem* cuStream*";
constexpr std::array kRefused{
    RefusedNames{kDriverCalls, "the executor has no driver API"},
    RefusedNames{"this_multi_grid", "the executor has no grids of several devices", true},
};

// Functions whose first argument is the address of a pointer, and that take its name as their last.
constexpr std::array<std::string_view, 7> kAllocations{
    "cudaMalloc",      "cudaMallocManaged", "cudaMallocAsync", "cudaMallocFromPoolAsync",
    "cudaMallocPitch", "cudaMallocHost",    "cudaHostAlloc"};

class ExecutorRewriter
{
  public:
    explicit ExecutorRewriter(const Source& source) : source_(source), changes_(source) {}

    Changes rewrite(std::string_view folder, bool whole_program) &&
    {
        refuse_calls(source_, kRefused, UserFunctions::declared);
        for (const FoundCall& call : find_calls(source_, kEnding, UserFunctions::declared))
            end_at(call);
        const std::vector<Launch> launches = find_launches(source_);
        for (const Launch& each : launches)
            launch(each);
        const std::vector<Function> functions = find_functions(source_);
        warn_of_programmatic_launches(source_, functions, launches, changes_);
        const KernelAttribute bounds("__launch_bounds__", source_, functions, changes_);
        const KernelAttribute clusters("__cluster_dims__", source_, functions, changes_);
        const KernelTemplates templates(source_, functions);
        for (const Function& function : functions)
            if (function.is_kernel)
                kernel(function, bounds, clusters, templates);
        const std::vector<LambdaBody> lambdas = find_lambdas(source_);
        rewrite_shared_variables(source_, functions, lambdas, "::nestbed::program::", changes_);
        restore_own_names(source_, functions, lambdas, changes_);
        name_templates();
        const std::vector<TokenRange> device = device_code(functions, lambdas);
        rewrite_barriers(source_, functions, device, changes_);
        rewrite_waiting_loops(source_, device, changes_);
        rewrite_kernel_heap(source_, device, changes_);
        rewrite_recursion(source_, functions, changes_);
        rewrite_inline_ptx(source_, functions, whole_program, changes_);
        for (std::size_t token = 0; token < source_.size(); ++token)
            if (std::ranges::find(kAllocations, source_.text(token)) != kAllocations.end())
                allocation(token);
        replace_functions_of_c(device_code(functions, lambdas));
        rewrite_device_variables(source_, whole_program, changes_);
        mark_sides(source_, functions, lambdas, changes_);
        register_files(folder);
        return std::move(changes_);
    }

  private:
    // tex1DGrad<T>(…) becomes not_supported<T>("tex1DGrad: reason"), without its arguments.
    void end_at(const FoundCall& call)
    {
        std::size_t begin = call.token;
        is_call_of_global_name(source_, call.token, begin);
        std::size_t opening = call.token + 1;
        std::string result = call.name.starts_with("cudaGetParameterBuffer") ? "void*"
                             : call.name.starts_with("cuda")                 ? "cudaError_t"
                                                                             : "void";
        if (source_.is(opening, "<")) {
            opening = template_arguments_end(source_, opening);
            result = source_.on_one_line(call.token + 2, std::min(opening, source_.size()) - 1);
        }
        const std::size_t closing = source_.is(opening, "(") ? source_.match(opening) : kNoToken;
        if (closing == kNoToken || is_declared(source_, begin))
            return;
        const std::string text = std::string(call.name) + ": " + std::string(call.reason);
        changes_.remove(begin, closing + 1);
        changes_.replace(begin, "::nestbed::program::not_supported<" + result + ">(\"" + text + "\")");
        const Place place = source_.place(call.token);
        changes_.warn(place.file + ":" + std::to_string(place.line) + ": warning: " + text +
                      "; a run that gets here ends");
    }

    // k<<<c>>>(a) becomes (configure(c), k(a)). The call of configure is in the line of <<<, which is the place of the
    // launch in reports.
    void launch(const Launch& launch)
    {
        changes_.replace(launch.opening, "::nestbed::program::configure(");
        changes_.remove(launch.opening + 1, launch.configuration);
        changes_.remove(launch.closing, launch.arguments);
        changes_.replace(launch.closing, "), ");
        changes_.move(launch.callee, launch.opening, launch.arguments, "(");
        changes_.insert_after(launch.end, ")");
    }

    // The lambda copies the arguments, but not what they refer to; each thread calls a copy of it. A kernel is in no other function: the
    // runtime looks into the code of each.
    void kernel(const Function& function, const KernelAttribute& bounds, const KernelAttribute& clusters,
                const KernelTemplates& templates)
    {
        if (function.body == kNoToken)
            return;
        std::string captures = "=";
        for (const std::string& name : reference_parameters(source_, function))
            captures += ", &" + name;
        std::string facts = "\"" + std::string(source_.text(function.name)) + "\"";
        const std::string of_cluster = clusters.of(function);
        if (const std::string of_kernel = bounds.of(function); !of_kernel.empty())
            facts += ", ::nestbed::program::launch_bounds(" + of_kernel + ")";
        else if (!of_cluster.empty())
            facts += ", 0";
        if (!of_cluster.empty())
            facts += ", ::nestbed::program::cluster_dims(" + of_cluster + ")";
        if (const std::optional<std::size_t> parameters = templates.parameters_of(function))
            facts = "::nestbed::program::of_template({" + facts + "}, " + std::to_string(*parameters) +
                    ", __PRETTY_FUNCTION__)";
        std::string types;
        std::string arguments;
        if (const std::optional<std::vector<std::string>> names = parameter_names(source_, function)) {
            for (const std::string& name : *names) {
                types += (types.empty() ? "decltype(" : ", decltype(") +
                         (name.ends_with("...") ? name.substr(0, name.size() - 3) + ")..." : name + ")");
                arguments += ", " + name;
            }
            types = "<" + types + ">";
        }
        changes_.insert_after(function.body, " static ::nestbed::program::Kernel nestbed_kernel{" + facts +
                                                 "}; if (::nestbed::program::is_asked" + types + "(nestbed_kernel" +
                                                 arguments +
                                                 ")) return; return "
                                                 "::nestbed::program::kernel(nestbed_kernel, [" +
                                                 captures + "]() mutable -> void {");
        changes_.insert_before(function.body_end, "});");
    }

    // nvcc takes Of<T>::function<count>(…) and of.function<count>(…) in expressions; g++ wants `template` before the function, if T or `of`
    // is of a template.
    void name_templates()
    {
        for (std::size_t token = 2; token < source_.size(); ++token) {
            if (!source_.is(token, "<") || !source_.is_identifier(token - 1) || source_.parent(token) == kNoToken)
                continue;
            if ((source_.is(token - 2, ".") || source_.is(token - 2, "->")) && is_call_of_template(token))
                changes_.insert_before(token - 1, "template ");
            const std::size_t name = template_arguments_end(source_, token);
            if (name == kNoToken || !source_.is(name, "::") || !source_.is_identifier(name + 1) ||
                !source_.is(name + 2, "<") || !is_call_of_template(name + 2))
                continue;
            std::size_t begin = token - 1;
            while (begin >= 2 && source_.is(begin - 1, "::") && source_.is_identifier(begin - 2))
                begin -= 2;
            static constexpr std::array<std::string_view, 13> kBefore = {";", "{", "}", "(", ",", "=",     "!",
                                                                         "+", "-", "?", ":", "/", "return"};
            if (begin > 0 && std::ranges::find(kBefore, source_.text(begin - 1)) != kBefore.end())
                changes_.insert_before(name + 1, "template ");
        }
    }
    // Not `a < b && c > (d)`.
    bool is_call_of_template(std::size_t opening) const
    {
        static constexpr std::array<std::string_view, 6> kOfExpressions = {"&&", "||", "==", "!=", "=", "?"};
        const std::size_t end = template_arguments_end(source_, opening);
        if (end == kNoToken || !source_.is(end, "("))
            return false;
        for (std::size_t at = opening; at < end; ++at)
            if (std::ranges::find(kOfExpressions, source_.text(at)) != kOfExpressions.end())
                return false;
        return true;
    }

    // printf() and clock() of kernels are others than C's.
    void replace_functions_of_c(const std::vector<TokenRange>& of_device)
    {
        const std::unordered_set<std::string_view> own = defined_functions(source_);
        for (const TokenRange& code : of_device)
            for (std::size_t token = code.begin; token < code.end; ++token) {
                std::size_t begin = token;
                const bool is_clock =
                    source_.is(token, "clock") && source_.is(token + 1, "(") && source_.is(token + 2, ")");
                if ((!is_clock && !source_.is(token, "printf")) || !is_call_of_global_name(source_, token, begin) ||
                    own.contains(source_.text(token)) || is_declared(source_, begin))
                    continue;
                changes_.remove(begin, token);
                changes_.replace(token,
                                 is_clock ? "::nestbed::program::clock_of_kernel" : "::nestbed::program::print");
            }
    }

    // cudaMalloc((void**)&d, n) becomes cudaMalloc(&d, n, "d"), so that reports name the memory and its type.
    void allocation(std::size_t token)
    {
        std::size_t begin = 0;
        const std::size_t opening = token + 1;
        const std::size_t closing = source_.is(opening, "(") ? source_.match(opening) : kNoToken;
        if (closing == kNoToken || !is_call_of_global_name(source_, token, begin) || is_declared(source_, begin))
            return;
        const std::size_t pointer = remove_cast(opening + 1);
        std::size_t comma = pointer;
        while (comma < closing && !source_.is(comma, ","))
            comma =
                source_.match(comma) > comma && source_.match(comma) < closing ? source_.match(comma) + 1 : comma + 1;
        if (comma < closing)
            changes_.insert_before(closing, ", \"" + name_of(pointer, comma) + "\"");
    }
    // Returns the token after (void**); reinterpret_cast<void**>(x) becomes (x).
    std::size_t remove_cast(std::size_t begin)
    {
        const bool is_named = source_.is(begin, "reinterpret_cast") && source_.is(begin + 1, "<");
        const std::size_t type = begin + (is_named ? 2 : 1);
        const bool is_cast = (is_named || source_.is(begin, "(")) && source_.is(type, "void") &&
                             source_.is(type + 1, "*") && source_.is(type + 2, "*") &&
                             source_.is(type + 3, is_named ? ">" : ")");
        if (!is_cast)
            return begin;
        changes_.remove(begin, type + 4);
        return type + 4;
    }
    std::string name_of(std::size_t begin, std::size_t end) const
    {
        while (end > begin + 1 && (source_.is(begin, "&") || source_.match(begin) == end - 1))
            end -= source_.is(begin++, "&") ? 0 : 1;
        std::string name;
        for (const char byte : source_.on_one_line(begin, end))
            if (byte == '"')
                name += '\'';
            else if (byte != '\\' && byte != '\n' && byte != '\r')
                name += byte;
        return name;
    }

    // For comments `nestbed: …` of the source, which the preprocessor removes.
    void register_files(std::string_view folder)
    {
        std::string files;
        for (const std::string_view file : source_.user_files()) {
            if (file.empty())
                continue;
            files += (files.empty() ? "\"" : ", \"") + whole_name(folder, file) + "\"";
        }
        if (!files.empty())
            changes_.append_line("namespace { __attribute__((unused)) const bool nestbed_sources = "
                                 "::nestbed::program::sources({" +
                                 files + "}); }");
    }

    const Source& source_;
    Changes changes_;
};

} // namespace

Changes executor_changes(const Source& source, std::string_view folder, bool whole_program)
{
    return ExecutorRewriter(source).rewrite(folder, whole_program);
}

} // namespace nestbed::program
