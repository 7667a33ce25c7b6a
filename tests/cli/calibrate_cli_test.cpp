// `nestbed calibrate`: the model that it fits to logs of a GPU, and what it refuses.
#include "predict/roofline_file.hpp"
#include "support/cli_support.hpp"
#include "support/h200_support.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <tuple>

namespace nestbed
{
namespace
{

using Json = nlohmann::ordered_json;

class CalibrateCommand : public testing::Test
{
  protected:
    // The logs from which the built-in model was fitted.
    static std::vector<std::string> logs()
    {
        std::vector<std::string> paths;
        const Json model = Json::parse(read_text_file(h200_path("model.json")));
        for (const Json& log : model.at("logs"))
            paths.push_back(h200_path(log.at("name")));
        return paths;
    }
    static Outcome calibrate(const Words& words) { return nestbed(Words("calibrate") + words); }
    static void expect_refused(const Words& words, const std::string& why, int exit_code = 2)
    {
        const Outcome refused = calibrate(words);
        EXPECT_EQ(refused.exit_code, exit_code) << why;
        EXPECT_THAT(refused.err, HasSubstr(why));
        EXPECT_EQ(refused.out, "");
    }
    // Two rows of the log.
    std::string small(const std::string& from = "", const std::string& to = "", const std::string& as = "") const
    {
        return part_of_log(
            scratch_, "launch.csv", [count = 0](const std::string&) mutable { return ++count <= 2; }, from, to, as);
    }

    ScratchFolder scratch_;
};

// Compilers round differently.
void expect_near(const Row& one, const Row& other)
{
    for (const char* column : {"value", "low", "high"})
        EXPECT_NEAR(std::stod(one.at(column)) / std::stod(other.at(column)), 1, 1e-3)
            << other.at("parameter") << ": " << column
            << "; run: nestbed calibrate LOG.csv... --overwrite -o results/h200/model.json";
    EXPECT_EQ(one.at("reads_mb").empty(), one.at("unit") != "us") << one.at("parameter");
}

TEST_F(CalibrateCommand, MakesTheModelThatIsBuiltIn)
{
    const std::string model = scratch_.path("model.json");
    const std::string csv = scratch_.path("parameters.csv");
    std::vector<std::string> words = logs();
    words.insert(words.end(), {"-o", model, "--csv", csv});
    const Outcome made = calibrate(words);
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.err, "");
    EXPECT_THAT(made.out, AllOf(StartsWith("Launch roofline of NVIDIA H200 (driver "), HasSubstr("95% CI"),
                                HasSubstr("\nThe logs are of 2 machines with this GPU.\n"),
                                HasSubstr(fmt::format("\nmodel: {}\n", model))));
    for (const RooflineParameter& parameter : roofline_parameters())
        EXPECT_THAT(made.out, HasSubstr(fmt::format("\n{} ", parameter.name)));
    std::istringstream lines(made.out);
    for (std::string line; std::getline(lines, line);)
        EXPECT_TRUE(line.size() <= 80 || line.starts_with("model: ")) << line;

    const Roofline now = parse_roofline(scratch_.read("model.json"), "model.json");
    const std::vector<Row> written = rows_of(csv);
    const std::vector<Row> published = rows_of(h200_path("parameters.csv"));
    ASSERT_EQ(written.size(), published.size());
    ASSERT_EQ(written.size(), now.parameters.size());
    for (std::size_t row = 0; row < written.size(); ++row) {
        expect_near(written[row], published[row]);
        EXPECT_NEAR(std::stod(written[row].at("value")) / now.parameters.at(written[row].at("parameter")).value, 1,
                    1e-4);
    }
    const std::string published_model = read_text_file(h200_path("model.json"));
    EXPECT_THAT(scratch_.read("model.json"), HasSubstr(published_model.substr(published_model.find("\"logs\""))));

    expect_refused(words, model);
    const std::string text = scratch_.read("parameters.csv");
    scratch_.write("parameters.csv", "other");
    words.emplace_back("--overwrite");
    EXPECT_EQ(calibrate(words).exit_code, 0);
    EXPECT_EQ(scratch_.read("parameters.csv"), text);
    std::vector<std::string> printed = logs();
    printed.insert(printed.end(), {"--csv", "-"});
    EXPECT_EQ(calibrate(printed).out, text);
}

TEST_F(CalibrateCommand, RefusesWhatIsNoLogOfAGpu)
{
    const std::string empty = part_of_log(
        scratch_, "launch.csv", [](const std::string&) { return false; }, "", "", "empty.csv");
    const std::string unknown = small("", "", "unknown.csv");
    std::filesystem::remove(unknown + ".json");
    for (
        const auto& [words, why, exit_code] : std::vector<std::tuple<Words, std::string, int>>{
            {{}, "calibrate: no log was given; allowed: nestbed calibrate LOG.csv...", 2},
            {{scratch_.path("none.csv")}, scratch_.path("none.csv"), 1},
            {{scratch_.path("")}, "it is a folder; allowed: logs of nestbed run", 2},
            {{scratch_.write("a.csv", "a,b\r\n1,2\r\n")}, "a.csv: it has no column run_id", 1},
            {{empty}, "empty.csv: it has no rows; allowed: logs of runs on one GPU", 2},
            {{small(",cuda,", ",cpu,", "executed.csv")},
             "executed.csv: it has rows of backend cpu; allowed: logs of runs on one GPU",
             2},
            {{unknown}, "unknown.csv.json: it has no run 2026", 2},
            {{small("\"resident_grids\"", "\"grids\"", "less.csv")}, "lacks a fact about its GPU", 2},
            {{small("\"max_threads_per_multiprocessor\": 2048", "\"max_threads_per_multiprocessor\": 0", "zero.csv")},
             "does not say how many threads and blocks a multiprocessor of its GPU can hold; allowed: a log of a run "
             "on a GPU, with its manifest",
             2},
            {{small("\"cuda\": {", "\"cpu\": {", "cpu.csv")},
             "used no GPU; allowed: a log of a run on a GPU, with its manifest",
             2},
            {{small()}, "the logs have no ", 1}})
        expect_refused(words, why, exit_code);
}

TEST_F(CalibrateCommand, RefusesLogsOfTwoGpus)
{
    const std::string one = small();
    for (const auto& [from, to, found] :
         {std::tuple("NVIDIA H200", "NVIDIA A100", "NVIDIA A100 (driver "),
          std::tuple("580.159.04", "570.1", "570.1"),
          std::tuple("\"cuda_runtime\": \"13.0\"", "\"cuda_runtime\": \"12.4\"", "CUDA 12.4")}) {
        const std::string other = small(from, to, "other.csv");
        if (std::string_view(found) == "CUDA 12.4") // the rows have no such key
            scratch_.write("other.csv",
                           boost::algorithm::replace_all_copy(scratch_.read("other.csv"), ",13.0,", ",12.4,"));
        expect_refused({one, other}, "other.csv: it is of ");
        expect_refused({one, other}, found);
        expect_refused({one, other}, "and " + one +
                                         " of NVIDIA H200 (driver 580.159.04, CUDA 13.0); allowed: logs of "
                                         "runs on one GPU");
    }
    // One log of two runs.
    Json manifest = Json::parse(scratch_.read("launch.csv.json"));
    const std::string run = manifest["runs"].begin().key();
    const std::string second = "2" + run.substr(0, run.size() - 1);
    manifest["runs"][second] = manifest["runs"][run];
    manifest["runs"][second]["backends"]["cuda"]["name"] = "NVIDIA A100";
    scratch_.write("launch.csv.json", manifest.dump());
    std::string text = scratch_.read("launch.csv");
    text.replace(text.rfind(run), run.size(), second);
    scratch_.write("launch.csv", text);
    expect_refused({one}, "launch.csv: it has rows of NVIDIA ");
}

TEST_F(CalibrateCommand, RefusesAnOutputThatItCannotWrite)
{
    const std::string log = small();
    const std::string kept = scratch_.write("kept", "kept");
    for (const auto& [words, why] : std::vector<std::pair<Words, std::string>>{
             {{log, "-o", kept}, kept},
             {{log, "--csv", kept}, kept},
             {{log, "-o", scratch_.path("none/model.json")}, "none"},
             {{log, "--overwrite"}, "--overwrite: there is no file to write; allowed: with --output or --csv"},
             {{log, "-o", scratch_.path("a"), "--csv", scratch_.path("a")},
              "a: --output is the same file; allowed: different files"},
             {{log, log}, "launch.csv: it has the same content as " + log + "; allowed: each log once"},
             {{log, "-o", "a.json", "-o", "b.json"}, "--output"}})
        expect_refused(words, why);
    EXPECT_EQ(scratch_.read("kept"), "kept");
}

} // namespace
} // namespace nestbed
