// Conditional edge: each edge whose ends fulfil a condition is counted.
#include "graphs.h"

struct ConditionalEdge {
    static constexpr const char* kName = "conditional edge";
    static constexpr bool kHasEnd = false;
    struct Data {
        const int* values;
        int* count;
    };

    template <Bug bug>
    static Data make(const HostGraph& graph)
    {
        int* const count = bug == Bug::kUninitialized ? uninitialized<int>(1) : on_device(std::vector<int>{0});
        return {on_device(graph.values), count};
    }

    template <Way way, Bug bug>
    static __device__ void visit(Graph graph, Data data, int v)
    {
        // out of bounds in missing_guard
        for (int e = graph.first[v] + rank<way>(); e < graph.first[v + 1]; e += group_size<way>()) {
            const int end = graph.ends[e] + (bug == Bug::kOutOfBounds ? 1 : 0);
            if (v >= end || data.values[v] >= data.values[end]) // out of bounds in out_of_bounds
                continue;
            if constexpr (bug == Bug::kMissingAtomic)
                ++*data.count; // race in missing_atomic
            else
                atomicAdd(data.count, 1); // uninitialized in uninitialized
        }
    }

    static bool is_right(const HostGraph& graph, Data data)
    {
        int count = 0;
        for (int v = 0; v < graph.vertices(); ++v)
            for (int e = graph.first[v]; e < graph.first[v + 1]; ++e)
                count += v < graph.ends[e] && graph.values[v] < graph.values[graph.ends[e]];
        return value_of(data.count) == count;
    }
};

int main(int argc, char** argv)
{
    std::vector<Variant> all;
    add<ConditionalEdge, Bug::kNone, Bug::kMissingAtomic, Bug::kMissingGuard, Bug::kOutOfBounds, Bug::kUninitialized>(
        all);
    return run_variant(argc, argv, all);
}
