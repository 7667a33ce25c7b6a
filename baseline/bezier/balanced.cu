// bezier_balanced: each block computes the same number of points; a search over the starts of the lines finds its lines.
//
//     block b: its share = points [b * share, (b + 1) * share)
//         one warp: the lines of the share, by a search over the starts that reads 32 of them at a time
//         the lines, and where the points of each end (the curvature, once per line), to shared memory
//         each warp: as many neighbouring points as the others. A thread searches, in shared memory, for the line of its first point;
//             for every further point it goes on from there
//
// The resident blocks share all points, so that no block waits for another to end.
//
// Launches: none from the device, one from the host. The input has the starts of the lines, which are the prefix sums of their
// numbers of points; no form has to compute them.
// Hazards: none. The lines are only read, and only one thread writes each point.
// Source: load-balanced search, Baxter, moderngpu.
#include "device/parts/collective.hpp"
#include "device/parts/in_block.hpp"
#include "workloads/bezier/bezier.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

inline constexpr unsigned kLinesAtOnce = 256; // in shared memory

struct LineRange {
    unsigned begin, end;

    __device__ unsigned size() const { return end - begin; }
};

// By one warp: lines among which are those of the points `first` to `last`; the first line of the range begins at or before `first`.
// Usually they fit into shared memory. Every step reads 32 starts at equal distances and keeps what is between those of the two ends.
__device__ inline LineRange lines_of_points(const BezierTask& task, unsigned first, unsigned last)
{
    constexpr unsigned kNoStart = 0xFFFFFFFF; // after every point
    LineRange range{0, task.line_count};
    for (unsigned before = 0xFFFFFFFF; range.size() > kLinesAtOnce && range.size() <= before / 2;) {
        before = range.size();
        const unsigned distance = (before - 1) / (kWarp + 1) + 1;
        const unsigned at = range.begin + (threadIdx.x % kWarp + 1) * distance;
        const unsigned start = at < range.end ? task.lines[at].first : kNoStart;
        const auto to_first = static_cast<unsigned>(__popc(__ballot_sync(0xFFFFFFFF, start <= first)));
        const auto to_last = static_cast<unsigned>(__popc(__ballot_sync(0xFFFFFFFF, start <= last)));
        const unsigned end = range.begin + (to_last + 1) * distance;
        range = {range.begin + to_first * distance, end < range.end ? end : range.end};
    }
    return range;
}

// Points `from` to `to` - 1, by all warps of the block. `ends`: the index after the last point of each of the `count` lines.
__device__ inline void points_of_lines(const BezierTask& task, const BezierLine* lines, const unsigned* ends,
                                       unsigned count, unsigned from, unsigned to)
{
    const unsigned warps = blockDim.x / kWarp;
    const unsigned of_warp = ((to - from - 1) / (warps * kWarp) + 1) * kWarp;
    const unsigned begin = from + threadIdx.x / kWarp * of_warp;
    if (begin >= to)
        return;
    const unsigned end = to - begin < of_warp ? to : begin + of_warp;
    unsigned index = begin + threadIdx.x % kWarp;
    unsigned at = upper_bound(count, index, [lines](unsigned line) { return lines[line].first; }) - 1;
    BezierLine line{};
    unsigned line_end = 0;
    for (; index < end; index += kWarp) {
        if (line_end <= index) {
            while (ends[at] <= index)
                ++at;
            line = lines[at];
            line_end = ends[at];
        }
        task.out[index] = bezier_point(line, index - line.first, line_end - line.first);
    }
}

__global__ void LAUNCH_BOUNDS(1024) share_per_block(BezierTask task, unsigned share)
{
    BLOCK_SHARED(BezierLine, lines, kLinesAtOnce);
    BLOCK_SHARED(unsigned, ends, kLinesAtOnce);
    BLOCK_SHARED(LineRange, found, 1);
    const unsigned tid = threadIdx.x;
    unsigned from = blockIdx.x * share;
    const unsigned to = task.point_count - from < share ? task.point_count : from + share;
    if (tid < kWarp) {
        const LineRange range = lines_of_points(task, from, to - 1);
        if (tid == 0)
            found[0] = range;
    }
    __syncthreads();
    const LineRange range = found[0];
    for (unsigned first = range.begin; from < to; first += kLinesAtOnce) {
        const unsigned count = range.end - first < kLinesAtOnce ? range.end - first : kLinesAtOnce;
        for (unsigned line = tid; line < count; line += blockDim.x)
            lines[line] = task.lines[first + line];
        for (unsigned line = tid; line < count; line += blockDim.x) // those that the thread has copied
            ends[line] = lines[line].first + bezier_points(lines[line], task.max_points);
        __syncthreads();
        const unsigned end = ends[count - 1] < to ? ends[count - 1] : to;
        if (from < end) {
            points_of_lines(task, lines, ends, count, from, end);
            from = end;
        }
        __syncthreads(); // nobody still reads the lines
    }
}

struct BezierBalanced {
    static constexpr StrategyInfo info{
        .name = "bezier_balanced",
        .workload = &workloads::bezier,
        .summary = "flat: an equal share of the points for each block, which searches for its lines",
        .hazards = "none: only one thread writes each point",
        .source = "load-balanced search, Baxter, moderngpu",
    };

    // Points per block: at least one per thread. Whole warps, so that they write whole lines of memory.
    static unsigned prepare(const BezierJob& job)
    {
        const std::uint32_t resident = job.context.template resident_blocks<share_per_block>(job.point.block);
        const unsigned share = ((job.task.point_count - 1) / (resident * kWarp) + 1) * kWarp;
        return share < job.point.block ? job.point.block : share;
    }

    static void run(const BezierJob& job, unsigned share)
    {
        host_launch<share_per_block>(job.context, 0, {(job.task.point_count - 1) / share + 1, job.point.block},
                                     job.task, share);
    }
};

const Register<BezierBalanced, BezierTraits> bezier_balanced;

} // namespace nestbed::inline NESTBED_BACKEND
