// quick_sample: quicksort into two parts by the scheme of the CUDA samples, in which nothing orders the keys that are moved
// before the launch of the children. It has a race.
//
//     divide(part): one thread per key
//         each warp reserves places at both ends of the part, and moves its keys there
//         each warp adds one to a counter; the last one launches divide(), leaf() or copy() for each half
//     leaf(part): one block sorts it
//
// Launches: one per part below the root. By the oracle, because they depend on the input, but not on the order of
// execution: parts are ranges of values. (The sample divides by the value of a key.)
// Hazards: racy: there is no fence and no acquire-release order between the keys that a warp moves and the counter, so a child
// may read what was there before (nestbed races finds it). `equal` halves the range of values 32 times. Not stable.
// Source: NVIDIA cuda-samples, cdpAdvancedQuicksort.
#include "workloads/sort/sort.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// Both counts in one number, so that one atomic operation reserves places at both ends.
__device__ inline unsigned long long halves_of(unsigned lower, unsigned upper)
{
    return static_cast<unsigned long long>(upper) << 32 | lower;
}

// By one thread: launches what must be done to a part.
template <class Nest>
__device__ void launch_part(const SortTask& task, const SortPart& part, const Nest& nest);

// Moves the key of the calling thread. True in the thread that arrives last, which reads the keys of both halves.
__device__ inline bool move_key(const SortTask& task, const SortItem& item, unsigned long long& halves)
{
    const SortPart& part = item.part;
    const SortArray& from = task.at(part.place);
    const SortArray& to = task.at(next_place(part.place));
    SortNode& node = task.nodes[item.node];
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    const bool there = index < part.count;
    const unsigned rank = there ? task.order.rank(from.keys[part.first + index]) : 0;
    const bool upper = there && rank > middle_of(part);
    const bool lower = there && !upper;
    const unsigned lane = threadIdx.x % kLanes;
    const unsigned lowers = __ballot_sync(0xFFFFFFFFU, lower);
    const unsigned uppers = __ballot_sync(0xFFFFFFFFU, upper);
    unsigned long long before = 0;
    if (lane == 0)
        before = atomicAdd(&node.halves,
                           halves_of(static_cast<unsigned>(__popc(lowers)), static_cast<unsigned>(__popc(uppers))));
    before = __shfl_sync(0xFFFFFFFFU, before, 0);
    const unsigned lanes_before = (1U << lane) - 1;
    before += halves_of(static_cast<unsigned>(__popc(lowers & lanes_before)),
                        static_cast<unsigned>(__popc(uppers & lanes_before)));
    const bool arrives = lane == 0;
    const unsigned arrivals = gridDim.x * (blockDim.x / kLanes);
    if (there) {
        const unsigned target = upper ? part.first + part.count - 1 - static_cast<unsigned>(before >> 32)
                                      : part.first + static_cast<unsigned>(before);
        to.keys[target] = task.order.bits(rank);
        if (from.values != nullptr)
            to.values[target] = from.values[part.first + index];
    }
    __syncwarp(); // the lanes of this warp have moved their keys; nothing orders those of other warps
    if (!arrives || atomicAdd(&node.arrived, 1U) != arrivals - 1)
        return false;
    halves = atomicAdd(&node.halves, 0ULL);
    return true;
}

template <class Nest>
__global__ void LAUNCH_BOUNDS(kMaxSortThreads) quick_sample(SortTask task, SortItem item, Nest nest)
{
    const auto scope = nest.enter();
    BLOCK_SHARED(unsigned, words, kLeafWords);
    const SortPart& part = item.part;
    if (blockIdx.x == 0 && threadIdx.x == 0)
        atomicAdd(task.work, static_cast<unsigned long long>(part.count));
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (item.step == SortStep::copy)
        return copy_keys(task.at(part.place), task.at(SortPlace::out), part.first, part.count, thread,
                         gridDim.x * blockDim.x);
    if (item.step == SortStep::leaf)
        return sort_leaf(words, task, part);
    if (nest.last_level()) { // nothing may be launched: one thread does the rest
        if (thread == 0) {
            copy_keys(task.at(part.place), task.at(SortPlace::out), part.first, part.count, 0, 1);
            sort_serially(task.at(SortPlace::out), part.first, part.count, task.order);
        }
        return;
    }
    unsigned long long halves = 0;
    if (!move_key(task, item, halves))
        return;
    const auto lower = static_cast<unsigned>(halves);
    const SortPlace place = next_place(part.place);
    const unsigned middle = middle_of(part);
    launch_part(task, {part.first, lower, part.least, middle, place}, nest);
    launch_part(task, {part.first + lower, part.count - lower, middle + 1, part.most, place}, nest);
}

template <class Nest>
__device__ void launch_part(const SortTask& task, const SortPart& part, const Nest& nest)
{
    const SortStep step = step_of(part, task.grain);
    if (step == SortStep::none)
        return;
    const unsigned node = step == SortStep::divide ? atomicAdd(task.next_node, 1U) : 0;
    const unsigned blocks = step == SortStep::leaf ? 1 : (part.count - 1) / blockDim.x + 1;
    launch<quick_sample<Nest>>(nest, {blocks, blockDim.x}, task, SortItem{part, node, step});
}

struct QuickSample {
    static constexpr StrategyInfo info{
        .name = "quick_sample",
        .workload = &workloads::sort,
        .mechanisms = kOnly<Mechanism::fire_and_forget, Mechanism::null_stream, Mechanism::named_stream>,
        .summary = "quicksort into two parts as in the CUDA samples: without an order between move and launch",
        .hazards = "racy: nothing orders the moved keys before the launch of the children",
        .source = "NVIDIA cuda-samples, cdpAdvancedQuicksort",
        .axes = {SortParameter::grain},
        .racy = true,
    };
    static constexpr SortForm form = SortForm::sample;

    static ExpectedLaunches launches(const Case& /*point*/) { return ExpectedLaunches::of_input(); }

    static void run(const SortJob& job)
    {
        const SortPart whole = whole_input(job.task.count);
        const SortStep step = step_of(whole, job.task.grain);
        launch_waves<QuickSample>(job, [&](auto wave, auto nest) {
            wave.blocks = step == SortStep::leaf ? 1 : (job.task.count - 1) / job.point.block + 1;
            host_launch<quick_sample<decltype(nest)>>(wave, job.point.block, job.task, SortItem{whole, 0, step},
                                                      nest);
        });
    }
};

const Register<QuickSample, SortTraits> quick_sample_strategy;

} // namespace nestbed::inline NESTBED_BACKEND
