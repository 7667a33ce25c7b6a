// quadtree_sample: a quadtree by the scheme of the CUDA samples: one block per node; the children of a node in one grid.
//
//     build(node): one block
//         if the node is divided: count the points of its four squares; move them there; one thread launches a grid with
//         one block for each square that has points
//         otherwise: sort its points by their codes (the sample does not)
//
// Launches: one per divided node. A node that need not be divided is divided all the same if a block cannot sort it. By
// the oracle: the nodes depend only on the input.
// Hazards: none. A barrier is between the moved points and the launch. Stable: a block moves its points in their order.
// It differs from the sample in the canonical tree: the sample divides by coordinates, has a grid of four blocks even if
// squares are empty, stops at a depth of 8 or at few points, and stores nodes by their place in a full tree.
// Source: NVIDIA cuda-samples, cdpQuadtree.
#include "workloads/quadtree/quadtree.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kSquares = 4;
inline constexpr unsigned kSquareBits = 16; // of a counter; four of them in one number

// The nodes of one grid: block b builds node b.
struct QuadSiblings {
    QuadPart node[kSquares]; // `divided`: whether its parent is, so that it is in the list
};

// Moves the points of a node to its squares in their order. `starts`: where each square begins.
__device__ inline void divide_node(const QuadTask& task, const QuadPart& node, unsigned* starts)
{
    BLOCK_SHARED(unsigned, counts, kSquares);
    const auto square_of = [&](unsigned code) { return code << node.bits >> (kCodeBits - 2); };
    const unsigned tid = threadIdx.x;
    __syncthreads();
    if (tid < kSquares)
        counts[tid] = 0;
    __syncthreads();
    unsigned mine[kSquares] = {};
    for (unsigned index = tid; index < node.count; index += blockDim.x) {
        const unsigned square = square_of(task.code(node.place, node.first + index));
        for (unsigned one = 0; one < kSquares; ++one)
            mine[one] += one == square ? 1 : 0;
    }
    for (unsigned one = 0; one < kSquares; ++one)
        if (mine[one] != 0)
            atomicAdd(&counts[one], mine[one]);
    __syncthreads();
    if (tid == 0) {
        starts[0] = node.first;
        for (unsigned one = 0; one < kSquares; ++one)
            starts[one + 1] = starts[one] + counts[one];
    }
    __syncthreads();
    unsigned next[kSquares];
    for (unsigned one = 0; one < kSquares; ++one)
        next[one] = starts[one];
    const QuadArray& to = task.at(next_place(node.place));
    for (unsigned base = 0; base < node.count; base += blockDim.x) {
        const bool there = base + tid < node.count;
        const unsigned from = node.first + base + tid;
        const unsigned code = there ? task.code(node.place, from) : 0;
        const unsigned square = square_of(code);
        ItemsAndBlocks total = 0;
        const ItemsAndBlocks before = exclusive_scan(there ? 1ULL << (kSquareBits * square) : 0, false, total);
        for (unsigned one = 0; one < kSquares; ++one) {
            const auto of = [&](ItemsAndBlocks sums) {
                return static_cast<unsigned>(sums >> (kSquareBits * one)) & ((1U << kSquareBits) - 1);
            };
            if (there && one == square) {
                to.codes[next[one] + of(before)] = code;
                to.order[next[one] + of(before)] = task.origin(node.place, from);
            }
            next[one] += of(total);
        }
    }
    __syncthreads(); // before thread 0 launches the grid that reads them
}

template <class Nest>
__global__ void LAUNCH_BOUNDS(kMaxQuadThreads)
    quadtree_sample(const __grid_constant__ QuadTask task, const __grid_constant__ QuadSiblings nodes, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, words, kQuadWords);
    QuadPart node = nodes.node[blockIdx.x];
    const unsigned tid = threadIdx.x;
    if (tid == 0) {
        if (node.divided == QuadDivided::yes)
            task.put(atomicAdd(task.node_count, 1U),
                     {node.level, leading_bits(node.code, node.bits), node.first, node.count});
        atomicAdd(task.work, static_cast<unsigned long long>(node.count));
    }
    node.divided = divided_if(node.divided == QuadDivided::yes && task.limits.divided(node.level, node.count));
    if (!node_divides(node, task.limits, leaf_points(blockDim.x))) {
        if (node.count <= leaf_points(blockDim.x))
            return finish_leaf(words, task, node);
        const QuadArray& out = task.at(QuadPlace::out); // all codes are equal, and the points are in their order
        for (unsigned index = node.first + tid; index < node.first + node.count; index += blockDim.x) {
            out.codes[index] = task.code(node.place, index);
            out.order[index] = task.origin(node.place, index);
        }
        return;
    }
    if (nest.last_level()) { // nothing may be launched: one thread does the rest
        if (tid == 0)
            finish_serially(task, node);
        return;
    }
    divide_node(task, node, words);
    if (tid != 0)
        return;
    QuadSiblings children{};
    unsigned blocks = 0;
    for (unsigned square = 0; square < kSquares; ++square) {
        const unsigned count = words[square + 1] - words[square];
        if (count != 0)
            children.node[blocks++] = {
                words[square],         count,          node.code | square << (kCodeBits - 2 - node.bits),
                node.bits + 2,         node.level + 1, node.divided,
                next_place(node.place)};
    }
    launch<quadtree_sample<Nest>>(nest, {blocks, blockDim.x}, task, children);
}

struct QuadtreeSample {
    static constexpr StrategyInfo info{
        .name = "quadtree_sample",
        .workload = &workloads::quadtree,
        .mechanisms = kOnly<Mechanism::fire_and_forget, Mechanism::null_stream, Mechanism::named_stream>,
        .summary = "a quadtree as in the CUDA samples: a block per node; one grid with the children of a node",
        .hazards = "none: a barrier is between the moved points and the launch",
        .source = "NVIDIA cuda-samples, cdpQuadtree",
    };
    static constexpr QuadForm form = QuadForm::sample;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static void run(const QuadJob& job)
    {
        QuadSiblings root{};
        root.node[0] = whole_square(job.task.count, job.task.limits);
        root.node[0].divided = QuadDivided::yes;
        launch_waves<QuadtreeSample>(job, [&](auto wave, auto nest) {
            wave.blocks = 1;
            host_launch<quadtree_sample<decltype(nest)>>(wave, job.point.block, job.task, root, nest);
        });
    }
};

const Register<QuadtreeSample, QuadtreeTraits> quadtree_sample_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
