#include "inspect/profile_run.hpp"

#include "base/error.hpp"
#include "base/subprocess.hpp"
#include "log/row.hpp"
#include "model/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;

constexpr const char* kNoPermission = "ERR_NVGPUCTRPERM";

std::string text_in(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The last error message of ncu; empty if there is none.
std::string last_error_in(const std::string& text)
{
    constexpr std::string_view kMark = "==ERROR== ";
    const std::size_t begin = text.rfind(kMark);
    if (begin == std::string::npos)
        return "";
    const std::size_t from = begin + kMark.size();
    return text.substr(from, text.find_first_of("\r\n", from) - from);
}

// The ledger row of a case that was not run.
LedgerRow row_without_run(const Case& point)
{
    LedgerRow row;
    const std::vector<std::string> cells = row_of({}, point, 0, {});
    for (std::size_t column = 0; column < cells.size(); ++column)
        row[columns()[column]] = cells[column];
    row["status"].clear();
    return row;
}

class CaseProfile
{
  public:
    CaseProfile(const Case& point, const std::string& stem, const ProfileOptions& options)
        : point_(point), stem_(stem), options_(options),
          commands_(profile_commands(point, options.experiment, stem, options.programs))
    {
    }

    Reconciled run()
    {
        try {
            collect();
            print(commands_.source, kSourceEnding);
            print(commands_.raw, kRawEnding);
            Reconciled one = counted();
            fs::remove(path(kLogEnding));
            if (!options_.keep_reports)
                fs::remove(path(kReportEnding));
            return one;
        } catch (const NotCounted& error) {
            return not_counted(row_without_run(point_), fmt::format("{} ({})", error.reason, path(kLogEnding)));
        }
    }

  private:
    struct NotCounted {
        std::string reason;
    };

    std::string path(const char* ending) const { return stem_ + ending; }

    // Why a run of ncu failed; `output` may contain the message of ncu.
    std::string reason_of(const ProgramEnd& end, const std::string& output) const
    {
        if (end.timed_out)
            return fmt::format("ncu did not end in {} s", options_.timeout.count());
        const std::string error = last_error_in(output);
        return error.empty() ? "ncu ended with " + end.text() : error;
    }

    void collect() const
    {
        const ProgramEnd end = run_program(commands_.collect, {path(kLogEnding), path(kLogEnding)}, options_.timeout);
        const std::string log = text_in(path(kLogEnding));
        if (log.find(kNoPermission) != std::string::npos)
            throw RunError(fmt::format("ncu has no permission to read the GPU's counters ({}): "
                                       "https://developer.nvidia.com/{} explains how to grant it",
                                       kNoPermission, kNoPermission));
        if (!end.good() && (end.timed_out || end.signal != 0 || !lost()))
            throw NotCounted{reason_of(end, log)};
        if (!fs::exists(path(kLedgerEnding)))
            throw NotCounted{"nestbed wrote no ledger"};
        if (!fs::exists(path(kReportEnding)))
            throw NotCounted{"ncu wrote no report: it profiled no kernel"};
    }

    // Whether the case ran to its end and its row is not ok.
    bool lost() const
    {
        try {
            return fs::exists(path(kReportEnding)) &&
                   parse_ledger(path(kLedgerEnding), text_in(path(kLedgerEnding))).at("status") !=
                       name_of(Status::ok);
        } catch (const RunError&) {
            return false;
        }
    }

    Reconciled counted() const
    {
        try {
            return reconcile_files(path(kLedgerEnding));
        } catch (const RunError& error) {
            throw NotCounted{error.what()};
        }
    }

    // If a page cannot be printed, its text goes into the log, because it contains the reason.
    void print(const std::vector<std::string>& command, const char* ending) const
    {
        const std::string page = path(ending);
        const ProgramEnd end = run_program(command, {page, path(kLogEnding)}, options_.timeout);
        if (end.good())
            return;
        const std::string said = text_in(page);
        std::ofstream(path(kLogEnding), std::ios::app) << said;
        fs::remove(page);
        throw NotCounted{reason_of(end, text_in(path(kLogEnding)))};
    }

    const Case& point_;
    const std::string& stem_;
    const ProfileOptions& options_;
    ProfileCommands commands_;
};

Reconciled profile(const Case& point, const std::string& stem, const ProfileOptions& options)
{
    if (launches_graphs(mechanism_of(Registry::find_anywhere(point.strategy)->info(), point)))
        return not_counted(row_without_run(point), kNoGraphLaunches);
    return CaseProfile(point, stem, options).run();
}

} // namespace

std::vector<std::string> stems_of(const std::vector<Case>& cases, const std::string& folder)
{
    std::vector<std::string> stems;
    for (const Case& point : cases)
        stems.push_back((fs::path(folder) / stem_name(stems.size() + 1, point)).string());
    return stems;
}

void check_no_file_of(const std::vector<std::string>& stems)
{
    for (const std::string& stem : stems)
        for (const char* ending :
             {kLedgerEnding, kManifestEnding, kReportEnding, kSourceEnding, kRawEnding, kLogEnding})
            if (const std::string file = stem + ending; fs::exists(file))
                throw UsageError(fmt::format("{}: it already exists, and nothing is overwritten; allowed: another "
                                             "--output",
                                             file));
}

std::vector<Reconciled> profile_cases(const std::vector<Case>& cases, const ProfileOptions& options,
                                      const std::function<void(const Progress&)>& report)
{
    const std::vector<std::string> stems = stems_of(cases, options.folder);
    std::vector<Reconciled> results;
    for (std::size_t index = 0; index < cases.size(); ++index) {
        report({.done = index, .all = cases.size(), .present = &cases[index]});
        results.push_back(profile(cases[index], stems[index], options));
    }
    return results;
}

} // namespace nestbed
