// A plugin of GCC that completes -fsanitize=thread. GCC reports the accesses of assignments and of atomic functions. It leaves out
//   - objects of class type that a call takes or returns by value: f(*p), *p = f();
//   - what the compiler's own memory functions access, which std::copy and others become: __builtin_memcpy and so on;
//   - the memory operands of assembly;
//   - what the compiler removes before GCC's pass comes, such as v[i] = v[i], or a read whose value nobody needs. A GPU may do it.
// This pass runs before GCC's own. It adds calls of the same functions, __tsan_read_range() and __tsan_write_range().
// For what would be removed, another pass does so as soon as there is a function to look at.
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
        basic_block block;
        FOR_EACH_BB_FN(block, code)
        {
            for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at)) {
                auto* const assignment = dyn_cast<gassign*>(gsi_stmt(at));
                if (assignment == nullptr || gimple_clobber_p(assignment) || gimple_has_volatile_ops(assignment))
                    continue;
                if (nestbed::plugin::stores_what_is_there(assignment))
                    without_effect.push_back(assignment);
                else if (gimple_assign_load_p(assignment) && !needed.has(assignment))
                    removed.push_back(assignment);
            }
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
        basic_block block;
        FOR_EACH_BB_FN(block, code)
        {
            for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
                if (is_gimple_call(gsi_stmt(at)) || gimple_code(gsi_stmt(at)) == GIMPLE_ASM)
                    statements.push_back(gsi_stmt(at));
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

    static void read(gimple* before, const Range& range) { insert(before, BUILT_IN_TSAN_READ_RANGE, range); }
    static void insert(gimple* before, built_in_function function, const Range& range)
    {
        if (!range)
            return;
        gimple_stmt_iterator at = gsi_for_stmt(before);
        gsi_insert_seq_before(&at, call_of(function, range, gimple_location(before)), GSI_SAME_STMT);
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
        fprintf(stderr, "%s was built for g++ %s, and this is g++ %s\n", plugin->full_name, gcc_version.basever,
                version->basever);
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
