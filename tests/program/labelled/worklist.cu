// Populate worklist: the ends of edges that fulfil a condition are appended to a list. A tail launch then reads the list.
#include "graphs.h"

struct Worklist {
    static constexpr const char* kName = "worklist";
    static constexpr bool kHasEnd = true;
    struct Data {
        const int* values;
        int* count;
        unsigned char* list; // of vertices
        int room;
        int* sum; // of the list
    };

    template <Bug bug>
    static Data make(const HostGraph& graph)
    {
        const int room = bug == Bug::kTooSmall ? graph.edges() / 2 : graph.edges();
        return {on_device(graph.values), on_device(std::vector<int>{0}), uninitialized<unsigned char>(room), room,
                uninitialized<int>(1)};
    }

    template <Way way, Bug bug>
    static __device__ void visit(Graph graph, Data data, int v)
    {
        // out of bounds in missing_guard
        for (int e = graph.first[v] + rank<way>(); e < graph.first[v + 1]; e += group_size<way>()) {
            const int end = graph.ends[e];
            if (data.values[end + (bug == Bug::kOutOfBounds ? 1 : 0)] <= 50) // out of bounds in out_of_bounds
                continue;
            if (bug == Bug::kCheckFirst && *data.count == data.room) // race in check_first
                return;
            int slot;
            if constexpr (bug == Bug::kMissingAtomic)
                slot = (*data.count)++; // race in missing_atomic
            else
                slot = atomicAdd(data.count, 1); // race in check_first
            if constexpr (bug == Bug::kIndexOverflow)
                slot = static_cast<signed char>(slot);
            // out of bounds in too_small, index_overflow
            // also race in missing_atomic, index_overflow
            data.list[slot] = end;
        }
    }

    template <Bug bug>
    static __device__ void finish(Data data)
    {
        *data.sum = 0;
        for (int i = 0; i < (bug == Bug::kUninitialized ? data.room : *data.count); ++i)
            // uninitialized in uninitialized, index_overflow
            // out of bounds in too_small
            *data.sum += data.list[i];
    }

    static bool is_right(const HostGraph& graph, Data data)
    {
        int sum = 0;
        for (const int end : graph.ends)
            sum += graph.values[end] > 50 ? end : 0;
        return value_of(data.sum) == sum;
    }
};

int main(int argc, char** argv)
{
    std::vector<Variant> all;
    add<Worklist, Bug::kNone, Bug::kMissingAtomic, Bug::kCheckFirst, Bug::kMissingGuard, Bug::kOutOfBounds,
        Bug::kUninitialized, Bug::kIndexOverflow, Bug::kTooSmall>(all);
    return run_variant(argc, argv, all);
}
