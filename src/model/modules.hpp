// The modules: shared libraries with the strategies of one workload each, in a folder beside the program. One is loaded
// when a strategy of it is looked for; a text file per module, made with the program, lists its strategies.
#pragma once

#include "model/strategy.hpp"

#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// The two kinds of modules: of `nestbed`, and of the program that `nestbed races` runs. Their names begin so. And those that
// have the kernels for traced runs on CUDA, which those of `nestbed` do not have.
inline constexpr std::string_view kWorkloadModules = "workload_";
inline constexpr std::string_view kWatchedModules = "races_";
inline constexpr std::string_view kTracedModules = "traced_";

class Modules final : public StrategySource
{
  public:
    // Reads the lists WORKLOAD.txt of the folder. The modules are PREFIX + WORKLOAD + ".so".
    Modules(std::filesystem::path folder, std::string_view prefix);

    std::vector<std::string_view> names() const override;
    void load(std::string_view strategy) override;
    void load_all() override;
    void load_traced(std::string_view strategy) override;

    // The target that builds the module with this strategy: "workload_reduce", or "traced_reduce" for traced runs; empty if no
    // module has it.
    std::string target_of(std::string_view strategy) const { return target_of(strategy, prefix_); }
    std::string target_of(std::string_view strategy, std::string_view prefix) const;
    // Of nestbed's modules, whether built or not.
    std::set<std::string> workloads() const;
    // Of users' own modules that are loaded.
    std::set<std::string> user_strategies() const;
    // For a message about a strategy that is not known: it is a workload, or how one of a user's own becomes known:
    // "; --load x has …".
    std::string hint_for(std::string_view name) const;

    // The file of nestbed's module with this strategy; empty if none has it.
    std::filesystem::path file_with(std::string_view strategy) const;
    // Of users' own modules with these strategies: SHA-256 by file, when the file was loaded.
    std::map<std::string, std::string> user_hashes(const std::set<std::string>& strategies) const;
    // Throws RunError if a user's own module is another file now than when it was loaded: a new process would load that one.
    void expect_unchanged() const;
    // "workloads that have not been built: bfs, sort; to build them: …"; empty if there is none.
    std::string missing_text() const;
    // Throws RunError if nestbed has a module of this name that has not been built.
    void expect_built(std::string_view workload) const;

    // Loads a module of a user's own, and returns its strategies. Throws RunError; `how` says how to build it.
    std::vector<std::string> load_file(const std::filesystem::path& file, const std::string& how);
    // The same of what `nestbed build FOLDER` has built; only once. Throws UsageError if there is nothing.
    void load_folder(const std::filesystem::path& folder, std::string_view by = "--load ");
    // "FILE was changed after it was built; to build it: …", of files in those folders.
    std::vector<std::string> changed_since_built() const;

  private:
    static void open(const std::filesystem::path& file, const std::string& how);
    std::filesystem::path file_of(std::string_view workload) const;
    std::filesystem::path file_of_module(const std::string& module) const;
    void load_module(const std::string& module);
    std::string how_to_build(std::string_view them, std::string_view target = "nestbed") const;

    std::filesystem::path folder_;
    std::string prefix_;
    std::map<std::string, std::string, std::less<>> workload_of_; // by strategy
    bool hides_names_ = false;
    std::mutex loading_;
    std::set<std::string> loaded_;                         // modules; never unloaded
    std::set<std::string> left_out_;                       // by load_all(): not built, or with other headers
    std::map<std::string, std::filesystem::path> file_of_; // of users' own strategies
    std::map<std::filesystem::path, std::string> hash_of_; // of users' own modules
    std::set<std::filesystem::path> folders_;              // of users' own workloads
};

// The folder with the modules of the running program: beside it, or where an installation has them. Empty if there is
// none.
std::filesystem::path module_folder();

// The modules of the running program, as the source of the registry; called once, by main. Throws RunError.
void use_modules(std::string_view prefix);
// Loads users' own workloads: those of the folders in NESTBED_LOAD. Throws as Modules::load_folder().
void load_folders_of_environment();

// Null if use_modules() was not called: a test program has its strategies in it.
Modules* modules_in_use();
// Modules::load_folder() of those, and of the programs that this one calls.
void load_folder(const std::filesystem::path& folder);
// Modules::expect_built() of those; nothing if there are none.
void expect_workload_built(std::string_view name);
// Modules::missing_text() and hint_for() of those; empty if there are none.
std::string missing_modules_text();
std::string user_workload_hint(std::string_view name);

} // namespace nestbed
