#include "base/error.hpp"
#include "base/image.hpp"
#include "base/new_file.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "device/backends.hpp"
#include "model/strategy.hpp"
#include "plan/plan.hpp"
#include "run/sessions.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <ostream>

namespace nestbed
{

namespace po = boost::program_options;

int hello(const Arguments& arguments, std::ostream& out, std::ostream& err)
{
    po::options_description options("Options", 80);
    options.add_options()("help,h", po::bool_switch(), "print this");
    options.add(key_options({"strategy", "backend", "grid", "block", "depth", "schedule", "workers"}));
    const Given given = parse_arguments(arguments, options, 0);
    if (given.contains("help")) {
        out << "nestbed hello [--strategy hello|hello_synced] [--grid N] [--block N]\n\n" << options;
        return exit_ok;
    }
    Settings settings;
    settings.set("strategy", {"hello"});
    settings.set("grid", {"1"}); // the book's
    settings.set("block", {"8"});
    set_from(settings, given);
    const Sessions sessions = open_sessions(settings, why_not_cuda, open_session);
    const Plan plan = make_plan(settings, facts_of(sessions));
    if (plan.case_count() != 1)
        throw UsageError(
            fmt::format("hello prints one case, not {}; allowed: one value an option", plan.case_count()));
    const Case& point = plan.groups.front().cases.front();
    if (Registry::find_anywhere(point.strategy)->info().workload != "hello")
        throw UsageError(
            fmt::format("--strategy {}: it prints no greetings; allowed: hello, hello_synced", point.strategy));
    const Session& session = *sessions.at(point.backend);
    constexpr std::uint64_t kMostLines = 1'000'000;
    if (2 * std::uint64_t{point.grid} * point.block > kMostLines)
        throw UsageError(fmt::format("--grid {} --block {}: some {} lines; allowed: grid x block up to {}",
                                     point.grid, point.block, 2 * std::uint64_t{point.grid} * point.block,
                                     kMostLines / 2));
    out << fmt::format("Execution Configuration: grid {} block {} on {}\n", point.grid, point.block,
                       session.facts().name)
        << std::flush;
    const Sample sample = sessions.at(point.backend)->sample_aloud(point);
    if (sample.status != Status::ok) {
        err << fmt::format("nestbed: {}\n", why_not_ok(sample));
        return exit_rows_bad;
    }
    out << greetings_text(sample);
    return exit_ok;
}

std::string greetings_text(const Sample& sample)
{
    return fmt::format("{} threads greeted, {}\n", sample.answer,
                       sample.launches ? fmt::format("{} device launches", sample.launches->attempted)
                                       : "device launches not counted (no ledger)");
}

// An image drawn through shared memory; without the barrier that this needs, where asked.
int blobs(const Arguments& arguments, std::ostream& out, std::ostream& err)
{
    po::options_description options("Options", 80);
    options.add_options()("output,o", po::value<std::vector<std::string>>()->value_name("FILE"),
                          "the image, a PNG; a new file (blobs.png)");
    options.add_options()("help,h", po::bool_switch(), "print this");
    options.add(key_options({"strategy", "backend", "nx", "ny", "block-shape", "schedule", "workers"}));
    const Given given = parse_arguments(arguments, options, 0);
    if (given.contains("help")) {
        out << "nestbed blobs [--strategy blobs|blobs_wrong] [-o FILE.png]\n\n" << options;
        return exit_ok;
    }
    Settings settings;
    settings.set("strategy", {"blobs"});
    for (const char* side : {"nx", "ny"})
        settings.set(side, {"1024"});
    set_from(settings, given);
    const Sessions sessions = open_sessions(settings, why_not_cuda, open_session);
    const Plan plan = make_plan(settings, facts_of(sessions));
    const Case& point = plan.groups.front().cases.front();
    const std::string path = only_value(given, "output", "blobs.png");
    if (Registry::find_anywhere(point.strategy)->info().workload != "blobs")
        throw UsageError(fmt::format(
            "--strategy {}: it draws no image; allowed for nestbed blobs: blobs, blobs_wrong", point.strategy));
    if (plan.case_count() != 1)
        throw UsageError(
            fmt::format("blobs draws one image, not {}; allowed: one value an option", plan.case_count()));
    check_new_file(path);
    const Sample sample = sessions.at(point.backend)->sample_aloud(point);
    if (!sample.image.empty()) {
        constexpr float kWhite = 4; // the most that a pixel can be
        write_png(path, sample.image, point.nx, 0, kWhite);
        out << fmt::format("{}: {} x {} pixels by {}, blocks of {}\n", path, point.nx, point.ny, point.strategy,
                           name_of(point.shape));
    }
    if (sample.status != Status::ok) {
        err << fmt::format("nestbed: {}\n", why_not_ok(sample));
        return exit_rows_bad;
    }
    return exit_ok;
}

} // namespace nestbed
