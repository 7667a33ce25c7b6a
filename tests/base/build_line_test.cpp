// What is to be typed where a part of nestbed has not been built.
#include "base/build_line.hpp"

#include "support/support.hpp"

namespace nestbed
{
namespace
{

TEST(BuildLine, IsThatOfTheScriptWithTheNameOfTheBuildFolder)
{
    const ScratchFolder folder;
    std::filesystem::create_directories(folder.path("build/cpu-only"));
    EXPECT_EQ(build_line(folder.path("build/cpu-only")), "experiments/build.sh '' nestbed"); // no repository
    std::filesystem::create_directory(folder.path("experiments"));
    folder.write("experiments/build.sh", "");
    EXPECT_EQ(build_line(folder.path("build/cpu-only")), folder.path("experiments/build.sh") + " cpu-only nestbed");
    EXPECT_EQ(build_line(folder.path("build/release"), "traced"),
              folder.path("experiments/build.sh") + " release traced");
}

TEST(BuildLine, OfAFolderOfTheUsersOwnIsThatOfCmake)
{
    const ScratchFolder folder;
    folder.write("CMakeCache.txt", "");
    const std::string own = std::filesystem::path(folder.path("CMakeCache.txt")).parent_path().string();
    EXPECT_EQ(build_line(own), "cmake --build " + own + " --target nestbed_commands");
    EXPECT_EQ(build_line(own, "traced"), "cmake --build " + own + " --target traced");
}

} // namespace
} // namespace nestbed
