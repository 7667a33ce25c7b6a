// litmus_child_flag: a parent reads what its child wrote before it raised a flag.
//
//     thread 0: launch child; wait until flag != 0 (acquire); seen = data
//         child: data = fresh; flag = 1 (release)
//
// Rule: an acquire that reads the value of a release sees what was written before the release. That holds for any two threads of the
// device. CUDA does not guarantee that the child starts while its parent waits.
// Guide: "Memory Fence Functions", and the memory consistency model of the PTX ISA.
// Launches: one per root block: grid.
// Hazards: none in what it reads. A waiting parent stays resident, so the root blocks start in waves that fit on the device
// (src/model/launch_plan.hpp).
// Source: ours; as synced waits (src/device/nest.hpp).
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

template <class Nest>
__global__ void litmus_child_flag_child(LitmusWords mine, Nest nest)
{
    const auto scope = nest.enter();
    nest.delay(true);
    *mine.data = kFresh;
    nest.complete();
}

template <class Nest>
__global__ void litmus_child_flag_parent(LitmusWords words, Nest nest)
{
    const auto scope = nest.enter();
    const LitmusWords mine = words.of(blockIdx.x);
    if (threadIdx.x == 0 && launch_and_wait<litmus_child_flag_child<Nest>>(nest, {1, 1}, mine))
        *mine.seen = *mine.data;
}

struct LitmusChildFlag {
    static constexpr StrategyInfo info{
        .name = "litmus_child_flag",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::null_stream>,
        .summary = "a parent reads what its child wrote before it raised a flag",
        .hazards = "none: release and acquire order the write before the read; root blocks start in waves that fit "
                   "on the device",
        .source = "CUDA C++ Programming Guide, Memory Fence Functions; PTX ISA, Memory Consistency Model",
        .axes = {axis::delay},
    };

    static ExpectedLaunches launches(const Case& point)
    {
        ExpectedLaunches form = ExpectedLaunches::chain_per_block(point.grid, 1);
        form.parent_waits = true;
        return form;
    }

    static void run(const LitmusJob& job)
    {
        launch_waves<LitmusChildFlag>(job, [&](const auto& wave, auto nest) {
            host_launch<litmus_child_flag_parent<decltype(nest)>>(wave, job.point.block, job.words.of(wave.first),
                                                                  nest);
        });
    }
};

const Register<LitmusChildFlag, LitmusTraits> litmus_child_flag;

} // namespace nestbed::inline NESTBED_BACKEND
