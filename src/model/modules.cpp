#include "model/modules.hpp"

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "model/interface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <dlfcn.h>
#include <memory>
#include <set>
#include <sstream>
#include <utility>

namespace nestbed
{

namespace fs = std::filesystem;

namespace
{
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
    for (const auto& [name, workload] : workload_of_)
        names.push_back(name);
    return names;
}

fs::path Modules::file_of(std::string_view workload) const
{
    return folder_ / fmt::format("{}{}.so", prefix_, workload);
}

std::string Modules::target_of(std::string_view strategy) const
{
    const auto found = workload_of_.find(strategy);
    return found == workload_of_.end() ? "" : prefix_ + found->second;
}

fs::path Modules::file_with(std::string_view strategy) const
{
    const auto found = workload_of_.find(strategy);
    return found == workload_of_.end() ? fs::path() : file_of(found->second);
}

std::string Modules::missing_text() const
{
    std::set<std::string> missing;
    for (const auto& [name, workload] : workload_of_)
        if (!fs::exists(file_of(workload)))
            missing.insert(prefix_ + workload);
    if (missing.empty())
        return {};
    return fmt::format("modules that have not been built: {}; {}", fmt::join(missing, ", "),
                       how_to_build("them", fmt::format("{}", fmt::join(missing, " "))));
}

std::string Modules::how_to_build(std::string_view them, const std::string& targets) const
{
    const fs::path build = folder_.parent_path();
    return fmt::format("to build {}: cmake --build {} --target {}", them,
                       fs::exists(build / "CMakeCache.txt") ? build.string() : "BUILD", targets);
}

void Modules::load(std::string_view strategy)
{
    const auto found = workload_of_.find(strategy);
    if (found == workload_of_.end())
        return;
    if (const fs::path file = file_of(found->second); !fs::exists(file))
        throw RunError(fmt::format("strategy {} is in the module {}, which does not exist; {}", strategy,
                                   file.string(), how_to_build("it", prefix_ + found->second)));
    load_module(found->second);
}

void Modules::load_all()
{
    std::set<std::string> workloads;
    for (const auto& [name, workload] : workload_of_)
        workloads.insert(workload);
    for (const std::string& workload : workloads)
        if (fs::exists(file_of(workload)))
            load_module(workload);
}

// Its strategies enter the registry by their constructors.
void Modules::load_module(const std::string& workload)
{
    const std::lock_guard lock(loading_);
    if (loaded_.contains(workload))
        return;
    const std::string file = file_of(workload).string();
    const std::string target = prefix_ + workload;
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const why = dlerror();
        throw RunError(fmt::format("the module {} cannot be loaded ({}); {}", file, why == nullptr ? "" : why,
                                   how_to_build("it", target)));
    }
    const auto* const interface = static_cast<const char*>(dlsym(library, "nestbed_interface"));
    if (interface == nullptr || std::string_view(interface) != nestbed_interface)
        throw RunError(fmt::format("the module {} was built with other headers than the program; {}", file,
                                   how_to_build("it", target)));
    if (const std::string clash = Registry::clash(); !clash.empty())
        throw RunError(fmt::format("the module {}: {}", file, clash));
    loaded_.emplace(workload, library);
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

const Modules* modules_in_use()
{
    return in_use().get();
}

std::string missing_modules_text()
{
    return in_use() == nullptr ? "" : in_use()->missing_text();
}

} // namespace nestbed
