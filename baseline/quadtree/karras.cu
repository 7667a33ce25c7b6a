// quadtree_karras: a binary radix tree over sorted Morton codes, all of its nodes at once; then the quadtree's nodes. CUDA only.
//
//     as quadtree_morton: codes, and the library's sort
//     a thread per inner node of the binary radix tree: its keys, its two children (Karras)
//     a thread per node of it: the quadtree's squares between its parent's common bits and its own are nodes while the
//         square above has more than `grain` points
//
// Keys with equal codes differ in their index in the order, as in the paper.
//
// Launches: none from the device; from the host four, and those of the library.
// Hazards: none. The sort is stable. Blocks reserve places in the list of nodes by atomic operations, so its order
// depends on the order of execution.
// Source: Karras, "Maximizing Parallelism in the Construction of BVHs, Octrees, and k-d Trees", HPG 2012; CUB, which comes
// with the CUDA toolkit.
// Compiled with CUB, which it includes.
#include "workloads/quadtree/quadtree_sorted.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__
// An inner node of the binary radix tree: keys [first, last], which have at least `bits` bits in common.
struct RadixNode {
    unsigned first, last;
    unsigned bits;
};

struct RadixTree {
    const unsigned* codes; // in order
    RadixNode* inner;      // count - 1
    unsigned* parents;     // of the inner nodes, then of the keys
};

// The first bits that keys `one` and `other` have in common; -1 if there is no other.
__device__ inline int common_of_keys(const QuadTask& task, const unsigned* codes, unsigned one, long long other)
{
    if (other < 0 || other >= task.count)
        return -1;
    const auto index = static_cast<unsigned>(other);
    const unsigned bits = codes[one] ^ codes[index];
    return static_cast<int>(bits != 0 ? kCodeBits - bit_width(bits) : kCodeBits + 32 - bit_width(one ^ index));
}

// Node i has key i at one of its ends. `towards` is the direction of the others.
__global__ void make_radix_tree(QuadTask task, RadixTree tree)
{
    const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node + 1 >= task.count)
        return;
    const auto common = [&](long long other) { return common_of_keys(task, tree.codes, node, other); };
    const long long here = node;
    const int towards = common(here + 1) > common(here - 1) ? 1 : -1;
    const int outside = common(here - towards);
    long long reach = 2;
    while (common(here + reach * towards) > outside)
        reach *= 2;
    long long length = 0;
    for (long long step = reach / 2; step > 0; step /= 2)
        if (common(here + (length + step) * towards) > outside)
            length += step;
    const long long end = here + length * towards;
    const int inside = common(end);
    long long split = 0;
    for (long long step = length; step > 1;) {
        step = (step + 1) / 2;
        if (common(here + (split + step) * towards) > inside)
            split += step;
    }
    const long long left = here + split * towards + (towards < 0 ? -1 : 0);
    const auto first = static_cast<unsigned>(towards > 0 ? here : end);
    const auto last = static_cast<unsigned>(towards > 0 ? end : here);
    const auto lower = static_cast<unsigned>(left);
    tree.inner[node] = {first, last, static_cast<unsigned>(inside)};
    tree.parents[first == lower ? task.count - 1 + lower : lower] = node;
    tree.parents[last == lower + 1 ? task.count + lower : lower + 1] = node;
}

// The quadtree's nodes that have the keys of this node of the radix tree.
struct RadixLevels {
    RadixNode node;
    unsigned first, end; // levels
};
__device__ inline RadixLevels levels_of_radix_node(const QuadTask& task, const RadixTree& tree, unsigned node)
{
    const unsigned inner = task.count - 1;
    if (node >= inner + task.count || task.count == 1)
        return {};
    RadixNode here{node - inner, node - inner, kCodeBits};
    if (node < inner)
        here = tree.inner[node];
    unsigned level = 1;          // of the first square
    unsigned above = task.count; // points of the square that contains it
    if (node != 0) {             // node 0 is the root
        const unsigned parent = tree.parents[node];
        RadixNode square = tree.inner[parent];
        level = square.bits / 2 + 1;
        if (square.bits % 2 != 0 && parent != 0)
            if (const RadixNode wider = tree.inner[tree.parents[parent]]; wider.bits / 2 + 1 == level)
                square = wider; // the same square has the keys of both
        above = square.last - square.first + 1;
    }
    const unsigned deepest = here.bits / 2 < task.limits.levels ? here.bits / 2 : task.limits.levels;
    if (level > deepest || above <= task.limits.cap)
        return {};
    const bool divided = here.last - here.first + 1 > task.limits.cap;
    return {here, level, divided ? deepest + 1 : level + 1};
}

__global__ void find_radix_nodes(QuadTask task, RadixTree tree)
{
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const RadixLevels found = levels_of_radix_node(task, tree, index);
    const unsigned root = index == 0 ? 1 : 0;
    unsigned next = reserve_nodes(task, found.end - found.first + root);
    if (root != 0)
        task.put(next++, {0, 0, 0, task.count});
    for (unsigned level = found.first; level < found.end; ++level)
        task.put(next++, {level, leading_bits(tree.codes[found.node.first], 2 * level), found.node.first,
                          found.node.last - found.node.first + 1});
}
#endif

struct QuadtreeKarras {
    static constexpr StrategyInfo info{
        .name = "quadtree_karras",
        .workload = &workloads::quadtree,
        .summary = "flat: the library sorts the points by Morton codes; Karras's binary radix tree has the nodes",
        .hazards = "none: the library synchronizes its own kernels",
        .source = "Karras, HPG 2012; CUB",
        .cuda_only = true,
    };
    static constexpr QuadForm form = QuadForm::flat;

#ifdef __CUDACC__
    struct Prepared {
        Buffer<unsigned char> scratch;
        Buffer<RadixNode> inner;
        Buffer<unsigned> parents;
    };

    static Prepared prepare(const QuadJob& job)
    {
        const std::size_t count = job.task.count;
        return {scratch_of_sort(job), job.context.allocate<RadixNode>(count, "radix_nodes"),
                job.context.allocate<unsigned>(2 * count, "parents")};
    }

    static void run(const QuadJob& job, const Prepared& prepared)
    {
        sort_points(job, prepared.scratch);
        const RadixTree tree{job.task.at(QuadPlace::out).codes, prepared.inner.data(), prepared.parents.data()};
        const LaunchShape points = shape_of_points(job);
        host_launch<make_radix_tree>(job.context, points, job.task, tree);
        host_launch<find_radix_nodes>(job.context, {2 * points.grid.x, points.block}, job.task, tree);
    }
#endif
};

const Register<QuadtreeKarras, QuadtreeTraits> quadtree_karras;

} // namespace nestbed::inline NESTBED_BACKEND
