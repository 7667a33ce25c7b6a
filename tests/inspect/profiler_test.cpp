// The commands that make Nsight Compute count a case.
#include "run/profiler.hpp"

#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "support/program_support.hpp"

namespace nestbed
{
namespace
{

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
    // the strategy's first mechanism
    EXPECT_EQ(stem_name(1, {.strategy = "nosync", .grid = 1, .block = 2}), "001-nosync-null_stream-1x2");
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
    const std::vector<std::string> words =
        split("plain%%a b%it's%\"%\\%$HOME `id` $(id)%*%~%#hash%x;&|%a\nb%regex:nestbed@.*/%(%-n%'''", '%');
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

} // namespace
} // namespace nestbed
