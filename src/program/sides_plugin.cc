// A plugin of GCC for users' CUDA files, which knows what host and device are to nvcc. The rewriter marks functions and variables by
// attributes (rewrite/sides.hpp). What nvcc refuses is an error here too:
//   - a kernel or device function that calls a function of the host: of the user, of the C or C++ library, of the CUDA runtime;
//   - a function of the host that calls a device function;
//   - more than 64 KB of __constant__ variables.
// A __device__ or __constant__ variable that a function of the host names is its shadow there (host_names.cpp).
// In device code, conversions of floating-point numbers to integers are the GPU's. The static variables of the host are listed, so that the run-time library knows them (variables.cpp).
// Functions for both sides are not checked, and neither are lambdas of the host, which may be for the device. What may be called from
// both sides, or is not known, is no error.
#include "gcc-plugin.h"

#include "plugin-version.h"

#include "tree.h"

#include "gimple.h"
#include "stringpool.h"

#include "attribs.h"

#include "cp/cp-tree.h"

#include "cgraph.h"
#include "context.h"
#include "diagnostic.h"
#include "file-prefix-map.h"
#include "gimple-iterator.h"
#include "gimple-walk.h"
#include "gimplify.h"
#include "langhooks.h"
#include "tree-pass.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

int plugin_is_GPL_compatible; // NOLINT: GCC's name

namespace
{

// The file includes nestbed/cuda_std.hpp, where cuda::std is std: a function of std may have been called as one of CUDA.
bool has_cuda_std = false;
bool has_thrust = false; // the file includes nestbed/thrust/functional.hpp, where tuples and pairs are those of std
std::string own_headers; // the folder of nestbed's headers, with a / at its end

// What kernels can call of the CUDA runtime: cuda_device_runtime_api.h of CUDA 13.0. cudaDeviceSynchronize() was there before CUDA 12.
constexpr std::array<std::string_view, 36> kDeviceRuntime{
    "cudaCreateChannelDesc",
    "cudaDeviceGetAttribute",
    "cudaDeviceGetCacheConfig",
    "cudaDeviceGetLimit",
    "cudaDeviceGetSharedMemConfig",
    "cudaDeviceSynchronize",
    "cudaEventCreateWithFlags",
    "cudaEventDestroy",
    "cudaEventRecord",
    "cudaEventRecordWithFlags",
    "cudaFree",
    "cudaFuncGetAttributes",
    "cudaGetCurrentGraphExec",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaGetErrorName",
    "cudaGetErrorString",
    "cudaGetLastError",
    "cudaGraphLaunch",
    "cudaGraphSetConditional",
    "cudaGridDependencySynchronize",
    "cudaMalloc",
    "cudaMemcpy2DAsync",
    "cudaMemcpy3DAsync",
    "cudaMemcpyAsync",
    "cudaMemset2DAsync",
    "cudaMemset3DAsync",
    "cudaMemsetAsync",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cudaPeekAtLastError",
    "cudaRuntimeGetVersion",
    "cudaStreamCreateWithFlags",
    "cudaStreamDestroy",
    "cudaStreamWaitEvent",
    "cudaTriggerProgrammaticLaunchCompletion",
};

// What kernels can call of the C library, beside <math.h>.
constexpr std::array<std::string_view, 11> kDeviceLibrary{
    "__assert_fail", "abs", "alloca", "clock", "free", "labs", "llabs", "malloc", "memcpy", "memset", "printf"};

// Functions whose argument is a variable of the device by its name.
constexpr std::array<std::string_view, 7> kOfSymbols{
    "register_symbol",           "cudaMemcpyToSymbol",   "cudaMemcpyToSymbolAsync", "cudaMemcpyFromSymbol",
    "cudaMemcpyFromSymbolAsync", "cudaGetSymbolAddress", "cudaGetSymbolSize"};

template <std::size_t count>
bool contains(const std::array<std::string_view, count>& names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool has(const char* attribute, tree decl)
{
    return lookup_attribute(attribute, DECL_ATTRIBUTES(decl)) != NULL_TREE;
}

std::string_view name_of(tree decl)
{
    return DECL_NAME(decl) == NULL_TREE ? std::string_view() : std::string_view(IDENTIFIER_POINTER(DECL_NAME(decl)));
}

std::string_view file_of(tree decl)
{
    const char* const file = LOCATION_FILE(DECL_SOURCE_LOCATION(decl));
    return file == nullptr ? std::string_view() : std::string_view(file);
}

bool is_below(std::string_view file, std::string_view folder)
{
    return file.substr(0, folder.size()) == folder;
}

bool is_of_nestbed(tree decl)
{
    return is_below(file_of(decl), own_headers);
}

bool is_of_system(tree decl)
{
    return is_below(file_of(decl), "/usr/") || in_system_header_at(DECL_SOURCE_LOCATION(decl)) != 0;
}

// Functions that the compiler makes, and those that both sides may call.
bool is_of_both(tree function)
{
    return DECL_ARTIFICIAL(function) || DECL_DEFAULTED_FN(function) || DECL_DECLARED_CONSTEXPR_P(function) ||
           LAMBDA_FUNCTION_P(function) || has("nestbed_both", function);
}

enum class Side { host, device, kernel, unknown };

// `named` becomes the function that has the mark.
Side side_of(tree function, tree& named)
{
    for (tree at = function; at != NULL_TREE; at = decl_function_context(at)) {
        named = at;
        if (has("nestbed_both", at))
            return Side::unknown;
        if (has("nestbed_global", at))
            return Side::kernel;
        if (has("nestbed_device", at))
            return Side::device;
    }
    const bool is_known = decl_function_context(function) == NULL_TREE && !is_of_both(function) &&
                          !is_of_nestbed(function) && !is_of_system(function);
    named = function;
    return is_known ? Side::host : Side::unknown;
}

// Whether kernels cannot call it. False if that is not known.
bool is_refused_on_device(tree function)
{
    if (has("nestbed_device", function) || has("nestbed_global", function) || is_of_both(function) ||
        DECL_IS_UNDECLARED_BUILTIN(function) ||
        (DECL_NAME(function) != NULL_TREE && IDENTIFIER_NEWDEL_OP_P(DECL_NAME(function))))
        return false;
    tree named = NULL_TREE;
    if (const Side side = side_of(function, named); side == Side::kernel || side == Side::device)
        return false; // of a class in a kernel
    const std::string_view name = name_of(function);
    if (is_of_nestbed(function))
        return (is_below(name, "cuda") || is_below(name, "make_cuda")) && !contains(kDeviceRuntime, name);
    if (DECL_EXTERN_C_P(function) && contains(kDeviceLibrary, name))
        return false;
    if (!is_of_system(function))
        return true;
    const std::string_view file = file_of(function);
    const std::string_view header = file.substr(file.rfind('/') + 1);
    const bool is_of_math =
        is_below(header, "math") || header == "cmath" || header == "std_abs.h" || header == "specfun.h";
    // A library of kernels may be there, too: only the C library has C functions, and the standard library this folder.
    const bool is_of_std = !has_cuda_std && !(has_thrust && (header == "tuple" || header == "stl_pair.h")) &&
                           file.find("/c++/") != std::string_view::npos;
    return !is_of_math && (DECL_EXTERN_C_P(function) || is_of_std);
}

std::string spelled(tree function)
{
    return lang_hooks.decl_printable_name(function, 1);
}

class Check
{
  public:
    void run(function* code)
    {
        tree named = NULL_TREE;
        const Side side = side_of(code->decl, named);
        const bool is_for_device = side == Side::device || side == Side::kernel || has("nestbed_both", named);
        if (side == Side::unknown && !is_for_device)
            return;
        basic_block block = nullptr;
        FOR_EACH_BB_FN(block, code)
        {
            for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
                if (is_for_device)
                    conversion(at);
                if (side != Side::unknown && is_gimple_call(gsi_stmt(at)) && !gimple_call_internal_p(gsi_stmt(at)))
                    call(gsi_stmt(at), side, named);
                if (side == Side::host)
                    variables(at);
            }
        }
    }

  private:
    static void call(gimple* statement, Side side, tree caller)
    {
        tree callee = gimple_call_fndecl(statement);
        if (callee == NULL_TREE)
            return;
        const bool on_device = side != Side::host;
        // A template of the host may be for functors of both sides.
        const bool is_refused = on_device ? is_refused_on_device(callee)
                                          : has("nestbed_device", callee) && !is_of_both(callee) &&
                                                DECL_TEMPLATE_INFO(caller) == NULL_TREE;
        static std::set<std::pair<location_t, tree>> said; // once per instantiation is enough
        if (is_refused && said.insert({gimple_location(statement), callee}).second)
            error_at(gimple_location(statement), "calling a %s function(%qs) from a %s function(%qs) is not allowed",
                     on_device ? "__host__" : "__device__", spelled(callee).c_str(),
                     side == Side::kernel   ? "__global__"
                     : side == Side::device ? "__device__"
                                            : "__host__",
                     spelled(caller).c_str());
    }

    // A conversion of a floating-point number to an integer becomes the GPU's (rounding.cpp), which is of 32 or 64 bits.
    static void conversion(gimple_stmt_iterator& at)
    {
        const auto* const assignment = dyn_cast<gassign*>(gsi_stmt(at));
        if (assignment == nullptr || gimple_assign_rhs_code(assignment) != FIX_TRUNC_EXPR)
            return;
        tree from = TYPE_MAIN_VARIANT(TREE_TYPE(gimple_assign_rhs1(assignment)));
        tree to = TREE_TYPE(gimple_assign_lhs(assignment));
        const bool is_long = TYPE_PRECISION(to) > TYPE_PRECISION(integer_type_node);
        if ((from != float_type_node && from != double_type_node) ||
            TYPE_PRECISION(to) > TYPE_PRECISION(long_integer_type_node))
            return;
        tree wide =
            signed_or_unsigned_type_for(TYPE_UNSIGNED(to), is_long ? long_integer_type_node : integer_type_node);
        const std::string name = std::string("nestbed_") + (from == float_type_node ? "float" : "double") + "_to_" +
                                 (TYPE_UNSIGNED(to) ? "unsigned_" : "") + (is_long ? "long" : "int");
        tree function = build_fn_decl(name.c_str(), build_function_type_list(wide, from, NULL_TREE));
        TREE_NOTHROW(function) = TREE_READONLY(function) = 1;
        gcall* const call = gimple_build_call(function, 1, gimple_assign_rhs1(assignment));
        tree result = create_tmp_var(wide);
        gimple_call_set_lhs(call, result);
        gimple_set_location(call, gimple_location(assignment));
        gsi_insert_before(&at, call, GSI_SAME_STMT);
        gassign* const narrowed = gimple_build_assign(gimple_assign_lhs(assignment), NOP_EXPR, result);
        gimple_set_location(narrowed, gimple_location(assignment));
        gsi_replace(&at, narrowed, false);
    }

    // A variable of the device that only has a shadow on the host. What is constant has its value there.
    static bool has_shadow(tree base)
    {
        return base != NULL_TREE && VAR_P(base) && (has("nestbed_variable", base) || has("nestbed_constant", base)) &&
               !has("nestbed_managed", base) && !TREE_READONLY(base) && DECL_SIZE_UNIT(base) != NULL_TREE;
    }

    enum Use { read, write, passed, address }; // as host_names.cpp has them
    using Uses = std::map<tree, Use>;

    // Puts the address of the shadow into a new variable before the statement.
    static tree shadow_of(gimple_stmt_iterator& at, tree variable, Use use)
    {
        static tree function = NULL_TREE;
        if (function == NULL_TREE) {
            tree type =
                build_function_type_list(ptr_type_node, ptr_type_node, size_type_node, const_ptr_type_node,
                                         const_ptr_type_node, integer_type_node, integer_type_node, NULL_TREE);
            function = build_fn_decl("nestbed_host_names", type);
            TREE_NOTHROW(function) = 1;
        }
        const auto text = [](const std::string& of_text) {
            return build_string_literal(of_text.size() + 1, of_text.c_str());
        };
        const location_t location = gimple_location(gsi_stmt(at));
        const expanded_location place = expand_location(location);
        TREE_ADDRESSABLE(variable) = 1;
        const char* const kind = has("nestbed_constant", variable) ? "__constant__" : "__device__";
        gcall* const call = gimple_build_call(
            function, 6, build_fold_addr_expr(variable), fold_convert(size_type_node, DECL_SIZE_UNIT(variable)),
            text(std::string(kind) + " variable " + spelled(variable)),
            text(place.file == nullptr ? "" : remap_macro_filename(place.file)),
            build_int_cst(integer_type_node, place.line), build_int_cst(integer_type_node, use));
        gimple_set_location(call, location);
        tree pointer = create_tmp_var(ptr_type_node);
        gimple_call_set_lhs(call, pointer);
        gsi_insert_before(&at, call, GSI_SAME_STMT);
        return pointer;
    }

    static tree at_shadow(tree variable, tree pointer)
    {
        tree object =
            build2(MEM_REF, TREE_TYPE(variable), pointer, build_int_cst(build_pointer_type(TREE_TYPE(variable)), 0));
        TREE_THIS_VOLATILE(object) = TREE_SIDE_EFFECTS(object) = TREE_THIS_VOLATILE(variable);
        return object;
    }

    template <Use use>
    static bool note(gimple*, tree base, tree, void* to)
    {
        if (has_shadow(base))
            static_cast<Uses*>(to)->insert_or_assign(base, use);
        return false;
    }

    // The variable becomes its shadow in a statement of the host, and so does its address, but not where a function takes it by its name.
    static void variables(gimple_stmt_iterator& at)
    {
        gimple* const statement = gsi_stmt(at);
        if (is_gimple_debug(statement))
            return;
        Uses used;
        walk_stmt_load_store_ops(statement, &used, note<read>, note<write>);
        if (!used.empty()) {
            std::map<tree, tree> shadows;
            for (const auto& [variable, use] : used)
                shadows[variable] = shadow_of(at, variable, use);
            walk_stmt_info info{};
            info.info = &shadows;
            walk_gimple_op(
                statement,
                [](tree* operand, int* walk_subtrees, void* data) -> tree {
                    auto& of = *static_cast<std::map<tree, tree>*>(static_cast<walk_stmt_info*>(data)->info);
                    const auto found = of.find(*operand);
                    *walk_subtrees = TREE_CODE(*operand) != ADDR_EXPR && found == of.end();
                    if (found != of.end())
                        *operand = at_shadow(found->first, found->second);
                    return NULL_TREE;
                },
                &info);
        }
        addresses(at);
    }

    static void addresses(gimple_stmt_iterator& at)
    {
        gimple* const statement = gsi_stmt(at);
        tree callee = is_gimple_call(statement) ? gimple_call_fndecl(statement) : NULL_TREE;
        if (callee != NULL_TREE && contains(kOfSymbols, name_of(callee)))
            return;
        for (unsigned number = 0; number < gimple_num_ops(statement); ++number) {
            tree operand = gimple_op(statement, number);
            if (operand == NULL_TREE || TREE_CODE(operand) != ADDR_EXPR ||
                !has_shadow(get_base_address(TREE_OPERAND(operand, 0))))
                continue;
            tree moved = unshare_expr(operand);
            tree* base = &TREE_OPERAND(moved, 0);
            while (handled_component_p(*base))
                base = &TREE_OPERAND(*base, 0);
            if (!has_shadow(*base))
                continue;
            const bool is_for_device = callee != NULL_TREE && takes_address_of_device(callee);
            *base = at_shadow(*base, shadow_of(at, *base, is_for_device ? passed : address));
            recompute_tree_invariant_for_addr_expr(moved);
            tree pointer = create_tmp_var(TREE_TYPE(operand));
            gsi_insert_before(&at, gimple_build_assign(pointer, moved), GSI_SAME_STMT);
            gimple_set_op(statement, number, pointer);
            if (gimple_assign_single_p(statement))
                gimple_assign_set_rhs_code(statement, TREE_CODE(pointer));
        }
    }
    static bool takes_address_of_device(tree callee)
    {
        const std::string_view name = name_of(callee);
        return has("nestbed_global", callee) ||
               (is_of_nestbed(callee) && (is_below(name, "cudaMemcpy") || is_below(name, "cudaMemset")));
    }
};

constexpr pass_data kPass{GIMPLE_PASS, "nestbed_sides", OPTGROUP_NONE, TV_NONE, PROP_cfg, 0, 0, 0, 0};

class Pass final : public gimple_opt_pass
{
  public:
    explicit Pass(gcc::context* context) : gimple_opt_pass(kPass, context) {}
    unsigned execute(function* code) override
    {
        Check().run(code);
        return 0;
    }
};

void register_attributes(void* /*event*/, void* /*data*/)
{
    static std::array<attribute_spec, 6> attributes{};
    static constexpr std::array kNames{"nestbed_device",   "nestbed_global",   "nestbed_both",
                                       "nestbed_variable", "nestbed_constant", "nestbed_managed"};
    for (std::size_t number = 0; number < kNames.size(); ++number) {
        attributes[number].name = kNames[number];
        attributes[number].decl_required = true;
        register_attribute(&attributes[number]);
    }
}

void finish_declaration(void* event, void* /*data*/)
{
    static constexpr unsigned HOST_WIDE_INT kMaxBytes = 64 * 1024;
    static unsigned HOST_WIDE_INT bytes = 0;
    static std::set<tree> counted;
    tree variable = static_cast<tree>(event);
    has_cuda_std |= VAR_P(variable) && name_of(variable) == "nestbed_cuda_std";
    has_thrust |= VAR_P(variable) && name_of(variable) == "nestbed_thrust";
    if (!VAR_P(variable) || !has("nestbed_constant", variable) || DECL_EXTERNAL(variable) ||
        DECL_SIZE_UNIT(variable) == NULL_TREE || !tree_fits_uhwi_p(DECL_SIZE_UNIT(variable)) ||
        !counted.insert(variable).second)
        return;
    const bool fitted = bytes <= kMaxBytes;
    bytes += tree_to_uhwi(DECL_SIZE_UNIT(variable));
    if (fitted && bytes > kMaxBytes)
        error_at(DECL_SOURCE_LOCATION(variable),
                 "%qs: too much constant memory of this file: %lu bytes, 65536 are allowed",
                 spelled(variable).c_str(), static_cast<unsigned long>(bytes));
}

// What is constant, kernels may read.
bool is_of_host(tree variable)
{
    tree named = NULL_TREE;
    tree function = decl_function_context(variable);
    return !DECL_ARTIFICIAL(variable) && !TREE_READONLY(variable) && !DECL_THREAD_LOCAL_P(variable) &&
           DECL_SIZE_UNIT(variable) != NULL_TREE && !has("nestbed_variable", variable) &&
           !has("nestbed_constant", variable) && !has("nestbed_managed", variable) && !is_of_nestbed(variable) &&
           !is_of_system(variable) && !is_below(name_of(variable), "nestbed_") &&
           (function == NULL_TREE || side_of(function, named) == Side::host);
}

void list_variables_of_host(void* /*event*/, void* /*data*/)
{
    constexpr const char* kSection = "nestbed_host_variables";
    vec<constructor_elt, va_gc>* values = nullptr; // of each variable its address, size and name
    varpool_node* node = nullptr;
    FOR_EACH_DEFINED_VARIABLE(node)
    {
        if (!is_of_host(node->decl))
            continue;
        TREE_ADDRESSABLE(node->decl) = 1;
        const std::string name = spelled(node->decl);
        for (tree value : {build_fold_addr_expr(node->decl), DECL_SIZE_UNIT(node->decl),
                           build_string_literal(name.size() + 1, name.c_str())})
            CONSTRUCTOR_APPEND_ELT(values, size_int(vec_safe_length(values)), fold_convert(ptr_type_node, value));
    }
    if (values == nullptr)
        return;
    tree type = build_array_type_nelts(ptr_type_node, vec_safe_length(values));
    tree list = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier("nestbed_listed"), type);
    TREE_STATIC(list) = TREE_USED(list) = DECL_ARTIFICIAL(list) = DECL_PRESERVE_P(list) = 1;
    DECL_INITIAL(list) = build_constructor(type, values);
    set_decl_section_name(list, kSection);
    SET_DECL_ALIGN(list, POINTER_SIZE); // no gaps between those of the files
    DECL_USER_ALIGN(list) = 1;
    varpool_node::finalize_decl(list);
    varpool_node::get(list)->analyze();
}

} // namespace

int plugin_init(plugin_name_args* plugin, plugin_gcc_version* version)
{
    if (!plugin_default_version_check(version, &gcc_version)) {
        (void)fprintf(stderr,
                      "%s was built for another g++ %s, and this is g++ %s; repair: use_compiler, in its folder\n",
                      plugin->full_name, gcc_version.basever, version->basever);
        return 1;
    }
    own_headers = plugin->full_name;
    own_headers = own_headers.substr(0, own_headers.rfind('/') + 1) + "include/";
    register_callback(plugin->base_name, PLUGIN_ATTRIBUTES, register_attributes, nullptr);
    register_callback(plugin->base_name, PLUGIN_FINISH_DECL, finish_declaration, nullptr);
    register_callback(plugin->base_name, PLUGIN_ALL_IPA_PASSES_START, list_variables_of_host, nullptr);
    register_pass_info info{};
    info.pass = new Pass(g); // GCC deletes it
    info.reference_pass_name = "cfg";
    info.ref_pass_instance_number = 1;
    info.pos_op = PASS_POS_INSERT_AFTER;
    register_callback(plugin->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
    return 0;
}
