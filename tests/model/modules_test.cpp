// Where the modules of strategies are. What loads them is tested by scripts/modules_test.py.
#include "model/modules.hpp"

#include "base/error.hpp"
#include "support/support.hpp"

namespace nestbed
{
namespace
{

TEST(Modules, OfTracedRunsThatAreNotThereAreAnErrorThatSaysHowToBuildThem)
{
    const ScratchFolder folder;
    folder.write("CMakeCache.txt", "");
    std::filesystem::create_directory(folder.path("modules"));
    folder.write("modules/reduce.txt", "nosync\nbarrier\n");
    Modules modules(folder.path("modules"), kWorkloadModules);
    EXPECT_EQ(modules.target_of("barrier"), "workload_reduce");
    EXPECT_EQ(modules.target_of("barrier", kTracedModules), "traced_reduce");
    EXPECT_EQ(text_of<RunError>([&] { modules.load_traced("barrier"); }),
              "strategy barrier: its kernels for traced runs on cuda are in the module " +
                  folder.path("modules/traced_reduce.so") + ", which does not exist; to build it: cmake --build " +
                  std::filesystem::path(folder.path("modules")).parent_path().string() + " --target traced");
    folder.write("modules/traced_reduce.so", "not a library");
    EXPECT_THAT(text_of<RunError>([&] { modules.load_traced("barrier"); }),
                AllOf(HasSubstr("traced_reduce.so cannot be loaded"), HasSubstr("--target traced")));
    EXPECT_NO_THROW(modules.load_traced("my_own")); // has them in its own module
}

} // namespace
} // namespace nestbed
