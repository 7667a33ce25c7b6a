// Conditional vertex: if the sum over a vertex's neighbours is large enough, the vertex updates one number of all.
#include "graphs.h"

struct ConditionalVertex {
    static constexpr const char* kName = "conditional vertex";
    static constexpr bool kHasEnd = false;
    struct Data {
        const int* values;
        int* largest;
    };

    template <Bug bug>
    static Data make(const HostGraph& graph)
    {
        int* const largest = bug == Bug::kUninitialized ? uninitialized<int>(1) : on_device(std::vector<int>{0});
        return {on_device(graph.values), largest};
    }

    template <Way way, Bug bug>
    static __device__ void visit(Graph graph, Data data, int v)
    {
        int sum = 0;
        // out of bounds in missing_guard
        for (int e = graph.first[v] + rank<way>(); e < graph.first[v + 1]; e += group_size<way>())
            // out of bounds in out_of_bounds
            sum += data.values[graph.ends[e] + (bug == Bug::kOutOfBounds ? 1 : 0)];
        sum = group_sum<way, bug>(sum);
        if (rank<way>() != 0 || sum <= data.values[v]) // also out of bounds in missing_guard
            return;
        if constexpr (bug == Bug::kMissingAtomic) {
            if (*data.largest < sum) // race in missing_atomic
                *data.largest = sum; // race in missing_atomic
        } else if constexpr (bug == Bug::kCheckFirst) {
            if (*data.largest < sum)          // race in check_first
                atomicMax(data.largest, sum); // race in check_first
        } else {
            atomicMax(data.largest, sum); // uninitialized in uninitialized
        }
    }

    static bool is_right(const HostGraph& graph, Data data)
    {
        int largest = 0;
        for (int v = 0; v < graph.vertices(); ++v) {
            int sum = 0;
            for (int e = graph.first[v]; e < graph.first[v + 1]; ++e)
                sum += graph.values[graph.ends[e]];
            largest = std::max(largest, sum > graph.values[v] ? sum : 0);
        }
        return value_of(data.largest) == largest;
    }
};

int main(int argc, char** argv)
{
    std::vector<Variant> all;
    add<ConditionalVertex, Bug::kNone, Bug::kMissingAtomic, Bug::kCheckFirst, Bug::kMissingGuard, Bug::kOutOfBounds,
        Bug::kUninitialized>(all);
    add_ways<ConditionalVertex, Bug::kMissingBarrier, Way::kBlock>(all);
    return run_variant(argc, argv, all);
}
