// Programs of a user's own as cases: their arguments, their time, and what they counted.
#include "model/user_program.hpp"

#include "base/error.hpp"
#include "support/program_support.hpp"

#include <fmt/format.h>

#include <csignal>

namespace nestbed
{
namespace
{

Case some_case()
{
    return {.strategy = "program", .elements = 1000, .grid = 8, .block = 96, .depth = 3};
}

TEST(UserProgram, GetsTheValuesOfItsCase)
{
    using Strings = std::vector<std::string>;
    for (const auto& [arguments, words] :
         std::vector<std::pair<std::string, Strings>>{{"", {}},
                                                      {"{grid} {block}", {"8", "96"}},
                                                      {"  -n={elements},{depth}  x ", {"-n=1000,3", "x"}},
                                                      {R"('a b' "it's" "" '{grid}x')", {"a b", "it's", "", "8x"}},
                                                      {"{{grid} {{{grid}", {"{grid}", "{8"}}})
        EXPECT_EQ(program_words(arguments, some_case()), words) << arguments;
    EXPECT_TRUE(axes_in("{block}{grid}").has(axis::grid));
    EXPECT_FALSE(axes_in("{block} {{grid}").has(axis::grid));
}

TEST(UserProgram, RefusesArgumentsThatItCannotRead)
{
    for (const auto& [arguments, why] : std::vector<std::pair<std::string, std::string>>{
             {"{girth}", "'{girth}': there is no parameter {girth}; allowed: {grid}, "},
             {"{program}", "there is no parameter {program}"},
             {"{grid", "a '{' has no '}'"},
             {"'a", "a ' has no end"}})
        EXPECT_THAT(text_of<RunError>([&] { program_words(arguments, some_case()); }), HasSubstr(why));
}

TEST(UserProgram, SaysItsTimeInTheLastLineThatHasIt)
{
    const std::string output = "time: 7 us of 9\ntime:  2.5e1 us\nTime 4\ntime: x us\n";
    for (const auto& [text, us] : std::vector<std::pair<std::string, double>>{
             {"time: {us} us", 25}, {"time: {ms}", -1}, {"Time {s}", 4e6}, {"of {ns}", 0.009}, {"took {us}", -1}})
        EXPECT_DOUBLE_EQ(time_in(output, text).value_or(-1), us) << text;
    // Neither a part of a number nor one of another unit is the time; nor is what no log can hold.
    for (const char* line : {"time: 1,234.5", "time: 1.5.3", "time: 0x10", "time: 12 ms", "time: 12ms", "time: inf",
                             "time: nan", "time: 0", "time: -4", "time: 1e400"})
        EXPECT_FALSE(time_in(line, "time: {us}")) << line;
    for (const char* line : {"-5", "v-3 us", "x12", "1e400"})
        EXPECT_FALSE(time_in(line, "{us}")) << line;
    for (const char* line : {"time: 12us", "time: 12 us", "time:12 of 20", "time: 12, then"})
        EXPECT_EQ(time_in(line, "time:{us}"), 12) << line;
    EXPECT_THAT(text_of<RunError>([] { check_time_text("time: us"); }), HasSubstr("{us}"));
}

TEST(UserProgram, MustBeAProgram)
{
    const ScratchFolder folder;
    const std::string source = folder.write("my.cu", "");
    const std::string text = folder.write("text", "");
    EXPECT_NO_THROW(check_program(program(folder, "my", "")));
    EXPECT_NO_THROW(check_program("true")); // on the PATH
    for (const auto& [path, why] :
         std::vector<std::pair<std::string, std::string>>{{source, "it is a source file"},
                                                          {text, "it is not an executable file"},
                                                          {folder.path("none"), "there is no such file"}})
        EXPECT_THAT(text_of<RunError>([&] { check_program(path); }), HasSubstr(why));
}

class ProgramSample : public testing::Test
{
  protected:
    Sample sample(const std::string& script, const std::string& time = "", std::string name = "") const
    {
        static unsigned programs = 0;
        if (name.empty())
            name = fmt::format("{}-my", ++programs);
        Case point = some_case();
        point.program = program(folder, name, script);
        point.arguments = "{grid}";
        point.time = time;
        return sample_of_program(point, {.schedule = "random:1"}, 77);
    }
    static std::string report(const std::string& kernels, const std::string& backend = "cpu")
    {
        return R"(echo '{"kernels":[)" + kernels + R"(],"backend":")" + backend + R"("}' > "$NESTBED_REPORT")";
    }

    ScratchFolder folder;
    const std::string counted = report(R"({"kernel":"a","from_host":2,"from_device":0,"refused":0,"deepest":0},)"
                                       R"({"kernel":"b","from_host":0,"from_device":30,"refused":0,"deepest":4})");
};

TEST_F(ProgramSample, HasItsLaunchesAndItsTime)
{
    const Sample one = sample(counted + "; sleep 0.1; echo \"$NESTBED_SCHEDULE $1 took 3 ms\"", "8 took {ms} ms");
    EXPECT_EQ(one.status, Status::ok) << one.detail;
    EXPECT_EQ(one.wall_us, 3000);
    ASSERT_TRUE(one.launches);
    EXPECT_EQ(one.launches->attempted, 30U);
    EXPECT_EQ(one.launches->failed, 0U);
    EXPECT_EQ(one.launches->max_depth, 4U);
    EXPECT_EQ(one.host_launches, 2U);
    const Sample with_graphs =
        sample(R"(echo '{"kernels":[{"kernel":"a","from_host":2,"from_device":3,"refused":0,"deepest":1}],)"
               R"("graphs":{"from_host":5,"from_device":7,"refused":1},"backend":"cpu"}' > "$NESTBED_REPORT")");
    ASSERT_TRUE(with_graphs.launches);
    EXPECT_EQ(with_graphs.launches->attempted, 10U); // a launch of a graph is one
    EXPECT_EQ(with_graphs.launches->failed, 1U);
    EXPECT_EQ(with_graphs.host_launches, 7U);
    EXPECT_EQ(sample("test \"$NESTBED_SCHEDULE\" = random:77").status, Status::ok);
    const Sample whole = sample(counted + "; sleep 0.1; echo took 3 ms");
    EXPECT_GE(whole.wall_us, 100'000);
    EXPECT_FALSE(sample("exit 0").launches); // not built to count
}

TEST_F(ProgramSample, SaysWhatWentWrong)
{
    const std::string refused = report(
        R"({"kernel":"b","from_host":0,"from_device":30,"refused":4,"deepest":1,"first_error":"LaunchPendingCountExceeded"})");
    for (const auto& [script, time, status, detail] :
         std::vector<std::tuple<std::string, std::string, Status, std::string>>{
             {"echo first >&2; echo 'sum 3, not 4' >&2; exit 3", "", Status::wrong,
              "my ended with exit code 3: sum 3, not 4"},
             {"kill -SEGV $$", "", Status::crashed, "my ended with signal 11 (Segmentation fault)"},
             {counted, "took {us}", Status::wrong, "my printed no time above 0 as 'took {us}'"},
             {refused, "", Status::launch_failed, "4 of 30 launches of b were refused: LaunchPendingCountExceeded"},
             {report("", "cuda"), "", Status::unsupported, "was built for backend cuda, not cpu"}}) {
        const Sample one = sample(script, time);
        EXPECT_EQ(one.status, status) << script;
        EXPECT_THAT(one.detail, HasSubstr(detail));
        EXPECT_FALSE(one.wall_us);
    }
    const Sample both = sample(refused + "; exit 3");
    EXPECT_EQ(both.status, Status::launch_failed);
    EXPECT_THAT(both.detail,
                AllOf(StartsWith("4 of 30 launches of b were refused"), HasSubstr("my ended with exit code 3")));
    for (const char* text :
         {"x", "[1,2]", R"({"backend":"cpu","kernels":5})", R"({"backend":7,"kernels":[]})", R"({"kernels":[]})",
          R"({"backend":"cpu","kernels":[{"kernel":"k","from_host":1,"from_device":2,"refused":-1,"deepest":0}]})"})
        EXPECT_THROW(sample(std::string("echo '") + text + "' > \"$NESTBED_REPORT\""), RunError) << text;
    const std::string deep = std::string(1000, '[') + std::string(1000, ']');
    EXPECT_THROW(sample("echo '" + deep + "' > \"$NESTBED_REPORT\""), RunError);
}

TEST_F(ProgramSample, HasTheSignalsOfAProgramThatAUserStarts)
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXFSZ, SIGPIPE}) {
        const auto before = std::signal(signal, SIG_IGN);
        const Sample one = sample(fmt::format("kill -{} $$", signal));
        static_cast<void>(std::signal(signal, before));
        EXPECT_EQ(one.status, Status::crashed) << signal;
    }
}

TEST_F(ProgramSample, SaysTheLastWordsOfTheProgram)
{
    EXPECT_THAT(sample("echo wrong: 5; printf 'kernel  from host  first error\\nk  1\\n' >&2; exit 1").detail,
                HasSubstr("exit code 1: wrong: 5"));
    EXPECT_THAT(sample("exit 1").detail, HasSubstr("(NESTBED_SCHEDULE=random:77)"));
}

TEST_F(ProgramSample, IsNotOfAnotherProgramThanBefore)
{
    EXPECT_EQ(sample("exit 0", "", "same").status, Status::ok);
    EXPECT_THAT(text_of<RunError>([&] { sample("exit 0; another", "", "same"); }),
                HasSubstr("it has changed while it was measured"));
}

} // namespace
} // namespace nestbed
