#include "cli/cli.hpp"

#include <iostream>

int main(int argc, char** argv)
{
    return nestbed::run_command_line({argv + 1, argv + argc}, std::cout, std::cerr);
}
