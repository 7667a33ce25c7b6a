// `nestbed warps`: the table of active threads and warps.
#include "support/cli_support.hpp"

namespace nestbed
{
namespace
{

TEST(WarpsCommand, SetsTheStepsOfEachPairingInATable)
{
    const Outcome done = ended(0, "warps --block 128");
    EXPECT_EQ(done.out, R"(a block of 128 threads and as many numbers

neighbored, shared_neighbored

step  stride  threads  warps
   1       1       64      4
   2       2       32      4
   3       4       16      4
   4       8        8      4
   5      16        4      4
   6      32        2      2
   7      64        1      1
23 warps in 7 steps

neighbored_less

step  stride  threads  warps
   1       1       64      2
   2       2       32      1
   3       4       16      1
   4       8        8      1
   5      16        4      1
   6      32        2      1
   7      64        1      1
8 warps in 7 steps

interleaved, shared_interleaved

step  stride  threads  warps
   1      64       64      2
   2      32       32      1
   3      16       16      1
   4       8        8      1
   5       4        4      1
   6       2        2      1
   7       1        1      1
8 warps in 7 steps
)");
    EXPECT_THAT(nestbed("warps").out, HasSubstr("95 warps in 9 steps"));
    EXPECT_THAT(nestbed("warps --block 1").out, HasSubstr("neighbored_less\n0 warps in 0 steps\n"));
    EXPECT_THAT(nestbed("warps --help").out, StartsWith("nestbed warps [--block N]\n"));
}

TEST(WarpsCommand, RefusesABlockThatThereIsNot)
{
    for (const auto& [block, why] :
         {std::pair{"96", "96 threads cannot be halved down to one; allowed: powers of two"},
          std::pair{"2048", "--block 2048"}, std::pair{"64,128", "--block 64,128"}}) {
        const Outcome refused = ended(2, {"warps", "--block", block});
        EXPECT_THAT(refused.err, HasSubstr(why));
    }
    ended(2, "warps --block 64 --block 128");
}

} // namespace
} // namespace nestbed
