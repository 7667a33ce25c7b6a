// `nestbed info warps`: the table of active threads and warps.
#include "support/cli_support.hpp"

namespace nestbed
{
namespace
{

TEST(WarpsCommand, SetsTheStepsInATable)
{
    EXPECT_EQ(ended(0, "info warps --block 128").out, R"(Warps that take part in a block of 128 threads

step  threads  neighbored  neighbored_less, interleaved
   1       64           4                             2
   2       32           4                             1
   3       16           4                             1
   4        8           4                             1
   5        4           4                             1
   6        2           2                             1
   7        1           1                             1
 all                   23                             8
)");
    EXPECT_THAT(ended(0, "info warps").out, ContainsRegex(" all +95 +20\n"));
    EXPECT_THAT(ended(0, "info warps --block 1").out, ContainsRegex(" all +0 +0\n"));
}

TEST(WarpsCommand, RefusesABlockThatThereIsNot)
{
    for (const auto& [block, why] :
         {std::pair{"96", "--block 96: it cannot be halved down to one; allowed: powers of two"},
          std::pair{"2048", "--block 2048"}, std::pair{"64,128", "--block 64,128"}})
        EXPECT_THAT(ended(2, {"info", "warps", "--block", block}).err, HasSubstr(why));
    ended(2, "info warps --block 64 --block 128");
}

} // namespace
} // namespace nestbed
