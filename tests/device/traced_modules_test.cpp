// The modules with the kernels for traced runs on CUDA: target traced. They need no GPU to be loaded.
#include "model/modules.hpp"
#include "support/matchers.hpp"

#include <algorithm>
#include <filesystem>

namespace nestbed
{
namespace
{

TEST(TracedModules, HaveATwinOfEveryStrategyThatLaunchesFromKernels)
{
    Modules modules(std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "modules",
                    kTracedModules);
    std::size_t twins = 0;
    for (const std::string_view name : modules.names()) {
        const Strategy* const strategy = Registry::find(BackendKind::cuda, name);
        if (strategy == nullptr)
            GTEST_SKIP() << "no CUDA code in this build";
        if (std::ranges::none_of(strategy->info().mechanisms, from_device))
            continue;
        if (const std::string missing = modules.missing_text(); !missing.empty())
            GTEST_SKIP() << missing;
        modules.load_traced(name);
        const Strategy& twin = Registry::traced(name);
        EXPECT_EQ(twin.info().name, name);
        EXPECT_NE(&twin, strategy) << name;
        ++twins;
    }
    EXPECT_GE(twins, 50U);
}

} // namespace
} // namespace nestbed
