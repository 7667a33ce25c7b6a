#include "model/user_program.hpp"

#include "base/error.hpp"
#include "base/subprocess.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "model/schedule.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cctype>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <utility>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;

constexpr std::string_view kName = "program";

// Sets to nothing what the arguments do not name, so that it is no part of the case.
void keep_named(Case& point, const Asked& /*asked*/)
{
    const AxisSet named = axes_in(point.arguments);
    for (const Axis& axis : plain_axes())
        if (program_strategy().info().has(axis.id) && !axis.text && !named.has(axis.id))
            axis.set(point, axis.range.word.empty() ? std::optional<std::uint64_t>(0) : std::nullopt);
}

constexpr std::string_view kFigures[]{"by-grid", "by-block", "by-depth"};

// Two programs with the same arguments solve the same problem.
constexpr AxisMeaning kMeanings[]{
    {.name = axis::program, .meaning = "its path, or its name on the PATH", .role = AxisRole::tuning}};

constexpr WorkloadInfo kWorkload{
    .name = kName,
    .summary = "a program of a user's own, with its arguments",
    .axes = {axis::grid, axis::block, axis::elements, axis::nx, axis::ny, axis::depth, axis::dwell, axis::division,
             axis::fanout, axis::grain, axis::cutoff, axis::levels, axis::iterations, axis::program, axis::arguments,
             axis::time},
    .meanings = kMeanings,
    .figures = kFigures,
    .of_user = true,
    .why_unpredictable = "its kernels are not known",
    .complete = keep_named,
};

constexpr StrategyInfo kInfo{
    .name = kName,
    .workload = &kWorkload,
    .summary = "runs a program of a user's own",
    .hazards = "not known",
    .source = "the user",
    .on_host = true,
};

class ProgramStrategy final : public Strategy
{
  public:
    const StrategyInfo& info() const override { return kInfo; }
    ExpectedLaunches launches(const Case& /*point*/) const override { return ExpectedLaunches::unknown(0); }
};

[[noreturn]] void refuse_arguments(const std::string& text, const std::string& why)
{
    throw RunError(fmt::format("'{}': {}", printable(text), why));
}

// The axis of "{grid}". Columns have '_' where options have '-'; both are right here.
const Axis& axis_of(const std::string& arguments, std::string_view name)
{
    std::vector<std::string_view> names;
    for (const Axis& axis : plain_axes()) {
        if (!kInfo.has(axis.id) || axis.text)
            continue;
        if (name == axis.name || name == axis.column)
            return axis;
        names.push_back(axis.name);
    }
    refuse_arguments(arguments,
                     fmt::format("there is no parameter {{{}}}; allowed: {{{}}}", name, fmt::join(names, "}, {")));
}

// Reads the arguments: a piece of text, an axis in braces, and the end of a word.
struct PieceReader {
    std::function<void(std::string_view)> text;
    std::function<void(const Axis&)> value;
    std::function<void()> word_end;

    void read(const std::string& arguments) const
    {
        char quote = 0;
        bool in_word = false;
        for (std::size_t at = 0; at < arguments.size(); ++at) {
            const char one = arguments[at];
            const bool blank = one == ' ' || one == '\t';
            if (quote == 0 && blank) {
                if (std::exchange(in_word, false))
                    word_end();
                continue;
            }
            in_word = true;
            if (one == quote) {
                quote = 0;
            } else if (quote == 0 && (one == '\'' || one == '"')) {
                quote = one;
            } else if (one == '{' && at + 1 < arguments.size() && arguments[at + 1] == '{') {
                text("{");
                ++at;
            } else if (one == '{') {
                const std::size_t end = arguments.find('}', at);
                if (end == std::string::npos)
                    refuse_arguments(arguments, "a '{' has no '}'; allowed: {grid}, or {{ for the brace itself");
                value(axis_of(arguments, std::string_view(arguments).substr(at + 1, end - at - 1)));
                at = end;
            } else {
                text(std::string_view(arguments).substr(at, 1));
            }
        }
        if (quote != 0)
            refuse_arguments(arguments, fmt::format("a {} has no end", quote));
        if (in_word)
            word_end();
    }
};

// The text around the braces, and the microseconds of the unit in them.
struct TimeText {
    std::string_view before;
    std::string_view after;
    double unit_us = 1;
};
TimeText time_text_in(std::string_view text)
{
    constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
        {{"{ns}", 1e-3}, {"{us}", 1}, {"{ms}", 1e3}, {"{s}", 1e6}}};
    for (const auto& [unit, us] : kUnits)
        if (const std::size_t at = text.find(unit); at != std::string_view::npos)
            return {.before = text.substr(0, at), .after = text.substr(at + unit.size()), .unit_us = us};
    throw RunError(fmt::format(
        "'{}' says nowhere what the time is; allowed: a part of a line with {{ns}}, {{us}}, {{ms}} or {{s}} in "
        "place of the number, such as 'time: {{us}}'",
        printable(std::string(text))));
}

std::optional<double> time_in_line(std::string_view line, const TimeText& text)
{
    for (std::size_t at = line.find(text.before); at != std::string_view::npos; at = line.find(text.before, at + 1)) {
        std::string_view rest = line.substr(at + text.before.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        double number = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        if (error == std::errc() && rest.starts_with(text.after) && number >= 0)
            return number * text.unit_us;
    }
    return std::nullopt;
}

// The last line that says anything.
std::string last_line(const std::string& text)
{
    std::string last;
    for (const std::string& line : split(text, '\n'))
        if (line.find_first_not_of(" \t\r") != std::string::npos)
            last = line;
    constexpr std::size_t kMaxBytes = 200;
    return printable(last.substr(0, kMaxBytes));
}

// What the program counted, from the file that it wrote (NESTBED_REPORT).
void take_report(const std::string& path, const Case& point, Sample& sample)
{
    if (!fs::exists(path))
        return; // it counts nothing
    const nlohmann::json report = nlohmann::json::parse(read_text_file(path), nullptr, false);
    if (!report.is_object() || !report.contains("kernels"))
        throw RunError(fmt::format("{}: what it counted is not readable", point.program));
    if (const std::string backend = report.value("backend", ""); backend != name_of(point.backend)) {
        sample.status = Status::unsupported;
        sample.detail = fmt::format("unsupported: {} was built for backend {}, not {}", point.program, backend,
                                    name_of(point.backend));
    }
    LaunchCounts counts;
    std::uint64_t from_host = 0;
    for (const nlohmann::json& kernel : report["kernels"]) {
        const auto number = [&](const char* name) {
            return kernel.contains(name) && kernel[name].is_number() ? kernel[name].get<std::uint64_t>() : 0;
        };
        from_host += number("from_host");
        counts.attempted += number("from_device");
        counts.failed += number("refused");
        counts.max_depth = std::max(counts.max_depth, static_cast<unsigned>(number("deepest")));
        if (number("refused") != 0 && sample.status == Status::ok) {
            sample.status = Status::launch_failed;
            sample.detail = fmt::format("{} of {} launches of {} were refused: {}", number("refused"),
                                        number("from_host") + number("from_device"), kernel.value("kernel", ""),
                                        kernel.value("first_error", ""));
        }
    }
    sample.host_launches = static_cast<std::uint32_t>(from_host);
    sample.launches_expected = counts.attempted;
    sample.launches = std::move(counts);
}

} // namespace

const Strategy& program_strategy()
{
    static const ProgramStrategy one;
    return one;
}

bool is_of_program(const Axis& axis)
{
    return axis.id == axis::program || axis.id == axis::arguments || axis.id == axis::time;
}

void check_program(const std::string& path)
{
    if (!find_program(path).empty())
        return;
    std::error_code ignored;
    const bool is_source = path.ends_with(".cu");
    throw RunError(is_source && fs::exists(path, ignored) ? "it is a source file; allowed: the program that `nestbed "
                                                            "nvcc` (for the executor) or `nestbed count -- nvcc` "
                                                            "(for a GPU) builds of it"
                   : fs::exists(path, ignored)            ? "it is not an executable file; allowed: a program"
                                                          : "there is no such file; allowed: the path of a program");
}

std::vector<std::string> program_words(const std::string& arguments, const Case& point)
{
    std::vector<std::string> words;
    std::string word;
    PieceReader{.text = [&](std::string_view text) { word += text; },
                .value = [&](const Axis& axis) { word += text_of(axis, axis.get(point)); },
                .word_end = [&] { words.push_back(std::exchange(word, "")); }}
        .read(arguments);
    return words;
}

AxisSet axes_in(const std::string& arguments)
{
    AxisSet axes;
    PieceReader{
        .text = [](std::string_view) {}, .value = [&](const Axis& axis) { axes.add(axis.id); }, .word_end = [] {}}
        .read(arguments);
    return axes;
}

void check_time_text(const std::string& text)
{
    static_cast<void>(time_text_in(text));
}

std::optional<double> time_in(const std::string& output, const std::string& text)
{
    const TimeText parts = time_text_in(text);
    std::optional<double> time;
    for (const std::string& line : split(output, '\n'))
        if (const std::optional<double> found = time_in_line(line, parts))
            time = found;
    return time;
}

Sample sample_of_program(const Case& point, const SessionOptions& options, std::uint64_t seed)
{
    const TemporaryFolder folder;
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    std::vector<std::string> words = program_words(point.arguments, point);
    words.insert(words.begin(), find_program(point.program));
    if (words.front().empty())
        check_program(point.program);
    Child child{.arguments = words, .environment = {{"NESTBED_REPORT", path("report.json")}}};
    if (point.backend == BackendKind::cpu) {
        Schedule schedule = parse_schedule(options.schedule);
        schedule.seed = schedule.order == Schedule::Order::random ? seed : 0;
        child.environment["NESTBED_SCHEDULE"] = name_of(schedule);
        if (options.workers != 0)
            child.environment["NESTBED_WORKERS"] = std::to_string(options.workers);
    }
    Sample sample;
    const ProgramEnd end = run_program(child, {path("out"), path("error")});
    take_report(path("report.json"), point, sample);
    if (sample.status == Status::unsupported)
        return sample;
    std::optional<double> us = std::chrono::duration<double, std::micro>(end.elapsed).count();
    if (!point.time.empty())
        us = time_in(read_text_file(path("out")), point.time);
    if (!end.good()) {
        const std::string said = last_line(read_text_file(path("error")));
        sample.status = end.signal != 0 ? Status::crashed : Status::wrong;
        sample.detail = fmt::format("{} ended with {}{}", point.program, end.text(), said.empty() ? "" : ": " + said);
    } else if (!us && sample.status == Status::ok) {
        sample.status = Status::wrong;
        sample.detail = fmt::format("{} printed no line with '{}'", point.program, point.time);
    }
    if (sample.status == Status::ok)
        sample.wall_us = us;
    return sample;
}

} // namespace nestbed
