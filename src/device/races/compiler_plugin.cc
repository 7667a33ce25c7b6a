// A plugin of GCC that completes -fsanitize=thread. GCC reports the accesses of assignments and of atomic functions. It leaves out
//   - objects of class type that a call takes or returns by value: f(*p), *p = f();
//   - what the compiler's own memory functions access, which std::copy and others become: __builtin_memcpy and so on;
//   - the memory operands of assembly;
//   - what the compiler removes before GCC's pass comes, such as v[i] = v[i], or a read whose value nobody needs. A GPU may do it.
// This pass runs before GCC's own. It adds calls of the same functions, __tsan_read_range() and __tsan_write_range().
// It also adds nestbed_watched_object() before a copy of a structure that GCC reports as the read of one number, and
// nestbed_watched_local() before an access to a local variable by an index, or by a pointer into it, that is known only at run time.
// For what would be removed, another pass does so as soon as there is a function to look at. It also adds nestbed_watched_alignment() before
// an access to a whole structure that is aligned more than its members, as float4: it becomes several accesses later.
// What a call returns is written when the call is done: the function may wait for other threads before it returns.
#include "gcc-plugin.h"

#include "plugin-version.h"

#include "tree.h"

#include "gimple.h"
#include "stringpool.h"

#include "attribs.h"

#include "asan.h"
#include "cfganal.h"
#include "cfghooks.h"
#include "context.h"
#include "gimple-iterator.h"
#include "gimplify-me.h"
#include "gimplify.h"
#include "ssa.h"
#include "tree-cfg.h"
#include "tree-pass.h"

#include <map>
#include <vector>

#include "removed_accesses.hpp"

int plugin_is_GPL_compatible; // NOLINT: GCC's name

namespace
{

// Whether threads can share it. What is in a variable on the stack belongs to its thread.
bool is_shared(tree object)
{
    tree base = get_base_address(object);
    if (base == NULL_TREE)
        return false;
    if (DECL_P(base))
        return is_global_var(base) && !TREE_READONLY(base);
    return TREE_CODE(base) != CONSTRUCTOR && !CONSTANT_CLASS_P(base);
}

// An access: where, and how many bytes. Empty where there is none.
struct Range {
    tree address = NULL_TREE;
    tree bytes = NULL_TREE;

    explicit operator bool() const { return address != NULL_TREE; }
};

Range range_of(tree object)
{
    if (object == NULL_TREE)
        return {};
    tree bytes = NULL_TREE;
    if (TREE_CODE(object) == WITH_SIZE_EXPR) {
        bytes = TREE_OPERAND(object, 1);
        object = TREE_OPERAND(object, 0);
    }
    tree type = TREE_TYPE(object);
    if (TREE_CODE(object) == SSA_NAME || is_gimple_min_invariant(object) || TYPE_EMPTY_P(type) || !is_shared(object))
        return {};
    if (bytes == NULL_TREE)
        bytes = TYPE_SIZE_UNIT(type);
    if (bytes == NULL_TREE || integer_zerop(bytes))
        return {};
    return {build_fold_addr_expr(unshare_expr(object)), bytes};
}

// Bits have no address.
Range range_of_access(tree object)
{
    for (tree part = object; handled_component_p(part); part = TREE_OPERAND(part, 0))
        if (TREE_CODE(part) == BIT_FIELD_REF ||
            (TREE_CODE(part) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(part, 1))))
            return {};
    return range_of(object);
}

// An argument or a result. What is in a register is loaded or stored by an assignment of its own, which GCC reports. A class that is not
// trivially copyable is passed and returned by its address.
Range range_of_value(tree object)
{
    if (object == NULL_TREE || is_gimple_reg_type(TREE_TYPE(object)) || TREE_ADDRESSABLE(TREE_TYPE(object)))
        return {};
    return range_of(object);
}

gimple_seq call_of(built_in_function function, const Range& range, location_t place)
{
    gimple_seq calls = nullptr;
    gimple_seq of_bytes = nullptr;
    tree address = force_gimple_operand(range.address, &calls, true, NULL_TREE);
    tree bytes = force_gimple_operand(fold_convert(size_type_node, range.bytes), &of_bytes, true, NULL_TREE);
    gimple_seq_add_seq(&calls, of_bytes);
    gimple_seq_add_stmt(&calls, gimple_build_call(builtin_decl_implicit(function), 2, address, bytes));
    for (gimple_stmt_iterator at = gsi_start(calls); !gsi_end_p(at); gsi_next(&at))
        gimple_set_location(gsi_stmt(at), place);
    return calls;
}

tree declared(const char* name, tree type)
{
    tree function = build_fn_decl(name, type);
    TREE_NOTHROW(function) = 0; // the run of the kernel may end there
    return function;
}

// What -fsanitize=thread reports by a function for numbers, and is none: a structure, or what a memory function has become.
bool is_object(tree object)
{
    if (!is_gimple_reg_type(TREE_TYPE(object)))
        return true;
    return TREE_CODE(object) == MEM_REF && !integer_onep(TYPE_SIZE_UNIT(TREE_TYPE(object))) &&
           TYPE_REF_CAN_ALIAS_ALL(TREE_TYPE(TREE_OPERAND(object, 1)));
}

bool is_array_or_structure(tree object)
{
    return (VAR_P(object) || TREE_CODE(object) == PARM_DECL) && !is_global_var(object) &&
           AGGREGATE_TYPE_P(TREE_TYPE(object)) && TYPE_SIZE_UNIT(TREE_TYPE(object)) != NULL_TREE &&
           tree_fits_uhwi_p(TYPE_SIZE_UNIT(TREE_TYPE(object)));
}

// The local variable into which a pointer was computed; NULL_TREE: it is not known, or it is the variable's own address.
tree variable_of_pointer(tree pointer)
{
    constexpr unsigned kMaxSteps = 16;
    bool is_moved = false;
    for (unsigned steps = 0; steps < kMaxSteps && TREE_CODE(pointer) == SSA_NAME; ++steps) {
        const auto* const from = dyn_cast<gassign*>(SSA_NAME_DEF_STMT(pointer));
        if (from == nullptr)
            return NULL_TREE;
        const bool is_sum = gimple_assign_rhs_code(from) == POINTER_PLUS_EXPR;
        if (!is_sum && !gimple_assign_single_p(from) && !gimple_assign_cast_p(from))
            return NULL_TREE;
        is_moved |= is_sum;
        pointer = gimple_assign_rhs1(from);
    }
    if (TREE_CODE(pointer) != ADDR_EXPR)
        return NULL_TREE;
    tree base = get_base_address(TREE_OPERAND(pointer, 0));
    const bool is_indexed = TREE_CODE(TREE_OPERAND(pointer, 0)) == ARRAY_REF;
    return (is_moved || is_indexed) && base != NULL_TREE && is_array_or_structure(base) ? base : NULL_TREE;
}

// What a part of a local variable is an offset from: the bytes before the part, if they are known only at run time.
struct LocalPart {
    tree variable = NULL_TREE;
    tree offset = NULL_TREE;
    tree bytes = NULL_TREE;
};

LocalPart local_part(tree object)
{
    if (object == NULL_TREE || (TREE_CODE(object) != MEM_REF && !handled_component_p(object)))
        return {};
    tree bytes = TYPE_SIZE_UNIT(TREE_TYPE(object));
    if (bytes == NULL_TREE || !tree_fits_uhwi_p(bytes) || integer_zerop(bytes))
        return {};
    poly_int64 bit_size, bit_position;
    tree offset = NULL_TREE;
    machine_mode mode;
    int is_unsigned = 0, is_reverse = 0, is_volatile = 0;
    tree base = get_inner_reference(object, &bit_size, &bit_position, &offset, &mode, &is_unsigned, &is_reverse,
                                    &is_volatile);
    HOST_WIDE_INT bits = 0;
    if (!bit_position.is_constant(&bits) || bits % BITS_PER_UNIT != 0)
        return {};
    tree variable = base;
    tree before = build_int_cst(ssizetype, bits / BITS_PER_UNIT);
    if (TREE_CODE(base) == MEM_REF) {
        tree pointer = TREE_OPERAND(base, 0);
        variable = variable_of_pointer(pointer);
        if (variable == NULL_TREE)
            return {};
        tree distance = fold_build2(MINUS_EXPR, ssizetype, fold_convert(ssizetype, pointer),
                                    fold_convert(ssizetype, build_fold_addr_expr(variable)));
        before = fold_build2(PLUS_EXPR, ssizetype, before, distance);
        before = fold_build2(PLUS_EXPR, ssizetype, before, fold_convert(ssizetype, TREE_OPERAND(base, 1)));
    } else if (offset == NULL_TREE || !is_array_or_structure(base)) {
        return {};
    }
    if (offset != NULL_TREE)
        before = fold_build2(PLUS_EXPR, ssizetype, before, fold_convert(ssizetype, unshare_expr(offset)));
    return {variable, before, bytes};
}

// Of an array of numbers, at any depth, the bytes of one; else 1.
tree element_bytes(tree type)
{
    const bool is_array = TREE_CODE(type) == ARRAY_TYPE;
    while (TREE_CODE(type) == ARRAY_TYPE)
        type = TREE_TYPE(type);
    return is_array && is_gimple_reg_type(type) ? fold_convert(size_type_node, TYPE_SIZE_UNIT(type)) : size_one_node;
}

// Bytes that the address of its members is a multiple of.
unsigned alignment_of_members(tree type)
{
    while (TREE_CODE(type) == ARRAY_TYPE)
        type = TREE_TYPE(type);
    if (!RECORD_OR_UNION_TYPE_P(type))
        return TYPE_ALIGN_UNIT(type);
    unsigned most = 1;
    for (tree field = TYPE_FIELDS(type); field != NULL_TREE; field = DECL_CHAIN(field))
        if (TREE_CODE(field) == FIELD_DECL && TREE_TYPE(field) != error_mark_node)
            most = MAX(most, alignment_of_members(TREE_TYPE(field)));
    return most;
}

// By a pointer, which may have been another one's.
bool is_vector_at_pointer(tree object)
{
    if (object == NULL_TREE || !RECORD_OR_UNION_TYPE_P(TREE_TYPE(object)))
        return false;
    tree base = get_base_address(object);
    return base != NULL_TREE && TREE_CODE(base) == MEM_REF && TREE_CODE(TREE_OPERAND(base, 0)) == SSA_NAME &&
           TYPE_ALIGN_UNIT(TREE_TYPE(object)) > alignment_of_members(TREE_TYPE(object));
}

class Instrument
{
  public:
    // Of what will be removed alone.
    static void run_early(function* code)
    {
        initialize_sanitizer_builtins();
        const nestbed::plugin::Needed needed(code);
        std::vector<gassign*> removed;
        std::vector<gassign*> without_effect;
        std::vector<gimple*> statements;
        basic_block block;
        FOR_EACH_BB_FN(block, code)
        {
            for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
                if ((gimple_assign_single_p(gsi_stmt(at)) && !gimple_clobber_p(gsi_stmt(at))) ||
                    (is_gimple_call(gsi_stmt(at)) && !gimple_call_internal_p(gsi_stmt(at))))
                    statements.push_back(gsi_stmt(at));
                auto* const assignment = dyn_cast<gassign*>(gsi_stmt(at));
                if (assignment == nullptr || gimple_clobber_p(assignment) || gimple_has_volatile_ops(assignment))
                    continue;
                if (nestbed::plugin::stores_what_is_there(assignment))
                    without_effect.push_back(assignment);
                else if (gimple_assign_load_p(assignment) && !needed.has(assignment))
                    removed.push_back(assignment);
            }
        }
        tree function = NULL_TREE;
        for (gimple* const statement : statements) {
            aligned(function, statement, gimple_get_lhs(statement), true);
            if (const auto* const assignment = dyn_cast<gassign*>(statement))
                aligned(function, statement, gimple_assign_rhs1(assignment), false);
            else
                for (unsigned number = 0; number < gimple_call_num_args(statement); ++number)
                    aligned(function, statement, gimple_call_arg(statement, number), false);
        }
        for (gassign* const assignment : removed)
            read(assignment, range_of_access(gimple_assign_rhs1(assignment)));
        for (gassign* const assignment : without_effect) {
            if (TREE_CODE(gimple_assign_rhs1(assignment)) == SSA_NAME) {
                keep(assignment);
                continue;
            }
            const Range range = range_of(gimple_assign_lhs(assignment));
            read(assignment, range);
            insert(assignment, BUILT_IN_TSAN_WRITE_RANGE, range);
        }
    }

    void run(function* code)
    {
        initialize_sanitizer_builtins();
        // What is inserted may add blocks, so that the statements are listed first.
        std::vector<gimple*> statements;
        std::vector<gassign*> assignments;
        basic_block block;
        FOR_EACH_BB_FN(block, code)
        {
            for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
                if (is_gimple_call(gsi_stmt(at)) || gimple_code(gsi_stmt(at)) == GIMPLE_ASM)
                    statements.push_back(gsi_stmt(at));
                else if (auto* const assignment = dyn_cast<gassign*>(gsi_stmt(at));
                         assignment != nullptr && gimple_assign_single_p(assignment) && !gimple_clobber_p(assignment))
                    assignments.push_back(assignment);
        }
        for (gassign* assignment : assignments) {
            if (!is_stored_next(assignment))
                local(assignment, gimple_assign_rhs1(assignment), false);
            local(assignment, gimple_assign_lhs(assignment), true);
            object_read(assignment);
        }
        for (gimple* statement : statements)
            if (const gasm* assembly = dyn_cast<gasm*>(statement))
                operands(assembly, statement);
            else if (!gimple_call_internal_p(statement) && !memory_function(statement))
                values(statement);
        if (on_edges_)
            gsi_commit_edge_inserts();
    }

  private:
    // The compiler knows no longer what is in memory.
    static void keep(gimple* store)
    {
        vec<tree, va_gc>* clobbers = nullptr;
        vec_safe_push(clobbers, build_tree_list(NULL_TREE, build_string(sizeof "memory" - 1, "memory")));
        gasm* const barrier = gimple_build_asm_vec("", nullptr, nullptr, clobbers, nullptr);
        gimple_asm_set_volatile(barrier, true);
        gimple_stmt_iterator at = gsi_for_stmt(store);
        gsi_insert_before(&at, barrier, GSI_SAME_STMT);
    }

    static void aligned(tree& function, gimple* before, tree object, bool is_write)
    {
        if (!is_vector_at_pointer(object))
            return;
        if (function == NULL_TREE)
            function = declared("nestbed_watched_alignment",
                                build_function_type_list(void_type_node, const_ptr_type_node, size_type_node,
                                                         size_type_node, integer_type_node, NULL_TREE));
        tree type = TREE_TYPE(object);
        gimple_seq calls = nullptr;
        tree address = force_gimple_operand(build_fold_addr_expr(unshare_expr(object)), &calls, true, NULL_TREE);
        gimple_seq_add_stmt(&calls, gimple_build_call(function, 4, address, size_int(TYPE_ALIGN_UNIT(type)),
                                                      fold_convert(size_type_node, TYPE_SIZE_UNIT(type)),
                                                      build_int_cst(integer_type_node, is_write ? 1 : 0)));
        for (gimple_stmt_iterator at = gsi_start(calls); !gsi_end_p(at); gsi_next(&at))
            gimple_set_location(gsi_stmt(at), gimple_location(before));
        gimple_stmt_iterator at = gsi_for_stmt(before);
        gsi_insert_seq_before(&at, calls, GSI_SAME_STMT);
    }

    static void read(gimple* before, const Range& range) { insert(before, BUILT_IN_TSAN_READ_RANGE, range); }
    static void insert(gimple* before, built_in_function function, const Range& range)
    {
        if (!range)
            return;
        gimple_stmt_iterator at = gsi_for_stmt(before);
        gsi_insert_seq_before(&at, call_of(function, range, gimple_location(before)), GSI_SAME_STMT);
    }

    // The read of `own[i] += x`, whose write has the same check.
    static bool is_stored_next(gassign* load)
    {
        constexpr unsigned kMaxSteps = 8;
        if (!gimple_assign_load_p(load))
            return false;
        gimple_stmt_iterator at = gsi_for_stmt(load);
        for (unsigned steps = 0; steps < kMaxSteps && !gsi_end_p(at); ++steps, gsi_next(&at))
            if (gimple_store_p(gsi_stmt(at)) && is_gimple_assign(gsi_stmt(at)))
                return operand_equal_p(gimple_assign_lhs(gsi_stmt(at)), gimple_assign_rhs1(load), 0) != 0;
        return false;
    }

    void local(gimple* before, tree object, bool is_write)
    {
        const LocalPart part = local_part(object);
        if (part.variable == NULL_TREE)
            return;
        if (local_function_ == NULL_TREE)
            local_function_ =
                declared("nestbed_watched_local",
                         build_function_type_list(void_type_node, ssizetype, size_type_node, size_type_node,
                                                  size_type_node, const_ptr_type_node, integer_type_node, NULL_TREE));
        const char* const name =
            DECL_NAME(part.variable) == NULL_TREE ? "a local variable" : IDENTIFIER_POINTER(DECL_NAME(part.variable));
        gimple_seq calls = nullptr;
        tree offset = force_gimple_operand(part.offset, &calls, true, NULL_TREE);
        tree type = TREE_TYPE(part.variable);
        gimple_seq_add_stmt(&calls,
                            gimple_build_call(local_function_, 6, offset, fold_convert(size_type_node, part.bytes),
                                              fold_convert(size_type_node, TYPE_SIZE_UNIT(type)), element_bytes(type),
                                              build_string_literal(strlen(name) + 1, name),
                                              build_int_cst(integer_type_node, is_write ? 1 : 0)));
        for (gimple_stmt_iterator at = gsi_start(calls); !gsi_end_p(at); gsi_next(&at))
            gimple_set_location(gsi_stmt(at), gimple_location(before));
        gimple_stmt_iterator at = gsi_for_stmt(before);
        gsi_insert_seq_before(&at, calls, GSI_SAME_STMT);
    }

    void object_read(gassign* assignment)
    {
        tree object = gimple_assign_rhs1(assignment);
        if (!gimple_assign_load_p(assignment) || !is_shared(object) || !is_object(object))
            return;
        if (object_function_ == NULL_TREE)
            object_function_ =
                declared("nestbed_watched_object", build_function_type_list(void_type_node, NULL_TREE));
        gimple* const call = gimple_build_call(object_function_, 0);
        gimple_set_location(call, gimple_location(assignment));
        gimple_stmt_iterator at = gsi_for_stmt(assignment);
        gsi_insert_before(&at, call, GSI_SAME_STMT);
    }

    void written(gimple* by, const Range& range)
    {
        if (!range)
            return;
        gimple_seq calls = call_of(BUILT_IN_TSAN_WRITE_RANGE, range, gimple_location(by));
        if (!stmt_ends_bb_p(by)) {
            gimple_stmt_iterator at = gsi_for_stmt(by);
            gsi_insert_seq_after(&at, calls, GSI_SAME_STMT);
        } else if (edge next = find_fallthru_edge(gimple_bb(by)->succs)) { // none where the call never returns
            gsi_insert_seq_on_edge(next, calls);
            on_edges_ = true;
        }
    }

    void values(gimple* call)
    {
        for (unsigned number = 0; number < gimple_call_num_args(call); ++number)
            read(call, range_of_value(gimple_call_arg(call, number)));
        written(call, range_of_value(gimple_call_lhs(call)));
    }

    // These accesses come at the call, as those of an assignment do.
    static bool memory_function(gimple* call)
    {
        if (!gimple_call_builtin_p(call, BUILT_IN_NORMAL))
            return false;
        const auto argument = [call](unsigned number) { return unshare_expr(gimple_call_arg(call, number)); };
        const auto reads = [&](unsigned number) { read(call, {argument(number), argument(2)}); };
        const auto writes = [&](unsigned number) {
            insert(call, BUILT_IN_TSAN_WRITE_RANGE, {argument(number), argument(2)});
        };
        switch (DECL_FUNCTION_CODE(gimple_call_fndecl(call))) {
        case BUILT_IN_MEMCPY:
        case BUILT_IN_MEMPCPY:
        case BUILT_IN_MEMMOVE:
        case BUILT_IN_MEMCPY_CHK:
        case BUILT_IN_MEMPCPY_CHK:
        case BUILT_IN_MEMMOVE_CHK:
            reads(1);
            writes(0);
            return true;
        case BUILT_IN_MEMSET:
        case BUILT_IN_MEMSET_CHK:
            writes(0);
            return true;
        case BUILT_IN_MEMCMP:
        case BUILT_IN_MEMCMP_EQ:
        case BUILT_IN_BCMP:
            reads(0);
            reads(1);
            return true;
        default:
            return false;
        }
    }

    void operands(const gasm* assembly, gimple* statement)
    {
        for (unsigned number = 0; number < gimple_asm_ninputs(assembly); ++number)
            read(statement, range_of(TREE_VALUE(gimple_asm_input_op(assembly, number))));
        for (unsigned number = 0; number < gimple_asm_noutputs(assembly); ++number)
            written(statement, range_of(TREE_VALUE(gimple_asm_output_op(assembly, number))));
    }

    bool on_edges_ = false;
    // Declared anew in each function that has such accesses: GCC frees what no function has.
    tree local_function_ = NULL_TREE;
    tree object_function_ = NULL_TREE;
};

constexpr pass_data kEarlyPass{GIMPLE_PASS, "nestbed_removed", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0,
                               0,           TODO_update_ssa};
constexpr pass_data kPass{GIMPLE_PASS, "nestbed_watch", OPTGROUP_NONE, TV_NONE, PROP_ssa | PROP_cfg, 0, 0,
                          0,           TODO_update_ssa};

// Before the optimisations that remove accesses.
class EarlyPass final : public gimple_opt_pass
{
  public:
    explicit EarlyPass(gcc::context* context) : gimple_opt_pass(kEarlyPass, context) {}
    opt_pass* clone() override { return new EarlyPass(m_ctxt); } // GCC deletes it
    bool gate(function*) override { return sanitize_flags_p(SANITIZE_THREAD) && optimize != 0; }
    unsigned execute(function* code) override
    {
        Instrument::run_early(code);
        return 0;
    }
};

// Before one of the two passes of GCC: "tsan" in code that is optimised, else "tsan0".
class Pass final : public gimple_opt_pass
{
  public:
    Pass(gcc::context* context, bool optimised) : gimple_opt_pass(kPass, context), optimised_(optimised) {}
    opt_pass* clone() override { return new Pass(m_ctxt, optimised_); } // GCC deletes it
    bool gate(function*) override { return sanitize_flags_p(SANITIZE_THREAD) && (optimize != 0) == optimised_; }
    unsigned execute(function* code) override
    {
        Instrument().run(code);
        return 0;
    }

  private:
    bool optimised_;
};

} // namespace

int plugin_init(plugin_name_args* plugin, plugin_gcc_version* version)
{
    if (!plugin_default_version_check(version, &gcc_version)) {
        fprintf(stderr, "%s was built for another g++ %s, and this is g++ %s; repair: use_compiler, in its folder\n",
                plugin->full_name, gcc_version.basever, version->basever);
        return 1;
    }
    register_pass_info early{};
    early.pass = new EarlyPass(g); // GCC deletes it
    early.reference_pass_name = "ccp";
    early.ref_pass_instance_number = 1;
    early.pos_op = PASS_POS_INSERT_AFTER;
    register_callback(plugin->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &early);
    for (const bool optimised : {true, false}) {
        register_pass_info info{};
        info.pass = new Pass(g, optimised); // GCC deletes it
        info.reference_pass_name = optimised ? "tsan" : "tsan0";
        info.ref_pass_instance_number = 0; // all
        info.pos_op = PASS_POS_INSERT_BEFORE;
        register_callback(plugin->base_name, PLUGIN_PASS_MANAGER_SETUP, nullptr, &info);
    }
    return 0;
}
