#include "base/error.hpp"
#include "base/standard_streams.hpp"
#include "base/terminal.hpp"
#include "cli/cli.hpp"
#include "device/cpu/observer.hpp"
#include "model/modules.hpp"

#include <exception>
#include <iostream>
#include <unistd.h>

int main(int argc, char** argv)
{
    if (!nestbed::prepare_standard_streams())
        return nestbed::exit_could_not;
    try {
        nestbed::use_modules(nestbed::cpu::observer == nullptr ? nestbed::kWorkloadModules
                                                               : nestbed::kWatchedModules);
    } catch (const std::exception& error) {
        std::cerr << "nestbed: " << error.what() << '\n';
        return nestbed::exit_could_not;
    }
    const nestbed::FoldedMessages folded(std::cerr, STDERR_FILENO);
    return nestbed::run_command_line({argv + 1, argv + argc}, std::cout, std::cerr);
}
