// Pull: each vertex reads its neighbours' values and writes the sum to its own place.
#include "graphs.h"

struct Pull {
    static constexpr const char* kName = "pull";
    static constexpr bool kHasEnd = false;
    struct Data {
        const int* from;
        int* to;
    };

    template <Bug bug>
    static Data make(const HostGraph& graph)
    {
        int* const from = bug == Bug::kUninitialized ? uninitialized<int>(graph.vertices()) : on_device(graph.values);
        return {from, bug == Bug::kInPlace ? from : uninitialized<int>(graph.vertices())};
    }

    template <Way way, Bug bug>
    static __device__ void visit(Graph graph, Data data, int v)
    {
        int sum = 0;
        // out of bounds in missing_guard
        for (int e = graph.first[v] + rank<way>(); e < graph.first[v + 1]; e += group_size<way>())
            // race in in_place
            // out of bounds in out_of_bounds
            // uninitialized in uninitialized
            sum += data.from[graph.ends[e] + (bug == Bug::kOutOfBounds ? 1 : 0)];
        sum = group_sum<way, bug>(sum);
        if (rank<way>() == 0)
            data.to[v] = sum; // race in in_place; out of bounds in missing_guard
    }

    static bool is_right(const HostGraph& graph, Data data)
    {
        const std::vector<int> to = on_host(data.to, graph.vertices());
        for (int v = 0; v < graph.vertices(); ++v) {
            int sum = 0;
            for (int e = graph.first[v]; e < graph.first[v + 1]; ++e)
                sum += graph.values[graph.ends[e]];
            if (to[v] != sum)
                return false;
        }
        return true;
    }
};

int main(int argc, char** argv)
{
    std::vector<Variant> all;
    add<Pull, Bug::kNone, Bug::kInPlace, Bug::kMissingGuard, Bug::kOutOfBounds, Bug::kUninitialized>(all);
    add_ways<Pull, Bug::kMissingBarrier, Way::kBlock>(all);
    add_ways<Pull, Bug::kLostWork, Way::kWarp, Way::kBlock>(all, "wrong answer");
    return run_variant(argc, argv, all);
}
