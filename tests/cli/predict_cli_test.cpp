// `nestbed predict`: predictions of an experiment and of a log, without a GPU, and what it refuses. Their numbers are in
// published_tables_test.cpp.
#include "support/cli_support.hpp"
#include "support/h200_support.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <tuple>

namespace nestbed
{
namespace
{

class PredictCommand : public testing::Test
{
  protected:
    static Outcome predict(const Words& words) { return nestbed(Words("predict") + words); }
    static void expect_refused(const Words& words, const std::string& why, int exit_code = 2)
    {
        const Outcome refused = predict(words);
        EXPECT_EQ(refused.exit_code, exit_code) << why;
        EXPECT_THAT(refused.err, HasSubstr(why));
        EXPECT_EQ(refused.out, "");
    }
    static std::string experiment(const std::string& name) { return std::string(NESTBED_EXPERIMENTS) + "/" + name; }

    ScratchFolder scratch_;
};

TEST_F(PredictCommand, PlansCasesAsARunWithoutAGpu)
{
    const Outcome done = predict("--strategy nosync,tail,neighbored,host,quick_kway --grid 64");
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.err, "");
    EXPECT_THAT(done.out, AllOf(StartsWith("GPU times predicted for NVIDIA H200"),
                                HasSubstr("grid 64, block 512, depth full\n"),
                                ContainsRegex("nosync +null_stream +512 +[0-9.]+ us +rate\n"),
                                ContainsRegex("tail +tail +512 +[0-9.]+ us +[a-z]+\n"),
                                HasSubstr("\n(bound: what takes longest; nestbed help predict)\n"),
                                HasSubstr("Predicted: 2 cases\nNot predicted: 3 cases\n  1: the host does the work\n"
                                          "  1: their launches depend on the input\n"
                                          "  1: they launch nothing from the device\n")));
    const Outcome launches = predict({experiment("launch.cfg:fanout")});
    EXPECT_EQ(launches.exit_code, 0) << launches.err;
    EXPECT_THAT(launches.out, AllOf(HasSubstr("fanout"), Not(HasSubstr("chain"))));
    expect_columns(launches.out, 80U);
}

// Every experiment can be planned without a GPU, and every case is predicted or has a reason.
TEST_F(PredictCommand, PredictsEveryExperiment)
{
    for (const auto& file : std::filesystem::directory_iterator(NESTBED_EXPERIMENTS)) {
        if (file.path().extension() != ".cfg" || file.path().filename() == "hazard_schedules.cfg")
            continue;
        const Outcome done = predict({file.path().string()});
        EXPECT_EQ(done.exit_code, done.out.find("Predicted: 0 cases") == std::string::npos ? 0 : 3)
            << file.path() << done.err;
        EXPECT_THAT(done.out, HasSubstr("Predicted: ")) << file.path();
    }
    expect_refused({experiment("hazard_schedules.cfg")}, "backend = cpu: only GPU times can be predicted; allowed: "
                                                         "auto, cuda");
}

// A script must see that there is nothing.
TEST_F(PredictCommand, PredictsNoneWithAReasonAndAnExitCode)
{
    const std::string of_input = "their launches depend on the input";
    const std::string how = "; with GPU times of a few of them: --against few.csv (nestbed help predict)";
    for (const auto& [strategies, reasons] :
         {std::pair{"quick_kway", of_input + " (1)" + how},
          std::pair{"neighbored", std::string("they launch nothing from the device (1)")},
          std::pair{"sort_levels", std::string("their work depends on the input (1)")},
          std::pair{"host,quick_kway,bfs_tail", "the host does the work (1), " + of_input + " (2)" + how}}) {
        const Outcome none = predict({"--strategy", strategies, "--csv", "-"});
        EXPECT_EQ(none.exit_code, 3) << strategies;
        EXPECT_EQ(none.err, "nestbed: no case can be predicted: " + reasons + "\n");
    }
}

TEST_F(PredictCommand, SetsALogBeside)
{
    const Outcome alone = predict({"--against", h200_path("ways.csv")});
    EXPECT_EQ(alone.exit_code, 0) << alone.err;
    EXPECT_THAT(alone.err, IsEmpty());
    EXPECT_THAT(alone.out,
                AllOf(HasSubstr("Predicted: 18 cases\nNot predicted: 10 cases\n"), HasSubstr(": 18 cases\n"),
                      ContainsRegex("Median .measured / predicted - 1.: [0-9.]+ %; at most 25 % in"),
                      HasSubstr("The farthest, 8 of ")));
    const Outcome some = predict(
        {experiment("ways.cfg"), "--strategy", "nosync", "--mechanism", "all", "--against", h200_path("ways.csv")});
    EXPECT_EQ(some.exit_code, 0) << some.err;
    EXPECT_THAT(some.out, AllOf(HasSubstr("Predicted: 3 cases\n"), ContainsRegex(":[ \n]3[ \n]cases\nMedian")));

    scratch_.write("alone.csv", read_text_file(h200_path("ways.csv"))); // rows without a manifest
    const Outcome rows = predict({"--strategy", "nosync", "--against", scratch_.path("alone.csv")});
    EXPECT_EQ(rows.exit_code, 0) << rows.err;
    EXPECT_THAT(rows.out, HasSubstr("1 case\nMedian"));
}

TEST_F(PredictCommand, WritesACsv)
{
    const std::string csv = scratch_.path("out.csv");
    const Outcome done = predict({"--against", h200_path("book.csv"), "--csv", csv});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    const Outcome printed = predict({"--against", h200_path("book.csv"), "--csv", "-"});
    EXPECT_EQ(printed.out, scratch_.read("out.csv"));
    expect_refused({"--against", h200_path("book.csv"), "--csv", csv}, csv);
    EXPECT_EQ(predict({"--against", h200_path("book.csv"), "--csv", csv, "--overwrite"}).exit_code, 0);
}

TEST_F(PredictCommand, ChoosesForDataDependentLaunches)
{
    const std::string csv = scratch_.path("choices.csv");
    const Outcome done = predict({"--against", h200_path("cgo22_sort.csv"), "--choices", csv});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out,
                AllOf(HasSubstr("Predicted: 576 cases\n"), HasSubstr("  168: their launches depend on the input\n"),
                      HasSubstr("  96: they launch nothing, and their measured time is given\n"),
                      HasSubstr("\ninput uniform, mechanism tail, threshold 64:\n"),
                      HasSubstr("that the\nmodel chooses, ")));
    expect_columns(done.out, 80U);
    EXPECT_EQ(rows_of(csv).size(), 4U);
    expect_refused({"--against", h200_path("cgo22_sort.csv"), "--choices", csv}, csv);
}

// A GPU need not measure the candidates: the flat forms and the highest threshold are enough, because the command runs the
// executor for the cases of an experiment. It chooses as by the counts of the GPU.
TEST_F(PredictCommand, ChoosesByCountsOfTheExecutor)
{
    const auto is_few = [](const std::string& row) {
        return row.find(",quick_kway,") == std::string::npos || row.find(",full,4096,") != std::string::npos;
    };
    const std::string few = part_of_log(scratch_, "cgo22_sort.csv", is_few, "", "", "few.csv");
    const Words planned("--strategy quick_kway --mechanism tail --input zipf --elements 16384 --block 128 --fanout "
                        "16 --grain 256 --threshold 0,16 --coarsen 1 --aggregate block,grid");
    const Outcome done = predict(planned + Words{"--against", few, "--choices", scratch_.path("choices.csv")});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.err, ContainsRegex("counting the launches of 4 cases on the executor: about .* s\n"
                                        "nestbed: counted in [0-9.]+ s\n"));
    const std::vector<Row> choices = rows_of(scratch_.path("choices.csv"));
    ASSERT_EQ(choices.size(), 1U); // of the planned input
    const Row& zipf = choices.front();
    EXPECT_EQ(zipf.at("cases"), "28"); // 24 with the highest threshold, and 4
    EXPECT_EQ(zipf.at("input"), "zipf");
    EXPECT_EQ(zipf.at("threshold"), "0");
    EXPECT_EQ(zipf.at("aggregate"), "grid");
    EXPECT_EQ(zipf.at("measured_us") + zipf.at("cost"), "");

    EXPECT_EQ(predict({"--against", h200_path("cgo22_sort.csv"), "--choices", scratch_.path("all.csv")}).exit_code,
              0);
    const std::vector<Row> all = rows_of(scratch_.path("all.csv")); // by the counts of the GPU
    const auto same = std::ranges::find_if(
        all, [&](const Row& row) { return row.at("input") == "zipf" && row.at("mechanism") == "tail"; });
    ASSERT_NE(same, all.end());
    for (const char* column : {"threshold", "coarsen", "aggregate", "predicted_us", "flat_us", "alone_us"})
        EXPECT_EQ(zipf.at(column), same->at(column)) << column;
    const Outcome without_times = predict(planned + Words{"--against", h200_path("ways.csv"), "--elements", "8192"});
    EXPECT_THAT(without_times.err,
                HasSubstr("their times are not predicted: the log needs GPU times of a flat form"));
}

TEST_F(PredictCommand, ChoosesNothingForALogWithoutAFlatForm)
{
    const std::string alone = part_of_log(
        scratch_, "cgo22_sort.csv",
        [](const std::string& row) { return row.find(",quick_kway,") != std::string::npos; }, "", "", "alone.csv");
    const Outcome done = predict({"--against", alone});
    EXPECT_EQ(done.exit_code, 3) << done.err;
    EXPECT_THAT(done.out, AllOf(HasSubstr("Predicted: 0 cases\n"), Not(HasSubstr("Data-dependent launches"))));
    expect_refused(
        {"--against", alone, "--choices", scratch_.path("none.csv")},
        "alone.csv: no data-dependent launches can be predicted; allowed: a log with GPU times of a flat form");
    EXPECT_FALSE(scratch_.has("none.csv"));
}

TEST_F(PredictCommand, UsesAnotherModel)
{
    std::string model = read_text_file(h200_path("model.json"));
    boost::algorithm::replace_all(model, "NVIDIA H200", "NVIDIA A100");
    const std::string path = scratch_.write("model.json", model);
    const Outcome done = predict({"--strategy", "nosync", "--device", path});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, StartsWith("GPU times predicted for NVIDIA A100"));
    EXPECT_EQ(predict({"--against", h200_path("book.csv"), "--device", path}).err,
              fmt::format("nestbed: {} is of NVIDIA H200, the model of NVIDIA A100\n", h200_path("book.csv")));

    expect_refused(Words("--strategy nosync --device") + scratch_.path("none.json"),
                   "none.json: there is no such device, folder or file; allowed: h200, a folder of results, or a "
                   "model.json");
    expect_refused(Words("--strategy nosync --device") + scratch_.write("bad.json", "{"), "bad.json: it is not JSON",
                   1);
    std::filesystem::create_directory(scratch_.path("logs"));
    std::filesystem::copy(h200_path("book.csv.json"), scratch_.path("logs"));
    expect_refused(
        {"--strategy", "nosync", "--device", scratch_.path("logs")},
        "book.csv.json describes the GPU, but there is no launch model; allowed: a folder with a model.json");
    boost::algorithm::replace_all(model, ".null_stream\"", ".named\""); // the later of two equal keys
    expect_refused(Words("--strategy nosync --device") + scratch_.write("less.json", model),
                   "the model of NVIDIA A100 has no parameter ", 1);
}

TEST_F(PredictCommand, RefusesWhatItCannotPredict)
{
    const std::string no_case =
        "predict: no case was given; allowed: EXPERIMENT.cfg, settings such as --strategy, or --against LOG.csv";
    const std::string header = part_of_log(
        scratch_, "book.csv", [](const std::string&) { return false; }, "", "", "header.csv");
    const std::string book = h200_path("book.csv");
    for (const auto& [words, why, exit_code] : std::vector<std::tuple<Words, std::string, int>>{
             {{}, no_case, 2},
             {"--strategy nosync --backend cpu",
              "--backend cpu: only GPU times can be predicted; allowed: auto, cuda", 2},
             {"--strategy nosinc", "nosinc", 2},
             {{scratch_.path("none.cfg")}, "none.cfg", 2},
             {{"--against", scratch_.path("none.csv")}, "none.csv", 1},
             {{"--against", scratch_.path("")}, "it is a folder", 2},
             {{"--against", header}, "header.csv: it has no rows of backend cuda; allowed: a log of a GPU", 2},
             {Words("--strategy nosync --grid 3 --against") + book,
              "book.csv: it has no GPU times of cases that can be predicted (1); allowed: a log of these cases", 2},
             {Words("--strategy nosync --choices") + scratch_.path("new.csv"),
              "--choices: only measured times of an input tell what to choose; allowed: with --against", 2},
             {{"--against", book, "--choices", scratch_.path("new.csv")},
              "book.csv: no data-dependent launches can be predicted; allowed: a log with GPU times of a flat form "
              "and of the highest threshold of the same input, and counts of a lower threshold",
              2},
             {{"--against", book, "--csv", scratch_.path("one.csv"), "--choices", scratch_.path("one.csv")},
              "one.csv: --csv is the same file; allowed: different files",
              2}})
        expect_refused(words, why, exit_code);
}

} // namespace
} // namespace nestbed
