#include "inspect/program_profile.hpp"

#include "base/table.hpp"
#include "inspect/ncu_sections.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace nestbed
{

namespace
{

// The sections from `begin` to before `end`: those of one root grid and its descendants.
struct Group {
    std::size_t begin = 0, end = 0;
};

// Divides the sections of a page into those of its root grids. The page does not say where a root grid begins. But it
// lists root grids in the order of their launches, each function of a root grid once, and (`kernels_first`) kernels
// before functions of the device runtime. A division must give each root grid its kernel.
class Division
{
  public:
    // The plain names of the sections, and of the kernels of the root grids.
    Division(const std::vector<Section>& sections, std::vector<std::string> names, std::vector<std::string> roots,
             bool kernels_first)
        : sections_(sections), names_(std::move(names)), roots_(std::move(roots)), kernels_first_(kernels_first)
    {
    }

    // Empty if there is none.
    std::vector<Group> find()
    {
        std::vector<Group> groups;
        std::size_t begin = 0;
        std::size_t most = last_end(0);
        while (begin < sections_.size() || groups.size() < roots_.size()) {
            const std::optional<std::size_t> end = next_end(begin, most, groups.size());
            if (end) {
                groups.push_back({begin, *end});
                begin = *end;
                most = last_end(begin);
                continue;
            }
            failed_.insert({begin, groups.size()});
            if (groups.empty())
                return {};
            begin = groups.back().begin;
            most = groups.back().end - 1;
            groups.pop_back();
        }
        return groups;
    }

  private:
    // The longest group that can begin here.
    std::size_t last_end(std::size_t begin) const
    {
        std::set<std::string_view> seen;
        std::size_t end = begin;
        while (end < sections_.size() && seen.insert(sections_[end].name).second &&
               !(kernels_first_ && end > begin && is_kernel(sections_[end]) && !is_kernel(sections_[end - 1])))
            ++end;
        return end;
    }

    // The longest group of at most `most` sections' end that has the kernel of the root grid.
    std::optional<std::size_t> next_end(std::size_t begin, std::size_t most, std::size_t root) const
    {
        if (root == roots_.size())
            return std::nullopt;
        const auto first = names_.begin() + static_cast<std::ptrdiff_t>(begin);
        for (std::size_t end = most; end > begin; --end) {
            if (end < sections_.size() && !is_kernel(sections_[end]))
                continue;
            if (std::find(first, names_.begin() + static_cast<std::ptrdiff_t>(end), roots_[root]) ==
                names_.begin() + static_cast<std::ptrdiff_t>(end))
                return std::nullopt; // shorter ones do not have it either
            if (!failed_.contains({end, root + 1}))
                return end;
        }
        return std::nullopt;
    }

    const std::vector<Section>& sections_;
    std::vector<std::string> names_;
    std::vector<std::string> roots_;
    bool kernels_first_;
    std::set<std::pair<std::size_t, std::size_t>> failed_; // (section, root grid) from which no division goes on
};

// "sort" of "void sort<int>(T1 *, unsigned int)": kernels are named as in the table of a counted program.
std::string short_name(const std::string& kernel)
{
    const std::string name = kernel.substr(0, kernel.find_first_of("<("));
    const std::size_t blank = name.rfind(' ');
    return blank == std::string::npos ? name : name.substr(blank + 1);
}

std::vector<std::string> section_names(const std::vector<Section>& sections)
{
    std::vector<std::string> names;
    for (const Section& section : sections)
        names.push_back(plain_name(section.name));
    return names;
}

// Launches that the sections of a group show. A program of CUDA's older device runtime has only the launch function.
std::uint64_t launches_in(const std::string& path, const std::vector<Section>& sections, const Group& group)
{
    std::uint64_t arguments = 0;
    std::uint64_t launches = 0;
    for (std::size_t index = group.begin; index < group.end; ++index) {
        const Section& section = sections[index];
        if (section.name == kArgumentsFunction)
            arguments += threads_of(path, section);
        else if (section.name == kLaunchFunction)
            launches += threads_of(path, section);
    }
    return std::max(arguments, launches);
}

// How the sections belong to the root grids. Some pages print all sections of a root grid several times.
struct Attribution {
    std::size_t copies = 1;
    std::vector<Group> groups; // `copies` for each root grid; empty: it is not known
};

// Root grids that did the same have equal sections, so there may be more equal ones than copies.
bool may_have_copies(const std::vector<Section>& sections, std::size_t copies)
{
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> equal;
    for (const Section& section : sections)
        ++equal[{section.name, section.text}];
    return std::ranges::all_of(equal, [copies](const auto& one) { return one.second % copies == 0; });
}

Attribution attribute(const std::string& path, const std::vector<Section>& sections, const RawPage& page)
{
    const std::vector<std::string> names = section_names(sections);
    for (const bool kernels_first : {true, false})
        for (std::size_t copies = 1; copies * page.kernels.size() <= sections.size(); ++copies) {
            if (!may_have_copies(sections, copies))
                continue;
            std::vector<std::string> roots;
            for (const std::string& kernel : page.kernels)
                roots.insert(roots.end(), copies, plain_name(kernel));
            std::vector<Group> groups = Division(sections, names, std::move(roots), kernels_first).find();
            if (!groups.empty())
                return {.copies = copies, .groups = std::move(groups)};
        }
    const std::size_t copies = copies_in(path, sections, page);
    check_copies(path, sections, copies);
    return {.copies = copies, .groups = {}};
}

} // namespace

ProgramProfileCommands program_profile_commands(const std::string& ncu, const std::string& report,
                                                const std::string& log, const std::vector<std::string>& program)
{
    ProgramProfileCommands commands{
        .collect = {ncu, "--clock-control", "none", "--cache-control", "none", "--target-processes", "all",
                    "--metrics", "thread_inst_executed,inst_executed,launch__grid_size", "--import-source", "no",
                    "--force-overwrite", "--export", report, "--log-file", log},
        .source = {ncu, "--import", report, "--page", "source", "--csv"},
        .raw = {ncu, "--import", report, "--page", "raw", "--csv", "--print-units", "base"}};
    commands.collect.insert(commands.collect.end(), program.begin(), program.end());
    return commands;
}

ProgramProfile program_profile(const std::string& source_path, std::string_view source, const std::string& raw_path,
                               std::string_view raw)
{
    const RawPage page = parse_raw_page(raw_path, raw);
    const std::vector<Section> sections = sections_of(source_path, source);
    const auto [copies, groups] = attribute(source_path, sections, page);
    ProgramProfile profile{.from_host = page.kernels.size(),
                           .from_device = launches_in(source_path, sections, {0, sections.size()}) / copies};
    for (std::size_t root = 0; root < page.kernels.size(); ++root) {
        const std::string name = short_name(plain_name(page.kernels[root]));
        auto found = std::ranges::find(profile.kernels, name, &HostKernel::name);
        if (found == profile.kernels.end())
            found = profile.kernels.insert(found, {.name = name});
        ++found->from_host;
        if (!groups.empty())
            found->from_device =
                found->from_device.value_or(0) + launches_in(source_path, sections, groups[root * copies]);
    }
    return profile;
}

std::string program_profile_text(const ProgramProfile& profile)
{
    Column kernel{.name = "kernel", .left = true};
    Column from_host{.name = "from host"};
    Column from_device{.name = "from device"};
    for (const HostKernel& one : profile.kernels) {
        kernel.cells.push_back(one.name);
        from_host.cells.push_back(std::to_string(one.from_host));
        from_device.cells.push_back(one.from_device ? std::to_string(*one.from_device) : "?");
    }
    kernel.cells.emplace_back("total");
    from_host.cells.push_back(std::to_string(profile.from_host));
    from_device.cells.push_back(std::to_string(profile.from_device));
    return table_text({kernel, from_host, from_device});
}

} // namespace nestbed
