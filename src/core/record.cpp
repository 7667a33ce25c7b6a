#include "record.hpp"

#include "bandwidth.hpp"
#include "error.hpp"
#include "statistics.hpp"
#include "strategy.hpp"
#include "text.hpp"
#include "version.hpp"

#include <csv.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <unistd.h>

namespace nestbed
{

namespace
{

struct RowSource {
    const RunFacts& run;
    const Case& point;
    unsigned repetition;
    const Sample& sample;
    const StrategyInfo& info;
    Mechanism mechanism;
    Bandwidth bandwidth;
};

std::string number_or_empty(const std::optional<double>& value)
{
    return value ? fmt::format("{:.3f}", *value) : "";
}

std::string rate_or_empty(const std::optional<double>& gb_s)
{
    return gb_s ? fmt::format("{:.2f}", *gb_s) : "";
}

std::string share_or_empty(const std::optional<double>& share)
{
    return share ? fmt::format("{:.4f}", *share) : "";
}

std::string asked(bool means_something, const std::optional<std::uint32_t>& value, std::string_view word)
{
    if (!means_something)
        return "";
    return value ? std::to_string(*value) : std::string(word);
}

std::string counted(const RowSource& row, std::uint64_t LaunchCounts::*what)
{
    return row.sample.launches ? std::to_string((*row.sample.launches).*what) : "";
}

const Strategy& strategy_of(const Case& point)
{
    return *Registry::find_anywhere(point.strategy);
}

std::string latency_text(const RowSource& row, double (*of)(std::vector<double>))
{
    return row.sample.latencies_us.empty() ? "" : fmt::format("{:.3f}", of(row.sample.latencies_us));
}

// A fan-out may have tens of thousands, which all belong to one level: its median.
std::string latency_by_depth(const RowSource& row)
{
    if (row.sample.latencies_us.empty() || row.info.workload == "fanout")
        return latency_text(row, median);
    return fmt::format("{:.2f}", fmt::join(row.sample.latencies_us, " "));
}

struct Column {
    std::string_view name;
    std::function<std::string(const RowSource&)> cell;
};

const std::vector<Column>& table()
{
    using Row = const RowSource&;
    static const std::vector<Column> columns{
        {"experiment", [](Row r) { return r.run.experiment; }},
        {"run_id", [](Row r) { return r.run.run_id; }},
        {"strategy", [](Row r) { return r.point.strategy; }},
        {"backend", [](Row r) { return std::string(name_of(r.point.backend)); }},
        {"mechanism", [](Row r) { return std::string(name_of(r.mechanism)); }},
        {"type", [](Row r) { return std::string(name_of(r.point.type)); }},
        {"elements", [](Row r) { return count_or_empty(r.point.elements); }},
        {"grid", [](Row r) { return count_or_empty(r.point.grid); }},
        {"block", [](Row r) { return count_or_empty(r.point.block); }},
        {"nx", [](Row r) { return count_or_empty(r.point.nx); }},
        {"ny", [](Row r) { return count_or_empty(r.point.ny); }},
        {"block_shape", [](Row r) { return name_of(r.point.shape); }},
        {"depth", [](Row r) { return asked(has_levels(r.info, r.mechanism), r.point.depth, "full"); }},
        {"delay_us", [](Row r) { return r.info.delayed ? std::to_string(r.point.delay_us) : ""; }},
        {"graphs", [](Row r) { return r.mechanism == Mechanism::graph_tail ? std::to_string(r.point.graphs) : ""; }},
        {"pending_limit_asked", [](Row r) { return asked(from_device(r.mechanism), r.point.pending_limit, "auto"); }},
        {"pending_limit", [](Row r) { return count_or_empty(r.sample.pending_limit); }},
        {"limit_bytes",
         [](Row r) { return r.sample.pending_limit == 0 ? "" : std::to_string(r.sample.limit_bytes); }},
        {"wave", [](Row r) { return count_or_empty(r.sample.wave); }},
        {"waves", [](Row r) { return count_or_empty(r.sample.waves); }},
        {"streams", [](Row r) { return count_or_empty(r.sample.streams); }},
        {"schedule", [](Row r) { return r.run.schedule; }},
        {"seed", [](Row r) { return r.info.drawn() ? std::to_string(r.point.seed) : ""; }},
        {"repetition", [](Row r) { return std::to_string(r.repetition); }},
        {"gpu_us", [](Row r) { return number_or_empty(r.sample.gpu_us); }},
        {"wall_us", [](Row r) { return number_or_empty(r.sample.wall_us); }},
        {"bytes", [](Row r) { return count_or_empty(bytes_moved(r.info, r.point)); }},
        {"bandwidth_gb_s", [](Row r) { return rate_or_empty(r.bandwidth.effective); }},
        {"peak_gb_s", [](Row r) { return rate_or_empty(r.bandwidth.peak); }},
        {"peak_share", [](Row r) { return share_or_empty(r.bandwidth.peak_share()); }},
        {"measured_gb_s", [](Row r) { return rate_or_empty(r.bandwidth.measured); }},
        {"measured_share", [](Row r) { return share_or_empty(r.bandwidth.measured_share()); }},
        {"l2_bytes", [](Row r) { return r.bandwidth.peak ? count_or_empty(r.run.device.l2_bytes) : ""; }},
        {"floor_us", [](Row r) { return fmt::format("{:.3f}", r.run.floor_us); }},
        {"latency_us", [](Row r) { return latency_text(r, median); }},
        {"latency_min_us", [](Row r) { return latency_text(r, [](auto v) { return std::ranges::min(v); }); }},
        {"latency_max_us", [](Row r) { return latency_text(r, [](auto v) { return std::ranges::max(v); }); }},
        {"latency_us_by_depth", latency_by_depth},
        {"timer_step_ns", [](Row r) { return std::to_string(r.run.timer_step_ns); }},
        {"host_launches",
         [](Row r) { return r.sample.host_launches ? std::to_string(*r.sample.host_launches) : ""; }},
        {"launches_expected", [](Row r) { return std::to_string(strategy_of(r.point).launches(r.point).total()); }},
        {"launches_attempted", [](Row r) { return counted(r, &LaunchCounts::attempted); }},
        {"launches_failed", [](Row r) { return counted(r, &LaunchCounts::failed); }},
        {"launches_by_depth",
         [](Row r) {
             return r.sample.launches ? fmt::format("{}", fmt::join(r.sample.launches->attempted_by_depth, " ")) : "";
         }},
        {"max_depth", [](Row r) { return r.sample.launches ? std::to_string(r.sample.launches->max_depth) : ""; }},
        {"answer", [](Row r) { return r.sample.answer; }},
        {"reference", [](Row r) { return r.sample.reference; }},
        {"relative_error",
         [](Row r) {
             return r.sample.relative_error && std::isfinite(*r.sample.relative_error)
                        ? fmt::format("{:.3g}", *r.sample.relative_error)
                        : "";
         }},
        {"status", [](Row r) { return std::string(name_of(r.sample.status)); }},
        {"detail", [](Row r) { return r.sample.detail; }},
        {"gpu", [](Row r) { return r.run.device.name; }},
        {"driver", [](Row r) { return r.run.device.driver; }},
        {"cuda", [](Row r) { return r.run.device.runtime; }},
        {"git", [](Row) { return std::string(kGit); }},
        {"utc", [](Row) { return utc_now(); }},
    };
    return columns;
}

} // namespace

const std::vector<std::string>& columns()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> found;
        for (const Column& column : table())
            found.emplace_back(column.name);
        return found;
    }();
    return names;
}

std::vector<std::string> row_of(const RunFacts& run, const Case& point, unsigned repetition, const Sample& sample)
{
    const StrategyInfo& info = strategy_of(point).info();
    const RowSource source{.run = run,
                           .point = point,
                           .repetition = repetition,
                           .sample = sample,
                           .info = info,
                           .mechanism = mechanism_of(info, point),
                           .bandwidth = bandwidth_of(info, point, sample, run.device, run.bandwidth)};
    std::vector<std::string> cells;
    for (const Column& column : table())
        cells.push_back(column.cell(source));
    return cells;
}

std::string csv_line(const std::vector<std::string>& cells)
{
    std::string line;
    for (std::size_t index = 0; index < cells.size(); ++index) {
        const std::string& cell = cells[index];
        if (index > 0)
            line += ',';
        // Blanks at the ends too: they belong to the cell, and readers cut them off when they are not quoted.
        const bool blank_end = !cell.empty() && (std::isblank(static_cast<unsigned char>(cell.front())) != 0 ||
                                                 std::isblank(static_cast<unsigned char>(cell.back())) != 0);
        if (!blank_end && cell.find_first_of(",\"\r\n") == std::string::npos) {
            line += cell;
            continue;
        }
        std::string quoted(2 * cell.size() + 2, '\0');
        quoted.resize(csv_write(quoted.data(), quoted.size(), cell.data(), cell.size()));
        line += quoted;
    }
    return line + "\r\n";
}

std::vector<std::vector<std::string>> parse_csv(std::string_view text)
{
    struct Reader {
        std::vector<std::vector<std::string>> rows;
        std::vector<std::string> row;
    } reader;
    csv_parser parser{};
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        throw RunError("the CSV parser could not be started");
    const auto on_field = [](void* field, std::size_t size, void* data) {
        static_cast<Reader*>(data)->row.emplace_back(static_cast<const char*>(field), size);
    };
    const auto on_row = [](int /*terminator*/, void* data) {
        auto* into = static_cast<Reader*>(data);
        into->rows.push_back(std::exchange(into->row, {}));
    };
    const std::size_t parsed = csv_parse(&parser, text.data(), text.size(), on_field, on_row, &reader);
    const bool failed = parsed != text.size() || csv_fini(&parser, on_field, on_row, &reader) != 0;
    const std::string why = csv_strerror(csv_error(&parser));
    csv_free(&parser);
    if (failed)
        throw RunError(fmt::format("byte {} of the CSV: {}", parsed, why));
    return reader.rows;
}

void CsvLog::Close::operator()(std::FILE* file) const noexcept
{
    if (file != stdout)
        static_cast<void>(std::fclose(file));
}

namespace
{
char last_byte(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    file.seekg(-1, std::ios::end);
    return static_cast<char>(file.get());
}
} // namespace

CsvLog::CsvLog(const std::string& path) : path_(path)
{
    if (path == "-") {
        file_.reset(stdout);
        append(columns());
        return;
    }
    namespace fs = std::filesystem;
    const auto refuse = [&](const std::string& why) {
        throw UsageError(
            fmt::format("--output {}: {}; allowed: a file that can be written, or - for standard output", path, why));
    };
    std::error_code ignored;
    const bool existed = fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > 0;
    if (existed) {
        const std::string expected = csv_line(columns());
        std::string header(expected.size(), '\0');
        std::ifstream(path, std::ios::binary).read(header.data(), static_cast<std::streamsize>(header.size()));
        if (header != expected)
            refuse("it is there already and is not a log of this version, and nothing is overwritten");
    }
    const fs::path parent = fs::path(path).parent_path();
    if (!parent.empty() && !fs::is_directory(parent, ignored))
        refuse(fmt::format("there is no folder {}", parent.string()));
    if (existed && last_byte(path) != '\n')
        refuse("its last row is not whole");
    file_.reset(std::fopen(path.c_str(), "ab"));
    if (!file_)
        refuse(std::strerror(errno));
    if (existed)
        return;
    try {
        append(columns());
    } catch (const RunError&) {
        if (fs::is_regular_file(path, ignored))
            fs::remove(path, ignored); // not half-made
        throw;
    }
}

void CsvLog::append(const std::vector<std::string>& cells)
{
    const std::string line = csv_line(cells);
    if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() || std::fflush(file_.get()) != 0)
        throw RunError(fmt::format("{}: the row could not be written: {}", path_, std::strerror(errno)));
}

bool has_manifest(const std::string& csv_path)
{
    namespace fs = std::filesystem;
    std::error_code ignored;
    return csv_path != "-" && (!fs::exists(csv_path, ignored) || fs::is_regular_file(csv_path, ignored));
}

std::string manifest_path(const std::string& csv_path)
{
    return std::filesystem::path(csv_path).replace_extension(".json").string();
}

namespace
{

nlohmann::ordered_json device_json(const RunFacts& run, const DepthProbe& probe)
{
    const DeviceFacts& device = run.device;
    nlohmann::ordered_json json{
        {"name", device.name},
        {"compute_capability", device.compute_capability},
        {"driver", device.driver},
        {"cuda_runtime", device.runtime},
        {"schedule", run.schedule},
        {"multiprocessors", device.multiprocessors},
        {"resident_grids", device.resident_grids},
        {"default_pending_limit", device.default_pending_limit},
        {"memory_bytes", device.memory_bytes},
        {"l2_bytes", device.l2_bytes},
        {"peak_bandwidth_gb_s", device.peak_bandwidth_gb_s},
        {"read_bandwidth_gb_s", run.bandwidth.read_gb_s},
        {"copy_bandwidth_gb_s", run.bandwidth.copy_gb_s},
        {"null_kernel_us", run.floor_us},
        {"timer_step_ns", run.timer_step_ns},
        {"nesting_depth_tried", probe.asked},
        {"nesting_depth_reached", probe.reached},
        {"nesting_depth_error", probe.error},
    };
    return json;
}

} // namespace

namespace
{
// An empty object where there is no file yet. Throws UsageError.
nlohmann::ordered_json read_manifest(const std::string& path)
{
    const bool there = std::filesystem::exists(path);
    std::ifstream old(path);
    if (!there)
        return nlohmann::ordered_json::object();
    nlohmann::ordered_json manifest;
    if (std::filesystem::is_regular_file(path))
        manifest = nlohmann::ordered_json::parse(old, nullptr, false);
    if (!manifest.is_object() || !manifest.contains("runs") || !manifest["runs"].is_object())
        throw UsageError(fmt::format("{}: it is there already and is not a manifest, and nothing is overwritten; "
                                     "allowed: an --output beside which there is none, or one of nestbed's",
                                     path));
    return manifest;
}
} // namespace

void check_manifest(const std::string& csv_path)
{
    if (manifest_path(csv_path) == csv_path)
        throw UsageError(fmt::format("--output {}: that is the name of the log's manifest; allowed: another "
                                     "ending, .csv for one",
                                     csv_path));
    static_cast<void>(read_manifest(manifest_path(csv_path)));
}

void write_manifest(const std::string& csv_path, const Plan& plan, const std::map<BackendKind, RunFacts>& runs,
                    const std::map<BackendKind, DepthProbe>& probes, const std::vector<std::string>& command)
{
    const std::string path = manifest_path(csv_path);
    nlohmann::ordered_json manifest = read_manifest(path);
    nlohmann::ordered_json run{
        {"experiment", plan.experiment},
        {"title", plan.title},
        {"started_utc", utc_now()},
        {"command", command},
        {"cases", plan.case_count()},
        {"samples", plan.sample_count()},
        {"nestbed", kVersion},
        {"git", kGit},
        {"build", kBuild},
        {"compiler", kCompiler},
        {"nvcc", kNvcc},
    };
    for (const auto& [backend, facts] : runs)
        run["backends"][std::string(name_of(backend))] = device_json(facts, probes.at(backend));
    manifest["runs"][runs.begin()->second.run_id] = run;

    const std::string partial = path + ".partial";
    {
        std::ofstream file(partial);
        file << manifest.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
        if (!file.flush())
            throw RunError(fmt::format("{}: the manifest could not be written", partial));
    }
    std::error_code error;
    std::filesystem::rename(partial, path, error);
    if (error)
        throw RunError(fmt::format("{}: the manifest could not be written: {}", path, error.message()));
}

namespace
{
std::tm now()
{
    return fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
}
} // namespace

std::string new_run_id()
{
    return fmt::format("{:%Y%m%dT%H%M%SZ}-{}", now(), getpid());
}

std::string utc_now()
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", now());
}

} // namespace nestbed
