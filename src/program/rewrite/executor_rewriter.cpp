// Mode executor: plain C++ for the executor.
#include "program/rewrite/functions.hpp"
#include "program/rewrite/inline_ptx.hpp"
#include "program/rewrite/launches.hpp"
#include "program/rewrite/own_names.hpp"
#include "program/rewrite/refused_names.hpp"
#include "program/rewrite/rewriter.hpp"
#include "program/rewrite/shared_variables.hpp"
#include "program/rewrite/waiting_loops.hpp"

#include <array>
#include <utility>

namespace nestbed::program
{
namespace
{

constexpr std::string_view kLaunch = "the executor launches kernels by kernel<<<grid, block>>>(arguments) only";
constexpr std::string_view kDriver = "the executor has no driver API";
constexpr std::string_view kGraph = "the executor has no CUDA graphs";
constexpr std::string_view kGraphics = "the executor shares no memory with graphics libraries";
constexpr std::string_view kTexture = "the executor has no textures and surfaces";
constexpr std::string_view kGridSync = "the executor has no barrier of a whole grid or cluster";
constexpr std::array kRefused = {
    RefusedName{"cudaLaunchKernel*", kLaunch},
    RefusedName{"cudaLaunchCooperativeKernel*", kLaunch},
    RefusedName{"cudaLaunchDevice*", kLaunch},
    RefusedName{"cudaGetParameterBuffer*", kLaunch},
    RefusedName{"cuLaunch*", kDriver},
    RefusedName{"cuModule*", kDriver},
    RefusedName{"cuLibrary*", kDriver},
    RefusedName{"cuCtx*", kDriver},
    RefusedName{"cuInit", kDriver},
    RefusedName{"cuDeviceGet*", kDriver},
    RefusedName{"cuMem*", kDriver},
    RefusedName{"cuStream*", kDriver},
    RefusedName{"cudaGraphAdd*", kGraph},
    RefusedName{"cudaGraphChildGraphNode*", kGraph},
    RefusedName{"cudaGraphClone", kGraph},
    RefusedName{"cudaGraphConditionalHandleCreate*", kGraph},
    RefusedName{"cudaGraphCreate", kGraph},
    RefusedName{"cudaGraphDebugDotPrint", kGraph},
    RefusedName{"cudaGraphDestroy", kGraph},
    RefusedName{"cudaGraphDestroyNode", kGraph},
    RefusedName{"cudaGraphEventRecordNode*", kGraph},
    RefusedName{"cudaGraphEventWaitNode*", kGraph},
    RefusedName{"cudaGraphExec*", kGraph},
    RefusedName{"cudaGraphExternalSemaphores*", kGraph},
    RefusedName{"cudaGraphGetEdges*", kGraph},
    RefusedName{"cudaGraphGetNodes", kGraph},
    RefusedName{"cudaGraphGetRootNodes", kGraph},
    RefusedName{"cudaGraphHostNode*", kGraph},
    RefusedName{"cudaGraphInstantiate*", kGraph},
    RefusedName{"cudaGraphKernelNode*", kGraph},
    RefusedName{"cudaGraphLaunch", kGraph},
    RefusedName{"cudaGraphLaunch_ptsz", kGraph},
    RefusedName{"cudaGraphMemAllocNode*", kGraph},
    RefusedName{"cudaGraphMemFreeNode*", kGraph},
    RefusedName{"cudaGraphMemcpyNode*", kGraph},
    RefusedName{"cudaGraphMemsetNode*", kGraph},
    RefusedName{"cudaGraphNodeFindInClone", kGraph},
    RefusedName{"cudaGraphNodeGet*", kGraph},
    RefusedName{"cudaGraphNodeSet*", kGraph},
    RefusedName{"cudaGraphReleaseUserObject", kGraph},
    RefusedName{"cudaGraphRemoveDependencies*", kGraph},
    RefusedName{"cudaGraphRetainUserObject", kGraph},
    RefusedName{"cudaGraphSetConditional", kGraph},
    RefusedName{"cudaGraphUpload*", kGraph},
    RefusedName{"cudaGraphics*", kGraphics},
    RefusedName{"cudaStreamBeginCapture*", kGraph},
    RefusedName{"cudaStreamEndCapture", kGraph},
    RefusedName{"cudaCreateTextureObject", kTexture},
    RefusedName{"cudaCreateSurfaceObject", kTexture},
    RefusedName{"cudaBindTexture*", kTexture},
    RefusedName{"cudaBindSurface*", kTexture},
    RefusedName{"tex1D*", kTexture},
    RefusedName{"tex2D*", kTexture},
    RefusedName{"tex3D*", kTexture},
    RefusedName{"texCubemap*", kTexture},
    RefusedName{"surf1D*", kTexture},
    RefusedName{"surf2D*", kTexture},
    RefusedName{"surf3D*", kTexture},
    RefusedName{"this_grid", kGridSync, true},
    RefusedName{"this_multi_grid", kGridSync, true},
    RefusedName{"this_cluster", kGridSync, true},
};

class ExecutorRewriter
{
  public:
    explicit ExecutorRewriter(const Source& source) : source_(source), changes_(source) {}

    Changes rewrite(std::string_view folder) &&
    {
        refuse_calls(source_, kRefused, OwnFunctions::declared);
        for (const Launch& each : find_launches(source_))
            launch(each);
        const std::vector<Function> functions = find_functions(source_);
        for (const Function& function : functions)
            if (function.is_kernel)
                kernel(function);
        const std::vector<LambdaBody> lambdas = find_lambdas(source_);
        rewrite_shared_variables(source_, lambdas, changes_);
        restore_own_names(source_, functions, lambdas, changes_);
        rewrite_waiting_loops(source_, device_code(functions, lambdas), changes_);
        rewrite_inline_ptx(source_, functions, changes_);
        for (std::size_t token = 0; token < source_.size(); ++token)
            if (source_.is(token, "cudaMalloc") || source_.is(token, "cudaMallocManaged"))
                allocation(token);
        changes_.remove_word("__device__");
        register_files(folder);
        return std::move(changes_);
    }

  private:
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

    // The lambda copies the arguments; each thread calls a copy of it.
    void kernel(const Function& function)
    {
        changes_.remove(function.attribute, function.attribute_end);
        if (function.body == kNoToken)
            return;
        changes_.insert_after(function.body, " return ::nestbed::program::kernel(\"" +
                                                 std::string(source_.text(function.name)) +
                                                 "\", [=]() mutable -> void {");
        changes_.insert_before(function.body_end, "});");
    }

    // cudaMalloc((void**)&d, n) becomes cudaMalloc(&d, n, "d"), so that reports name the memory and its type.
    void allocation(std::size_t token)
    {
        std::size_t begin = 0;
        const std::size_t opening = token + 1;
        const std::size_t closing = source_.is(opening, "(") ? source_.match(opening) : kNoToken;
        if (closing == kNoToken || !is_call_of_global_name(source_, token, begin) || is_declared(begin))
            return;
        const std::size_t pointer = remove_cast(opening + 1);
        std::size_t comma = pointer;
        while (comma < closing && !source_.is(comma, ","))
            comma =
                source_.match(comma) > comma && source_.match(comma) < closing ? source_.match(comma) + 1 : comma + 1;
        if (comma < closing)
            changes_.insert_before(closing, ", \"" + name_of(pointer, comma) + "\"");
    }
    bool is_declared(std::size_t name) const
    {
        return name > 0 && source_.is_identifier(name - 1) && !is_before_expression(source_.text(name - 1));
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
            files += files.empty() ? "\"" : ", \"";
            if (!folder.empty() && !file.starts_with('/'))
                for (const char byte : std::string(folder) + "/") {
                    if (byte == '"' || byte == '\\')
                        files += '\\';
                    files += byte;
                }
            files += std::string(file) + "\"";
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

Changes executor_changes(const Source& source, std::string_view folder)
{
    return ExecutorRewriter(source).rewrite(folder);
}

} // namespace nestbed::program
