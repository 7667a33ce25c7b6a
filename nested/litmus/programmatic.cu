// litmus_pdl_early, litmus_pdl_before, litmus_pdl_fence, litmus_pdl_end, litmus_pdl_wait, litmus_pdl_between,
// litmus_pdl_between_waits: a grid that is launched programmatically reads what a grid before it wrote.
//
//     host: launch writer; launch reader programmatically            early, before, fence, end, wait
//     host: launch writer; launch middle programmatically; launch reader programmatically            the other two
//         writer: trigger; data = fresh                              early, wait, between, between_waits
//                 data = fresh; trigger                              before
//                 data = fresh; __threadfence(); trigger             fence
//                 data = fresh                                       end
//         middle: wait; trigger                                      between_waits
//                 trigger                                            between
//         reader: wait; seen = data                                  wait, between, between_waits
//                 seen = data                                        the others
// trigger: cudaTriggerProgrammaticLaunchCompletion(); wait: cudaGridDependencySynchronize().
//
// Rule: a grid that is launched programmatically may begin when each block of the grid before it has triggered or ended. Only a wait
// orders the end of that grid before what comes next, and of that grid alone. The trigger orders nothing; a fence before it orders what
// comes before the fence.
// Guide: "Programmatic Dependent Launch and Synchronization"; PTX ISA, griddepcontrol; cuda_device_runtime_api.h of CUDA 13.0, at
// cudaTriggerProgrammaticLaunchCompletion.
// Launches: none from the device; two or three from the host.
// Hazards: RACY are early, before, end and between. `delay_us` delays the write. The block that reads an instance has the opposite number
// of the one that writes it: the last writers and the first readers run at the same time.
// Source: CUDA C++ Programming Guide.
#include "device/levels.hpp"
#include "workloads/litmus/litmus.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

// When the writer lets the next grid begin.
enum class Trigger : std::uint8_t { none, before_write, after_write, after_fence };

template <Trigger When>
__global__ void litmus_pdl_writer(LitmusWords words, unsigned delay_us)
{
    if (threadIdx.x != 0)
        return;
    if constexpr (When == Trigger::before_write)
        let_next_grid_begin();
    if (delay_us != 0)
        busy_wait_us(delay_us);
    *words.of(blockIdx.x).data = kFresh;
    if constexpr (When == Trigger::after_fence)
        __threadfence();
    if constexpr (When == Trigger::after_write || When == Trigger::after_fence)
        let_next_grid_begin();
}

template <bool Waits>
__global__ void litmus_pdl_middle()
{
    if constexpr (Waits)
        after_previous_grid();
    let_next_grid_begin();
}

template <bool Waits>
__global__ void litmus_pdl_reader(LitmusWords words)
{
    const LitmusWords mine = words.of(gridDim.x - 1 - blockIdx.x);
    if constexpr (Waits)
        after_previous_grid();
    *mine.seen = *mine.data;
}

template <Trigger When, bool Waits>
void launch_pair(const LitmusJob& job)
{
    host_launch<litmus_pdl_writer<When>>(job.context, {job.point.grid, job.point.block}, job.words,
                                         job.point.delay_us);
    programmatic_launch<litmus_pdl_reader<Waits>>(job.context, {job.point.grid, 1}, job.words);
}

template <bool MiddleWaits>
void launch_three(const LitmusJob& job)
{
    host_launch<litmus_pdl_writer<Trigger::before_write>>(job.context, {job.point.grid, job.point.block}, job.words,
                                                          job.point.delay_us);
    programmatic_launch<litmus_pdl_middle<MiddleWaits>>(job.context, {1, 1});
    programmatic_launch<litmus_pdl_reader<true>>(job.context, {job.point.grid, 1}, job.words);
}

inline constexpr std::string_view kLitmusPdlSource =
    "CUDA C++ Programming Guide, Programmatic Dependent Launch and Synchronization";

struct LitmusPdlEarly {
    static constexpr StrategyInfo info{
        .name = "litmus_pdl_early",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::host_pdl>,
        .summary = "a programmatic launch reads what the grid before it writes after its trigger",
        .hazards = "racy: the trigger comes before the write, and the reader does not wait",
        .source = kLitmusPdlSource,
        .axes = {axis::delay},
        .racy = true,
    };
    static void run(const LitmusJob& job) { launch_pair<Trigger::before_write, false>(job); }
};
const Register<LitmusPdlEarly, LitmusTraits> litmus_pdl_early;

struct LitmusPdlBefore {
    static constexpr StrategyInfo info{
        .name = "litmus_pdl_before",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::host_pdl>,
        .summary = "a programmatic launch reads what the grid before it wrote before its trigger",
        .hazards = "racy: a trigger orders nothing, and the reader does not wait",
        .source = kLitmusPdlSource,
        .axes = {axis::delay},
        .racy = true,
    };
    static void run(const LitmusJob& job) { launch_pair<Trigger::after_write, false>(job); }
};
const Register<LitmusPdlBefore, LitmusTraits> litmus_pdl_before;

struct LitmusPdlFence {
    static constexpr StrategyInfo info{
        .name = "litmus_pdl_fence",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::host_pdl>,
        .summary = "the same with a fence before the trigger",
        .hazards = "none: the fence orders the write before the begin of the next grid",
        .source = kLitmusPdlSource,
        .axes = {axis::delay},
    };
    static void run(const LitmusJob& job) { launch_pair<Trigger::after_fence, false>(job); }
};
const Register<LitmusPdlFence, LitmusTraits> litmus_pdl_fence;

struct LitmusPdlEnd {
    static constexpr StrategyInfo info{
        .name = "litmus_pdl_end",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::host_pdl>,
        .summary = "a programmatic launch reads what the grid before it wrote, without a trigger",
        .hazards = "racy: the reader does not wait, and may begin before the writes are visible",
        .source = kLitmusPdlSource,
        .axes = {axis::delay},
        .racy = true,
    };
    static void run(const LitmusJob& job) { launch_pair<Trigger::none, false>(job); }
};
const Register<LitmusPdlEnd, LitmusTraits> litmus_pdl_end;

struct LitmusPdlWait {
    static constexpr StrategyInfo info{
        .name = "litmus_pdl_wait",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::host_pdl>,
        .summary = "a programmatic launch waits, and reads what the grid before it wrote",
        .hazards = "none: the wait orders all that the grid before it did",
        .source = kLitmusPdlSource,
        .axes = {axis::delay},
    };
    static void run(const LitmusJob& job) { launch_pair<Trigger::before_write, true>(job); }
};
const Register<LitmusPdlWait, LitmusTraits> litmus_pdl_wait;

struct LitmusPdlBetween {
    static constexpr StrategyInfo info{
        .name = "litmus_pdl_between",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::host_pdl>,
        .summary = "the same with a grid between the two that does not wait",
        .hazards = "racy: a wait is for the grid before alone",
        .source = kLitmusPdlSource,
        .axes = {axis::delay},
        .racy = true,
    };
    static void run(const LitmusJob& job) { launch_three<false>(job); }
};
const Register<LitmusPdlBetween, LitmusTraits> litmus_pdl_between;

struct LitmusPdlBetweenWaits {
    static constexpr StrategyInfo info{
        .name = "litmus_pdl_between_waits",
        .workload = &workloads::litmus,
        .mechanisms = kOnly<Mechanism::host_pdl>,
        .summary = "the same with a grid between the two that waits",
        .hazards = "none: each grid waits for the one before",
        .source = kLitmusPdlSource,
        .axes = {axis::delay},
    };
    static void run(const LitmusJob& job) { launch_three<true>(job); }
};
const Register<LitmusPdlBetweenWaits, LitmusTraits> litmus_pdl_between_waits;

} // namespace nestbed::inline NESTBED_BACKEND
