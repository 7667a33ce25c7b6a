// last_block_rdc, last_block_inline, last_block_noinline: baseline/last_block.cu compiled with -rdc=true: unchanged; with a
// launch in the kernel that is never executed; with that launch in a __noinline__ function. They show what dynamic parallelism
// costs a kernel that does not use it.
//
// Launches: none: the condition of the launch is false, but the compiler cannot know that.
// Hazards: none, as in last_block.
// Source: ours; the kernel is in src/device/parts/last_block.hpp.
#include "device/parts/last_block.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct LastBlockRdc : LastBlockStrategy<Compiled::with_rdc> {
    static constexpr StrategyInfo info{
        .name = "last_block_rdc",
        .workload = "reduce",
        .summary = "last_block as relocatable device code",
        .hazards = "none: as last_block",
        .source = "nestbed",
    };
};

struct LastBlockInline : LastBlockStrategy<Compiled::with_launch_inline> {
    static constexpr StrategyInfo info{
        .name = "last_block_inline",
        .workload = "reduce",
        .summary = "last_block with a launch in the kernel that is never taken",
        .hazards = "none: as last_block",
        .source = "nestbed",
    };
};

struct LastBlockNoinline : LastBlockStrategy<Compiled::with_launch_noinline> {
    static constexpr StrategyInfo info{
        .name = "last_block_noinline",
        .workload = "reduce",
        .summary = "the same, the launch in a __noinline__ function",
        .hazards = "none: as last_block",
        .source = "nestbed",
    };
};

const RegisterReduction<LastBlockRdc> last_block_rdc;
const RegisterReduction<LastBlockInline> last_block_inline;
const RegisterReduction<LastBlockNoinline> last_block_noinline;

} // namespace nestbed::inline NESTBED_BACKEND
