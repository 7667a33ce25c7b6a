#include "base/error.hpp"
#include "base/standard_streams.hpp"
#include "cli/cli.hpp"

#include <iostream>

int main(int argc, char** argv)
{
    if (!nestbed::prepare_standard_streams())
        return nestbed::exit_could_not;
    return nestbed::run_command_line({argv + 1, argv + argc}, std::cout, std::cerr);
}
