#include "model/user_program.hpp"

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "base/json.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "model/schedule.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <map>
#include <sys/stat.h>
#include <unistd.h>
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
        if (is_in(program_strategy().info().workload->axes, axis) && !axis.text && !is_in(named, axis))
            axis.set(point, axis.range.word.empty() ? std::optional<std::uint64_t>(0) : std::nullopt);
}

constexpr std::string_view kFigures[]{"by-grid", "by-block", "by-depth"};

// Two programs with the same arguments solve the same problem.
constexpr AxisMeaning kMeanings[]{
    {.name = axis::program, .meaning = "its path, or its name on the PATH", .role = AxisRole::tuning}};

// Numbers for its arguments, with the names and ranges of parameters of workloads.
constexpr Parameter number(std::string_view name, std::uint32_t least, std::uint32_t most,
                           AxisRole role = AxisRole::problem)
{
    return {.name = name,
            .help = "a number for the arguments",
            .least = least,
            .most = most,
            .default_value = 0,
            .default_text = "none",
            .role = role};
}
constexpr std::uint32_t kMaxNumber = 65535;
constexpr Parameter kDwell = number("dwell", 1, kMaxNumber);
constexpr Parameter kDivision = number("division", 1, 1024);
constexpr Parameter kFanout = number("fanout", 2, 256);
constexpr Parameter kGrain = number("grain", 1, kMaxNumber);
constexpr Parameter kCutoff = number("cutoff", 1, kMaxNumber, AxisRole::tuning);
constexpr Parameter kLevels = number("levels", 1, 16);
constexpr Parameter kIterations = number("iterations", 1, 16);
const DeclaredParameters declared{&kDwell, &kDivision, &kFanout, &kGrain, &kCutoff, &kLevels, &kIterations};

constexpr WorkloadInfo kWorkload{
    .name = kName,
    .summary = "a program of a user's own, with its arguments",
    .axes = {axis::grid, axis::block, axis::elements, axis::nx, axis::ny, axis::depth, kDwell, kDivision, kFanout,
             kGrain, kCutoff, kLevels, kIterations, axis::program, axis::arguments, axis::time},
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
        if (!is_in(kWorkload.axes, axis) || axis.text)
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

struct Unit {
    std::string_view name;
    double us = 1;
};
constexpr std::array<Unit, 4> kUnits{{{"ns", 1e-3}, {"us", 1}, {"ms", 1e3}, {"s", 1e6}}};

// The text around the braces, and the unit in them.
struct TimeText {
    std::string_view before;
    std::string_view after;
    Unit unit;
};
TimeText time_text_in(std::string_view text)
{
    for (const Unit& unit : kUnits)
        if (const std::string braces = fmt::format("{{{}}}", unit.name); text.find(braces) != std::string_view::npos)
            return {.before = text.substr(0, text.find(braces)),
                    .after = text.substr(text.find(braces) + braces.size()),
                    .unit = unit};
    throw RunError(fmt::format(
        "'{}' says nowhere what the time is; allowed: a part of a line with {{ns}}, {{us}}, {{ms}} or {{s}} in "
        "place of the number, such as 'time: {{us}}'",
        printable(std::string(text))));
}

bool is_of_word(char one)
{
    return std::isalnum(static_cast<unsigned char>(one)) != 0 || one == '_' || one == '.' || one == '-' || one == '+';
}

// Whether a number ends before this text, and nothing says that it goes on, or that its unit is another one.
bool ends_number(std::string_view rest, const TimeText& text)
{
    if (!text.after.empty())
        return rest.starts_with(text.after);
    if (rest.size() > 1 && rest[0] == ',' && std::isdigit(static_cast<unsigned char>(rest[1])) != 0)
        return false; // 1,234
    const std::size_t blanks = std::min(rest.find_first_not_of(" \t"), rest.size());
    const auto word_end =
        std::find_if_not(rest.begin() + static_cast<std::ptrdiff_t>(blanks), rest.end(), is_of_word);
    const std::string_view word = rest.substr(blanks, static_cast<std::size_t>(word_end - rest.begin()) - blanks);
    return word.empty() || word == text.unit.name ||
           (blanks > 0 && std::ranges::find(kUnits, word, &Unit::name) == kUnits.end());
}

std::optional<double> time_in_line(std::string_view line, const TimeText& text)
{
    for (std::size_t at = line.find(text.before); at < line.size(); at = line.find(text.before, at + 1)) {
        if (text.before.empty() && at > 0 && is_of_word(line[at - 1]))
            continue;
        std::string_view rest = line.substr(at + text.before.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        double number = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        constexpr double kLeast_us = 0.001; // a log has nanoseconds
        if (error == std::errc() && ends_number(rest, text) && std::isfinite(number) &&
            number * text.unit.us >= kLeast_us)
            return number * text.unit.us;
    }
    return std::nullopt;
}

// The last line that says anything, above nestbed's own table of launches.
std::string last_line(const std::string& text)
{
    std::string last;
    for (const std::string& line : split(text, '\n')) {
        if (line.starts_with("kernel ") && line.ends_with("first error"))
            break;
        if (!line.empty())
            last = line;
    }
    return shortened(printable(last));
}

// What the program counted, as it wrote it (NESTBED_REPORT). Nothing: it counts nothing.
void take_report(const std::string& text, const Case& point, Sample& sample)
{
    if (text.empty())
        return;
    try {
        const Json report = parse_json(text);
        if (const std::string backend = report.at("backend").get<std::string>(); backend != name_of(point.backend)) {
            sample.status = Status::unsupported;
            sample.detail = fmt::format("unsupported: {} was built for backend {}, not {}", point.program,
                                        printable(backend), name_of(point.backend));
            return;
        }
        LaunchCounts counts;
        std::uint64_t from_host = 0;
        for (const Json& kernel : report.at("kernels").get<Json::array_t>()) {
            const auto number = [&](const char* name) {
                const Json& value = kernel.at(name);
                return value.is_null() ? 0
                                       : value.get_ref<const Json::number_unsigned_t&>(); // null: a level not known
            };
            const std::uint64_t launches = number("from_host") + number("from_device");
            const std::uint64_t refused = number("refused");
            from_host += number("from_host");
            counts.attempted += number("from_device");
            counts.failed += refused;
            counts.max_depth = std::max(counts.max_depth, static_cast<unsigned>(number("deepest")));
            if (refused != 0 && sample.status == Status::ok) {
                sample.status = Status::launch_failed;
                sample.detail = fmt::format("{} of {} launches of {} were refused: {}", refused, launches,
                                            printable(kernel.at("kernel").get<std::string>()),
                                            printable(kernel.at("first_error").get<std::string>()));
            }
        }
        if (const auto graphs = report.find("graphs"); graphs != report.end()) { // a launch of a graph is one
            from_host += graphs->at("from_host").get<std::uint64_t>();
            counts.attempted += graphs->at("from_device").get<std::uint64_t>();
            counts.failed += graphs->at("refused").get<std::uint64_t>();
        }
        sample.host_launches = static_cast<std::uint32_t>(from_host);
        sample.launches_expected = counts.attempted;
        sample.launches = std::move(counts);
    } catch (const Json::exception&) {
        throw RunError(fmt::format("{}: what it counted is not readable (NESTBED_REPORT)", point.program));
    }
}

// A file without a name, which vanishes with this process, however it ends. Other processes open path().
class NamelessFile
{
  public:
    NamelessFile() : file_(made()) {}
    int descriptor() const { return file_; }
    std::string path() const { return fmt::format("/proc/{}/fd/{}", getpid(), static_cast<int>(file_)); }
    std::uint64_t bytes() const
    {
        struct stat found = {};
        return fstat(file_, &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
    }
    std::string text() const { return bytes() == 0 ? "" : read_text_file(path()); }

  private:
    static int made()
    {
        std::error_code error;
        std::string name = (fs::temp_directory_path(error) / "nestbed-XXXXXX").string();
        const int file = error ? -1 : mkostemp(name.data(), O_CLOEXEC | O_APPEND);
        if (file < 0)
            throw RunError(fmt::format("a temporary file could not be created ({}): {}", name,
                                       error ? error.message() : std::strerror(errno)));
        static_cast<void>(unlink(name.c_str()));
        return file;
    }

    Descriptor file_;
};

// Throws RunError if the program is another one than at its first run in this process.
void expect_unchanged(const std::string& file)
{
    using Identity = std::pair<std::uintmax_t, fs::file_time_type>;
    static std::map<std::string, Identity> first;
    const Identity now{fs::file_size(file), fs::last_write_time(file)};
    if (first.try_emplace(file, now).first->second != now)
        throw RunError(fmt::format("{}: it has changed while it was measured", file));
}

// A worker ignores these signals, and is killed with its whole group when the time of a sample is over: so its programs are in that
// group, too. Elsewhere they have a group of their own.
bool is_in_worker()
{
    struct sigaction action = {};
    return sigaction(SIGTERM, nullptr, &action) == 0 && action.sa_handler == SIG_IGN && getpgrp() == getpid();
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
        .text = [](std::string_view) {},
        .value =
            [&](const Axis& axis) { axes.add(axis.parameter != nullptr ? AxisSet::Item(*axis.parameter) : axis.id); },
        .word_end = [] {}}
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
    const NamelessFile out;
    const NamelessFile error;
    const NamelessFile report;
    std::vector<std::string> words = program_words(point.arguments, point);
    words.insert(words.begin(), find_program(point.program));
    if (words.front().empty())
        check_program(point.program);
    expect_unchanged(words.front());
    const Descriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC)); // NOLINT(*-vararg)
    constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
    const bool in_worker = is_in_worker();
    Child child{.arguments = words,
                .environment = {{"NESTBED_REPORT", report.path()}},
                .in = nothing,
                .out = out.descriptor(),
                .error = error.descriptor(),
                .must_end = [&] { return out.bytes() + error.bytes() > kMaxBytes; },
                .own_group = !in_worker,
                .default_signals = true};
    std::string order; // that repeats this run
    if (point.backend == BackendKind::cpu) {
        Schedule schedule = parse_schedule(options.schedule);
        const bool is_random = schedule.order == Schedule::Order::random;
        schedule.seed = is_random ? seed : 0;
        child.environment["NESTBED_SCHEDULE"] = name_of(schedule);
        order = is_random ? fmt::format(" (NESTBED_SCHEDULE={})", name_of(schedule)) : "";
        if (options.workers != 0)
            child.environment["NESTBED_WORKERS"] = std::to_string(options.workers);
    }
    const ProgramEnd end = run_child(child, HeldSignals());
    if (in_worker)
        kill(0, SIGTERM); // what it has left behind
    Sample sample;
    take_report(report.text(), point, sample);
    if (sample.status == Status::unsupported)
        return sample;
    std::optional<double> us = std::chrono::duration<double, std::micro>(end.elapsed).count();
    if (!point.time.empty() && end.good())
        us = time_in(out.text(), point.time);
    if (out.bytes() + error.bytes() > kMaxBytes) {
        sample.status = Status::crashed;
        sample.detail = fmt::format("{} printed more than a GB and was ended", point.program);
    } else if (!end.good()) {
        const std::string said = last_line(error.text());
        const std::string ended = fmt::format("{} ended with {}", point.program, end.text());
        const bool refused = sample.status == Status::launch_failed;
        sample.status = end.signal != 0 ? Status::crashed : refused ? sample.status : Status::wrong;
        sample.detail = refused && end.signal == 0
                            ? sample.detail + "; " + ended
                            : fmt::format("{}: {}", ended, said.empty() ? last_line(out.text()) : said);
    } else if (!us && sample.status == Status::ok && !options.untimed) {
        sample.status = Status::wrong;
        sample.detail = fmt::format("{} printed no time above 0 as '{}'", point.program, point.time);
    }
    sample.detail += sample.status == Status::ok ? "" : order;
    if (sample.status == Status::ok)
        sample.wall_us = us;
    return sample;
}

} // namespace nestbed
