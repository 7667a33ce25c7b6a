#include "model/modules.hpp"

#include "base/build_line.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "model/interface.hpp"

#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

namespace nestbed
{

namespace fs = std::filesystem;

namespace
{
constexpr const char* kWorkloadModule = "workload.so";
constexpr const char* kLoad = "NESTBED_LOAD"; // folders of users' workloads, also for the programs that it calls

// Whether it was built with the same headers. What is no library is not judged here: loading it says what is wrong. The file is mapped, not
// read: one with code for GPUs may have 20 MB.
bool is_of_this_program(const fs::path& file)
{
    namespace ipc = boost::interprocess;
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(file, error);
    if (error)
        refuse_text(file.string(), error.message());
    if (bytes == 0)
        return true;
    try {
        const ipc::mapped_region region(ipc::file_mapping(file.c_str(), ipc::read_only), ipc::read_only);
        const std::string_view content(static_cast<const char*>(region.get_address()), region.get_size());
        return !content.starts_with("\177ELF") || content.find(nestbed_interface) != std::string_view::npos;
    } catch (const ipc::interprocess_exception& failed) {
        refuse_text(file.string(), std::strerror(failed.get_native_error()));
    }
}

// The sources in a rule for Make, as nestbed_rewrite writes it: `OUTPUT: FILE FILE`.
std::vector<fs::path> sources_of_rule(const fs::path& file)
{
    std::ifstream in(file);
    const std::string rule((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    std::vector<fs::path> sources;
    std::string word;
    for (std::size_t at = 0; at < rule.size(); ++at) {
        if ((rule[at] == '\\' || rule[at] == '$') && at + 1 < rule.size())
            word += rule[++at];
        else if (rule[at] == ' ' || rule[at] == '\n')
            sources.emplace_back(std::exchange(word, {}));
        else
            word += rule[at];
    }
    if (!sources.empty())
        sources.erase(sources.begin()); // the output
    return sources;
}

std::unique_ptr<Modules>& in_use()
{
    static std::unique_ptr<Modules> modules;
    return modules;
}

} // namespace

Modules::Modules(fs::path folder, std::string_view prefix) : folder_(std::move(folder)), prefix_(prefix)
{
    if (folder_.empty())
        return;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
        if (entry.path().extension() != ".txt")
            continue;
        std::istringstream list(read_text_file(entry.path().string()));
        for (std::string name; list >> name;)
            workload_of_[name] = entry.path().stem().string();
    }
}

std::vector<std::string_view> Modules::names() const
{
    std::vector<std::string_view> names;
    if (!hides_names_)
        for (const auto& [name, workload] : workload_of_)
            names.push_back(name);
    return names;
}

fs::path Modules::file_of(std::string_view workload) const
{
    return file_of_module(fmt::format("{}{}", prefix_, workload));
}

fs::path Modules::file_of_module(const std::string& module) const
{
    return folder_ / (module + ".so");
}

std::string Modules::target_of(std::string_view strategy, std::string_view prefix) const
{
    const auto found = workload_of_.find(strategy);
    return found == workload_of_.end() ? "" : fmt::format("{}{}", prefix, found->second);
}

std::set<std::string> Modules::workloads() const
{
    std::set<std::string> names;
    for (const auto& [strategy, workload] : workload_of_)
        names.insert(workload);
    return names;
}

std::set<std::string> Modules::user_strategies() const
{
    std::set<std::string> names;
    for (const auto& [strategy, file] : file_of_)
        names.insert(strategy);
    return names;
}

std::string Modules::hint_for(std::string_view name) const
{
    if (workloads().contains(std::string(name)))
        return fmt::format("; {} is a workload: nestbed list {}", name, name);
    std::error_code unreadable;
    for (const fs::directory_entry& entry : fs::directory_iterator(".", unreadable)) {
        const std::string folder = entry.path().filename().string();
        if (!name.starts_with(folder) || folders_.contains(fs::weakly_canonical(fs::absolute(entry.path()))))
            continue;
        if (fs::exists(entry.path() / "build" / kWorkloadModule))
            return fmt::format("; the folder {} has a workload: --load {}", folder, folder);
        if (fs::exists(entry.path() / (folder + ".cu")))
            return fmt::format("; the folder {} has a workload: nestbed build {}, then --load {}", folder, folder,
                               folder);
    }
    return folders_.empty() ? "; of a workload of your own: --load FOLDER" : "";
}

fs::path Modules::file_with(std::string_view strategy) const
{
    const auto found = workload_of_.find(strategy);
    return found == workload_of_.end() ? fs::path() : file_of(found->second);
}

std::map<std::string, std::string> Modules::user_hashes(const std::set<std::string>& strategies) const
{
    std::map<std::string, std::string> hashes;
    for (const std::string& strategy : strategies)
        if (const auto own = file_of_.find(strategy); own != file_of_.end())
            hashes[own->second.string()] = hash_of_.at(own->second);
    return hashes;
}

void Modules::expect_unchanged() const
{
    for (const auto& [file, hash] : hash_of_)
        if (!fs::exists(file) || sha256_of(read_text_file(file.string())) != hash)
            throw RunError(
                fmt::format("the module {} was built again, or removed, during this run; allowed: the same "
                            "module until the run has ended; to measure with the new one: run again with "
                            "--overwrite or another --output",
                            file.string()));
}

std::string Modules::missing_text() const
{
    std::set<std::string> missing;
    for (const std::string& workload : workloads())
        if (!fs::exists(file_of(workload)) || !is_of_this_program(file_of(workload)))
            missing.insert(workload);
    if (missing.empty())
        return {};
    return fmt::format("workloads that have not been built: {}; {}", fmt::join(missing, ", "),
                       how_to_build(missing.size() == 1 ? "it" : "them"));
}

void Modules::expect_built(std::string_view workload) const
{
    if (const fs::path file = file_of(workload); workloads().contains(std::string(workload)) && !fs::exists(file))
        throw RunError(fmt::format("workload {} is in the module {}, which does not exist; {}", workload,
                                   file.string(), how_to_build("it")));
}

std::string Modules::how_to_build(std::string_view them, std::string_view target) const
{
    return fmt::format("to build {}: {}", them, build_line(folder_.parent_path(), target));
}

void Modules::load(std::string_view strategy)
{
    const std::string module = target_of(strategy);
    if (module.empty())
        return;
    if (const fs::path file = file_of_module(module); !fs::exists(file))
        throw RunError(fmt::format("strategy {} is in the module {}, which does not exist; {}", strategy,
                                   file.string(), how_to_build("it")));
    load_module(module);
}

void Modules::load_traced(std::string_view strategy)
{
    const std::string module = target_of(strategy, kTracedModules);
    if (module.empty())
        return;
    if (const fs::path file = file_of_module(module); !fs::exists(file))
        throw RunError(
            fmt::format("strategy {}: its kernels for traced runs on cuda are in the module {}, which does "
                        "not exist; {}",
                        strategy, file.string(), how_to_build("it", "traced")));
    load_module(module);
}

void Modules::load_all()
{
    const auto is_known = [this](const std::string& module) {
        const std::lock_guard lock(loading_);
        return loaded_.contains(module) || left_out_.contains(module);
    };
    for (const std::string& workload : workloads()) { // reads a file once: a check of a log asks for each case
        const std::string module = prefix_ + workload;
        if (is_known(module))
            continue;
        if (fs::exists(file_of(workload)) && is_of_this_program(file_of(workload))) {
            load_module(module);
        } else {
            const std::lock_guard lock(loading_);
            left_out_.insert(module);
        }
    }
}

// Its strategies enter the registry by their constructors.
void Modules::open(const fs::path& file, const std::string& how)
{
    // Before it is loaded: its constructors would already use what is not as they know it.
    if (!is_of_this_program(file))
        throw RunError(
            fmt::format("the module {} was built with other headers than the program; {}", file.string(), how));
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
        const char* const why = dlerror();
        throw RunError(
            fmt::format("the module {} cannot be loaded ({}); {}", file.string(), why == nullptr ? "" : why, how));
    }
    if (const std::string clash = Registry::clash(); !clash.empty())
        throw RunError(fmt::format("the module {}: {}", file.string(), clash));
}

void Modules::load_module(const std::string& module)
{
    const std::lock_guard lock(loading_);
    if (loaded_.contains(module))
        return;
    open(file_of_module(module), how_to_build("it", module.starts_with(kTracedModules) ? "traced" : "nestbed"));
    loaded_.insert(module);
}

std::vector<std::string> Modules::load_file(const fs::path& file, const std::string& how)
{
    const auto registered = [this] { // without those that the registry has from here
        hides_names_ = true;
        std::vector<std::string_view> names = Registry::names();
        hides_names_ = false;
        return names;
    };
    const std::vector<std::string_view> before = registered();
    if (fs::exists(file))
        hash_of_[file] = sha256_of(read_text_file(file.string()));
    open(file, how);
    std::vector<std::string> added;
    for (const std::string_view name : registered())
        if (std::ranges::find(before, name) == before.end()) {
            const auto refuse_name = [&](std::string_view what, std::string_view taken) {
                throw RunError(fmt::format("the module {}: its {} {} has the name of one of nestbed's; allowed: "
                                           "another name",
                                           file.string(), what, taken));
            };
            if (workload_of_.contains(name))
                refuse_name("strategy", name);
            if (const std::string_view workload = Registry::find_anywhere(name)->info().workload->name;
                workloads().contains(std::string(workload)))
                refuse_name("workload", workload);
            added.emplace_back(name);
            file_of_[std::string(name)] = file;
        }
    return added;
}

void Modules::load_folder(const fs::path& folder, std::string_view by)
{
    const fs::path whole = fs::weakly_canonical(fs::absolute(folder));
    const fs::path file = whole / "build" / (prefix_ == kWatchedModules ? "races.so" : kWorkloadModule);
    if (!folders_.insert(whole).second)
        return;
    const std::string how = fmt::format("to build it: nestbed build {}", folder.string());
    if (!fs::is_directory(whole))
        throw UsageError(fmt::format("{}{}: there is no such folder; allowed: a folder with a workload; to make "
                                     "one: nestbed build --new NAME",
                                     by, folder.string()));
    std::error_code error;
    if (const fs::file_status status = fs::status(file, error); !fs::is_regular_file(status))
        throw UsageError(fmt::format("{}{}: {} {}; {}", by, folder.string(), file.string(),
                                     !fs::status_known(status) ? "cannot be read: " + error.message()
                                     : fs::exists(status)      ? "is not a file"
                                                               : "does not exist",
                                     how));
    load_file(file, how);
}

std::vector<std::string> Modules::changed_since_built() const
{
    std::set<std::string> texts;
    for (const fs::path& folder : folders_) {
        std::error_code error; // what cannot be read is not judged
        const fs::file_time_type built = fs::last_write_time(folder / "build" / kWorkloadModule, error);
        for (const fs::directory_entry& entry : fs::directory_iterator(folder / "build", error))
            if (entry.path().string().ends_with(".cu.d"))
                for (const fs::path& source : sources_of_rule(entry.path()))
                    if (fs::last_write_time(source, error) > built && !error)
                        texts.insert(fmt::format("{} was changed after it was built; to build it: nestbed build {}",
                                                 source.string(), folder.string()));
    }
    return {texts.begin(), texts.end()};
}

fs::path module_folder()
{
    const fs::path own = fs::read_symlink("/proc/self/exe").parent_path();
    for (const fs::path& folder : {own / "modules", own.parent_path() / "libexec" / "nestbed" / "modules"})
        if (fs::exists(folder))
            return folder;
    return {};
}

void use_modules(std::string_view prefix)
{
    in_use() = std::make_unique<Modules>(module_folder(), prefix);
    Registry::set_source(*in_use());
}

Modules* modules_in_use()
{
    return in_use().get();
}

void load_folders_of_environment()
{
    const char* const folders = std::getenv(kLoad);
    for (const std::string& folder : split(folders == nullptr ? "" : folders, ':'))
        if (!folder.empty() && in_use() != nullptr)
            in_use()->load_folder(folder, fmt::format("{}=", kLoad));
}

void load_folder(const fs::path& folder)
{
    if (in_use() == nullptr)
        throw UsageError(fmt::format("--load {}: not with this program; allowed: with nestbed", folder.string()));
    if (folder.string().find(':') != std::string::npos)
        throw UsageError(fmt::format("--load {}: the path has a ':', which separates folders in {}; allowed: another "
                                     "folder",
                                     folder.string(), kLoad));
    in_use()->load_folder(folder);
    const char* const before = std::getenv(kLoad);
    const std::string whole = fs::weakly_canonical(fs::absolute(folder)).string();
    setenv(kLoad, (before == nullptr || *before == 0 ? whole : fmt::format("{}:{}", before, whole)).c_str(), 1);
}

void expect_workload_built(std::string_view name)
{
    if (in_use() != nullptr)
        in_use()->expect_built(name);
}

std::string missing_modules_text()
{
    return in_use() == nullptr ? "" : in_use()->missing_text();
}

std::string user_workload_hint(std::string_view name)
{
    return in_use() == nullptr ? "" : in_use()->hint_for(name);
}

} // namespace nestbed
