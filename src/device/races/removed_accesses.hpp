// For the plugin of GCC: the accesses of a function that the compiler will remove, because nobody needs them.
#pragma once

// GCC's headers, which compiler_plugin.cc includes before this one, need their order.
#include <set>
#include <unordered_set>
#include <vector>

namespace nestbed::plugin
{

// Whether two expressions are computed in the same way from the same values. What memory holds counts as the same value.
inline bool is_computed_alike(tree left, tree right, unsigned depth)
{
    constexpr unsigned kMaxDepth = 16;
    if (left == right)
        return true;
    if (depth > kMaxDepth || left == NULL_TREE || right == NULL_TREE || TREE_CODE(left) != TREE_CODE(right))
        return false;
    if (TREE_CODE(left) == SSA_NAME) {
        const auto* const one = dyn_cast<gassign*>(SSA_NAME_DEF_STMT(left));
        const auto* const other = dyn_cast<gassign*>(SSA_NAME_DEF_STMT(right));
        if (one == nullptr || other == nullptr || gimple_assign_rhs_code(one) != gimple_assign_rhs_code(other) ||
            gimple_num_ops(one) != gimple_num_ops(other))
            return false;
        for (unsigned operand = 1; operand < gimple_num_ops(one); ++operand)
            if (!is_computed_alike(gimple_op(one, operand), gimple_op(other, operand), depth + 1))
                return false;
        return true;
    }
    if (DECL_P(left) || CONSTANT_CLASS_P(left))
        return operand_equal_p(left, right, 0);
    if (TREE_CODE(left) != MEM_REF && !handled_component_p(left))
        return false;
    for (int operand = 0; operand < TREE_OPERAND_LENGTH(left); ++operand)
        if (!is_computed_alike(TREE_OPERAND(left, operand), TREE_OPERAND(right, operand), depth + 1))
            return false;
    return true;
}

// The memory from which a value was copied; NULL_TREE: it was computed.
inline tree copied_from(tree value)
{
    constexpr unsigned kMaxCopies = 16;
    for (unsigned copies = 0; copies < kMaxCopies && value != NULL_TREE && TREE_CODE(value) == SSA_NAME; ++copies) {
        const auto* const copy = dyn_cast<gassign*>(SSA_NAME_DEF_STMT(value));
        if (copy == nullptr || (!gimple_assign_single_p(copy) && !gimple_assign_cast_p(copy)))
            return NULL_TREE;
        value = gimple_assign_rhs1(copy);
    }
    return value;
}

// `v[i] = v[i]`
inline bool stores_what_is_there(const gassign* statement)
{
    tree to = gimple_assign_lhs(statement);
    tree from = gimple_assign_single_p(statement) || gimple_assign_cast_p(statement)
                    ? copied_from(gimple_assign_rhs1(statement))
                    : NULL_TREE;
    return from != NULL_TREE && !is_gimple_reg(to) && is_computed_alike(to, from, 0);
}

// GCC's own function has another name from GCC 14 on.
inline gimple* last_statement(basic_block block)
{
    return gsi_stmt(gsi_last_nondebug_bb(block));
}

// What has an effect, and what that needs: values, local variables, and the branches that lead there (Cytron et al., 1991, as GCC's own
// removal of dead code).
class Needed
{
  public:
    explicit Needed(function* code)
    {
        mark_dfs_back_edges(code);
        calculate_dominance_info(CDI_POST_DOMINATORS);
        {
            control_dependences branches;
            branches_ = &branches;
            basic_block block;
            FOR_EACH_BB_FN(block, code)
            {
                for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
                    begin_with(gsi_stmt(at));
                edge to;
                edge_iterator next;
                FOR_EACH_EDGE(to, next, block->succs)
                if ((to->flags & EDGE_DFS_BACK) != 0) // it may be a loop without an end
                    needs_to_reach(block, true);
            }
            while (!work_.empty()) {
                gimple* const statement = work_.back();
                work_.pop_back();
                follow(statement);
            }
        }
        free_dominance_info(CDI_POST_DOMINATORS);
    }

    bool has(gimple* statement) const { return needed_.count(statement) != 0; }

  private:
    static bool is_local(tree object)
    {
        tree base = object == NULL_TREE ? NULL_TREE : get_base_address(object);
        return base != NULL_TREE && DECL_P(base) && !is_global_var(base) && !may_be_aliased(base);
    }

    void begin_with(gimple* statement)
    {
        if (gimple_clobber_p(statement) || is_gimple_debug(statement))
            return;
        const auto* const assignment = dyn_cast<gassign*>(statement);
        if (assignment == nullptr) {
            const bool is_branch = gimple_code(statement) == GIMPLE_COND || gimple_code(statement) == GIMPLE_SWITCH;
            if (!is_branch && gimple_code(statement) != GIMPLE_LABEL && gimple_code(statement) != GIMPLE_PREDICT &&
                gimple_code(statement) != GIMPLE_NOP)
                need(statement);
            return;
        }
        if (gimple_has_volatile_ops(statement) || stmt_ends_bb_p(statement))
            return need(statement);
        tree to = gimple_assign_lhs(assignment);
        if (is_gimple_reg(to))
            return;
        if (is_local(to))
            stores_[get_base_address(to)].push_back(statement);
        else
            need(statement);
    }

    void need(gimple* statement)
    {
        if (needed_.insert(statement).second)
            work_.push_back(statement);
    }

    void needs_to_reach(basic_block block, bool with_its_own)
    {
        if (with_its_own)
            if (gimple* const last = last_statement(block); last != nullptr && stmt_ends_bb_p(last))
                need(last);
        bitmap_iterator each;
        unsigned edge = 0;
        EXECUTE_IF_SET_IN_BITMAP(branches_->get_edges_dependent_on(block->index), 0, edge, each)
        if (gimple* const last = last_statement(branches_->get_edge_src(edge)); last != nullptr)
            need(last);
    }

    void needs_local(tree object)
    {
        tree base = object == NULL_TREE ? NULL_TREE : get_base_address(object);
        if (base == NULL_TREE || !DECL_P(base))
            return;
        const auto found = stores_.find(base);
        if (found == stores_.end())
            return;
        for (gimple* const store : found->second)
            need(store);
        stores_.erase(found);
    }

    void follow(gimple* statement)
    {
        if (reached_.insert(gimple_bb(statement)).second)
            needs_to_reach(gimple_bb(statement), false);
        if (auto* const phi = dyn_cast<gphi*>(statement)) {
            for (unsigned number = 0; number < gimple_phi_num_args(phi); ++number) {
                needs_value(gimple_phi_arg_def(phi, number));
                needs_to_reach(gimple_phi_arg_edge(phi, number)->src, true);
            }
            return;
        }
        ssa_op_iter each;
        tree value;
        FOR_EACH_SSA_TREE_OPERAND(value, statement, each, SSA_OP_USE)
        needs_value(value);
        for (unsigned operand = 0; operand < gimple_num_ops(statement); ++operand)
            needs_local(gimple_op(statement, operand));
    }

    void needs_value(tree value)
    {
        if (TREE_CODE(value) == SSA_NAME && !SSA_NAME_IS_DEFAULT_DEF(value))
            need(SSA_NAME_DEF_STMT(value));
    }

    control_dependences* branches_ = nullptr;
    std::unordered_set<gimple*> needed_;
    std::vector<gimple*> work_;
    std::unordered_set<basic_block> reached_;
    std::map<tree, std::vector<gimple*>> stores_; // to local variables that nobody has needed so far
};

} // namespace nestbed::plugin
