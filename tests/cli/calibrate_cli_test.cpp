// `nestbed calibrate`: the model that it fits to logs of a GPU, and what it refuses.
#include "predict/roofline_file.hpp"
#include "support/cli_support.hpp"
#include "support/h200_support.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>

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

TEST_F(CalibrateCommand, MakesTheModelThatIsBuiltIn)
{
    std::vector<std::string> words = logs();
    words.insert(words.end(), {"-o", scratch_.path("model.json")});
    const Outcome made = calibrate(words);
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.err, "");
    const Roofline now = parse_roofline(scratch_.read("model.json"), "model.json");
    const Roofline then = parse_roofline(read_text_file(h200_path("model.json")), "model.json");
    EXPECT_EQ(now.parameters.size(), then.parameters.size());
    for (const auto& [key, one] : then.parameters) // compilers round differently
        EXPECT_NEAR(now.parameters.at(key).value / one.value, 1, 1e-3)
            << key << "; run: nestbed calibrate LOG.csv... --overwrite -o results/h200/model.json";
    const std::string model = scratch_.read("model.json");
    EXPECT_THAT(model, HasSubstr(read_text_file(h200_path("model.json"))
                                     .substr(read_text_file(h200_path("model.json")).find("\"logs\""))));
    EXPECT_THAT(made.out, AllOf(StartsWith("Launch roofline of NVIDIA H200 (driver "), HasSubstr("95% CI"),
                                HasSubstr("\nThe logs are of 2 machines with this GPU.\n"),
                                HasSubstr(fmt::format("\nmodel: {}\n", scratch_.path("model.json")))));
    std::istringstream lines(made.out);
    for (std::string line; std::getline(lines, line);)
        EXPECT_TRUE(line.size() <= 80 || line.starts_with("model: ")) << line;

    const Outcome again = calibrate(words);
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_THAT(again.err, HasSubstr(scratch_.path("model.json")));
    scratch_.write("model.json", "other");
    words.emplace_back("--overwrite");
    words.insert(words.end(), {"--csv", scratch_.path("parameters.csv")});
    EXPECT_EQ(calibrate(words).exit_code, 0);
    EXPECT_EQ(scratch_.read("model.json"), model);

    std::set<std::string> keys;
    for (const Row& row : rows_of(scratch_.path("parameters.csv"))) {
        keys.insert(row.at("parameter"));
        EXPECT_NEAR(std::stod(row.at("value")) / now.parameters.at(row.at("parameter")).value, 1, 1e-4);
        EXPECT_EQ(row.at("reads_mb").empty(), row.at("unit") != "us") << row.at("parameter");
    }
    EXPECT_EQ(keys.size(), now.parameters.size());
    const std::vector<Row> published = rows_of(h200_path("parameters.csv"));
    const std::vector<Row> written = rows_of(scratch_.path("parameters.csv"));
    ASSERT_EQ(written.size(), published.size());
    for (std::size_t row = 0; row < written.size(); ++row)
        for (const char* column : {"value", "low", "high"})
            EXPECT_NEAR(std::stod(written[row].at(column)) / std::stod(published[row].at(column)), 1, 1e-3)
                << published[row].at("parameter") << ": " << column;
    scratch_.write("parameters.csv", "other");
    std::vector<std::string> csv_alone = logs();
    csv_alone.insert(csv_alone.end(), {"--overwrite", "--csv", scratch_.path("parameters.csv")});
    EXPECT_EQ(calibrate(csv_alone).exit_code, 0);
    csv_alone = logs();
    csv_alone.insert(csv_alone.end(), {"--csv", "-"});
    EXPECT_EQ(calibrate(csv_alone).out, scratch_.read("parameters.csv"));
    words.pop_back();
    words.push_back(scratch_.path("none/parameters.csv"));
    EXPECT_EQ(calibrate(words).exit_code, 1);
}

TEST_F(CalibrateCommand, FitsWithoutAStrategy)
{
    std::vector<std::string> words = logs();
    words.insert(words.end(), {"--leave-out", "trees", "--csv", scratch_.path("parameters.csv"), "--correlations",
                               scratch_.path("pairs.csv")});
    EXPECT_EQ(calibrate(words).exit_code, 0);
    EXPECT_THAT(scratch_.read("parameters.csv"), AllOf(HasSubstr("\nlevel.tail,"), Not(HasSubstr("sibling."))));
    EXPECT_THAT(scratch_.read("pairs.csv"), AllOf(StartsWith("parameter,with,correlation"), HasSubstr("level.tail,"),
                                                  Not(HasSubstr("sibling.")), Not(HasSubstr("nan"))));
    words = logs(); // fan-outs from the host hardly tell the start from the launches: factor of more than 100
    words.insert(words.end(), {"--leave-out", "chain", "--csv", "-"});
    EXPECT_THAT(calibrate(words).out, AllOf(HasSubstr("\nrate.host,"), Not(HasSubstr("first.host,"))));
    words = logs();
    words.insert(words.end(), {"--leave-out", "nosync"});
    expect_refused(words, "nosync: the fit has no grids without work of this strategy; allowed: chain, chains, "
                          "chains_synced, fanout, trees, trees_by_lanes");
}

TEST_F(CalibrateCommand, RefusesWhatIsNoLogOfAGpu)
{
    expect_refused({}, "calibrate: no log was given; allowed: nestbed calibrate LOG.csv...");
    expect_refused({scratch_.path("none.csv")}, scratch_.path("none.csv"), 1);
    expect_refused({scratch_.path("")}, "it is a folder; allowed: logs of nestbed run");
    expect_refused({scratch_.write("a.csv", "a,b\r\n1,2\r\n")}, "a.csv: it has no column run_id", 1);
    const std::string empty = part_of_log(
        scratch_, "launch.csv", [](const std::string&) { return false; }, "", "", "empty.csv");
    expect_refused({empty}, "empty.csv: it has no rows; allowed: logs of runs on one GPU");
    const std::string executed = small(",cuda,", ",cpu,", "executed.csv");
    expect_refused({executed}, "executed.csv:2: the row is of backend cpu; allowed: logs of runs on one GPU");
}

TEST_F(CalibrateCommand, RefusesALogWhoseGpuIsNotKnown)
{
    std::string log = small();
    std::filesystem::remove(log + ".json");
    expect_refused({log}, "launch.csv.json: it has no run 2026");
    log = small("\"resident_grids\"", "\"grids\"");
    expect_refused({log}, "lacks a fact about its GPU");
    log = small("\"max_threads_per_multiprocessor\": 2048", "\"max_threads_per_multiprocessor\": 0");
    expect_refused({log}, "does not say how many threads and blocks a multiprocessor of its GPU can hold; allowed: a "
                          "log of a run on a GPU, with its manifest");
    log = small("\"cuda\": {", "\"cpu\": {");
    expect_refused({log}, "used no GPU; allowed: a log of a run on a GPU, with its manifest");
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

TEST_F(CalibrateCommand, NamesTheCasesThatAreMissing)
{
    expect_refused({small()}, "the logs have no ", 1);
    EXPECT_FALSE(scratch_.has("model.json"));
}

TEST_F(CalibrateCommand, RefusesAnOutputThatItCannotWrite)
{
    const std::string log = small();
    expect_refused({log, "-o", scratch_.write("there.json", "kept")}, "there.json");
    EXPECT_EQ(scratch_.read("there.json"), "kept");
    expect_refused({log, "-o", scratch_.path("none/model.json")}, "none");
    expect_refused({log, "--csv", scratch_.write("there.csv", "kept")}, "there.csv");
    EXPECT_EQ(scratch_.read("there.csv"), "kept");
    expect_refused({log, "--overwrite"},
                   "--overwrite: there is no file to write; allowed: with --output, --csv or --correlations");
    expect_refused({log, "-o", "a.json", "--leave-out", "chain"},
                   "--leave-out: the model would lack parameters; allowed: without --output");
    expect_refused({log, "--csv", "a.csv", "--correlations", "a.csv"},
                   "--correlations a.csv: --csv is the same file; allowed: different files");
    expect_refused({log, "--correlations", scratch_.write("pairs.csv", "kept")}, "pairs.csv");
    expect_refused({log, "-o", scratch_.path("a.json"), "--csv", scratch_.path("a.json")},
                   "a.json: --output is the same file; allowed: two files");
    expect_refused({log, log}, "launch.csv: it has the same content as " + log + "; allowed: each log once");
    expect_refused({log, "-o", "a.json", "-o", "b.json"}, "--output");
}

} // namespace
} // namespace nestbed
