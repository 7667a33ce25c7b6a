#include "cli/cli.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "cli/commands.hpp"
#include "run/worker_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ostream>
#include <streambuf>

namespace nestbed
{

namespace
{

constexpr std::string_view kHelp = R"(nestbed: recursion by dynamic parallelism, measured.

Usage:
  nestbed run [EXPERIMENT.cfg] [options]  measure, log to a CSV, print a table
  nestbed merge SHARD.csv... -o FILE.csv  the logs of a run's shards as one
  nestbed list                            strategies, sources, hazards
  nestbed info                            the device, its limits, this build
  nestbed hello [--grid N] [--block N]    nested hello world, printed
  nestbed blobs -o FILE.png               an image through shared memory
  nestbed trace [options] -o FILE.json    a timeline of every launch
  nestbed tree [options]                  the same in the terminal, by depth
  nestbed profile [EXPERIMENT.cfg]        launches as Nsight Compute counts them
  nestbed reconcile PATH...               the same from CSVs that it left
  nestbed compare A.csv B.csv             what changed between two logs
  nestbed warps [--block N]               who adds in each step of a reduction
  nestbed statistics                      medians and intervals, for scripts
  nestbed COMMAND --help                  the options of a command
  nestbed --version

Examples:
  nestbed run experiments/book.cfg -o book.csv
  nestbed run --strategy nosync --grid 64 --block 128,256
  nestbed run experiments/grid.cfg --backend cpu --grid 1:64:*2 --dry-run

Exit: 0 all rows ok, or as `expect` says; 1 it could not run; 2 a bad option or
experiment file; 3 some rows are wrong, failed, unsupported or missing, or
compare found a regression; 130 interrupted.
)";

struct Command {
    std::string_view name;
    int (*call)(const Arguments& arguments, std::ostream& out, std::ostream& err);
};

constexpr std::array kCommands{
    Command{"run", run},         Command{"merge", merge},         Command{"compare", compare},
    Command{"list", list},       Command{"info", info},           Command{"hello", hello},
    Command{"blobs", blobs},     Command{"trace", trace},         Command{"tree", tree},
    Command{"profile", profile}, Command{"reconcile", reconcile}, Command{"statistics", statistics},
    Command{"warps", warps}};

int dispatch(const Arguments& arguments, std::ostream& out, std::ostream& err)
{
    const std::string name = arguments.empty() ? "--help" : arguments.front();
    const Arguments rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
    if (const auto* const command = std::ranges::find(kCommands, name, &Command::name); command != kCommands.end())
        return command->call(rest, out, err);
    if (name == kWorkerCommand)
        return worker(rest);
    if (name == "--help" || name == "-h" || name == "help") {
        out << kHelp;
        return exit_ok;
    }
    if (name == "--version") {
        out << fmt::format("nestbed {} ({})\n", kVersion, kGit);
        return exit_ok;
    }
    std::vector<std::string_view> names{"--help", "--version"};
    for (const Command& command : kCommands)
        names.insert(names.end() - 2, command.name);
    throw UsageError(fmt::format("there is no command '{}'{}; allowed: {}", name, did_you_mean(name, names),
                                 fmt::join(names, ", ")));
}

[[noreturn]] void refuse_output()
{
    throw RunError(fmt::format("standard output could not be written to: {}", std::strerror(errno)));
}

// As long as this lives, what a stream cannot write is thrown as RunError, with the reason.
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

int run_command_line(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err)
{
    try {
        const CheckedOutput checked(out);
        const int code = dispatch(arguments, out, err);
        out.flush();
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) // what the kernels of `hello` print goes past `out`
            refuse_output();
        return code;
    } catch (const UsageError& error) {
        err << "nestbed: " << printable(error.what()) << '\n';
        return exit_usage;
    } catch (const std::exception& error) {
        err << "nestbed: " << printable(error.what()) << '\n';
        return exit_could_not;
    }
}

} // namespace nestbed
