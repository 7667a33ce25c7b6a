// `nestbed draw NAME`: shows one case of a workload that has a picture.
#include "base/error.hpp"
#include "base/new_file.hpp"
#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "device/backends.hpp"
#include "model/modules.hpp"
#include "model/picture.hpp"
#include "plan/plan.hpp"
#include "run/sessions.hpp"

#include <fmt/format.h>

#include <ostream>

namespace nestbed
{

namespace
{

Case case_to_show(const Plan& plan, const WorkloadInfo& workload, bool flagged)
{
    const Picture& picture = *workload.picture;
    const Case& point = plan.groups.front().cases.front();
    const StrategyInfo& info = Registry::find_anywhere(point.strategy)->info();
    if (info.workload != &workload)
        throw UsageError(fmt::format("--strategy {}: {}", point.strategy, picture.refusal));
    if (plan.case_count() != 1)
        throw UsageError(fmt::format("{} {}, not {}; allowed: one value per option", workload.name, picture.draws,
                                     plan.case_count()));
    if (const std::string why = picture.why_not == nullptr ? "" : picture.why_not(info, point, flagged); !why.empty())
        throw UsageError(why);
    return point;
}

int show_picture(const WorkloadInfo& workload, const Given& given, std::ostream& out, std::ostream& err)
{
    const Picture& picture = *workload.picture;
    Settings settings;
    for (const PictureSetting& setting : picture.settings)
        if (!setting.value.empty())
            settings.set(std::string(setting.key), {std::string(setting.value)});
    set_from(settings, given);
    const bool flagged = !picture.flag.empty() && given.contains(std::string(picture.flag));
    const LocalSessions sessions = open_sessions(settings, why_not_cuda, open_session);
    const Case point = case_to_show(make_plan(settings, facts_of(sessions)), workload, flagged);
    const std::string path =
        picture.file.empty() ? "" : only_value(given, "output", std::string(picture.file), "a file's name");
    const bool overwrite = given.contains("overwrite");
    if (!path.empty())
        static_cast<void>(OutputFile(path, overwrite)); // whether it can be written, before anything runs
    LocalSession& session = *sessions.at(point.backend);
    if (picture.before != nullptr)
        out << picture.before(point, session.facts().name) << std::flush;
    const Sample sample = session.sample_with_output(point);
    const Drawing drawing = picture.draw(point, sample, flagged);
    if (!drawing.pixels.empty())
        write_png(path, drawing.pixels, drawing.width, overwrite);
    else if (!drawing.grey.empty())
        write_png(path, drawing.grey, drawing.width, 0, drawing.white, overwrite);
    if (!drawing.text.empty())
        out << (path.empty() ? "" : path + ": ") << drawing.text;
    if (sample.status == Status::ok)
        return exit_ok;
    err << fmt::format("nestbed: {}\n", why_not_ok(sample));
    return exit_rows_bad;
}

Command command_of(const WorkloadInfo& workload)
{
    const Picture& picture = *workload.picture;
    std::vector<KeyUse> uses;
    for (const PictureSetting& setting : picture.settings)
        uses.push_back({setting.key, setting.value.empty() ? setting.shown : setting.value, setting.help});
    Command command{
        .name = fmt::format("draw {}", workload.name),
        .arguments = picture.arguments,
        .summary = picture.summary,
        .text = picture.text,
        .settings = key_options(Values::one, uses),
        .call = [&workload](const Arguments& /*arguments*/, const Given& given, std::ostream& out,
                            std::ostream& err) { return show_picture(workload, given, out, err); },
    };
    if (!picture.file.empty()) {
        command.options.push_back({.name = "output",
                                   .value = "FILE",
                                   .help = "the image, a new PNG",
                                   .default_text = std::string(picture.file),
                                   .letter = 'o'});
        command.options.push_back(overwrite_option());
    }
    if (!picture.flag.empty())
        command.options.push_back(
            {.name = std::string(picture.flag), .value = "", .help = std::string(picture.flag_help)});
    return command;
}

// The workloads that have a picture.
std::vector<std::string_view> drawn()
{
    std::vector<std::string_view> names;
    for (const WorkloadInfo* workload : Registry::workloads())
        if (workload->picture != nullptr)
            names.push_back(workload->name);
    return names;
}

Command draw_one(const std::string& name)
{
    for (const WorkloadInfo* workload : Registry::workloads())
        if (workload->name == name && workload->picture != nullptr)
            return command_of(*workload);
    expect_workload_built(name);
    throw UsageError(fmt::format("draw: there is no picture of '{}'; allowed: {}", name, fmt::join(drawn(), ", ")));
}

} // namespace

Command draw_command()
{
    return {.name = "draw",
            .arguments = "NAME [options]",
            .summary = "show one case of a workload, such as hello or mandelbrot",
            .text = "Runs one case of workload NAME and prints its result, or draws it as a PNG.\n"
                    "`nestbed help draw NAME` lists the options; without NAME, the names are printed.\n",
            .call =
                [](const Arguments& /*arguments*/, const Given& /*given*/, std::ostream& out, std::ostream& /*err*/) {
                    out << fmt::format("{}\n", fmt::join(drawn(), "\n"));
                    return exit_ok;
                },
            .with = draw_one};
}

} // namespace nestbed
