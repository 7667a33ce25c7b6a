// The manifest beside a log: the whole environment, once per run.
#include "log/manifest.hpp"

#include "base/error.hpp"
#include "support/support.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace nestbed
{
namespace
{

Plan plan_of_two_cases()
{
    Plan plan{.experiment = "book", .title = "The book's \"table\"", .figures = {"book", "ways"}};
    plan.groups = {{.cases = {{.strategy = "nosync"}, {.strategy = "synced"}}}};
    plan.repeat[BackendKind::cpu] = exactly(3);
    plan.warmup[BackendKind::cpu] = 1;
    return plan;
}

std::map<BackendKind, RunFacts> runs_of_id(const std::string& run_id)
{
    const RunFacts facts{.experiment = "book",
                         .run_id = run_id,
                         .schedule = "random:7",
                         .empty_kernel_us = 4.5,
                         .timer_step_ns = 32,
                         .bandwidth = {.read_gb_s = 4321.5, .copy_gb_s = 4000.25},
                         .device = {.name = "Model 1",
                                    .compute_capability = "9.0",
                                    .multiprocessors = 2,
                                    .default_pending_limit = 2048,
                                    .memory_bytes = 1ULL << 40,
                                    .peak_bandwidth_gb_s = 4916.75}};
    return {{BackendKind::cpu, facts}};
}

std::string write(const std::string& csv_path, const std::string& run_id, const Plan& plan = plan_of_two_cases())
{
    const std::map<BackendKind, RunFacts> runs = runs_of_id(run_id);
    return write_manifest(
        csv_path,
        {.run_id = run_id,
         .record = identity_of(plan, runs, ""),
         .runs = runs,
         .probes = {{BackendKind::cpu, {.asked = 1024, .reached = 24, .error = "cudaErrorLaunchMaxDepthExceeded"}}},
         .command = {"nestbed", "run", "experiments/book.cfg"},
         .cases = 2,
         .samples = 6});
}

nlohmann::json manifest_in(const ScratchFolder& folder, const std::string& name = "book.csv.json")
{
    return nlohmann::json::parse(folder.read(name));
}

using Manifest = InFolder;

TEST_F(Manifest, LiesBesideItsLog)
{
    EXPECT_EQ(manifest_path("results/h200/book.csv"), "results/h200/book.csv.json");
    EXPECT_EQ(manifest_path("results/h200/submit.csv.gz"), "results/h200/submit.csv.json");
    EXPECT_EQ(manifest_path("book"), "book.manifest.json");
    EXPECT_EQ(manifest_path("grid.gpu0"), "grid.gpu0.json"); // grid.gpu1 has its own manifest
}

TEST_F(Manifest, HoldsThePlanTheCommandAndEachBackendsEnvironment)
{
    write(folder.path("book.csv"), "run-1");
    const auto manifest = manifest_in(folder);
    const auto& run = manifest.at("runs").at("run-1");
    EXPECT_EQ(run.at("experiment"), "book");
    EXPECT_EQ(run.at("title"), "The book's \"table\"");
    EXPECT_EQ(run.at("figures"), (std::vector<std::string>{"book", "ways"}));
    EXPECT_EQ(run.at("command"), (nlohmann::json{"nestbed", "run", "experiments/book.cfg"}));
    EXPECT_EQ(run.at("cases"), 2);
    EXPECT_EQ(run.at("samples"), 6);
    for (const std::string key : {"started_utc", "nestbed", "git", "build", "compiler"})
        EXPECT_NE(run.at(key), "") << key;
    const auto& device = run.at("backends").at("cpu");
    const nlohmann::json facts{{"name", "Model 1"},
                               {"schedule", "random:7"},
                               {"empty_kernel_us", 4.5},
                               {"timer_step_ns", 32},
                               {"memory_bytes", 1ULL << 40},
                               {"peak_bandwidth_gb_s", 4916.75},
                               {"read_bandwidth_gb_s", 4321.5},
                               {"copy_bandwidth_gb_s", 4000.25},
                               {"default_pending_limit", 2048},
                               {"nesting_depth_tried", 1024},
                               {"nesting_depth_reached", 24},
                               {"nesting_depth_error", "cudaErrorLaunchMaxDepthExceeded"}};
    for (const auto& [name, fact] : facts.items())
        EXPECT_EQ(device.at(name), fact) << name;
}

TEST_F(Manifest, OfAnUntimedRunHasNothingThatWasNotMeasured)
{
    const RunFacts facts{.experiment = "book", .run_id = "run-1", .untimed = true, .device = {.name = "Model 1"}};
    const std::map<BackendKind, RunFacts> runs{{BackendKind::cpu, facts}};
    write_manifest(folder.path("book.csv"), {.run_id = "run-1",
                                             .record = identity_of(plan_of_two_cases(), runs, ""),
                                             .runs = runs,
                                             .command = {"nestbed"}});
    const auto manifest = manifest_in(folder);
    const auto& device = manifest.at("runs").at("run-1").at("backends").at("cpu");
    EXPECT_EQ(device.at("name"), "Model 1");
    EXPECT_EQ(manifest.at("runs").at("run-1").at("untimed"), true);
    for (const char* key : {"empty_kernel_us", "timer_step_ns", "read_bandwidth_gb_s", "copy_bandwidth_gb_s",
                            "nesting_depth_tried", "nesting_depth_reached", "nesting_depth_error"})
        EXPECT_FALSE(device.contains(key)) << key;
}

TEST_F(Manifest, GetsASecondRunAndKeepsTheFirst)
{
    write(folder.path("book.csv"), "run-1");
    const auto first = manifest_in(folder).at("runs").at("run-1");
    write(folder.path("book.csv"), "run-2");
    const auto manifest = manifest_in(folder);
    EXPECT_EQ(manifest.at("runs").size(), 2U);
    EXPECT_EQ(manifest.at("runs").at("run-1"), first);
    EXPECT_EQ(manifest.at("runs").at("run-2").at("cases"), 2);
}

TEST_F(Manifest, ThatIsNotJsonOrSomeoneElsesIsRefusedAndNotTouched)
{
    const std::string deep =
        std::string(200'000, '[') + std::string(200'000, ']'); // to write it would overflow the stack
    for (const std::string& text : std::vector<std::string>{
             "my notes", "", "[1, 2]", "{\"runs\": {", "7", R"({"name": "other", "version": 3})",
             R"({"runs": [1, 2]})", R"({"runs": "none"})", R"({"runs": {}, "plans": )" + deep + "}"}) {
        const std::string path = folder.write("book.csv.json", text);
        const std::string why = path +
                                ": it already exists and is not a manifest, and nothing is overwritten; "
                                "allowed: an --output without such a file beside it, or with a manifest of nestbed";
        EXPECT_EQ(text_of<UsageError>([&] { check_manifest(folder.path("book.csv")); }), why) << text;
        EXPECT_EQ(text_of<UsageError>([&] { write(folder.path("book.csv"), "run-1"); }), why) << text;
        EXPECT_EQ(folder.read("book.csv.json"), text);
    }
}

TEST_F(Manifest, IsFineWhereThereIsNoneOrOneOfOurs)
{
    EXPECT_NO_THROW(check_manifest(folder.path("book.csv")));
    EXPECT_FALSE(folder.has("book.csv.json"));
    write(folder.path("book.csv"), "run-1");
    EXPECT_NO_THROW(check_manifest(folder.path("book.csv")));
}

TEST_F(Manifest, SaysOfEachRunWhetherItHasFinished)
{
    const std::string csv = folder.path("book.csv");
    write(csv, "run-1");
    const std::string begun = folder.read("book.csv.json");
    end_manifest(csv, "run-1", {}, begun);
    write(csv, "run-2");
    EXPECT_TRUE(has_finished(csv, "run-1"));
    EXPECT_FALSE(has_finished(csv, "run-2"));
}

// Somebody who can write to the folder plants the link.
TEST_F(Manifest, IsNotWrittenThroughALink)
{
    const std::string csv = folder.path("book.csv");
    const std::string path = folder.path("book.csv.json");
    const std::string begun = write(csv, "run-1");
    std::filesystem::remove(path);
    std::filesystem::create_symlink(folder.write("precious", begun), path);
    write(csv, "run-2");
    EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(path)));
    std::filesystem::remove(path);
    std::filesystem::create_symlink("precious", path);
    end_manifest(csv, "run-1", {}, begun);
    EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(path)));
    EXPECT_EQ(folder.read("precious"), begun);
    EXPECT_TRUE(has_finished(csv, "run-1"));
}

TEST_F(Manifest, LiesBesideFilesAlone)
{
    EXPECT_TRUE(has_manifest(folder.path("new.csv")));
    EXPECT_TRUE(has_manifest(folder.write("old.csv", "text")));
    EXPECT_FALSE(has_manifest("-"));
    EXPECT_FALSE(has_manifest("/dev/null"));
}

TEST_F(Manifest, ThatCannotBeWrittenIsARunError)
{
    EXPECT_THAT(text_of<RunError>([&] { write(folder.path("missing/book.csv"), "run-1"); }),
                AllOf(StartsWith(folder.path("missing/book.csv.json")), HasSubstr("could not be written")));
    EXPECT_FALSE(folder.has("missing"));
}

// An experiment file may have any encoding, but JSON is UTF-8.
TEST_F(Manifest, TakesATitleThatIsNotUtf8)
{
    Plan plan = plan_of_two_cases();
    plan.title = "f\xfcr das Buch";
    ASSERT_NO_THROW(write(folder.path("book.csv"), "run-1", plan));
    EXPECT_THAT(manifest_in(folder).at("runs").at("run-1").at("title").get<std::string>(), HasSubstr("r das Buch"));
}

TEST_F(Manifest, MayNotBeAFolder)
{
    std::filesystem::create_directory(folder.path("book.csv.json"));
    EXPECT_THAT(text_of<UsageError>([&] { check_manifest(folder.path("book.csv")); }),
                HasSubstr("book.csv.json: it already exists and is not a manifest"));
}

TEST_F(Manifest, GivesItsRunsBackAsTheyWereWritten)
{
    write(folder.path("book.csv"), "run-1");
    write(folder.path("book.csv"), "run-2");
    const auto runs = runs_in_manifest(folder.path("book.csv"), {"run-1"});
    EXPECT_EQ(runs.at("run-1").figures, (std::vector<std::string>{"book", "ways"}));
    ASSERT_EQ(runs.size(), 1U);
    const RunIdentity& record = runs.at("run-1");
    EXPECT_EQ(record.title, "The book's \"table\"");
    const RunIdentity written = identity_of(plan_of_two_cases(), runs_of_id("run-1"), "");
    EXPECT_THAT(differences(record, written), IsEmpty());
    EXPECT_EQ(record.cases, written.cases);
}

TEST_F(Manifest, KeepsThePrecisionThatWasAskedForAndTheModules)
{
    const Repeats repeats{.least = 7, .most = 99, .precision = 0.015};
    RunIdentity record{.backends = {{"cpu", {.name = "Model 1", .repeat = repeats}}},
                       .modules = {{"/mine/build/workload.so", "0123"}},
                       .cases = {{"0123456789abcdef", "strategy=synced backend=cpu", repeats}}};
    const nlohmann::ordered_json run = to_json(record);
    const RunIdentity back = identity_from_json(run, {{record.plan_digest(), cases_to_json(record)}});
    EXPECT_EQ(back.backends.at("cpu").repeat, repeats);
    EXPECT_EQ(back.cases, record.cases);
    EXPECT_EQ(back.modules, record.modules);
    record.backends.at("cpu").repeat.precision = 0.02;
    EXPECT_THAT(differences(record, back), ElementsAre("repeat on cpu: 7 to 99, to 2% there, 7 to 99, to 1.5% here"));
    // Without a precision, the manifest is the same as in versions that did not have it.
    record.backends.at("cpu").repeat = exactly(7);
    EXPECT_FALSE(to_json(record).at("backends").at("cpu").contains("precision"));
}

TEST_F(Manifest, OfAnotherLogOrADamagedOneGivesNoRuns)
{
    write(folder.path("book.csv"), "run-1");
    EXPECT_EQ(text_of<UsageError>([&] { runs_in_manifest(folder.path("book.csv"), {"run-9"}); }),
              folder.path("book.csv.json") + ": it has no run run-9, to which rows of " + folder.path("book.csv") +
                  " belong; allowed: the manifest that belongs to the log");
    EXPECT_THAT(text_of<UsageError>([&] { runs_in_manifest(folder.path("none.csv"), {"run-1"}); }),
                HasSubstr("it has no run run-1"));
    folder.write("old.csv.json", R"({"runs": {"run-1": {"backends": 7, "plan": 7}}})");
    EXPECT_THAT(
        text_of<UsageError>([&] { runs_in_manifest(folder.path("old.csv"), {"run-1"}); }),
        StartsWith(folder.path("old.csv.json") + ": run run-1 is damaged, or from another version of nestbed ("));
}

using EndedManifest = InFolder;

TEST_F(EndedManifest, SaysHowManyRowsAndWhatWasUnexpected)
{
    write(folder.path("book.csv"), "run-1");
    const std::string begun = write(folder.path("book.csv"), "run-2");
    EXPECT_EQ(begun, folder.read("book.csv.json"));
    end_manifest(folder.path("book.csv"), "run-2",
                 {.rows = 6, .log_rows = 8, .surprises = {"2 rows are not ok"}, .incidents = {"x"}}, begun);
    const auto runs = manifest_in(folder).at("runs");
    EXPECT_FALSE(runs.at("run-1").contains("finished_utc"));
    EXPECT_EQ(runs.at("run-2").at("rows"), 6);
    EXPECT_EQ(runs.at("run-2").at("log_rows"), 8);
    EXPECT_EQ(runs.at("run-2").at("surprises"), nlohmann::json({"2 rows are not ok"}));
    EXPECT_EQ(runs.at("run-2").at("incidents"), nlohmann::json({"x"}));
    EXPECT_GE(runs.at("run-2").at("finished_utc"), runs.at("run-2").at("started_utc"));
    end_manifest(folder.path("book.csv"), "run-1", {.whole = false}, folder.read("book.csv.json"));
    const auto both = manifest_in(folder).at("runs");
    EXPECT_TRUE(both.at("run-1").contains("interrupted_utc"));
    EXPECT_FALSE(both.at("run-1").contains("finished_utc"));
    EXPECT_TRUE(both.at("run-2").contains("finished_utc"));
}

TEST_F(EndedManifest, IsWrittenAgainWhereItIsGoneOrSpoilt)
{
    const std::string csv = folder.path("book.csv");
    write(csv, "run-1");
    const std::string begun = write(csv, "run-2");
    for (const std::string text : {"", "no manifest", "[]", R"({"runs": {}, "plans": 7})"}) {
        if (text.empty())
            std::filesystem::remove(folder.path("book.csv.json"));
        else
            folder.write("book.csv.json", text);
        end_manifest(csv, "run-2", {.rows = 6}, begun);
        EXPECT_EQ(runs_in_manifest(csv, {"run-1", "run-2"}).size(), 2U) << text;
        EXPECT_EQ(manifest_in(folder).at("runs").at("run-2").at("rows"), 6) << text;
    }
}

TEST_F(EndedManifest, ThatCannotBeWrittenIsARunError)
{
    const std::string begun = write(folder.path("book.csv"), "run-1");
    std::filesystem::remove(folder.path("book.csv.json"));
    std::filesystem::create_directory(folder.path("book.csv.json"));
    EXPECT_THAT(text_of<RunError>([&] { end_manifest(folder.path("book.csv"), "run-1", {}, begun); }),
                HasSubstr("book.csv.json: the manifest could not be written: it already exists and is not a"));
}

TEST_F(Manifest, ThatIsAPipeIsRefusedAndNotWaitedFor)
{
    ASSERT_EQ(mkfifo(folder.path("book.csv.json").c_str(), 0600), 0);
    EXPECT_THAT(text_of<UsageError>([&] { check_manifest(folder.path("book.csv")); }),
                HasSubstr("is not a manifest"));
}

} // namespace
} // namespace nestbed
