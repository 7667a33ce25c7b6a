// Path compression: the ends of each edge are united in a forest of sets, whose paths become shorter on the way.
#include "graphs.h"

struct PathCompression {
    static constexpr const char* kName = "path compression";
    static constexpr bool kHasEnd = false;
    struct Data {
        int* parents; // a root is its own parent, any other vertex has a parent of a smaller number
    };

    template <Bug bug>
    static Data make(const HostGraph& graph)
    {
        return {on_device(first_parents(graph.vertices()))};
    }

    // Sets of three vertices in a row, so that there is something to compress from the beginning.
    static std::vector<int> first_parents(int vertices)
    {
        std::vector<int> parents(vertices);
        for (int v = 0; v < vertices; ++v)
            parents[v] = v % 3 == 0 ? v : v - 1;
        return parents;
    }

    template <Bug bug>
    static __device__ int parent_of(const int* parents, int v)
    {
        if constexpr (bug == Bug::kCheckFirst)
            return parents[v];                                // race in check_first
        return *const_cast<const volatile int*>(parents + v); // also race in missing_atomic, plain_write
    }

    template <Bug bug>
    static __device__ int root_of(int* parents, int v)
    {
        for (;;) {
            const int parent = parent_of<bug>(parents, v);
            if (parent == v)
                return v;
            const int above = parent_of<bug>(parents, parent);
            if (above != parent) {
                if constexpr (bug == Bug::kPlainWrite)
                    parents[v] = above; // race in plain_write
                else
                    atomicMin(parents + v, above); // also race in check_first, missing_atomic
            }
            v = parent;
        }
    }

    template <Way way, Bug bug>
    static __device__ void visit(Graph graph, Data data, int v)
    {
        int* const parents = data.parents;
        // out of bounds in missing_guard
        for (int e = graph.first[v] + rank<way>(); e < graph.first[v + 1]; e += group_size<way>()) {
            for (;;) {
                const int a = root_of<bug>(parents, v);
                const int b = root_of<bug>(parents, graph.ends[e]);
                if (a == b)
                    break;
                const int upper = min(a, b), lower = max(a, b);
                if constexpr (bug == Bug::kMissingAtomic) {
                    if (parents[lower] == lower) // also race in missing_atomic
                        parents[lower] = upper;  // race in missing_atomic
                } else
                    atomicCAS(parents + lower, lower, upper); // also race in check_first, plain_write
            }
        }
    }

    static bool is_right(const HostGraph& graph, Data data)
    {
        std::vector<int> right = first_parents(graph.vertices());
        for (bool changed = true; changed;) {
            changed = false;
            for (int v = 0; v < graph.vertices(); ++v) {
                changed = changed || right[right[v]] != right[v];
                right[v] = right[right[v]];
                for (int e = graph.first[v]; e < graph.first[v + 1]; ++e) {
                    const int least = std::min(right[v], right[graph.ends[e]]);
                    changed = changed || right[v] != least || right[graph.ends[e]] != least;
                    right[v] = right[graph.ends[e]] = least;
                }
            }
        }
        std::vector<int> parents = on_host(data.parents, graph.vertices());
        for (int v = 0; v < graph.vertices(); ++v) { // the parents of smaller vertices are roots by now
            if (parents[v] < 0 || parents[v] > v)
                return false;
            parents[v] = parents[parents[v]];
        }
        return parents == right;
    }
};

int main(int argc, char** argv)
{
    std::vector<Variant> all;
    add<PathCompression, Bug::kNone, Bug::kMissingAtomic, Bug::kCheckFirst, Bug::kPlainWrite, Bug::kMissingGuard>(
        all);
    return run_variant(argc, argv, all);
}
