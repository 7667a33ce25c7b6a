#include "cli/cli.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/help.hpp"
#include "log/cell_form.hpp"
#include "model/axis_table.hpp"
#include "model/modules.hpp"
#include "plan/settings.hpp"
#include "program/build/nvcc_command.hpp"
#include "run/worker_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>
#include <streambuf>
#include <utility>
#include <vector>

namespace nestbed
{

namespace
{

// In the order of the help, which omits the last kHidden: part of another command, and for scripts.
constexpr std::array<std::pair<std::string_view, Command (*)()>, 21> kCommands{{
    {"run", run_command},          {"show", show_command},           {"merge", merge_command},
    {"compare", compare_command},  {"list", list_command},           {"info", info_command},
    {"draw", draw_command},        {"trace", trace_command},         {"tree", tree_command},
    {"races", races_command},      {"count", count_command},         {"nvcc", nvcc_command},
    {"cpu", cpu_command},          {"test", test_command},           {"profile", profile_command},
    {"predict", predict_command},  {"calibrate", calibrate_command}, {"build", build_command},
    {"info graph", graph_command}, {"info warps", warps_command},    {"statistics", statistics_command},
}};
constexpr std::size_t kHidden = 3;
constexpr std::span kListed = std::span(kCommands).first<kCommands.size() - kHidden>();

UsageError no_command(std::string_view name, std::initializer_list<std::string_view> others)
{
    std::vector<std::string_view> names;
    std::ranges::transform(kListed, std::back_inserter(names), [](const auto& one) { return one.first; });
    names.insert(names.end(), others);
    return UsageError(fmt::format("there is no command '{}'{}", name, suggestions(name, names, "nestbed help")));
}

constexpr std::string_view kLoadOption = "--load";

// Before the words are parsed: they may name a strategy, be a command, or be an option of such a workload.
void load_user_workloads(const Arguments& words)
{
    for (std::size_t word = 0; word < words.size(); ++word) {
        if (words[word].starts_with(fmt::format("{}=", kLoadOption)))
            load_folder(words[word].substr(kLoadOption.size() + 1));
        if (words[word] != kLoadOption)
            continue;
        if (word + 1 == words.size())
            throw UsageError("--load needs a value; allowed: the folder of a workload");
        load_folder(words[++word]);
    }
    check_parameters();
}

// `nestbed help`, `nestbed help COMMAND`, `nestbed help COMMAND WORKLOAD`.
int help(Arguments names, std::ostream& out)
{
    load_user_workloads(names);
    for (auto word = names.begin(); word != names.end();)
        if (*word == kLoadOption)
            word = names.erase(word, word + 2);
        else if (word->starts_with(fmt::format("{}=", kLoadOption)))
            word = names.erase(word);
        else
            ++word;
    if (names.size() > 2)
        throw UsageError(fmt::format("'{}' was not expected; allowed: nestbed help [COMMAND [NAME]]", names[2]));
    if (names.empty()) {
        out << help_text();
        return exit_ok;
    }
    const Command* const command = find_command(names.front());
    if (command == nullptr)
        throw no_command(names.front(), {});
    out << (names.size() == 1 ? help_text(*command)
            : command->with   ? help_text(command->with(names[1]))
                              : help_text(*command, names[1]));
    return exit_ok;
}

bool is_of_program(const Arguments& words)
{
    const SplitArguments split = split_at_dashes(words);
    return split.after || std::ranges::any_of(split.before, program::is_program_source);
}

int dispatch(const Arguments& arguments, std::ostream& out, std::ostream& err)
{
    const std::string name = arguments.empty() ? "--help" : arguments.front();
    const Arguments rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
    // Not where a folder may not have been built yet.
    if (constexpr std::array<std::string_view, 3> kWithout{"build", "--version", "--help"};
        std::ranges::find(kWithout, name) == kWithout.end())
        load_folders_of_environment();
    check_parameters();
    if (name == kWorkerCommand)
        return worker(rest);
    if (name == "--help" || name == "-h" || name == "help")
        return help(rest, out);
    if (name == kCompletionCommand) {
        out << completions(rest);
        return exit_ok;
    }
    if (name == "modules") { // for experiments/build.sh
        load_user_workloads(rest);
        out << modules_of_run(rest) << "\n";
        return exit_ok;
    }
    if (name == "--version") {
        out << fmt::format("nestbed {} ({})\n", kVersion, kGit);
        return exit_ok;
    }
    if (const Command* const found = find_command(name)) {
        Command command = *found;
        Arguments words = rest;
        if (takes_load(command)) {
            load_user_workloads(split_at_dashes(words).before);
            command = *find_command(name); // with their options
        }
        if (takes_load(command) && modules_in_use() != nullptr)
            for (const std::string& text : modules_in_use()->changed_since_built())
                err << fmt::format("nestbed: {}\n", text);
        if (command.with && !words.empty() && !words.front().starts_with('-')) {
            command = command.with(words.front());
            words.erase(words.begin());
        }
        if (command.of_program && is_of_program(words))
            command = command.of_program();
        if (command.raw) {
            const Arguments own = split_at_dashes(words).before;
            const bool asks_help = std::ranges::find(own, "--help") != own.end() || own == Arguments{"-h"};
            return asks_help ? help({name}, out) : command.call(words, {}, out, err);
        }
        const Given given = parse_arguments(words, options_of(command), command.operands, usage_of(command));
        if (!given.contains("help"))
            return command.call(words, given, out, err);
        out << help_text(command);
        return exit_ok;
    }
    throw no_command(name, {"help", "--help", "--version"});
}

[[noreturn]] void refuse_output()
{
    throw RunError(fmt::format("standard output could not be written to: {}", std::strerror(errno)));
}

// While this object lives, a failed write to the stream throws RunError with the reason.
class CheckedOutput : public std::streambuf
{
  public:
    explicit CheckedOutput(std::ostream& stream)
        : stream_(stream), buffer_(stream.rdbuf(this)), before_(stream.exceptions())
    {
        stream.exceptions(std::ios::badbit);
    }
    CheckedOutput(const CheckedOutput&) = delete;
    CheckedOutput& operator=(const CheckedOutput&) = delete;
    ~CheckedOutput() override
    {
        stream_.exceptions(std::ios::goodbit);
        stream_.rdbuf(buffer_);
        stream_.exceptions(before_);
    }

  protected:
    int_type overflow(int_type one) override
    {
        if (traits_type::eq_int_type(buffer_->sputc(traits_type::to_char_type(one)), traits_type::eof()))
            refuse_output();
        return one;
    }
    std::streamsize xsputn(const char* text, std::streamsize bytes) override
    {
        if (buffer_->sputn(text, bytes) != bytes)
            refuse_output();
        return bytes;
    }
    int sync() override
    {
        if (buffer_->pubsync() != 0)
            refuse_output();
        return 0;
    }

  private:
    std::ostream& stream_;
    std::streambuf* buffer_;
    std::ios::iostate before_;
};

} // namespace

const std::vector<Command>& all_commands()
{
    static const std::vector<Command> commands = [] {
        std::vector<Command> all;
        std::ranges::transform(kListed, std::back_inserter(all), [](const auto& one) { return one.second(); });
        return all;
    }();
    return commands;
}

const Command* find_command(std::string_view name)
{
    // Only those that are asked for, for a fast start; and by the table of axes, which are options.
    static std::map<std::pair<std::string_view, const Axis*>, Command> made;
    const auto* const found = std::ranges::find(kCommands, name, [](const auto& one) { return one.first; });
    if (found == kCommands.end())
        return nullptr;
    const std::pair key(found->first, all_axes().data());
    if (const auto known = made.find(key); known != made.end())
        return &known->second;
    return &made.emplace(key, found->second()).first->second;
}

// Columns that the tables of `predict` and the scripts for figures add to those of a log.
constexpr auto kAddedColumns = std::to_array<std::string_view>(
    {"at_once",     "beside",  "bound",   "break_even", "by",      "by_need",  "clock",    "depths",
     "dur",         "each",    "edges",   "expected",   "failed",  "fanouts",  "fitted",   "flat_prepare_us",
     "gpu_speedup", "group",   "high",    "lane",       "latency", "launched", "launches", "length",
     "line",        "lines",   "log",     "logs",       "low",     "machine",  "off",      "ok",
     "orders",      "outcome", "pays",    "place",      "problem", "rank",     "rate_us",  "ratio",
     "row",         "rows",    "samples", "shape",      "share",   "speedup",  "statuses", "text",
     "time",        "top",     "trials",  "ts",         "us",      "whole",    "work_us",  "x",
     "y",           "y_high",  "y_low"});

void check_parameters()
{
    std::vector<const Axis*> user_axes;
    for (const Axis& axis : plain_axes())
        if (axis.of_user)
            user_axes.push_back(&axis);
    if (user_axes.empty())
        return;
    std::set<std::string> taken{"load", "help"};
    for (const Key& key : all_keys())
        if (!key.axis)
            taken.emplace(key.name);
    for (const auto& [name, make] : kCommands)
        for (const Option& option : make().options)
            taken.insert(option.name);
    for (const Axis* const axis : user_axes) {
        if (axis->is_file())
            throw UsageError(
                fmt::format("parameter '{}' of a workload that is loaded: its values are files; allowed: "
                            "numbers or names",
                            axis->name));
        if (taken.contains(std::string(axis->name)) || form_of(axis->column).form != Form::axis ||
            std::ranges::find(kAddedColumns, axis->column) != kAddedColumns.end() ||
            axis->column.starts_with("predicted_") || axis->column.starts_with("measured_"))
            throw UsageError(
                fmt::format("parameter '{}' of a workload that is loaded: nestbed has an option or a column of "
                            "this name, or of its form; allowed: another name",
                            axis->name));
    }
}

int run_command_line(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err)
{
    const auto say = [&err](std::string_view text) { err << "nestbed: " << printable(shortened(text)) << '\n'; };
    try {
        const CheckedOutput checked(out);
        const int code = dispatch(arguments, out, err);
        out.flush();
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) // kernels of `hello` print to stdout, not `out`
            refuse_output();
        return code;
    } catch (const UsageError& error) {
        say(error.what());
        return exit_usage;
    } catch (const std::filesystem::filesystem_error& error) {
        say(fmt::format("{}: {}", error.path1().string(), error.code().message()));
        return exit_could_not;
    } catch (const std::exception& error) {
        say(error.what());
        return exit_could_not;
    }
}

} // namespace nestbed
