#include "plan/settings.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "model/axis_table.hpp"
#include "model/strategy.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

namespace nestbed
{

namespace
{

// An experiment has no reason to exceed these limits. Check them before a larger file uses up all memory: each part
// has its own copy of the settings before the first section.
constexpr std::size_t kMaxBytes = 65'536;
constexpr std::size_t kMaxSections = 1000;

std::vector<Key> table_of_keys()
{
    constexpr bool kOfRun = false;
    std::vector<Key> keys{{"title", "TEXT", "TEXT", "what the experiment asks; printed above its table", "", kOfRun}};
    for (const Axis& axis : all_axes())
        keys.push_back({axis.name,
                        axis.has_commas ? "TEXT"
                        : axis.list()   ? "LIST"
                                        : "AXIS",
                        axis.has_commas ? "TEXT"
                        : axis.shape    ? "WxH"
                        : axis.words()  ? "NAME"
                                        : "N",
                        axis.help, axis.default_text, axis.name != "backend", axis.own, axis.hint});
    keys.insert(
        keys.end(),
        {{"repeat", "N", "N", "timed runs per case; with a precision, the minimum", "cuda 30, cpu 5", kOfRun},
         {"precision", "P%", "P%", "repeat a case until the interval of its median is within P% of the median", "",
          kOfRun},
         {"max-repeat", "N", "N", "with a precision, the maximum number of timed runs per case", "1000", kOfRun},
         {"warmup", "N", "N", "untimed runs before the timed ones", "cuda 3, cpu 1", kOfRun},
         {"timeout", "SECONDS", "SECONDS", "end a sample after this time without progress",
          "cuda 60, cpu 600, or 20 times the estimate", kOfRun},
         {"retries", "N", "N", "retries of a case, or of the start of a worker, after a crash", "1", kOfRun},
         {"empty-kernel-us", "LOW:HIGH", "LOW:HIGH",
          "refuse to start on a GPU where an empty kernel takes less or more, in us", "", kOfRun},
         {"latency", "on", "on", "measure launch latencies by depth, in one more run per nested case", "off", kOfRun},
         {"expect", "NAME", "NAME",
          "the expected outcome: ok, wrong, launch_failed, unsupported or timeout; for `nestbed races`: ok or race",
          "ok", kOfRun},
         {"figure", "LIST", "NAME", "the figures that plot.sh and report.sh draw of the log",
          "those of its workloads", kOfRun},
         {"schedule", "NAME", "NAME", "how the CPU executor orders grids: fifo, eager or random:SEED", "fifo",
          kOfRun},
         {"workers", "N", "N", "threads of the CPU executor under fifo", "one per core, at most 12", kOfRun}});
    return keys;
}

std::vector<std::string_view> key_names()
{
    std::vector<std::string_view> names;
    for (const Key& key : all_keys())
        names.push_back(key.name);
    return names;
}

} // namespace

std::span<const Key> all_keys()
{
    static std::mutex mutex;
    static std::map<const Axis*, std::vector<Key>>
        made; // by the table of axes, of which there is a new one for new parameters
    const std::lock_guard lock(mutex);
    std::vector<Key>& keys = made[all_axes().data()];
    if (keys.empty())
        keys = table_of_keys();
    return keys;
}

std::string canonical_key(std::string_view name)
{
    std::string key(name);
    std::ranges::replace(key, '_', '-');
    return key;
}

std::string Setting::place() const
{
    return file.empty() ? fmt::format("--{} {}", key, value) : fmt::format("{}:{}: {} = {}", file, line, key, value);
}

namespace
{
// The name in a line "[name]"; empty if the line has another form. Boost's own sections would become prefixes of its
// keys.
std::optional<std::string> section_in(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || text[begin] != '[')
        return std::nullopt;
    const std::size_t end = text.find(']', begin);
    if (end == std::string_view::npos)
        return std::nullopt;
    const std::size_t behind = text.find_first_not_of(" \t\r", end + 1);
    if (behind != std::string_view::npos && text[behind] != '#')
        return std::nullopt;
    return std::string(text.substr(begin + 1, end - begin - 1));
}

// experiments/book.cfg for `book` and `book.cfg`; empty if there is no such file.
std::string experiment_like(const std::string& path)
{
    for (const std::string& other : {path + ".cfg", "experiments/" + path, "experiments/" + path + ".cfg"})
        if (std::error_code ignored; std::filesystem::is_regular_file(other, ignored))
            return other;
    return "";
}

bool is_elf(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    std::array<char, 4> begin{};
    return file.read(begin.data(), begin.size()) && std::string_view(begin.data(), begin.size()) == "\177ELF";
}

// For the error that there is no such file: what the user may have meant.
std::string meant_by(const std::string& path)
{
    if (const std::string other = experiment_like(path); !other.empty())
        return fmt::format(", did you mean '{}'?", other);
    if (const auto names = Registry::names(); std::ranges::find(names, path) != names.end())
        return fmt::format(", but {} is a strategy: `nestbed run --strategy {}`", path, path);
    const auto is_named = [&](const WorkloadInfo* workload) { return workload->name == path; };
    if (path.find_first_of("./") == std::string::npos && std::ranges::any_of(Registry::workloads(), is_named))
        return fmt::format(
            ", but {} is a workload: `nestbed list {}` prints its strategies, for `nestbed run --strategy NAME`",
            path, path);
    return "";
}
} // namespace

void Settings::read_file(const std::string& named)
{
    namespace fs = std::filesystem;
    std::error_code ignored;
    std::string path = named;
    std::string section;
    if (const std::size_t colon = named.find(':', named.rfind('/') + 1);
        colon != std::string::npos && !fs::exists(named, ignored)) {
        path = named.substr(0, colon);
        section = named.substr(colon + 1);
    }
    if (path.ends_with(".csv") || path.ends_with(".csv.gz"))
        throw UsageError(
            fmt::format("{}: it is a CSV; allowed: a file of key = value lines; the commands for a log are "
                        "`nestbed show LOG.csv` and `nestbed predict --against LOG.csv`",
                        path));
    if (fs::is_directory(path, ignored))
        throw UsageError(fmt::format("{}: it is a folder; allowed: a file of key = value lines", path));
    if (!fs::exists(path, ignored))
        throw UsageError(fmt::format("{}: there is no such experiment file{}; allowed: a file of key = value lines",
                                     path, meant_by(path)));
    if (is_elf(path))
        throw UsageError(
            fmt::format("{}: it is a built program, not an experiment file; allowed: run it as it is, or "
                        "measure it by `nestbed run --program {}`",
                        path, fs::path(path).has_parent_path() ? path : "./" + path));
    std::string text;
    try {
        text = read_text_file(path, kMaxBytes);
    } catch (const RunError& error) {
        throw UsageError(error.what());
    }
    read_text(text, path);
    if (path != named)
        keep_section(path, section);
}

void Settings::keep_section(const std::string& path, const std::string& name)
{
    if (std::ranges::find(sections_, name) == sections_.end()) {
        const std::vector<std::string_view> names(sections_.begin(), sections_.end());
        throw UsageError(fmt::format("{}: there is no section [{}]{}", path, name,
                                     names.empty() ? "; allowed: only the file's name: it has no sections"
                                                   : suggestions(name, names, "the file itself")));
    }
    std::erase_if(settings_,
                  [&](const Setting& setting) { return !setting.section.empty() && setting.section != name; });
    sections_ = {name};
    experiment_ += "-" + name; // so that its log differs from that of the whole file
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    std::ranges::replace_if(
        experiment_,
        [&](char c) { return kPlain.find(c) == std::string_view::npos && (static_cast<unsigned char>(c) < 0x80); },
        '_');
}

// Reads the text line by line with Boost.Program_options, which does not report the line of an error.
void Settings::read_text(std::string_view whole, const std::string& path)
{
    namespace po = boost::program_options;
    if (whole.size() > kMaxBytes)
        throw UsageError(
            fmt::format("{}: it is too large for an experiment file; allowed: {} bytes", path, kMaxBytes));
    std::istringstream lines{std::string(whole)};
    std::string text;
    std::vector<Setting> read;
    std::vector<std::string> sections;
    for (unsigned line = 1; std::getline(lines, text); ++line) {
        const auto refuse = [&](const std::string& why) {
            throw UsageError(fmt::format("{}:{}: {}", path, line, why));
        };
        if (line == 1 && text.starts_with("\xEF\xBB\xBF")) // a byte order mark
            text.erase(0, 3);
        if (text.ends_with('\r')) // of a Windows line end
            text.pop_back();
        if (const auto bad = std::ranges::mismatch(text, printable(text)).in1; bad != text.end())
            refuse(fmt::format("byte {:#04x} is of a control character, or not UTF-8; allowed: UTF-8 text",
                               static_cast<unsigned>(static_cast<unsigned char>(*bad))));
        if (const std::optional<std::string> name = section_in(text)) {
            if (name->empty())
                refuse(fmt::format("'{}' names no section", text));
            if (std::ranges::find(sections, *name) != sections.end())
                refuse(fmt::format("section [{}] already exists", *name));
            if (sections.size() == kMaxSections)
                refuse(fmt::format("section [{}]: too many sections; allowed: {}", *name, kMaxSections));
            sections.push_back(*name);
            continue;
        }
        std::istringstream one_line(text);
        po::basic_parsed_options<char> parsed(nullptr);
        try {
            parsed = po::parse_config_file(one_line, po::options_description(), true);
        } catch (const po::error&) {
            refuse(fmt::format("'{}' is not of the form key = value or [section]", text));
        }
        if (parsed.options.empty() && text.find_first_of('[') < text.find_first_of('#'))
            refuse(fmt::format("'{}' is neither key = value nor [section]", text));
        for (const auto& option : parsed.options) {
            Setting setting{canonical_key(option.string_key), option.value.empty() ? "" : option.value.front(), path,
                            line, sections.empty() ? "" : sections.back()};
            const std::vector<std::string_view> names = key_names();
            if (std::ranges::find(names, setting.key) == names.end())
                refuse(fmt::format("unknown key '{}'{}", option.string_key,
                                   suggestions(setting.key, names, "nestbed help run")));
            if (setting.key == "title" && text.find('#') != std::string::npos)
                refuse("a '#' begins a comment and cannot be part of the title; allowed: a title without '#', and a "
                       "comment in a "
                       "line of its own");
            if (setting.value.empty())
                refuse(fmt::format("{} has no value", setting.key));
            if (!setting.section.empty() && !std::ranges::find(all_keys(), setting.key, &Key::name)->axis)
                refuse(fmt::format("{} is for the whole run; allowed: before the first section", setting.key));
            read.push_back(std::move(setting));
        }
    }
    settings_.insert(settings_.end(), read.begin(), read.end());
    sections_.insert(sections_.end(), sections.begin(), sections.end());
    experiment_ = std::filesystem::path(path).stem().string();
}

void Settings::set(const std::string& key, const std::vector<std::string>& values)
{
    std::vector<std::string> before;
    for (const Setting& setting : of(key))
        before.push_back(setting.value);
    const auto known = std::ranges::find(all_keys(), key, &Key::name);
    if (known != all_keys().end() && known->axis && before != values)
        changed_.push_back(key);
    std::erase_if(settings_, [&](const Setting& setting) { return setting.key == key; });
    for (const std::string& value : values)
        settings_.push_back({key, value, "", 0, ""});
}

std::string Settings::title() const
{
    const auto title = one("title");
    if (!title)
        return "";
    return title->file.empty() || changed_.empty()
               ? title->value
               : fmt::format("{} (changed: {})", experiment_, fmt::join(changed_, ", "));
}

std::vector<Settings> Settings::parts() const
{
    if (sections_.empty())
        return {*this};
    std::vector<Settings> parts;
    for (const std::string& section : sections_) {
        Settings part;
        part.experiment_ = experiment_;
        part.section_ = section;
        std::set<std::string_view> own;
        for (const Setting& setting : settings_)
            if (setting.section == section)
                own.insert(setting.key);
        for (const Setting& setting : settings_)
            if (setting.section == section || (setting.section.empty() && !own.contains(setting.key)))
                part.settings_.push_back(setting);
        parts.push_back(std::move(part));
    }
    return parts;
}

std::vector<Setting> Settings::of(std::string_view key) const
{
    std::vector<Setting> found;
    std::ranges::copy_if(settings_, std::back_inserter(found), [&](const Setting& s) { return s.key == key; });
    return found;
}

std::optional<Setting> Settings::one(std::string_view key) const
{
    const std::vector<Setting> found = of(key);
    if (found.empty())
        return std::nullopt;
    if (found.size() > 1)
        throw UsageError(fmt::format("{}: {} was given before; it takes one value", found[1].place(), key));
    return found.front();
}

} // namespace nestbed
