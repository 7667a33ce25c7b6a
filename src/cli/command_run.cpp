#include "base/error.hpp"
#include "base/stop_request.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/device_option.hpp"
#include "cli/log_files.hpp"
#include "cli/plotting.hpp"
#include "cli/run_devices.hpp"
#include "cli/run_options.hpp"
#include "cli/run_record.hpp"
#include "device/backends.hpp"
#include "log/csv_log.hpp"
#include "log/manifest.hpp"
#include "log/resume.hpp"
#include "log/retry.hpp"
#include "log/row.hpp"
#include "plan/axis.hpp"
#include "plan/plan.hpp"
#include "plan/plan_description.hpp"
#include "plan/shard.hpp"
#include "predict/case_time.hpp"
#include "run/expectation.hpp"
#include "run/progress.hpp"
#include "run/runner.hpp"
#include "run/sessions.hpp"
#include "run/summary.hpp"
#include "run/worker_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <ostream>
#include <unistd.h>

namespace nestbed
{

namespace
{

// A run, from its settings to the summary of its log.
class Run
{
  public:
    Run(const Arguments& arguments, const Given& given, std::ostream& out, std::ostream& err)
        : arguments_(arguments), given_(given), out_(out), err_(err)
    {
    }

    int execute()
    {
        Settings settings;
        if (const auto& files = given_.at("argument"); !files.empty())
            settings.read_file(files.front());
        set_from(settings, given_);
        settings.name_experiment(experiment_name(given_, settings.experiment()));
        check_options(given_, settings);
        reference_ = reference_log(given_, err_);
        if (given_.contains("shard")) {
            shard_ = parse_shard(only_value(given_, "shard", "", "I/N, I from 1 to N"));
            run_id_ = new_run_id(shard_->number, shard_->of);
        }

        path_ = output_path(given_, names_its_log(given_) ? own_log_name(settings, run_id_) : settings.experiment(),
                            shard_);
        if (given_.contains("retry-failed") && !has_manifest(path_))
            throw UsageError(fmt::format("--retry-failed: not with --output {}; allowed: a file", path_));
        if (given_.contains("plot") && !given_.contains("dry-run"))
            prepare_plot(path_);
        const int code = measured(settings);
        if (given_.contains("plot") && (code == exit_ok || code == exit_rows_bad) && !given_.contains("dry-run"))
            plot(path_);
        return code;
    }

  private:
    bool untimed() const { return given_.contains("untimed"); }
    bool ranges() const { return !given_.contains("no-nvtx"); }

    // All use of the devices ends with this function.
    int measured(const Settings& settings)
    {
        const StopRequest stop(
            fmt::format("\nnestbed: finishing the current sample, at most {} s; interrupt again to stop now\n",
                        kStopGrace.count()));
        try {
            return measured(settings, stop);
        } catch (const Interrupted&) {
            err_ << stopped_early_;
            return exit_interrupted;
        }
    }

    int measured(const Settings& settings, const StopRequest& stop)
    {
        const std::optional<PlannedDevice> device = device_of(given_);
        Sessions sessions;
        if (!device)
            sessions = open_sessions(settings, why_not_cuda,
                                     opener(given_, settings, stop, [this](const std::string& text) { note(text); }),
                                     {.untimed = untimed(), .ranges = ranges()});
        const std::map<BackendKind, DeviceFacts> facts = device ? facts_with(*device, settings) : facts_of(sessions);
        if (stop.asked())
            throw Interrupted();
        {
            const StopRequest::AtOnce at_once(stopped_early_);
            whole_ = make_plan(settings, facts);
            std::ranges::for_each(whole_.unused, [&](const auto& text) { err_ << "nestbed: " << text << '\n'; });
            plan_ = shard_ ? part_of(whole_, *shard_, kCaseTimes) : whole_;
            if (given_.contains("dry-run")) {
                out_ << (device ? planned_for_text(*device) : "") << describe(plan_, facts, kCaseTimes) << std::flush;
                return exit_ok;
            }
            load_traced(plan_);
            keep_columns([this](const Axis& axis) {
                return std::ranges::any_of(whole_.groups, [&](const Group& group) {
                    return std::ranges::any_of(group.cases,
                                               [&](const Case& point) { return !cell_of(axis, point).empty(); });
                });
            });
        }
        return measure(sessions, stop);
    }

    int measure(const Sessions& sessions, const StopRequest& stop)
    {
        if (!given_.contains("output")) { // a folder that the user names must exist
            std::error_code error;
            std::filesystem::create_directories(kDefaultFolder, error);
        }
        if (has_manifest(path_))
            check_manifest(path_);
        for (const auto& [backend, session] : sessions)
            runs_[backend] = facts_of_run(*session, plan_, run_id_, untimed());
        if (const std::string warning = changed_tree_warning(runs_, kGit); !warning.empty())
            err_ << "nestbed: " << warning << '\n';
        if (given_.contains("overwrite") && has_manifest(path_)) {
            earlier_ = cases_to_overwrite(path_);
            if (const std::string aside = back_up(path_); !aside.empty())
                err_ << fmt::format("nestbed: moved {} to {}\n", path_, aside);
        }
        std::optional<CsvLog> log(path_);
        identity_ = identity_of(whole_, runs_, shard_ ? name_of(*shard_) : "", ranges());
        results_ = cases_of(plan_, runs_);
        resume_from(log);
        RunOutcome outcome;
        if (!complete() || (is_empty() && !log->has_header()))
            outcome = measure_remaining_cases(sessions, stop, *log);
        else if (log->torn_bytes() != 0)
            begin(*log);
        return finish(outcome);
    }

    // Takes the rows that the log already has, if it is of this experiment. Throws UsageError.
    void resume_from(std::optional<CsvLog>& log)
    {
        if (!log->has_rows())
            return;
        ParsedLog rows = log->rows();
        record_.had(rows);
        const std::map<std::string, RunIdentity> runs = runs_in_manifest(path_, record_.earlier_runs());
        expect_to_be_resumable(path_, reasons_not_to_resume(runs, identity_, given_.contains("resume")));
        take_rows(rows, plan_, results_);
        if (given_.contains("retry-failed") && remove_failed_rows(rows)) {
            log.emplace(path_); // the old descriptor refers to a file without a name now
            rows = log->rows();
            results_ = cases_of(plan_, runs_);
            take_rows(rows, plan_, results_);
        }
        if (rows.rows.empty())
            return;
        const auto lost = std::ranges::count_if(results_, &CaseResult::lost);
        err_ << fmt::format(
            "nestbed: {} already has {} of {} samples{}\n", path_, samples_done(results_), samples_planned(results_),
            lost == 0 ? "" : fmt::format(", including {} timeouts and crashes (--retry-failed tries again)", lost));
        record_.had(rows);
    }

    // Returns false if no row failed.
    bool remove_failed_rows(const ParsedLog& rows)
    {
        const auto failed = [this](const Case& point, Status status) {
            return !is_finding(plan_.expect, point, status);
        };
        const RowsAside aside = back_up_failed_rows(path_, rows, results_, failed);
        err_ << (aside.rows == 0
                     ? fmt::format("nestbed: {}: no row failed; nothing is measured again\n", path_)
                     : fmt::format(
                           "nestbed: {}: {} of {} rows failed; they are measured again; the previous log is in {}\n",
                           path_, aside.rows, rows.rows.size(), aside.file));
        return aside.rows != 0;
    }

    bool complete() const { return std::ranges::all_of(results_, &CaseResult::complete); }
    // A shard without cases, because there are more shards than cases. Its log is only a header, so that `merge`
    // finds it.
    bool is_empty() const { return shard_ && plan_.groups.empty(); }

    // The manifest is written before the first row: a log without a manifest cannot be identified.
    RunOutcome measure_remaining_cases(const Sessions& sessions, const StopRequest& stop, CsvLog& log)
    {
        if (has_manifest(path_))
            write_start(sessions);
        begin(log);
        report_.emplace(err_, isatty(STDERR_FILENO) == 1);
        const RunHooks hooks{.report = [this](const Progress& progress) { report_->show(progress); },
                             .note = [this](const std::string& text) { note(text); },
                             .stopped = [&stop] { return stop.asked(); },
                             .times = kCaseTimes,
                             .earlier = earlier_};
        RunOutcome outcome;
        try {
            outcome = run_plan(plan_, samplers_of(sessions), runs_, log, results_, hooks);
        } catch (...) {
            report_.reset();
            throw;
        }
        report_.reset();
        log.finish();
        return outcome;
    }

    void begin(CsvLog& log)
    {
        if (log.torn_bytes() != 0)
            err_ << fmt::format("nestbed: {}: its last row was incomplete ({} bytes) and was removed{}\n", path_,
                                log.torn_bytes(), complete() ? "" : "; it is measured again");
        log.begin();
    }

    // Reports that a worker was lost.
    void note(const std::string& text)
    {
        record_.note(text);
        if (report_)
            report_->say(text);
        else
            err_ << fmt::format("nestbed: {}\n", text);
    }

    void write_start(const Sessions& sessions)
    {
        RunStart start{.run_id = run_id_,
                       .record = identity_,
                       .runs = runs_,
                       .command = {"nestbed", "run"},
                       .cases = plan_.case_count(),
                       .samples = plan_.sample_count()};
        start.command.insert(start.command.end(), arguments_.begin(), arguments_.end());
        record_.begin(path_, std::move(start), sessions, !untimed());
    }

    int finish(const RunOutcome& outcome)
    {
        std::vector<std::string> surprises;
        if (!outcome.interrupted)
            surprises = surprises_in(plan_.expect, results_, shard_.has_value());
        record_.end(path_, results_, !outcome.interrupted, outcome.rows, surprises);
        {
            const std::string said = fmt::format("nestbed: stopped; all rows are in {}\n", path_);
            const StopRequest::AtOnce at_once(said);
            show_summary();
        }
        for (const std::string& surprise : surprises)
            err_ << fmt::format("nestbed: {}\n", surprise);
        if (is_empty())
            err_ << fmt::format("nestbed: shard {} is empty: there are {} cases\n", name_of(*shard_),
                                whole_.case_count());
        if (!outcome.interrupted)
            return surprises.empty() ? exit_ok : exit_rows_bad;
        err_ << fmt::format("nestbed: stopped with {} of {} samples in {}", samples_done(results_),
                            samples_planned(results_), path_);
        err_ << (has_manifest(path_) ? fmt::format("; to continue:\n  {}\n",
                                                   resume_command(arguments_, names_its_log(given_) ? path_ : ""))
                                     : std::string(", which cannot be resumed\n"));
        return exit_interrupted;
    }

    void show_summary() const
    {
        std::ostream& table = path_ == "-" ? err_ : out_;
        std::vector<CaseResult> measured = results_;
        std::erase_if(measured, [](const CaseResult& one) { return one.samples.empty(); });
        if (!measured.empty())
            table << summary_table(plan_.title.empty() ? plan_.experiment : plan_.title, measured, runs_,
                                   bars_of_terminal(), terminal_of(path_ == "-" ? STDERR_FILENO : STDOUT_FILENO),
                                   reference_);
        if (has_manifest(path_))
            table << fmt::format("\n{} rows: {}\nmanifest: {}\n", rows_of(results_), path_, manifest_path(path_));
        out_ << std::flush; // before the output of --plot
    }

    const Arguments& arguments_;
    const Given& given_;
    std::ostream& out_;
    std::ostream& err_;
    const std::string stopped_early_ =
        fmt::format("nestbed: stopped before a sample was taken; to continue:\n  {}\n", resume_command(arguments_));
    std::optional<Shard> shard_;
    std::optional<ReferenceTimes> reference_; // what other times the table shows
    Plan whole_;
    Plan plan_; // the part of `whole_` for this shard
    std::string path_;
    std::string run_id_ = new_run_id();
    std::map<BackendKind, RunFacts> runs_;
    RunIdentity identity_;
    RunRecord record_;
    std::vector<CaseResult> results_;
    std::vector<CaseResult> earlier_; // of the log that this run overwrites: how long its cases took
    std::optional<ProgressReport> report_;
};

int run(const Arguments& arguments, const Given& given, std::ostream& out, std::ostream& err)
{
    for (const std::string& argument : arguments) // the log and its manifest contain names, and only UTF-8
        if (!is_utf8(argument))
            throw UsageError(fmt::format("{}: it is not UTF-8; allowed: names in UTF-8", printable(argument)));
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN)); // a failed write then reports an error
    return Run(arguments, given, out, err).execute();
}

} // namespace

Command run_command()
{
    return {.name = "run",
            .arguments = "[EXPERIMENT.cfg[:SECTION]] [options]",
            .summary = "measure, write a log (CSV), print a table",
            .text = "Measures every case of an experiment, appends each sample to a CSV and prints a\n"
                    "table of the medians. Rerun the same command to continue an interrupted run.\n"
                    "Without an experiment and -o, each run has a log with a name of its own.\n"
                    "EXPERIMENT.cfg:SECTION runs one section of the file.\n",
            .files = "cfg",
            .operands = 1,
            .options = run_options(),
            .settings = key_options(),
            .call = run};
}

} // namespace nestbed
