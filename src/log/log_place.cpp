#include "log/log_place.hpp"

#include "base/error.hpp"
#include "base/new_file.hpp"
#include "base/text_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

namespace nestbed
{

std::string manifest_path(const std::string& csv_path)
{
    const std::string name = text_name(csv_path);
    // Without an extension, grid.json would be the same as the old name for grid.csv.
    return name + (std::filesystem::path(name).has_extension() ? ".json" : ".manifest.json");
}

std::string old_manifest_path(const std::string& csv_path)
{
    return std::filesystem::path(text_name(csv_path)).replace_extension(".json").string();
}

void check_is_not_compressed(const std::string& csv_path)
{
    const std::string name = text_name(csv_path);
    const std::string stored = stored_path(csv_path);
    if (name != csv_path)
        throw UsageError(fmt::format("--output {}: a compressed log is read and never written; allowed: {} (if {} is "
                                     "there, gunzip it first)",
                                     csv_path, name, csv_path));
    if (stored != csv_path)
        throw UsageError(fmt::format("--output {}: there is {}, the compressed log of this name, and it is never "
                                     "written; allowed: another file, or the same after gunzip {}",
                                     csv_path, stored, stored));
}

LogPlace::LogPlace(const std::string& csv_path)
    : path(csv_path), named(FilePlace::named(csv_path)), log(FilePlace::followed(csv_path)),
      manifest(FilePlace::to_replace(manifest_path(csv_path)))
{
}

LogPlace::LogPlace(const FilePlace& name, const FilePlace& its_manifest)
    : path(name.path()), named(name), log(name), manifest(its_manifest)
{
}

void LogPlace::follow_no_links()
{
    *this = LogPlace(named, named.sibling(manifest_path(named.name())));
}

LogPlace LogPlace::free_place(std::string_view word) const
{
    for (unsigned number = 1;; ++number) {
        const std::string name = fmt::format("{}.{}-{}", named.name(), word, number);
        LogPlace free(named.sibling(name), named.sibling(manifest_path(name)));
        if (!free.log.status() && !free.manifest.status())
            return free;
    }
}

namespace
{
// Does not remove what another program has put there meanwhile.
void remove_if_ours(const FilePlace& place, std::string_view text)
{
    try {
        if (place.is_regular_file() && read_text_file(place) == text)
            static_cast<void>(place.remove());
    } catch (const std::runtime_error&) { // it cannot be read, so that it remains
    }
}
} // namespace

void write_log(const LogPlace& place, const FileContent& log, std::string_view what,
               const std::optional<FileContent>& manifest)
{
    try {
        if (manifest) // first, as a run does: a log without a manifest cannot be identified
            write_new_file(place.manifest, manifest->text, "the manifest", "--output", manifest->mode);
        write_new_file(place.log, log.text, what, "--output", log.mode);
    } catch (const std::runtime_error&) {
        if (manifest && !place.log.status()) // the log exists if only the sync of its folder failed
            remove_if_ours(place.manifest, manifest->text);
        throw;
    }
}

void remove_log(const LogPlace& place, const FileContent& log, const std::optional<FileContent>& manifest)
{
    remove_if_ours(place.log, log.text);
    if (manifest)
        remove_if_ours(place.manifest, manifest->text);
}

} // namespace nestbed
