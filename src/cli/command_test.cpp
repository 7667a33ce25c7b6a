#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "base/json.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "cli/commands.hpp"
#include "cli/help.hpp"
#include "cli/kernel_driver.hpp"
#include "cli/program_request.hpp"
#include "program/orders/orders.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <ostream>
#include <set>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Environment = std::map<std::string, std::string>;

constexpr std::uint64_t kDefaultOrders = 20;
constexpr std::uint64_t kMaxOrders = 10'000;
constexpr std::uintmax_t kMaxOutputBytes = std::uintmax_t{256} << 20;
constexpr std::size_t kMaxWays = 4; // differences from fifo that are printed
// Limits of the search for the smallest set of preemptions.
constexpr std::size_t kMaxRuns = 300;
constexpr std::chrono::seconds kMaxSearch{60};

// The program under test, and its runs.
class Tested
{
  public:
    // `typed` is a command that runs the program once.
    Tested(fs::path path, Arguments arguments, std::string typed, Environment environment,
           std::chrono::milliseconds timeout, bool any_order, const TemporaryFolder& folder,
           const HeldSignals& signals)
        : path_(std::move(path)), arguments_(std::move(arguments)), typed_(std::move(typed)),
          environment_(std::move(environment)), timeout_(timeout), folder_(folder), signals_(signals),
          any_order_(any_order)
    {
    }

    program::Outcome run(const std::string& order, const Environment& more = {}) const
    {
        Environment environment = environment_;
        environment.insert(more.begin(), more.end());
        environment["NESTBED_SCHEDULE"] = order;
        const std::string output = (folder_.path() / "output").string();
        const std::string messages = (folder_.path() / "messages").string();
        const fs::path report = folder_.path() / "report.json";
        environment["NESTBED_REPORT"] = report.string();
        std::error_code none;
        fs::remove(report, none);
        const auto create = [](const std::string& path) {
            return open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600); // NOLINT(*-vararg)
        };
        const Descriptor in(open("/dev/null", O_RDONLY | O_CLOEXEC)); // NOLINT(*-vararg)
        const Descriptor out(create(output));
        const Descriptor error(create(messages));
        if (in < 0 || out < 0 || error < 0)
            throw RunError(fmt::format("{} could not be written", output));
        program::Outcome outcome;
        const auto too_much = [&] {
            std::error_code ignored;
            outcome.too_much_output =
                fs::file_size(output, ignored) + fs::file_size(messages, ignored) > kMaxOutputBytes;
            return outcome.too_much_output;
        };
        Arguments words{path_.string()};
        words.insert(words.end(), arguments_.begin(), arguments_.end());
        outcome.end = run_child({.arguments = words,
                                 .environment = environment,
                                 .in = in,
                                 .out = out,
                                 .error = error,
                                 .timeout = timeout_,
                                 .must_end = too_much},
                                signals_);
        if (outcome.too_much_output)
            return outcome;
        if (fs::exists(report)) {
            const Json found = parsed_json(read_text_file(report.string()));
            outcome.problems = program::problems_of(found, last_messages());
            outcome.is_suspect = found.is_object() && found.value("suspect", false);
        }
        outcome.output = any_order_ ? program::sorted_lines(read_text_file(output)) : read_text_file(output);
        return outcome;
    }
    // What the last run printed to standard error: its end, for a message.
    std::string last_messages() const { return end_of(read_text_file((folder_.path() / "messages").string())); }
    static std::string end_of(const std::string& text)
    {
        constexpr std::size_t kMaximum = 2000;
        return text.size() <= kMaximum ? text : "…" + text.substr(text.size() - kMaximum);
    }
    // The same run as a command to type.
    std::string command(const std::string& order, const std::string& preemptions = "") const
    {
        std::string text;
        for (const auto& [name, value] : environment_)
            text += fmt::format("{}={} ", name, value);
        if (!preemptions.empty())
            text += fmt::format("NESTBED_PREEMPTIONS={} ", preemptions);
        return fmt::format("NESTBED_SCHEDULE={} {}{}", order, text, typed_);
    }
    fs::path preemptions_file() const { return folder_.path() / "preemptions"; }

  private:
    fs::path path_;
    Arguments arguments_;
    std::string typed_;
    Environment environment_;
    std::chrono::milliseconds timeout_;
    const TemporaryFolder& folder_;
    const HeldSignals& signals_;
    bool any_order_;
};

// What the other orders are compared with: the run by fifo.
struct Reference {
    program::Outcome outcome;
    std::set<std::size_t> ignored;

    std::optional<std::string> difference(const program::Outcome& other) const
    {
        return program::difference_of(other, outcome, "fifo", ignored);
    }
};

// Finds the smallest set of preemptions with which this random order fails, and prints it.
void explain(const Tested& tested, const Reference& reference, const std::string& order, std::ostream& out,
             std::ostream& err)
{
    const std::string file = tested.preemptions_file().string();
    const auto run = [&](Environment environment) {
        std::error_code ignored;
        fs::remove(file, ignored);
        environment["NESTBED_PREEMPTIONS_FILE"] = file;
        const bool fails = reference.difference(tested.run(order, environment)).has_value();
        return program::RestrictedRun{.fails = fails,
                                      .taken = fs::exists(file) ? program::read_preemptions(file)
                                                                : std::vector<program::Preemption>{}};
    };
    const program::RestrictedRun whole = run({});
    err << fmt::format("nestbed: {} has {} preemptions; looking for the few that change the result\n", order,
                       whole.taken.size())
        << std::flush;
    const Clock::time_point start = Clock::now();
    std::size_t runs = 0;
    const auto restricted = [&](const std::vector<program::Decisions>& allowed) {
        ++runs;
        return run({{"NESTBED_PREEMPTIONS", program::text_of(allowed)}});
    };
    const auto may_continue = [&] { return runs < kMaxRuns && Clock::now() - start < kMaxSearch; };
    const std::optional<program::Shrunk> shrunk = program::shrink(whole.taken, restricted, may_continue);
    if (!shrunk) {
        out << "\n"
            << folded(fmt::format("{}: the result does not change again in the same order: it also depends on "
                                  "something else, such as time",
                                  order),
                      0);
        return;
    }
    if (shrunk->preemptions.empty()) {
        out << "\n"
            << folded(fmt::format("{} needs no preemption: the result changes if each thread runs until it must "
                                  "wait, the blocks one after another",
                                  order),
                      0)
            << fmt::format("To run it so:\n  {}\n", tested.command(order, "none"));
        return;
    }
    const std::size_t number = shrunk->preemptions.size();
    out << fmt::format("\n{}: {}{} preemption{} change{} the result ({} runs):\n", order,
                       shrunk->smallest ? "" : "at most ", number, number == 1 ? "" : "s", number == 1 ? "s" : "",
                       shrunk->runs);
    std::vector<program::Decisions> decisions;
    for (std::size_t index = 0; index < number; ++index) {
        const std::string mark = fmt::format("  {}. ", index + 1);
        out << folded(shrunk->preemptions[index].text, mark.size()).replace(0, mark.size(), mark);
        decisions.push_back({shrunk->preemptions[index].decision, shrunk->preemptions[index].decision});
    }
    out << fmt::format("To run it so:\n  {}\n", tested.command(order, program::text_of(decisions)));
}

// Runs the orders and prints those that differ. Returns whether all are the same.
bool test_orders(const Tested& tested, std::uint64_t orders, std::ostream& out, std::ostream& err)
{
    Reference reference{.outcome = tested.run("fifo")};
    if (!reference.outcome.end.good() || reference.outcome.too_much_output) {
        out << fmt::format("fifo: {}\n", reference.outcome.too_much_output
                                             ? "the program printed too much and was ended"
                                             : reference.outcome.end.text());
        out << Tested::end_of(reference.outcome.output);
        err << tested.last_messages();
        out << "No other order was run: there is nothing to compare with\n";
        return false;
    }
    const program::Outcome again = tested.run("fifo");
    reference.ignored = program::unstable_lines(reference.outcome.output, again.output);
    if (const auto difference = reference.difference(again)) {
        out << folded("fifo, twice: " + *difference, 0)
            << "The result changes without a change of the order: nothing can be compared\n";
        return false;
    }
    for (const std::size_t line : reference.ignored)
        err << fmt::format("nestbed: line {} of the output is not compared: it differs between two runs by fifo\n",
                           line + 1);
    std::vector<std::string> names{"eager"};
    for (std::uint64_t seed = 1; seed <= orders; ++seed)
        names.push_back(fmt::format("random:{}", seed));
    std::vector<std::string> differ;
    std::set<std::string> ways; // in which they differ: each is printed once
    bool only_moved = true;
    bool is_suspect = reference.outcome.is_suspect;
    std::vector<std::pair<std::string, std::vector<program::Problem>>> problems{{"fifo", reference.outcome.problems}};
    for (const std::string& name : names) {
        const program::Outcome outcome = tested.run(name);
        problems.emplace_back(name, outcome.problems);
        is_suspect = is_suspect || outcome.is_suspect;
        if (const auto difference = reference.difference(outcome)) {
            only_moved = only_moved && outcome.end.good() &&
                         program::sorted_lines(outcome.output) == program::sorted_lines(reference.outcome.output);
            if (ways.insert(*difference).second && ways.size() <= kMaxWays)
                out << folded(fmt::format("{}: {}", name, *difference), 0) << std::flush;
            differ.push_back(name);
        }
    }
    if (is_suspect || !differ.empty())
        for (const std::string& problem : program::problems_text(problems))
            out << folded(problem, 0);
    if (differ.empty() && is_suspect) {
        out << folded(
                   fmt::format("The output and the exit code are the same in all {} orders, but the program does not "
                               "work. To see its messages:",
                               problems.size()),
                   0)
            << fmt::format("  {}\n", tested.command("fifo"));
        return false;
    }
    if (differ.empty()) {
        out << fmt::format("The same output and exit code in all {} orders: fifo, eager and {} random ones\n",
                           names.size() + 1, orders);
        return true;
    }
    out << fmt::format("{} of {} orders differ from fifo", differ.size(), names.size())
        << (ways.size() == 1 ? ", all in this way\n"
            : ways.size() <= kMaxWays
                ? fmt::format(", in {} ways\n", ways.size())
                : fmt::format(", in {} ways, of which the first {} are printed\n", ways.size(), kMaxWays));
    if (only_moved)
        out << "All orders print the same lines. If kernels print them, their order is free:\n  --any-order\n";
    const auto random = std::ranges::find_if(differ, [](const std::string& name) { return name != "eager"; });
    if (random == differ.end())
        out << fmt::format("To run it so:\n  {}\n", tested.command("eager"));
    else
        explain(tested, reference, *random, out, err);
    return false;
}

// A command that runs the program once, in the order that NESTBED_SCHEDULE says.
std::string command_for_one_run(const ProgramRequest& request)
{
    Arguments words;
    if (request.has_source) {
        words = {program_invocation_name, "cpu"};
        words.insert(words.end(), request.nvcc.begin(), request.nvcc.end());
        for (const Option& option : kernel_options())
            if (const auto values = request.given.find(option.name); values != request.given.end())
                for (const std::string& value : values->second)
                    words.insert(words.end(), {"--" + option.name, value});
        if (request.after)
            words.emplace_back("--");
    }
    if (request.after)
        words.insert(words.end(), request.after->begin(), request.after->end());
    return shell_text(words);
}

int test(const Arguments& arguments, const Given& /*given*/, std::ostream& out, std::ostream& err)
{
    const Command command = test_command();
    const ProgramRequest request = read_request(command, arguments);
    const std::uint64_t orders = program_number(request.given, "orders", kDefaultOrders, kMaxOrders);
    const Environment environment = program_environment(request.given);
    const std::chrono::milliseconds timeout = program_timeout(request.given);
    Arguments words = request.after.value_or(Arguments{});
    const HeldSignals signals;
    const TemporaryFolder folder;
    const std::string typed = command_for_one_run(request);
    fs::path path;
    if (request.has_source) {
        path = build_program(request, false, folder, signals, out, err);
        if (path.empty())
            return exit_could_not;
    } else {
        if (!request.nvcc.empty() && fs::is_directory(request.nvcc.front()))
            throw UsageError(
                fmt::format("test: {0} is a folder; allowed: {1}; for a workload of your own: nestbed run "
                            "--load {0} --backend cpu --schedule random:1 --strategy NAME",
                            request.nvcc.front(), usage_of(command)));
        if (!request.nvcc.empty())
            throw UsageError(
                fmt::format("test: '{}' is not a CUDA file; allowed: {}; a program that is already built stands "
                            "after --",
                            request.nvcc.front(), usage_of(command)));
        if (words.empty())
            throw UsageError(fmt::format("test: no program was given; allowed: {}", usage_of(command)));
        path = find_program(words.front());
        if (path.empty())
            throw UsageError(
                fmt::format("test: there is no program {}; allowed: one that `nestbed nvcc` or `nestbed cpu -- "
                            "make` has built",
                            words.front()));
        words.erase(words.begin());
    }
    const Tested tested(path, words, typed, environment, timeout, request.given.contains("any-order"), folder,
                        signals);
    return test_orders(tested, orders, out, err) ? exit_ok : exit_rows_bad;
}

} // namespace

Command test_command()
{
    Options options{{.name = "orders", .value = "N", .help = "number of random orders", .default_text = "20"},
                    {.name = "any-order",
                     .value = "",
                     .help = "compare the lines of the output in any order: for kernels that print"}};
    const Options more = program_options({"timeout", "pending-limit", "workers", "zero-memory"});
    options.insert(options.end(), more.begin(), more.end());
    return {.name = "test",
            .arguments =
                "FILE.cu... [options] [options of nvcc] [-- ARGUMENT...] | [options] -- PROGRAM [ARGUMENT...]",
            .summary = "run a CUDA program in many orders and compare what it prints",
            .text = "Runs a program for the executor in the orders fifo, eager and random:1 to N, and\n"
                    "compares standard output and exit code with those of fifo. Lines that differ\n"
                    "between two runs by fifo, such as times, are not compared. A program that does\n"
                    "not end in time is a difference too. If a random order changes the result, the\n"
                    "command prints where that happens: it runs that order again and again, with\n"
                    "fewer preemptions each time, until every one that is left is needed. A\n"
                    "preemption is a point where another thread runs although the running one could\n"
                    "continue. The exit code is 0 if all orders agree and no kernel failed and no\n"
                    "launch was refused unseen, else 3.\n"
                    "\n"
                    "  nestbed test my.cu -- 1000\n"
                    "  nestbed test -- ./my 1000     built by nestbed nvcc or nestbed cpu -- make\n",
            .files = "cu",
            .operands = SIZE_MAX,
            .options = std::move(options),
            .raw = true,
            .call = test};
}

} // namespace nestbed
