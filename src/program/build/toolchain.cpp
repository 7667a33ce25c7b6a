#include "program/build/toolchain.hpp"

#include "base/build_line.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestbed::program
{

namespace fs = std::filesystem;

Toolchain read_toolchain(const fs::path& folder)
{
    const fs::path file = folder / "toolchain.json";
    if (!fs::exists(file))
        throw RunError(fmt::format("{} does not exist: another compiler than GCC built nestbed, and only GCC builds "
                                   "programs for the executor; allowed: a nestbed that was built with CXX=g++",
                                   file.string()));
    Toolchain toolchain;
    try {
        const auto json = parse_json(read_text_file(file.string()));
        toolchain = {.folder = folder,
                     .compiler = json.at("compiler"),
                     .compiler_version = json.at("compiler_version"),
                     .plain_flags = json.at("plain_flags"),
                     .watched_flags = json.at("watched_flags"),
                     .libraries = json.at("libraries")};
    } catch (const Json::exception& error) {
        throw RunError(fmt::format("{}: {}; build nestbed again", file.string(), error.what()));
    }
    if (!fs::exists(toolchain.compiler))
        throw RunError(
            fmt::format("{}: there is no {}, which builds programs; install it, or choose another g++: {} g++",
                        file.string(), toolchain.compiler, (folder / "use_compiler").string()));
    for (const fs::path& needed : {toolchain.headers(), toolchain.rewriter(), toolchain.library()})
        if (!fs::exists(needed))
            throw RunError(fmt::format("{} does not exist; to build it: {}", needed.string(),
                                       build_line(folder.parent_path(), "nestbed_programs")));
    if (!fs::exists(toolchain.detector()))
        toolchain.watched_flags.clear();
    return toolchain;
}

} // namespace nestbed::program
