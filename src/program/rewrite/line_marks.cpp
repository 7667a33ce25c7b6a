#include "program/rewrite/line_marks.hpp"

#include <algorithm>
#include <charconv>

namespace nestbed::program
{
namespace
{

std::string_view without_blanks(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r");
    return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

std::string_view folder_of(std::string_view file)
{
    return file.substr(0, file.rfind('/') + 1);
}

bool is_or_ends_with(std::string_view file, std::string_view name)
{
    return file == name || (file.ends_with(name) && file[file.size() - name.size() - 1] == '/');
}

} // namespace

std::optional<LineMark> parse_line_mark(std::string_view line)
{
    LineMark mark;
    std::string_view rest = without_blanks(line.substr(1));
    if (rest.starts_with("line"))
        rest = without_blanks(rest.substr(4));
    const auto number = std::from_chars(rest.data(), rest.data() + rest.size(), mark.line);
    if (number.ec != std::errc{})
        return {};
    rest = without_blanks(rest.substr(static_cast<std::size_t>(number.ptr - rest.data())));
    if (!rest.starts_with('"'))
        return {};
    std::size_t end = 1;
    while (end < rest.size() && rest[end] != '"')
        end += rest[end] == '\\' ? 2 : 1;
    if (end >= rest.size())
        return {};
    mark.file = rest.substr(1, end - 1);
    for (const char flag : rest.substr(end + 1)) {
        mark.enters |= flag == '1';
        mark.is_system |= flag == '3';
    }
    return mark;
}

// What a file is, it is from where it is entered: `# 7 "user.cu" 3` is a macro of a system header in a user's file.
bool SystemFiles::is_system(const LineMark& mark)
{
    const auto found = files_.find(mark.file);
    if (found != files_.end() && !mark.enters)
        return found->second;
    if (files_.empty()) {
        main_file_ = mark.file;
    } else {
        learn_folders(mark.file);
        const std::string_view main_folder = folder_of(main_file_);
        const bool is_beside_main =
            mark.file == main_file_ || (main_folder.size() > 1 && mark.file.starts_with(main_folder));
        files_[mark.file] = mark.is_system || (!is_beside_main && is_in_system_folder(mark.file));
        return files_[mark.file];
    }
    files_[mark.file] = false;
    return false;
}

bool SystemFiles::is_in_system_folder(std::string_view file) const
{
    return std::ranges::any_of(folders_, [&](const std::string& folder) { return file.starts_with(folder); });
}

// nvcc finds its headers as FOLDER/bin/../targets/…/include; a user's -I may name the same toolkit as FOLDER/include.
void SystemFiles::learn_folders(std::string_view file)
{
    const auto learn = [&](std::string folder) {
        if (!folder.empty() && std::ranges::find(folders_, folder) == folders_.end())
            folders_.push_back(std::move(folder));
    };
    const std::string folder(folder_of(file));
    if (is_or_ends_with(file, "cuda_runtime.h")) {
        learn(folder);
        if (const std::size_t bin = folder.find("/bin/../"); bin != std::string::npos) {
            learn(folder.substr(0, bin) + "/include/");
            learn(folder.substr(0, bin) + "/targets/");
        }
    } else if (is_or_ends_with(file, "nestbed_count.cuh") || is_or_ends_with(file, "nestbed_trace.cuh")) {
        learn(folder);
    } else if (is_or_ends_with(file, "nestbed/program.hpp")) {
        learn(std::string(folder_of(std::string_view(folder).substr(0, folder.size() - 1))));
    }
}

} // namespace nestbed::program
