// Loads before griddepcontrol.wait, in texts as cuobjdump and nvdisasm print them.
#include "inspect/early_loads.hpp"

#include "base/error.hpp"
#include "support/matchers.hpp"
#include "support/support.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace nestbed
{
namespace
{

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A function of these instructions, which have 16 bytes each, as cuobjdump prints it.
std::string function_of(const std::string& name, const std::vector<std::string>& code)
{
    std::string text = "\n\tcode for sm_90\n\t\tFunction : " + name + "\n\t.headerflags\t@\"EF_CUDA_SM90\"\n";
    for (std::size_t at = 0; at < code.size(); ++at)
        text +=
            fmt::format("        /*{:04x}*/ {:>30} ;    /* 0x0000000402027981 */\n{:60}/* 0x000ea8000c1e9900 */\n",
                        16 * at, code[at], "");
    return text + "\t\t..........\n\n";
}

// The addresses of the loads that the only kernel may execute before its wait.
std::vector<std::uint64_t> early_in(const std::vector<std::string>& code)
{
    const EarlyLoads found = find_early_loads(function_of("k", code));
    std::vector<std::uint64_t> addresses;
    for (const WaitingKernel& kernel : found.waiting)
        for (const EarlyLoad& load : kernel.loads)
            addresses.push_back(load.address);
    return addresses;
}

const std::string kLoad = "LDG.E.CONSTANT R5, desc[UR4][R2.64]";

TEST(EarlyLoads, AreThoseAboveTheWait)
{
    EXPECT_THAT(early_in({"LDC R1, c[0x0][0x28]", kLoad, "ACQBULK", kLoad, "EXIT", "BRA 0x50"}), ElementsAre(0x10));
    EXPECT_THAT(early_in({"LDC R1, c[0x0][0x28]", "S2R R0, SR_TID.X", "ACQBULK", kLoad, "EXIT"}), IsEmpty());
}

TEST(EarlyLoads, FollowEachBranch)
{
    // The wait of one branch only.
    EXPECT_THAT(early_in({"@!P0 BRA 0x40", "ACQBULK", kLoad, "EXIT", kLoad, "EXIT"}), ElementsAre(0x40));
    // A wait in each.
    EXPECT_THAT(early_in({"@!P0 BRA 0x40", "ACQBULK", kLoad, "EXIT", "ACQBULK", kLoad, "EXIT"}), IsEmpty());
    // A jump over a load, and a loop back to one.
    EXPECT_THAT(early_in({"BRA 0x20", kLoad, "ACQBULK", "EXIT"}), IsEmpty());
    EXPECT_THAT(early_in({"BRA 0x20", kLoad, "@P0 BRA 0x10", "ACQBULK", "EXIT"}), ElementsAre(0x10));
    EXPECT_THAT(early_in({"BRA.U UP0, 0x20", "ACQBULK", kLoad, "EXIT"}), ElementsAre(0x20));
    EXPECT_THAT(early_in({"@P0 EXIT", "ACQBULK", kLoad, "EXIT"}), IsEmpty());
    EXPECT_THAT(early_in({"WARPSYNC.COLLECTIVE R2, 0x20", "ACQBULK", kLoad, "EXIT"}), ElementsAre(0x20));
    EXPECT_THAT(early_in({"WARPSYNC 0x11", "ACQBULK", kLoad, "EXIT"}), IsEmpty()); // a mask
}

TEST(EarlyLoads, KnowThatAWaitWithAPredicateMayNotWait)
{
    EXPECT_THAT(early_in({"@P0 ACQBULK", kLoad, "EXIT"}), ElementsAre(0x10));
    EXPECT_THAT(early_in({"@PT ACQBULK", kLoad, "EXIT"}), IsEmpty());
}

TEST(EarlyLoads, FollowThreadsToWhereTheyMeetAgain)
{
    EXPECT_THAT(early_in({"BSSY B0, 0x50", "@P0 BRA 0x40", "ACQBULK", "BSYNC B0", "BSYNC B0", kLoad, "EXIT"}),
                ElementsAre(0x50));
    EXPECT_THAT(early_in({"BSSY.RECONVERGENT B0, 0x40", "@P0 BRA 0x30", "NOP", "BSYNC.RECONVERGENT B0", "ACQBULK",
                          kLoad, "EXIT"}),
                IsEmpty());
}

TEST(EarlyLoads, FollowCallsWithinTheText)
{
    // The function waits, and returns.
    EXPECT_THAT(early_in({"CALL.REL.NOINC 0x30", kLoad, "EXIT", "ACQBULK", "RET.REL.NODEC R2 0x0"}), IsEmpty());
    // It returns without a wait in one branch.
    EXPECT_THAT(early_in({"CALL.REL.NOINC 0x30", kLoad, "EXIT", "@P0 RET.REL.NODEC R2 0x0", "ACQBULK",
                          "RET.REL.NODEC R2 0x0"}),
                ElementsAre(0x10));
    // It loads. It calls itself.
    EXPECT_THAT(early_in({"CALL.REL.NOINC 0x30", "ACQBULK", "EXIT", kLoad, "@P0 CALL.REL.NOINC 0x30",
                          "RET.REL.NODEC R2 0x0"}),
                ElementsAre(0x30));
    const std::string text = function_of("k", {kLoad, "CALL.REL.NOINC `(waits)", "EXIT"}) +
                             function_of("waits", {"ACQBULK", "RET.REL.NODEC R2 0x0"});
    EXPECT_EQ(early_loads_text(find_early_loads(text)),
              "0 of 1 kernel that waits may load before the wait\n"
              "1 function that calls is without a wait of its own: if what it calls waits,\n"
              "loads before the call are not seen.\n");
}

TEST(EarlyLoads, AreOfMemoryThatOtherGridsMayWrite)
{
    EXPECT_THAT(early_in({"LD.E R2, desc[UR4][R2.64]", "LDGSTS.E [R5], desc[UR4][R2.64]",
                          "UBLKCP.S.G [UR8], [UR4], UR7", "UTMALDG.2D [UR8], [UR4]",
                          "ATOMG.E.ADD.STRONG.GPU PT, R2, desc[UR4][R2.64], R7", "ACQBULK", "EXIT"}),
                ElementsAre(0x00, 0x10, 0x20, 0x30, 0x40));
    EXPECT_THAT(
        early_in({"LDC R1, c[0x0][0x28]", "ULDC.64 UR4, c[0x0][0x208]", "LDCU UR4, c[0x0][0x210]", "LDS R2, [R3]",
                  "LDL R2, [R1]", "LDSM.16.M88.4 R4, [R8]", "UBLKCP.G.S [UR4], [UR8], UR7",
                  "STG.E desc[UR4][R2.64], R5", "RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R5", "ACQBULK", "EXIT"}),
        IsEmpty());
}

TEST(EarlyLoads, SayWhatIsNotSeen)
{
    const EarlyLoads found =
        find_early_loads(function_of("k", {"CALL.REL.NOINC `(other)", "@P0 BRX R2 -0x20", "ACQBULK", "EXIT"}));
    ASSERT_EQ(found.waiting.size(), 1U);
    EXPECT_EQ(found.waiting.front().calls, 1U);
    EXPECT_EQ(found.waiting.front().indirect_branches, 1U);
    EXPECT_THAT(early_loads_text(found), HasSubstr("  and 1 call, of which the loads are not seen\n"
                                                   "  and 1 indirect branch, behind which loads are not seen\n"));
}

TEST(EarlyLoads, NameTheKernels)
{
    const std::string text = function_of("_Z4copyPKiiPi", {kLoad, "ACQBULK", "EXIT"}) +
                             function_of("none", {kLoad, "EXIT"}) + function_of("right", {"ACQBULK", kLoad, "EXIT"});
    EXPECT_EQ(early_loads_text(find_early_loads(text)),
              "copy(int const*, int, int*), sm_90: 1 load before griddepcontrol.wait\n"
              "  0x0000  LDG.E.CONSTANT R5, desc[UR4][R2.64]\n"
              "1 of 2 kernels that wait may load before the wait\n"
              "A load is right if no grid before writes what it reads, such as weights; or if\n"
              "it is a generic load of shared memory. Stores are not looked at.\n");
    EXPECT_EQ(early_loads_text(find_early_loads(function_of("none", {kLoad, "EXIT"}))),
              "none of 1 function waits (griddepcontrol.wait)\n");
    EXPECT_THAT(text_of<RunError>([] { static_cast<void>(find_early_loads("Fatbin ptx code:\n")); }),
                HasSubstr("no function for a GPU is in it"));
}

// As `nvdisasm -c -g` prints it.
constexpr const char* kDisassembled = R"(	.headerflags	@"EF_CUDA_SM90"
	.target	sm_90

//--------------------- .text._Z4copyPKiiPi        --------------------------
	.section	.text._Z4copyPKiiPi,"ax",@progbits
        .type           _Z4copyPKiiPi,@function
_Z4copyPKiiPi:
.text._Z4copyPKiiPi:
	//## File "/home/me/copy.cu", line 20
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/home/me/row.cuh", line 7 inlined at "/home/me/copy.cu", line 24
	//## File "/home/me/copy.cu", line 24
        /*0010*/              @!P0 BRA `(.L_x_0) ;
        /*0020*/                   LDG.E R5, desc[UR4][R2.64] ;
	//## File "/usr/local/cuda/include/sm_32_intrinsics.hpp", line 113 inlined at "/home/me/copy.cu", line 25
	//## File "/home/me/copy.cu", line 25
        /*0030*/                   LDG.E.CONSTANT R6, desc[UR4][R2.64] ;
.L_x_0:
        /*0040*/                   ACQBULK ;
        /*0050*/                   EXIT ;
.L_x_1:
        /*0060*/                   BRA `(.L_x_1);
)";

TEST(EarlyLoads, HaveTheLinesOfNvdisasm)
{
    const EarlyLoads found = find_early_loads(kDisassembled);
    ASSERT_EQ(found.waiting.size(), 1U);
    std::vector<std::string> places;
    for (const EarlyLoad& load : found.waiting.front().loads)
        places.push_back(load.place);
    EXPECT_THAT(places, ElementsAre("/home/me/row.cuh:7", "/home/me/copy.cu:25"));
    EXPECT_EQ(found.waiting.front().architecture, "sm_90");
    EXPECT_EQ(places_of_sass(kDisassembled).at({"_Z4copyPKiiPi", 0x40}), "/home/me/copy.cu:25");
}

} // namespace
} // namespace nestbed
