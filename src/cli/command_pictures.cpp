#include "base/error.hpp"
#include "base/image.hpp"
#include "base/new_file.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "device/backends.hpp"
#include "model/strategy.hpp"
#include "plan/plan.hpp"
#include "run/sessions.hpp"

#include <fmt/format.h>

#include <ostream>

namespace nestbed
{

namespace
{

constexpr std::string_view kHelloGrid = "1"; // as in the book
constexpr std::string_view kHelloBlock = "8";
constexpr std::string_view kBlobsSide = "1024";

int hello(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    Settings settings;
    settings.set("strategy", {"hello"});
    settings.set("grid", {std::string(kHelloGrid)});
    settings.set("block", {std::string(kHelloBlock)});
    set_from(settings, given);
    const Sessions sessions = open_sessions(settings, why_not_cuda, open_session);
    const Plan plan = make_plan(settings, facts_of(sessions));
    if (plan.case_count() != 1)
        throw UsageError(
            fmt::format("hello prints one case, not {}; allowed: one value per option", plan.case_count()));
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

// Draws an image through shared memory; if asked, without the barrier that this needs.
int blobs(const Arguments& /*arguments*/, const Given& given, std::ostream& out, std::ostream& err)
{
    Settings settings;
    settings.set("strategy", {"blobs"});
    for (const char* side : {"nx", "ny"})
        settings.set(side, {std::string(kBlobsSide)});
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
            fmt::format("blobs draws one image, not {}; allowed: one value per option", plan.case_count()));
    check_new_file(path);
    const Sample sample = sessions.at(point.backend)->sample_aloud(point);
    if (!sample.image.empty()) {
        constexpr float kWhite = 4; // the maximum of a pixel
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

} // namespace

std::string greetings_text(const Sample& sample)
{
    return fmt::format("{} threads greeted, {}\n", sample.answer,
                       sample.launches ? fmt::format("{} device launches", sample.launches->attempted)
                                       : "device launches not counted (no ledger)");
}

Command hello_command()
{
    return {.name = "hello",
            .arguments = "[--grid N] [--block N] [options]",
            .summary = "print a nested hello world",
            .text = "Every thread prints a greeting, and so do the threads of the launched grids.\n",
            .settings =
                key_options(Values::one, {{"strategy", "hello", "hello or hello_synced, which waits for its child"},
                                          {"backend"},
                                          {"grid", kHelloGrid},
                                          {"block", kHelloBlock},
                                          {"depth"},
                                          {"schedule"},
                                          {"workers"}}),
            .call = hello};
}

Command blobs_command()
{
    return {.name = "blobs",
            .arguments = "[--strategy blobs|blobs_wrong] [-o FILE.png]",
            .summary = "draw an image through shared memory",
            .text = "Draws an image that needs a barrier in each block; blobs_wrong leaves it out.\n",
            .options = {{.name = "output",
                         .value = "FILE",
                         .help = "the image, a new PNG",
                         .otherwise = "blobs.png",
                         .letter = 'o'}},
            .settings =
                key_options(Values::one, {{"strategy", "blobs", "blobs, or blobs_wrong, which has no barrier"},
                                          {"backend"},
                                          {"nx", kBlobsSide},
                                          {"ny", kBlobsSide},
                                          {"block-shape"},
                                          {"schedule"},
                                          {"workers"}}),
            .call = blobs};
}

} // namespace nestbed
