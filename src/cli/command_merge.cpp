#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "base/text_source.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "log/csv_log.hpp"
#include "log/manifest.hpp"
#include "log/merge.hpp"
#include "log/resume.hpp"
#include "log/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <set>
#include <string_view>
#include <utility>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;
constexpr std::size_t kNamed = 10; // missing cases that a message lists

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& allowed)
{
    throw UsageError(fmt::format("{}: {}; allowed: {}", path, why, allowed));
}

// Advises the command that completes this log. `whole_rows` are its complete rows.
std::string advice(const std::string& path, TextSource whole_rows)
{
    const ParsedLog log = parse_log(path, std::move(whole_rows));
    std::vector<std::string> words;
    if (!log.rows.empty())
        words = command_in_manifest(path, log.origins[log.last_origin].at("run_id"));
    for (const char* once : {"--overwrite", "--retry-failed"})
        std::erase(words, once);
    return words.empty() ? "" : fmt::format("; to remove that row, run: {}", shell_text(words));
}

// Reads the rows and runs of a log. Throws UsageError if the file is not a log, is incomplete, or has no manifest.
LogPart read_part(const std::string& path)
{
    if (std::error_code ignored; !fs::exists(stored_path(path), ignored))
        refuse(path, "there is no such file", "CSVs of nestbed run --shard");
    TextSource text = TextSource::of_file(path);
    std::string buffer;
    const std::string_view start = text.piece(0, buffer);
    check_line_ends(path, start);
    if (!start.starts_with(csv_line(columns())))
        refuse(path, "it is not a log of this version", "CSVs of nestbed run --shard");
    if (const std::size_t whole = bytes_of_whole_rows(text); whole != text.size()) {
        text.cut(whole);
        refuse(path, "its last row is incomplete", "a complete log" + advice(path, std::move(text)));
    }
    LogPart part{.log = parse_log(path, std::move(text)), .runs = {}};
    if (const std::string manifest = manifest_path(path); !fs::exists(manifest))
        refuse(path, fmt::format("there is no {}, its manifest", manifest), "a log with its manifest");
    std::set<std::string> run_ids = runs_of(part.log);
    run_ids.merge(run_ids_in_manifest(path));
    part.runs = runs_in_manifest(path, run_ids);
    for (const auto& [run_id, run] : part.runs)
        if (run.cases.empty())
            refuse(path, fmt::format("the manifest has no plan of its run {}", run_id), "the manifest of that run");
    return part;
}

std::vector<LogPart> read_parts(const std::vector<std::string>& paths)
{
    if (std::error_code ignored; fs::exists(stored_path(paths.front()), ignored)) {
        std::string buffer;
        const TextSource first = TextSource::of_file(paths.front());
        const std::string_view start = first.piece(0, buffer);
        const std::string header = fmt::format(",{},", start.substr(0, start.find_first_of("\r\n")));
        keep_columns(
            [&](const Axis& axis) { return header.find(fmt::format(",{},", axis.column)) != std::string::npos; });
    }
    std::vector<LogPart> parts;
    for (const std::string& path : paths)
        parts.push_back(read_part(path));
    return parts;
}

bool same_file(const std::string& a, const std::string& b)
{
    std::error_code ignored;
    return fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored) || fs::equivalent(a, b, ignored);
}

// Whether there is a manifest without its log, with no other runs than these: a merge ended between writing the two.
bool left_by_a_merge(const std::string& path, const std::vector<std::string>& inputs)
{
    const std::set<std::string> runs = run_ids_in_manifest(path);
    std::set<std::string> merged;
    for (const std::string& input : inputs)
        merged.merge(run_ids_in_manifest(input));
    return !runs.empty() && std::ranges::includes(merged, runs);
}

// Throws UsageError for an impossible output, before anything is read.
void check_output(const std::string& path, const std::vector<std::string>& inputs, bool overwrite)
{
    const std::string option = "--output " + path;
    if (!has_manifest(path))
        refuse(option, "no manifest can be written beside it", "a file's name");
    for (const std::string& input : inputs)
        for (const std::string& other : {input, manifest_path(input)})
            if (same_file(path, other) || (fs::exists(other) && same_file(manifest_path(path), other)))
                refuse(option, fmt::format("it, or its manifest, is the input {}", other), "another file");
    check_manifest(path);
    if (!fs::exists(path)) {
        check_new_file(path);
        if (!left_by_a_merge(path, inputs))
            check_new_file(manifest_path(path));
    } else if (!overwrite) {
        refuse(option, "it already exists, and nothing is overwritten",
               "a new file, or --overwrite, which moves this one aside");
    }
}

// Writes both files or none. An earlier file of this name was moved aside.
void write(const std::string& path, const std::vector<std::string>& inputs, const MergedLog& merged)
{
    join_manifests(path, inputs);
    try {
        replace_file(path, merged.text, "the log");
    } catch (...) {
        std::error_code ignored;
        fs::remove(path, ignored);
        fs::remove(manifest_path(path), ignored);
        throw;
    }
}

void say_missing(const MergedLog& merged, const std::vector<std::string>& shards, std::ostream& err)
{
    std::size_t rows = 0;
    for (const MissingCase& one : merged.missing)
        rows += one.repetitions;
    err << fmt::format("nestbed: {} rows of {} cases are missing:\n", rows, merged.missing.size());
    for (std::size_t index = 0; index < std::min(kNamed, merged.missing.size()); ++index) {
        const MissingCase& one = merged.missing[index];
        err << fmt::format("  {} of {}: {}\n", one.repetitions, one.of, printable(one.settings));
    }
    if (merged.missing.size() > kNamed)
        err << fmt::format("  and {} more cases\n", merged.missing.size() - kNamed);
    if (!shards.empty())
        err << fmt::format("nestbed: there is no log of shard {}\n",
                           printable(fmt::format("{}", fmt::join(shards, ", "))));
}

int merge(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    const std::vector<std::string>& inputs = given.at("argument");
    const std::string path = only_value(given, "output", "", "a file's name");
    if (inputs.empty())
        throw UsageError("merge: no CSV was given; allowed: nestbed merge SHARD.csv... -o FILE.csv");
    if (path.empty())
        throw UsageError("merge: --output was not given; allowed: nestbed merge SHARD.csv... -o FILE.csv");
    check_is_not_compressed(path);
    check_output(path, inputs, given.contains("overwrite"));
    std::vector<LogPart> parts;
    MergedLog merged;
    try {
        parts = read_parts(inputs);
        merged = merge_logs(parts);
    } catch (const RunError& error) { // an unreadable file or a damaged row
        throw UsageError(error.what());
    }
    if (const auto devices = files_by_device(parts); devices.size() > 1)
        for (const auto& [device, files] : devices)
            err << fmt::format("nestbed: the logs are from different kinds of device: {}: {}\n", printable(device),
                               fmt::join(files, ", "));
    if (const std::string aside = back_up(path); !aside.empty())
        err << fmt::format("nestbed: moved {} to {}\n", path, aside);
    write(path, inputs, merged);
    out << fmt::format("{} rows of {} cases from {} files, {} machines: {}\n", merged.rows, merged.cases,
                       parts.size(), merged.machines, path);
    if (merged.missing.empty())
        return exit_ok;
    say_missing(merged, missing_shards(parts), err);
    return exit_rows_bad;
}

} // namespace

Command merge_command()
{
    return {.name = "merge",
            .arguments = "SHARD.csv... -o FILE.csv [options]",
            .summary = "join the logs of a run's shards",
            .text = "Joins the logs of `nestbed run --shard 1/N` to N/N, in the order of the plan.\n"
                    "Rejects duplicate rows and lists missing ones.\n",
            .files = "csv",
            .operands = SIZE_MAX,
            .options = {{.name = "output",
                         .value = "FILE",
                         .help = "the CSV with all rows; its manifest is written beside it",
                         .letter = 'o'},
                        {.name = "overwrite", .value = "", .help = "move an existing CSV aside"}},
            .call = merge};
}

} // namespace nestbed
