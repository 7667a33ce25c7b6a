#include "program/build/precompiled.hpp"

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "base/hash.hpp"
#include "base/new_file.hpp"
#include "base/subprocess.hpp"
#include "base/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace nestbed::program
{

namespace fs = std::filesystem;

namespace
{

constexpr const char* kHeader = "nestbed_cuda.hpp"; // the precompiled one is beside it, with .gch
constexpr std::chrono::minutes kCompileTimeout{5};
constexpr std::size_t kKept = 8; // precompiled headers in the cache, each about 40 MB

// Size and time of a file that is too large to be read at every call.
std::string stamp(const fs::path& file)
{
    std::error_code ignored;
    const fs::path real = fs::canonical(file, ignored);
    return fmt::format("{} {} {}\n", real.string(), fs::file_size(real, ignored),
                       fs::last_write_time(real, ignored).time_since_epoch().count());
}

// What a precompiled header depends on, as a name of a folder.
std::string key_of(const Toolchain& toolchain, const std::vector<std::string>& flags)
{
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(toolchain.headers()))
        if (entry.is_regular_file())
            files.push_back(entry.path());
    std::ranges::sort(files);
    std::string text = stamp(toolchain.compiler) + toolchain.compiler_version + "\n";
    for (const fs::path& file : files)
        text += fmt::format("{}\n{}\n", file.string(), read_text_file(file.string()));
    for (const std::string& flag : flags) {
        text += flag + "\n";
        if (flag.starts_with("-fplugin="))
            text += stamp(flag.substr(flag.find('=') + 1));
    }
    return sha256_of(text).substr(0, 20);
}

bool is_complete(const fs::path& folder)
{
    std::error_code ignored;
    return fs::exists(folder / (std::string(kHeader) + ".gch"), ignored);
}

void write_header(const fs::path& folder)
{
    replace_file((folder / kHeader).string(), "#include <cuda_runtime.h>\n", "the header");
}

// Compiles into a folder of another name and renames it, so that no other process sees a part of it.
void make(const Toolchain& toolchain, const std::vector<std::string>& flags, const fs::path& folder)
{
    const fs::path partial = folder.string() + fmt::format(".{}.partial", getpid());
    fs::create_directories(partial);
    try {
        write_header(partial);
        const std::string header = (partial / kHeader).string();
        std::vector<std::string> words{toolchain.compiler};
        words.insert(words.end(), flags.begin(), flags.end());
        words.insert(words.end(), {"-x", "c++-header", header, "-o", header + ".gch"});
        const std::string said = (partial / "messages").string();
        const ProgramEnd end = run_program(words, {said, said}, kCompileTimeout);
        if (!end.good())
            throw RunError(
                fmt::format("the executor's CUDA headers do not compile ({}): {}", end.text(), read_text_file(said)));
        fs::remove(said);
        std::error_code error;
        fs::rename(partial, folder, error); // fails if another process was faster
        if (error && !is_complete(folder))
            throw RunError(fmt::format("{} could not be written: {}", folder.string(), error.message()));
        fs::remove_all(partial, error);
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(partial, ignored);
        throw;
    }
}

// Removes the headers that were used longest ago. A use changes the time of the folder.
void clean(const fs::path& cache)
{
    std::error_code ignored;
    std::vector<std::pair<fs::file_time_type, fs::path>> folders;
    for (const fs::directory_entry& entry : fs::directory_iterator(cache, ignored))
        if (entry.is_directory(ignored))
            folders.emplace_back(fs::last_write_time(entry.path(), ignored), entry.path());
    std::ranges::sort(folders, std::greater());
    for (std::size_t index = kKept; index < folders.size(); ++index)
        fs::remove_all(folders[index].second, ignored);
}

// The header in the user's cache, made if it is not there. Throws if it cannot be written.
fs::path cached(const Toolchain& toolchain, const std::vector<std::string>& flags, const std::string& key)
{
    const fs::path home = cache_folder();
    if (home.empty())
        throw RunError("there is no home folder");
    const fs::path cache = home / "precompiled";
    fs::path folder = cache / key;
    std::error_code ignored;
    if (!is_complete(folder)) {
        fs::create_directories(cache);
        // One process makes it, and those that come later wait for it.
        const Descriptor lock(open((cache / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)); // NOLINT(*-vararg)
        if (lock < 0 || uninterrupted([&] { return flock(lock, LOCK_EX); }) != 0)
            throw RunError(fmt::format("{} could not be locked", cache.string()));
        if (!is_complete(folder))
            make(toolchain, flags, folder);
        clean(cache);
    }
    fs::last_write_time(folder, fs::file_time_type::clock::now(), ignored);
    return folder;
}

} // namespace

fs::path cache_folder()
{
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && cache[0] == '/')
        return fs::path(cache) / "nestbed";
    const char* const home = std::getenv("HOME");
    return home == nullptr || home[0] != '/' ? fs::path() : fs::path(home) / ".cache" / "nestbed";
}

std::string header_for(const Toolchain& toolchain, const std::vector<std::string>& flags, const fs::path& own_folder)
{
    const std::string key = key_of(toolchain, flags);
    const fs::path shipped = toolchain.folder / "precompiled" / key;
    if (is_complete(shipped))
        return (shipped / kHeader).string();
    try {
        return (cached(toolchain, flags, key) / kHeader).string();
    } catch (const std::exception&) { // a home that cannot be written, a full disk: slower, but right
        write_header(own_folder);
        return (own_folder / kHeader).string();
    }
}

void precompile(const Toolchain& toolchain, const std::vector<std::string>& flags)
{
    const fs::path folder = toolchain.folder / "precompiled" / key_of(toolchain, flags);
    if (!is_complete(folder))
        make(toolchain, flags, folder);
}

void remove_header_from_rule(const std::string& dependency_file, const std::string& header)
{
    std::string text = read_text_file(dependency_file);
    const std::string before = text;
    for (const std::string& name : {header + ".gch", header}) {
        for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
            const bool is_target = text.compare(at + name.size(), 1, ":") == 0; // of -MP
            text.erase(at, name.size() + (is_target ? 1 : 0));
        }
    }
    if (text != before)
        replace_file(dependency_file, text, "the rule");
}

} // namespace nestbed::program
