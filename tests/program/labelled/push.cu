// Push: each vertex raises its neighbours' values to its own.
#include "graphs.h"

struct Push {
    static constexpr const char* kName = "push";
    static constexpr bool kHasEnd = false;
    struct Data {
        const int* from;
        int* to;
    };

    template <Bug bug>
    static Data make(const HostGraph& graph)
    {
        const std::vector<int> zeros(graph.vertices(), 0);
        return {on_device(graph.values),
                bug == Bug::kUninitialized ? uninitialized<int>(graph.vertices()) : on_device(zeros)};
    }

    template <Way way, Bug bug>
    static __device__ void visit(Graph graph, Data data, int v)
    {
        const int value = data.from[v]; // out of bounds in missing_guard
        // out of bounds in missing_guard
        for (int e = graph.first[v] + rank<way>(); e < graph.first[v + 1]; e += group_size<way>()) {
            int* const to = data.to + graph.ends[e] + (bug == Bug::kOutOfBounds ? 1 : 0);
            if constexpr (bug == Bug::kMissingAtomic)
                *to = max(*to, value); // race in missing_atomic
            else if constexpr (bug == Bug::kCheckFirst) {
                if (*to < value)          // race in check_first
                    atomicMax(to, value); // race in check_first
            } else if constexpr (bug == Bug::kBlockScope)
                atomicMax_block(to, value); // race in block_scope
            else
                atomicMax(to, value); // out of bounds in out_of_bounds; uninitialized in uninitialized
        }
    }

    static bool is_right(const HostGraph& graph, Data data)
    {
        std::vector<int> right(graph.vertices(), 0);
        for (int v = 0; v < graph.vertices(); ++v)
            for (int e = graph.first[v]; e < graph.first[v + 1]; ++e)
                right[graph.ends[e]] = std::max(right[graph.ends[e]], graph.values[v]);
        return on_host(data.to, graph.vertices()) == right;
    }
};

int main(int argc, char** argv)
{
    std::vector<Variant> all;
    add<Push, Bug::kNone, Bug::kMissingAtomic, Bug::kCheckFirst, Bug::kMissingGuard, Bug::kOutOfBounds,
        Bug::kUninitialized>(all);
    add_ways<Push, Bug::kBlockScope, Way::kThread, Way::kWarp, Way::kBlock>(all);
    return run_variant(argc, argv, all);
}
