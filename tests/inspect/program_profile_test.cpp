// The launches of a user's program, from the pages of ncu. tests/data/README.md says where those of tests/data come
// from.
#include "inspect/program_profile.hpp"

#include "base/error.hpp"
#include "support/page_support.hpp"
#include "support/support.hpp"

namespace nestbed
{
namespace
{

const std::string kArguments = "__cudaCDP2GetParameterBufferV2";
const std::string kLaunchKernel = "__cudaCDP2LaunchDeviceV2";

std::string raw_text(const std::vector<std::string>& kernels)
{
    std::string text = "\"Kernel Name\",\"launch__grid_size\"\n\"\",\"\"\n";
    for (const std::string& kernel : kernels)
        text += "\"" + kernel + "\",\"1\"\n";
    return text;
}

ProgramProfile profile_of(const std::string& source, const std::string& raw)
{
    return program_profile("x.source.csv", source, "x.raw.csv", raw);
}

// "rec 2 288", and "?" for launches that cannot be attributed.
std::vector<std::string> rows_of(const ProgramProfile& profile)
{
    std::vector<std::string> rows;
    for (const HostKernel& one : profile.kernels)
        rows.push_back(one.name + " " + std::to_string(one.from_host) + " " +
                       (one.from_device ? std::to_string(*one.from_device) : "?"));
    return rows;
}

TEST(ProgramProfile, HasTheLaunchesBelowEachKernelOfTheHost)
{
    for (const char* page : {"nested.source.csv", "nested_sections.source.csv"}) {
        const ProgramProfile profile = profile_of(data(page), data("nested.raw.csv"));
        EXPECT_THAT(rows_of(profile), ElementsAre("rec 2 288", "tailrec 1 5", "flat 1 0"));
        EXPECT_EQ(profile.from_device, 192U + 96 + 5);
        EXPECT_EQ(profile.from_host, 4U);
    }
}

TEST(ProgramProfile, OfRecordedPagesIsTheKnownNumber)
{
    const auto rows = [](const std::string& stem) {
        return rows_of(profile_of(data("h200/" + stem + ".source.csv"), data("h200/" + stem + ".raw.csv")));
    };
    EXPECT_THAT(rows("nosync-null-64x512"), ElementsAre("reduce_nosync 1 512"));
    EXPECT_THAT(rows("nested_best-64x512"), ElementsAre("sum_best 1 1"));
    EXPECT_THAT(rows("neighbored-64x512"), ElementsAre("reduce_neighbored 1 0"));
    EXPECT_THAT(rows("mst_components-forget-2048x64"),
                ElementsAre("list_of_vertices 1 0", "mst_components 3 43", "hook_components 3 0", "follow_hooks 3 0",
                            "forget_lists 3 0", "count_edges 3 0", "place_lists 3 0", "move_edges 3 0",
                            "report_words 3 0"));
}

TEST(ProgramProfile, KernelsWithoutLaunchesBeforeOthersHaveNone)
{
    const std::string parent = section("b()") + section(kLaunchKernel, "7") + section(kArguments, "7");
    EXPECT_THAT(rows_of(profile_of(section("a()") + parent, raw_text({"a()", "b()"}))),
                ElementsAre("a 1 0", "b 1 7"));
    EXPECT_THAT(rows_of(profile_of(parent + section("a()"), raw_text({"b()", "a()"}))),
                ElementsAre("b 1 7", "a 1 0"));
    // a launches b, then the host launches b, which launches nothing then.
    EXPECT_THAT(rows_of(profile_of(section("a()") + parent + section("b()"), raw_text({"a()", "b()"}))),
                ElementsAre("a 1 7", "b 1 0"));
    // A function that is not inlined may come after the device runtime's.
    EXPECT_THAT(rows_of(profile_of(parent + section("f(int)") + section("a()"), raw_text({"b()", "a()"}))),
                ElementsAre("b 1 7", "a 1 0"));
}

TEST(ProgramProfile, CountsLaunchesThatGotNoMemoryForTheirArguments)
{
    const ProgramProfile profile =
        profile_of(section("a()") + section(kLaunchKernel, "2048") + section(kArguments, "2049"), raw_text({"a()"}));
    EXPECT_EQ(profile.from_device, 2049U);
}

TEST(ProgramProfile, SaysWhereTheKernelOfLaunchesIsNotKnown)
{
    // The root grids are not in the order of their launches.
    const ProgramProfile profile =
        profile_of(section("b()") + section(kLaunchKernel, "3") + section("a()"), raw_text({"a()", "b()"}));
    EXPECT_THAT(rows_of(profile), ElementsAre("a 1 ?", "b 1 ?"));
    EXPECT_EQ(profile.from_device, 3U);
    EXPECT_THAT(program_profile_text(profile), HasSubstr("?"));
}

TEST(ProgramProfile, HasATableWithATotal)
{
    const std::string text = program_profile_text(
        {.kernels = {{.name = "a", .from_host = 2, .from_device = 512}}, .from_host = 2, .from_device = 512});
    EXPECT_EQ(text, "\nkernel  from host  from device\n"
                    "a               2          512\n"
                    "total           2          512\n");
}

TEST(ProgramProfile, RefusesPagesThatDoNotMatch)
{
    EXPECT_THAT(text_of<RunError>([] { static_cast<void>(profile_of(section("a()"), raw_text({"b()"}))); }),
                HasSubstr("do not match the raw page"));
}

TEST(ProgramProfile, RunsTheProgramUnderNcu)
{
    const ProgramProfileCommands commands = program_profile_commands("/opt/ncu", "r", "l", {"./my", "1000"});
    EXPECT_EQ(commands.collect.front(), "/opt/ncu");
    EXPECT_THAT(std::vector<std::string>(commands.collect.end() - 4, commands.collect.end()),
                ElementsAre("--log-file", "l", "./my", "1000"));
}

} // namespace
} // namespace nestbed
