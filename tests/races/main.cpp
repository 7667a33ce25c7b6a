// The test program. If its first argument is a command, it is nestbed with the mutants, and with faults that wait or crash:
//     races_tests races --strategy no_fence_aggregated_grid --grid 4 --block 64
#include "base/error.hpp"
#include "base/standard_streams.hpp"
#include "cli/cli.hpp"
#include "faults/faults.hpp"
#include "support/matchers.hpp"

#include <cstdlib>
#include <iostream>

int main(int argc, char** argv)
{
    if (argc > 1 && argv[1][0] != '-') {
        if (!nestbed::prepare_standard_streams())
            return nestbed::exit_could_not;
        nestbed::register_faults();
        return nestbed::run_command_line({argv + 1, argv + argc}, std::cout, std::cerr);
    }
    setenv("COLUMNS", "80", 1);
    testing::InitGoogleMock(&argc, argv);
    return RUN_ALL_TESTS();
}
