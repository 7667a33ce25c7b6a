#include "cli/sass_check.hpp"

#include "base/error.hpp"
#include "base/subprocess.hpp"
#include "base/temporary_folder.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "inspect/early_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <ostream>

namespace nestbed
{

namespace
{

namespace fs = std::filesystem;
constexpr std::chrono::minutes kMaxTime(10); // of one call of a CUDA tool

// Whether it is a text, and not a program, an object, a cubin, a library or a fatbin.
bool is_text(const std::string& path)
{
    std::array<char, 4096> begin{};
    std::ifstream file(path, std::ios::binary);
    file.read(begin.data(), begin.size());
    return std::find(begin.begin(), begin.begin() + file.gcount(), '\0') == begin.begin() + file.gcount();
}

// What the tool prints.
std::string printed_by(const std::string& tool, const std::vector<std::string>& arguments, const fs::path& folder)
{
    const std::string out = folder / "out";
    const std::string error = folder / "error";
    fs::remove(out);
    std::vector<std::string> words{tool};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const ProgramEnd end = run_program(words, {.out_path = out, .error_path = error}, kMaxTime);
    if (!end.good())
        throw RunError(fmt::format("{}: {}: {}", shell_text(words), end.text(), read_text_file(error)));
    return read_text_file(out);
}

// nvdisasm knows the lines of a cubin. cuobjdump writes cubins into the current folder, so a shell changes it.
void add_places(EarlyLoads& found, const std::string& file, const std::string& cuobjdump, const fs::path& folder)
{
    const std::string nvdisasm = find_program("nvdisasm");
    if (nvdisasm.empty())
        return;
    std::vector<fs::path> cubins;
    if (file.ends_with(".cubin")) {
        cubins.push_back(file);
    } else {
        const fs::path inner = folder / "cubins";
        fs::create_directory(inner);
        printed_by("/bin/sh",
                   {"-c", "cd \"$0\" && exec \"$1\" -xelf all \"$2\"", inner, cuobjdump, fs::absolute(file)}, folder);
        for (const fs::directory_entry& each : fs::directory_iterator(inner))
            cubins.push_back(each.path());
    }
    std::ranges::sort(cubins);
    for (const fs::path& cubin : cubins) {
        const auto places = places_of_sass(printed_by(nvdisasm, {"-c", "-g", cubin}, folder));
        for (WaitingKernel& kernel : found.waiting)
            for (EarlyLoad& load : kernel.loads)
                if (const auto place = places.find({kernel.name, load.address}); place != places.end())
                    load.place = place->second;
    }
}

} // namespace

int check_sass(const Given& given, std::ostream& out)
{
    for (const auto& [name, values] : given)
        if (name != "sass" && name != "strict" && (name != "argument" || !values.empty()))
            throw UsageError(
                fmt::format("--sass does not go with '{}'; allowed: nestbed races --sass FILE [--strict]",
                            name == "argument" ? values.front() : "--" + name));
    const std::string file = only_value(given, "sass", "", "one file");
    if (!fs::is_regular_file(file))
        throw UsageError(fmt::format("--sass {}: there is no such file; allowed: a program, an object, a cubin or a "
                                     "library that nvcc built, or a text of `cuobjdump -sass`",
                                     file));
    const TemporaryFolder folder;
    EarlyLoads found;
    try {
        if (is_text(file)) {
            found = find_early_loads(read_text_file(file));
        } else {
            const std::string cuobjdump = find_program("cuobjdump");
            if (cuobjdump.empty())
                throw RunError("cuobjdump was not found on the PATH; it is part of the CUDA toolkit; without it: "
                               "--sass with a file that holds what `cuobjdump -sass` printed elsewhere");
            found = find_early_loads(printed_by(cuobjdump, {"-sass", file}, folder.path()));
            if (std::ranges::any_of(found.waiting, [](const WaitingKernel& kernel) { return !kernel.loads.empty(); }))
                add_places(found, file, cuobjdump, folder.path());
        }
    } catch (const RunError& error) {
        throw RunError(fmt::format("--sass {}: {}", file, error.what()));
    }
    out << printable(early_loads_text(found));
    // What is not seen counts too.
    const bool has_early = (!found.waiting.empty() && found.callers != 0) ||
                           std::ranges::any_of(found.waiting, [](const WaitingKernel& kernel) {
                               return !kernel.loads.empty() || kernel.calls + kernel.indirect_branches != 0;
                           });
    return has_early && given.contains("strict") ? exit_rows_bad : exit_ok;
}

} // namespace nestbed
