// Cases under a profiler that is a shell script: it runs nestbed as ncu does, and prints pages that a test has
// written.
#pragma once

#include "inspect/profile.hpp"
#include "support/page_support.hpp"
#include "support/program_support.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace nestbed
{

// What ncu would print about hello and its launches.
inline std::string source_page(unsigned launches)
{
    return "\"Kernel "
           "Name\",\"hello()\",\n\"Address\",\"inst_executed\",\"thread_inst_executed\"\n\"0x10\",\"16\",\"64\"\n"
           "\"Kernel Name\",\"__cudaCDP2LaunchDeviceV2\",\n\"Address\",\"thread_inst_executed\"\n\"0x20\",\"" +
           std::to_string(launches) + "\"\n";
}

inline const std::string kRawPage = "\"Kernel Name\",\"launch__grid_size\"\n\"\",\"\"\n\"hello()\",\"4\"\n";

// 4 blocks of 8 threads, each with children of 4, 2 and 1 threads: 12 launches.
inline Case hello_case(std::uint32_t grid = 4)
{
    return {.strategy = "hello",
            .mechanism = Mechanism::null_stream,
            .type = ElementType::none,
            .grid = grid,
            .block = 8,
            .seed = 0};
}

class Profile : public testing::Test
{
  protected:
    // `collect` is what the script does to write a report: "$@" is the command of the program, and $report the path
    // of the report. `pages` is how it prints a page: $page is the name of the page.
    std::string ncu(const std::string& collect = R"(echo "==PROF== to $report"; "$@" && echo report > "$report")",
                    const std::string& pages = "") const
    {
        folder.write("page.source", source_page(12));
        folder.write("page.raw", kRawPage);
        return program(folder, "ncu",
                       R"(if [ "$1" = --import ]; then
    page=$4
    [ -e "$2" ] || { echo "==ERROR== The file does not exist."; exit 1; }
    )" + (pages.empty() ? "cat " + folder.path("page.$page") : pages) +
                           R"(
    exit
fi
while [ "$1" != --export ]; do shift; done
report=$2
shift 2
)" + collect);
    }

    ProfileOptions options(const std::string& ncu_path) const
    {
        std::filesystem::create_directories(folder.path("out"));
        return {
            .ncu = ncu_path, .nestbed = nestbed_program(), .experiment = "some", .timeout = std::chrono::seconds(60)};
    }

    std::vector<std::string> files() const
    {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(folder.path("out")))
            names.push_back(entry.path().filename().string());
        return names;
    }

    Profiled profile(const Case& point, const ProfileOptions& how) const
    {
        return profile_case(point, stem_of(folder.path("out"), 1, point), how);
    }

    // The reason why the case was not counted, without the path of its log.
    std::string reason(const ProfileOptions& how) const
    {
        const Profiled one = profile(hello_case(), how);
        EXPECT_STREQ(one.verdict(), "not counted");
        EXPECT_EQ(one.cell("strategy"), "hello");
        EXPECT_EQ(one.cell("launches_expected"), "12");
        EXPECT_EQ(one.cell("status"), "");
        const std::string log = " (" + folder.path("out/001-hello-4x8.log") + ")";
        EXPECT_THAT(one.detail, EndsWith(log));
        EXPECT_TRUE(folder.has("out/001-hello-4x8.log"));
        return one.detail.substr(0, one.detail.size() - log.size());
    }

    ScratchFolder folder;
};

} // namespace nestbed
