// What has to be run so that Nsight Compute counts a case.
#include "inspect/profiler.hpp"

#include "base/subprocess.hpp"
#include "model/launch_plan.hpp"
#include "support/plan_support.hpp"
#include "support/program_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace nestbed
{
namespace
{

using testing::ElementsAre;

const ProfilerPrograms kPrograms{.ncu = "/opt/ncu", .nestbed = "/usr/bin/nestbed"};

Case nosync_case()
{
    return {.strategy = "nosync",
            .backend = BackendKind::cuda,
            .mechanism = Mechanism::named_stream,
            .elements = 32768,
            .grid = 64,
            .block = 512,
            .wave = 16};
}

TEST(ProfileCommands, CollectOneUntimedRunOfTheCase)
{
    EXPECT_THAT(
        profile_commands(nosync_case(), "book", "some folder/001", kPrograms).collect,
        ElementsAre("/opt/ncu", "--clock-control", "none", "--cache-control", "none", "--nvtx", "--nvtx-include",
                    "regex:nestbed@.*/", "--metrics",
                    "thread_inst_executed,inst_executed,sm__ctas_launched.sum,sm__warps_launched.sum,"
                    "sm__warps_active.avg.pct_of_peak_sustained_active,dram__bytes_read.sum,dram__bytes_write.sum,"
                    "gpu__time_duration.sum,launch__grid_size",
                    "--import-source", "no", "--force-overwrite", "--export", "some folder/001.ncu-rep",
                    "/usr/bin/nestbed", "run", "--experiment", "book", "--strategy", "nosync", "--backend", "cuda",
                    "--mechanism", "named", "--type", "int32", "--grid", "64", "--block", "512", "--elements",
                    "32768", "--wave", "16", "--seed", "1", "--repeat", "1", "--warmup", "0", "--untimed",
                    "--in-process", "--output", "some folder/001.csv"));
}

TEST(ProfileCommands, PrintThePages)
{
    const ProfileCommands commands = profile_commands(nosync_case(), "book", "some folder/001", kPrograms);
    EXPECT_THAT(commands.source,
                ElementsAre("/opt/ncu", "--import", "some folder/001.ncu-rep", "--page", "source", "--csv"));
    EXPECT_THAT(commands.raw, ElementsAre("/opt/ncu", "--import", "some folder/001.ncu-rep", "--page", "raw", "--csv",
                                          "--print-units", "base"));
}

TEST(StemName, SaysWhichCaseItIs)
{
    EXPECT_EQ(stem_name(12, nosync_case()), "012-nosync-named-64x512");
    EXPECT_EQ(stem_name(1, {.strategy = "nosync", .grid = 1, .block = 2}), "001-nosync-null-1x2"); // the first
    EXPECT_EQ(stem_name(1234, {.strategy = "synced", .grid = 2048, .block = 512}), "1234-synced-2048x512");
    EXPECT_EQ(stem_name(3, {.strategy = "recursive_transpose",
                            .mechanism = Mechanism::tail,
                            .grid = 0,
                            .block = 0,
                            .nx = 300,
                            .ny = 100}),
              "003-recursive_transpose-tail-300x100");
}

TEST(ShellText, QuotesWhatIsNotPlain)
{
    EXPECT_EQ(shell_text({"/opt/ncu", "--page", "source", "a_b-c.d:e=f,g+h@i%"}),
              "/opt/ncu --page source a_b-c.d:e=f,g+h@i%");
    EXPECT_EQ(shell_text({"regex:nestbed@.*/", "", "a b", "it's", "$HOME"}),
              R"('regex:nestbed@.*/' '' 'a b' 'it'\''s' '$HOME')");
    EXPECT_EQ(shell_text({}), "");
}

TEST(ShellText, IsReadBackByAShell)
{
    const ScratchFolder folder;
    const std::vector<std::string> words{"plain",
                                         "",
                                         "a b",
                                         "it's",
                                         "\"",
                                         "\\",
                                         "$HOME `id` $(id)",
                                         "*",
                                         "~",
                                         "#hash",
                                         "x;&|",
                                         "a\nb",
                                         "regex:nestbed@.*/",
                                         "(",
                                         "-n",
                                         "'''"};
    const std::string script = program(folder, "words", "for word in \"$@\"; do printf '%s\\0' \"$word\"; done");
    std::vector<std::string> all{script};
    all.insert(all.end(), words.begin(), words.end());
    ASSERT_TRUE(run_program({"/bin/sh", "-c", shell_text(all)}, {folder.path("out"), folder.path("err")},
                            std::chrono::seconds(60))
                    .good());
    std::string expected;
    for (const std::string& word : words)
        expected += word + '\0';
    EXPECT_EQ(folder.read("out"), expected);
}

// experiments/profile.cfg has every strategy and mechanism whose launches ncu can count, at three sizes and more, and no
// case whose root grids would take ncu longer than some minutes.
TEST(ProfileExperiment, HasWhatLaunchesFromTheDeviceAtThreeSizes)
{
    const DeviceFacts gpu = both().at(BackendKind::cuda);
    Settings settings;
    settings.read_file((std::filesystem::path(NESTBED_EXPERIMENTS) / "profile.cfg").string());
    std::map<std::string, std::size_t> sizes;
    std::uint64_t root_grids = 0;
    for (const Group& group : make_plan(settings, {{BackendKind::cuda, gpu}}).groups)
        for (const Case& point : group.cases) {
            const Strategy& strategy = *Registry::find_anywhere(point.strategy);
            const LaunchPlan plan = plan_launches(point, strategy.launches(point), gpu);
            EXPECT_EQ(plan.refusal, "") << point.strategy;
            EXPECT_GT(strategy.launches(point).total(), 0U) << point.strategy;
            EXPECT_LE(plan.waves(), 150U) << point.strategy;
            EXPECT_EQ(plan.pending_limit, gpu.default_pending_limit) << point.strategy;
            root_grids += plan.waves();
            ++sizes[point.strategy + " " + std::string(name_of(*point.mechanism))];
        }
    EXPECT_LE(root_grids, 1000U);
    for (const std::string_view name : Registry::names())
        for (const StrategyInfo& info = Registry::find_anywhere(name)->info();
             const Mechanism mechanism : info.mechanisms) {
            const std::string way = std::string(name) + " " + std::string(name_of(mechanism));
            const bool wanted = from_device(mechanism) && mechanism != Mechanism::graph_tail;
            EXPECT_EQ(sizes[way], wanted ? 3U : 0U) << way;
        }
}

} // namespace
} // namespace nestbed
