// last_block_rdc, last_block_inline, last_block_noinline: baseline/reduce/last_block.cu compiled with -rdc=true. The first
// is unchanged. The second has a launch in the kernel that never runs. The third has that launch in a __noinline__
// function. They measure what dynamic parallelism costs a kernel that does not use it.
// The kernel is in src/workloads/reduce/last_block.hpp.
//
// Launches: none. The condition of the launch is always false, but the compiler cannot know that.
// Hazards: none, as in last_block.
// Source: ours; the kernel is in src/workloads/reduce/last_block.hpp.
#include "workloads/reduce/last_block.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct LastBlockRdc : LastBlockStrategy<Compiled::with_rdc> {
    static constexpr StrategyInfo info{
        .name = "last_block_rdc",
        .workload = &workloads::reduce,
        .summary = "last_block, compiled as relocatable device code",
        .hazards = "none: as in last_block",
        .source = "nestbed",
    };
};

struct LastBlockInline : LastBlockStrategy<Compiled::with_launch_inline> {
    static constexpr StrategyInfo info{
        .name = "last_block_inline",
        .workload = &workloads::reduce,
        .summary = "last_block with a launch in the kernel that never runs",
        .hazards = "none: as in last_block",
        .source = "nestbed",
    };
};

struct LastBlockNoinline : LastBlockStrategy<Compiled::with_launch_noinline> {
    static constexpr StrategyInfo info{
        .name = "last_block_noinline",
        .workload = &workloads::reduce,
        .summary = "last_block with a launch in a __noinline__ function that never runs",
        .hazards = "none: as in last_block",
        .source = "nestbed",
    };
};

const Register<LastBlockRdc, ReduceTraits> last_block_rdc;
const Register<LastBlockInline, ReduceTraits> last_block_inline;
const Register<LastBlockNoinline, ReduceTraits> last_block_noinline;

} // namespace nestbed::inline NESTBED_BACKEND
