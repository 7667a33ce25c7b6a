#include "log/run_identity.hpp"

#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/subprocess.hpp"
#include "base/text_file.hpp"
#include "base/version.hpp"
#include "log/case_differences.hpp"
#include "model/case_text.hpp"
#include "model/ledger.hpp"
#include "model/modules.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace nestbed
{

std::string RunIdentity::plan_digest() const
{
    constexpr std::size_t kDigits = 16;
    std::string text;
    for (const PlannedCase& one : cases)
        text += fmt::format("{} {}\n", one.key, repeats_text(one.repeat));
    return sha256_of(text).substr(0, kDigits);
}

std::string build_text(const std::set<std::string>& strategies, const std::set<std::string>& programs)
{
    constexpr std::size_t kDigits = 16;
    std::string text = fmt::format("{}, {}", kBuild, kCompiler);
    if (!std::string_view(kNvcc).empty())
        text += fmt::format(", nvcc {}", kNvcc);
    if (!kCountsLaunches)
        text += ", no ledger";
    // In a tree with changes, or without git, a hash of the program and of its modules with the strategies identifies it.
    if (!is_commit(kGit)) {
        std::set<std::string> files{"/proc/self/exe"};
        if (modules_in_use() != nullptr)
            for (const std::string& strategy : strategies)
                files.insert(modules_in_use()->file_with(strategy).string());
        std::string hashes;
        for (const std::string& file : files)
            if (!file.empty())
                hashes += sha256_of(read_text_file(file));
        text += fmt::format(", program {}", sha256_of(hashes).substr(0, kDigits));
    }
    for (const std::string& program : programs)
        if (const std::string file = find_program(program); !file.empty())
            text += fmt::format(", {} {}", program, sha256_of(read_text_file(file)).substr(0, kDigits));
    return text;
}

RunIdentity identity_of(const Plan& whole, const std::map<BackendKind, RunFacts>& runs, const std::string& shard,
                        bool ranges)
{
    std::set<std::string> strategies;
    std::set<std::string> programs;
    for (const Group& group : whole.groups)
        for (const Case& point : group.cases) {
            strategies.insert(point.strategy);
            if (!point.program.empty())
                programs.insert(point.program);
        }
    RunIdentity record{.nestbed = kVersion,
                       .git = kGit,
                       .build = build_text(strategies, programs),
                       .experiment = whole.experiment,
                       .title = whole.title,
                       .figures = whole.figures,
                       .expect = std::string(name_of(whole.expect)),
                       .order_seed = whole.order_seed,
                       .untimed = runs.begin()->second.untimed,
                       .ranges = ranges,
                       .shard = shard};
    for (const auto& [backend, run] : runs)
        record.backends[std::string(name_of(backend))] = {.name = run.device.name,
                                                          .driver = run.device.driver,
                                                          .runtime = run.device.runtime,
                                                          .machine = run.machine,
                                                          .multiprocessors = run.device.multiprocessors,
                                                          .schedule = run.schedule,
                                                          .repeat = whole.repeat.at(backend),
                                                          .warmup = whole.warmup.at(backend)};
    if (modules_in_use() != nullptr)
        record.modules = modules_in_use()->user_hashes(strategies);
    for (const Group& group : whole.groups)
        for (const Case& point : group.cases)
            record.cases.push_back({.key = key_of(point, runs.at(point.backend).schedule),
                                    .settings = settings_text(point),
                                    .repeat = whole.repeat.at(point.backend)});
    return record;
}

namespace
{

std::set<std::string> hashes_of(const RunIdentity& record)
{
    std::set<std::string> hashes;
    for (const auto& [file, hash] : record.modules)
        hashes.insert(hash);
    return hashes;
}

// By their content: a folder that has moved has the same module. A file that only one of the runs has gets no second line if
// the other has its module elsewhere.
std::vector<std::string> different_modules(const RunIdentity& there, const RunIdentity& here)
{
    constexpr std::size_t kDigits = 12;
    const std::set<std::string> hashes_there = hashes_of(there);
    const std::set<std::string> hashes_here = hashes_of(here);
    std::vector<std::string> found;
    for (const auto& [file, hash] : here.modules) {
        if (hashes_there.contains(hash))
            continue;
        const auto other = there.modules.find(file);
        found.push_back(fmt::format("module {}: another build (SHA-256 {} there, {} here)", file,
                                    other == there.modules.end() ? "not known" : other->second.substr(0, kDigits),
                                    hash.substr(0, kDigits)));
    }
    for (const auto& [file, hash] : there.modules)
        if (!hashes_here.contains(hash) && !here.modules.contains(file))
            found.push_back(fmt::format("module {}: only there", file));
    return found;
}

} // namespace

std::vector<std::string> differences(const RunIdentity& there, const RunIdentity& here, Differing what)
{
    std::vector<std::string> found;
    const auto compare = [&](const std::string& name, const auto& a, const auto& b) {
        if (a != b)
            found.push_back(fmt::format("{}: {} there, {} here", name, a, b));
    };
    const auto quoted = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
    compare("experiment", there.experiment, here.experiment);
    compare("version", fmt::format("{} ({}, {})", there.nestbed, there.git, there.build),
            fmt::format("{} ({}, {})", here.nestbed, here.git, here.build));
    compare("expect", there.expect, here.expect);
    compare("seed of the order", there.order_seed, here.order_seed);
    compare("NVTX ranges", there.ranges ? "yes" : "no", here.ranges ? "yes" : "no");
    compare("untimed", there.untimed ? "yes" : "no", here.untimed ? "yes" : "no");
    std::set<std::string> backends;
    for (const RunIdentity* record : {&there, &here})
        for (const auto& [name, backend] : record->backends)
            backends.insert(name);
    for (const std::string& name : backends) {
        const auto a = there.backends.find(name);
        const auto b = here.backends.find(name);
        if (a == there.backends.end() || b == here.backends.end()) {
            found.push_back(
                fmt::format("backend {}: {}", name, a == there.backends.end() ? "only here" : "only there"));
            continue;
        }
        if (what == Differing::anything)
            compare("machine", quoted(a->second.machine), quoted(b->second.machine));
        if (what != Differing::experiment) {
            compare("device of " + name, quoted(a->second.name), quoted(b->second.name));
            compare("driver", quoted(a->second.driver), quoted(b->second.driver));
            compare("CUDA runtime", quoted(a->second.runtime), quoted(b->second.runtime));
            compare(name == "cpu" ? "workers" : "multiprocessors", a->second.multiprocessors,
                    b->second.multiprocessors);
        }
        compare("schedule", quoted(a->second.schedule), quoted(b->second.schedule));
        const Repeats& before = a->second.repeat;
        const Repeats& now = b->second.repeat;
        const bool precise = before.precision != 0 || now.precision != 0;
        if (what != Differing::device || precise || now.least < before.least) // another run may add repetitions
            compare("repeat on " + name, repeats_text(before), repeats_text(now));
        compare("warmup on " + name, a->second.warmup, b->second.warmup);
    }
    std::ranges::copy(different_modules(there, here), std::back_inserter(found));
    if (std::string cases = case_differences(there.cases, here.cases); !cases.empty())
        found.push_back(std::move(cases));
    return found;
}

std::string devices_text(const RunIdentity& record)
{
    std::vector<std::string> devices;
    for (const auto& [name, backend] : record.backends)
        devices.push_back(name == "cpu" ? fmt::format("{} ({} workers)", backend.name, backend.multiprocessors)
                                        : fmt::format("{} ({} multiprocessors, driver {}, CUDA {})", backend.name,
                                                      backend.multiprocessors, backend.driver, backend.runtime));
    return fmt::format("{}", fmt::join(devices, ", "));
}

namespace
{

void add_repeats(Json& json, const Repeats& repeats)
{
    json["repeat"] = repeats.least;
    if (repeats.precision == 0)
        return;
    json["max_repeat"] = repeats.most;
    json["precision"] = repeats.precision;
}

Repeats repeats_in(const Json& json)
{
    const unsigned least = json.at("repeat");
    return {.least = least, .most = json.value("max_repeat", least), .precision = json.value("precision", 0.0)};
}

// Calls visit(name, member) for what a manifest has under this name.
template <class Identity, class Visit>
void for_members(Identity& record, const Visit& visit)
{
    visit("experiment", record.experiment);
    visit("title", record.title);
    visit("expect", record.expect);
    visit("order_seed", record.order_seed);
    visit("untimed", record.untimed);
    visit("nvtx_ranges", record.ranges);
    visit("nestbed", record.nestbed);
    visit("git", record.git);
    visit("build", record.build);
}
template <class Backend, class Visit>
void for_members_of_backend(Backend& backend, const Visit& visit)
{
    visit("name", backend.name);
    visit("driver", backend.driver);
    visit("cuda_runtime", backend.runtime);
    visit("machine", backend.machine);
    visit("multiprocessors", backend.multiprocessors);
    visit("schedule", backend.schedule);
    visit("warmup", backend.warmup);
}

auto writer_to(Json& json)
{
    return [&json](const char* name, const auto& member) { json[name] = member; };
}
// A manifest of an earlier version may lack keys: an empty value then.
auto reader_of(const Json& json)
{
    return [&json](const char* name, auto& member) {
        if (json.contains(name))
            json.at(name).get_to(member);
    };
}

} // namespace

Json to_json(const RunIdentity& record)
{
    Json json{{"plan", record.plan_digest()}};
    for_members(record, writer_to(json));
    if (!record.shard.empty())
        json["shard"] = record.shard;
    if (!record.figures.empty())
        json["figures"] = record.figures;
    for (const auto& [file, hash] : record.modules)
        json["modules"][file] = hash;
    for (const auto& [name, backend] : record.backends) {
        Json& one = json["backends"][name];
        for_members_of_backend(backend, writer_to(one));
        add_repeats(one, backend.repeat);
    }
    return json;
}

Json cases_to_json(const RunIdentity& record)
{
    Json cases = Json::array();
    for (const PlannedCase& one : record.cases) {
        Json& planned = cases.emplace_back(Json{{"key", one.key}});
        add_repeats(planned, one.repeat);
        planned["case"] = one.settings;
    }
    return cases;
}

RunIdentity identity_from_json(const Json& run, const Json& plans)
{
    RunIdentity record{.figures = run.value("figures", std::vector<std::string>()),
                       .modules = run.value("modules", std::map<std::string, std::string>()),
                       .shard = run.value("shard", "")};
    for_members(record, reader_of(run));
    for (const auto& [name, json] : run.at("backends").items()) {
        RunIdentity::Backend& backend = record.backends[name];
        for_members_of_backend(backend, reader_of(json));
        if (json.contains("repeat"))
            backend.repeat = repeats_in(json);
    }
    if (run.contains("plan"))
        for (const Json& one : plans.at(run.at("plan").get<std::string>()))
            record.cases.push_back({.key = one.at("key"), .settings = one.at("case"), .repeat = repeats_in(one)});
    return record;
}

} // namespace nestbed
