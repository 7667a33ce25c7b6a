// last_block: flat reduction in one launch: 16-byte loads, one partial sum per block. The last block to finish adds the partial sums.
// The kernel is in src/workloads/reduce/last_block.hpp.
//
//     each block: the sum of its tiles
//     thread 0: sums[block] = that; arrive; the last block of the grid: total = sum of sums
//
// A single block sums an input of up to 2^14 numbers, and waits for no other block.
// Launches: none from the device.
// Hazards: none. A block writes its sum before it arrives at a counter with acquire-release order, and the last block
// to arrive reads the sums.
// Source: CUDA samples, "threadFenceReduction".
#include "workloads/reduce/last_block.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

struct LastBlock : LastBlockStrategy<Compiled::without_rdc> {
    static constexpr StrategyInfo info{
        .name = "last_block",
        .workload = &workloads::reduce,
        .summary = "flat: one launch, 16-byte loads, the last block finishes",
        .hazards = "none: blocks write before they arrive; the last to arrive reads",
        .source = "CUDA samples, threadFenceReduction",
    };
};

const Register<LastBlock, ReduceTraits> last_block;

} // namespace nestbed::inline NESTBED_BACKEND
