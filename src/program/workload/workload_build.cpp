#include "program/workload/workload_build.hpp"

#include "base/build_line.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text_file.hpp"
#include "program/build/program_folder.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ostream>
#include <utility>

namespace nestbed::program
{

namespace fs = std::filesystem;

namespace
{

using Words = std::vector<std::string>;

fs::path whole(const fs::path& path)
{
    return fs::absolute(path).lexically_normal();
}

// The folder's own name, also of "." and "quadrature/".
std::string name_of_folder(const fs::path& folder)
{
    const fs::path all = whole(folder);
    return (all.has_filename() ? all : all.parent_path()).filename().string();
}

std::vector<fs::path> sources_in(const fs::path& folder)
{
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
        if (entry.path().extension() == ".cu")
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

std::vector<fs::path> sources_of(const fs::path& folder)
{
    if (!fs::is_directory(folder))
        throw UsageError(
            fmt::format("build: {} is not a folder; allowed: a folder with a workload; to make one: nestbed "
                        "build --new NAME",
                        folder.string()));
    std::vector<fs::path> sources = sources_in(folder);
    if (sources.empty())
        throw UsageError(
            fmt::format("build: {} has no .cu file; allowed: a folder with a workload; to make one: nestbed "
                        "build --new NAME",
                        folder.string()));
    return sources;
}

// With what workloads are made and built: a file or folder beside the folder `workload`, or in it.
fs::path part_of_kit(const fs::path& name)
{
    const fs::path folder = program_folder();
    if (fs::path part = folder / name; fs::exists(part))
        return part;
    throw RunError(fmt::format("{} does not exist; a workload of your own needs it; to build it: {}",
                               (folder / name).string(), build_line(folder.parent_path(), "nestbed_programs")));
}

std::string workload_file(const char* name)
{
    return read_text_file(part_of_kit(fs::path("workload") / name).string());
}

class WorkloadBuilder
{
  public:
    WorkloadBuilder(const fs::path& folder, const HeldSignals& signals, std::ostream& err)
        : folder_(folder), build_(folder / "build"), sources_(sources_of(folder)), signals_(signals), err_(err)
    {
        fs::create_directories(build_);
    }

    bool build()
    {
        const bool cuda =
            !json_.at("nvcc").get<std::string>().empty() && fs::exists(json_.at("nvcc").get<std::string>());
        return module(false, cuda) && (json_.at("watched_flags").empty() || module(true, false));
    }

  private:
    // Those of a list in the file, in which @ stands for the folder `program`.
    Words words(const std::string& key) const
    {
        Words words = json_.at(key);
        for (std::string& word : words)
            if (const std::size_t at = word.find('@'); at != std::string::npos)
                word.replace(at, 1, kit_.parent_path().string());
        return words;
    }

    bool run(Words arguments)
    {
        const std::string program = arguments.front();
        const ProgramEnd end = run_child({.arguments = std::move(arguments)}, signals_);
        if (end.signal != 0)
            throw RunError(fmt::format("{}: it was ended by {}", program, end.text()));
        return end.good();
    }

    // An object has the name of its source as it was given to the compiler: the whole name gives the same module from any folder.
    bool compile(const fs::path& source, const Words& compiler, const fs::path& object)
    {
        Words arguments = compiler;
        for (const std::string& word :
             {std::string("-I"), headers_.string(), std::string("-I"), whole(folder_).string(), std::string("-c"),
              whole(source).string(), std::string("-o"), object.string()})
            arguments.push_back(word);
        return run(std::move(arguments));
    }

    // The same of a user's file, which is rewritten first: to OBJECT.cu.
    bool compile_workload(const fs::path& source, const char* mode, const Words& compiler, const fs::path& object)
    {
        const fs::path rewritten = object.string() + ".cu";
        if (run({rewriter_.string(), mode, whole(source).string(), rewritten.string()}) &&
            compile(rewritten, compiler, object))
            return true;
        err_ << fmt::format("nestbed: {} does not compile; the first error is the one to read\n", source.string());
        return false;
    }

    bool module(bool watched, bool cuda)
    {
        const std::string compiler = json_.at("compiler");
        Words objects;
        for (const fs::path& source : sources_) {
            const std::string stem = (build_ / source.stem()).string();
            Words host{compiler};
            std::ranges::copy(words(watched ? "watched_flags" : "flags"), std::back_inserter(host));
            objects.push_back(stem + (watched ? ".races.o" : ".cpu.o"));
            if (!compile_workload(source, "workload-executor", host, objects.back()))
                return false;
            if (!cuda)
                continue;
            Words device{json_.at("nvcc")};
            std::ranges::copy(words("nvcc_flags"), std::back_inserter(device));
            objects.push_back(stem + ".cuda.o");
            if (!compile_workload(source, "workload-cuda", device, objects.back()))
                return false;
        }
        const fs::path interface = build_ / "interface.o";
        if (!compile(kit_ / "interface.cpp", {compiler, "-fPIC", "-std=c++20"}, interface))
            return false;
        objects.push_back(interface.string());
        // Renamed at the end: a run may have loaded the old one.
        const fs::path module = workload_module(folder_, watched);
        const std::string made = module.string() + ".new";
        Words link{cuda ? json_.at("nvcc").get<std::string>() : compiler};
        std::ranges::copy(words(cuda ? "nvcc_link_flags" : "link_flags"), std::back_inserter(link));
        std::ranges::copy(objects, std::back_inserter(link));
        link.emplace_back("-o");
        link.push_back(made);
        if (!run(std::move(link)))
            return false;
        fs::rename(made, module);
        return true;
    }

    const fs::path kit_ = part_of_kit("workload");
    const fs::path headers_ = part_of_kit("workload/include");
    const fs::path rewriter_ = part_of_kit("nestbed_rewrite");
    fs::path folder_, build_;
    std::vector<fs::path> sources_;
    const HeldSignals& signals_;
    std::ostream& err_;
    const Json json_ = parse_json(workload_file("workload.json"));
};

} // namespace

fs::path workload_module(const fs::path& folder, bool watched)
{
    return folder / "build" / (watched ? "races.so" : "workload.so");
}

fs::path write_new_workload(const fs::path& folder, const std::set<std::string>& taken)
{
    constexpr std::size_t kMaxLetters = 64;
    const std::string name = folder.empty() ? "" : name_of_folder(folder);
    const bool is_name = !name.empty() && name.size() <= kMaxLetters && name.front() >= 'a' && name.front() <= 'z' &&
                         std::ranges::all_of(name, [](char c) {
                             return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                         });
    if (!is_name)
        throw UsageError(fmt::format(
            "build: '{}' is not a name for a workload; allowed: lowercase letters, digits and _, a letter "
            "first, not more than {}",
            name, kMaxLetters));
    if (taken.contains(name))
        throw UsageError(fmt::format(
            "build: '{}' is in names of nestbed's own workloads or strategies; allowed: another name", name));
    fs::path file = folder / (name + ".cu");
    std::error_code error;
    if (fs::exists(fs::symlink_status(file, error)))
        throw UsageError(fmt::format("build: {} exists; allowed: a new folder", file.string()));
    fs::create_directories(folder, error);
    if (error)
        throw UsageError(
            fmt::format("build: the folder {} could not be made: {}; allowed: a new folder, in one where "
                        "you may write",
                        folder.string(), error.message()));
    std::string text = workload_file("quadrature.cu");
    boost::algorithm::replace_all(text, "quadrature", name);
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out)
        throw RunError(fmt::format("{} could not be written: {}", file.string(), std::strerror(errno)));
    return file;
}

std::vector<std::string> known_figures()
{
    return parse_json(workload_file("workload.json")).at("figures");
}

bool build_workload(const fs::path& folder, const HeldSignals& signals, std::ostream& err)
{
    return WorkloadBuilder(folder, signals, err).build();
}

} // namespace nestbed::program
