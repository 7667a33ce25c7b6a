#include "base/error.hpp"
#include "base/standard_streams.hpp"
#include "base/terminal.hpp"
#include "cli/cli.hpp"
#include "cli/wrapped_messages.hpp"
#include "device/cpu/observer.hpp"
#include "model/modules.hpp"
#include "run/worker_session.hpp"

#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string_view>
#include <unistd.h>

int main(int argc, char** argv)
{
    if (!nestbed::prepare_standard_streams())
        return nestbed::exit_could_not;
    // Scripts read a message as one line.
    std::optional<nestbed::WrappedMessages> messages;
    const bool is_worker = argc > 1 && std::string_view(argv[1]) == nestbed::kWorkerCommand;
    if (!is_worker && (isatty(STDERR_FILENO) == 1 || std::getenv("COLUMNS") != nullptr))
        messages.emplace(std::cerr, nestbed::terminal_of(STDERR_FILENO).columns);
    try {
        nestbed::use_modules(nestbed::cpu::observer == nullptr ? nestbed::kWorkloadModules
                                                               : nestbed::kWatchedModules);
    } catch (const std::exception& error) {
        std::cerr << "nestbed: " << error.what() << '\n';
        return nestbed::exit_could_not;
    }
    return nestbed::run_command_line({argv + 1, argv + argc}, std::cout, std::cerr);
}
