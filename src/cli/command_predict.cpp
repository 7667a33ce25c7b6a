// `nestbed predict`: the GPU times of cases by the launch roofline, beside what a log measured.
#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/stop_request.hpp"
#include "base/text.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/device_option.hpp"
#include "cli/executor_counts.hpp"
#include "cli/log_files.hpp"
#include "inspect/prediction_text.hpp"
#include "log/logged_cases.hpp"
#include "model/modules.hpp"
#include "plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace nestbed
{

namespace
{

constexpr std::string_view kPredictHelp =
    R"(Plans the cases as `nestbed run` does, and prints for each the GPU time that the
launch roofline predicts, and what bounds it:

  first          the start of the root grid and the end: all else is shorter
  latency        levels, or launches in order, that run one after another
  rate           many launches at the same time
  work           bytes over the memory bandwidth, and the blocks of large levels
  parents        levels below parents that wait, which hold the GPU
  pending_limit  starts and levels of waves, one after another: the pending-
                 launch limit, or --wave, allows no more root blocks at once

It needs no GPU. Cases that launch nothing from the device are not predicted;
they are counted with the reason. If no case is predicted, the exit code is 3.
With --against, the median of the measured GPU times is beside the prediction;
without an experiment, the cases are those of the log.

Of a workload of your own, the executor counts levels and launches, here, and a
case takes at least levels x price + further launches x price (bound: launches).
With --against few.csv, a few GPU times stand beside that.

Data-dependent launches are predicted from their counts, and from two measured
times of the same input: that of the best flat form, and that of the highest
threshold, with which each thread does its item alone. So a GPU needs to run
these few cases only; the executor counts the launches of all others, here:

  nestbed run my.cfg --threshold HIGHEST -o few.csv      # on the GPU
  nestbed predict my.cfg --against few.csv

Without an experiment, the counts are those of the log. The last table has the
threshold, coarsening and aggregation that the model chooses, and how many
times the least measured time they take.
)";

PlannedDevice model_of(const Given& given)
{
    PlannedDevice device = device_of(given).value_or(built_in_device());
    if (!device.roofline)
        throw UsageError(
            fmt::format("--device {}: {} describes the GPU, but there is no launch model; allowed: a folder "
                        "with a model.json that `nestbed calibrate` wrote",
                        given.at("device").front(), device.source));
    return device;
}

// Of the experiment and the options; empty: the cases are those of the log.
std::optional<Settings> settings_of(const Given& given)
{
    const std::vector<std::string>& files = given.at("argument");
    const auto is_given = [&](const Key& key) { return given.contains(std::string(key.name)); };
    if (files.empty() && std::ranges::none_of(all_keys(), is_given))
        return std::nullopt;
    Settings settings;
    if (!files.empty())
        settings.read_file(files.front());
    set_from(settings, given);
    return settings;
}

// The cases of the settings, on the GPU of the model.
std::vector<Case> planned_cases(const Settings& settings, const PlannedDevice& device)
{
    std::vector<Case> points;
    for (const Group& group : make_plan(settings, {{BackendKind::cuda, device.facts}}).groups)
        points.insert(points.end(), group.cases.begin(), group.cases.end());
    return points;
}

void check_backend(const Settings& settings)
{
    const std::vector<BackendKind> backends = chosen_backends(settings, [] { return std::string(); });
    if (std::ranges::find(backends, BackendKind::cuda) == backends.end())
        throw UsageError(fmt::format("{}: only GPU times can be predicted; allowed: auto, cuda",
                                     settings.of("backend").front().place()));
}

// The cases of a log that a GPU ran. Says on `err` if it was another GPU than that of the model.
CountedLog read_measured(const std::string& path, const Roofline& roofline, std::ostream& err)
{
    CountedLog measured{.log = read_log(path, err), .results = {}};
    LoggedCases cases = logged_cases(measured.log, runs_of_manifest(measured.log));
    std::erase_if(cases.results, [](const CaseResult& one) { return one.point.backend != BackendKind::cuda; });
    if (cases.results.empty())
        throw UsageError(fmt::format("--against {}: it has no rows of backend cuda; allowed: a log of a GPU", path));
    if (const std::string& gpu = cases.runs.at(BackendKind::cuda).device.name; gpu != roofline.facts.name)
        err << printable(fmt::format("nestbed: {} is of {}, the model of {}\n", path, gpu, roofline.facts.name));
    measured.results = std::move(cases.results);
    return measured;
}

// Whether only the executor can say how many launches the case makes: those of a workload of the user's own.
bool is_of_user(const Case& point)
{
    return modules_in_use() != nullptr && modules_in_use()->user_strategies().contains(point.strategy);
}

// The studies that have a planned case, of which the executor counted the launches.
std::vector<NeedStudy> planned_studies(const Roofline& roofline, const CountedLog& measured,
                                       const std::vector<Case>& points, const CountedLog& counts, std::ostream& err)
{
    if (std::ranges::none_of(points, has_data_dependent_launches))
        return {};
    std::vector<NeedStudy> studies = need_studies(roofline, measured, &counts);
    std::set<std::string> planned;
    for (const Case& point : points)
        planned.insert(text_on_gpu(point));
    std::erase_if(studies, [&](const NeedStudy& study) {
        return std::ranges::none_of(
            study.cases, [&](const PredictedCase& one) { return planned.contains(text_on_gpu(one.demand.point)); });
    });
    if (studies.empty())
        err << "nestbed: their times are not predicted: the log needs GPU times of a flat form and of the highest "
               "threshold of the same input\n";
    return studies;
}

int predict_cases(const Given& given, std::ostream& out, std::ostream& err)
{
    const std::string against = only_value(given, "against", "", "a file's name");
    const std::optional<Settings> settings = settings_of(given);
    if (!settings && against.empty())
        throw UsageError("predict: no case was given; allowed: EXPERIMENT.cfg, settings such as --strategy, or "
                         "--against LOG.csv");
    if (given.contains("choices") && against.empty())
        throw UsageError("--choices: only measured times of an input tell what to choose; allowed: with --against");
    if (settings)
        check_backend(*settings);
    const std::map<std::string, OutputFile> files = output_files(given, {"csv", "choices"});
    const PlannedDevice device = model_of(given);
    const Roofline& roofline = *device.roofline;
    const CountedLog measured = against.empty() ? CountedLog() : read_measured(against, roofline, err);
    std::vector<Case> points;
    if (settings)
        points = planned_cases(*settings, device);
    else
        std::ranges::transform(measured.results, std::back_inserter(points), &CaseResult::point);
    const auto is_counted = [&](const Case& point) {
        return is_of_user(point) || (!against.empty() && has_data_dependent_launches(point));
    };
    std::optional<CountedLog> executed;
    if (settings && std::ranges::any_of(points, is_counted))
        executed = counts_on_executor(*settings, is_counted, err);
    Predictions predictions = predictions_of(roofline, points, measured.results,
                                             executed                                  ? counts_in(*executed)
                                             : std::ranges::any_of(points, is_of_user) ? counts_in(measured)
                                                                                       : CountedCases());
    std::vector<NeedStudy> studies;
    if (executed && !against.empty())
        studies = planned_studies(roofline, measured, points, *executed, err);
    else if (!settings)
        studies = need_studies(roofline, measured);
    if (studies.empty() && files.contains("choices"))
        throw UsageError(
            fmt::format("--against {}: no data-dependent launches can be predicted; allowed: a log with GPU times "
                        "of a flat form and of the highest threshold of the same input, and counts of a "
                        "lower threshold",
                        against));
    for (const NeedStudy& study : studies)
        add_cases(predictions, study.cases);
    if (!against.empty() && studies.empty() && !predictions.cases.empty() &&
        std::ranges::none_of(predictions.cases, [](const PredictedCase& one) { return one.measured.has_value(); }))
        throw UsageError(fmt::format("--against {}: it has no GPU times of cases that can be predicted ({}); "
                                     "allowed: a log of these cases",
                                     against, predictions.cases.size()));
    const std::string csv = predictions_csv(predictions);
    for (const auto& [option, file] : files)
        file.write(option == "csv" ? csv : studies_csv(studies), "--" + option);
    out << (given.contains("csv") && !files.contains("csv")
                ? csv
                : printable(predictions_text(roofline, predictions, measured.log.path) + studies_text(studies)));
    if (!predictions.cases.empty())
        return exit_ok;
    std::vector<std::string> reasons;
    for (const auto& [why, cases] : predictions.left_out)
        reasons.push_back(fmt::format("{} ({})", why, cases));
    err << fmt::format("nestbed: no case can be predicted: {}{}\n", fmt::join(reasons, ", "),
                       against.empty() && std::ranges::any_of(points, has_data_dependent_launches)
                           ? "; with GPU times of a few of them: --against few.csv (nestbed help predict)"
                           : "");
    return exit_rows_bad;
}

int predict_or_stop(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    try {
        return predict_cases(given, out, err);
    } catch (const Interrupted&) {
        return exit_interrupted;
    }
}

} // namespace

Command predict_command()
{
    return {
        .name = "predict",
        .arguments = "[EXPERIMENT.cfg[:SECTION]] [options]",
        .summary = "predict the GPU times of an experiment, without a GPU",
        .text = kPredictHelp,
        .files = "cfg",
        .operands = 1,
        .options =
            {device_option("the GPU, with its launch model", std::string(kBuiltInDevice)),
             {.name = "against",
              .value = "FILE",
              .help = "a log: print its measured times beside the predictions, and how near they are"},
             {.name = "choices",
              .value = "FILE",
              .help = "data-dependent launches: write what the model would choose, one row per study, to a new file"},
             {.name = "csv",
              .value = "FILE",
              .help = "write one row per case to a new file; - for standard output, without the table"},
             overwrite_option()},
        .settings = key_options(),
        .call = predict_or_stop};
}

} // namespace nestbed
