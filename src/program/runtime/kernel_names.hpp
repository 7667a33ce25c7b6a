// The names of instances of kernel templates in reports: sum<float, 128>.
#pragma once

#include "program/include/nestbed/program/kernel.hpp"

#include <string>
#include <string_view>

namespace nestbed::program
{

// `function`: __PRETTY_FUNCTION__, "void sum(T*) [with T = float; int N = 128; size_t = long unsigned int]". Behind the parameters of the
// template, which are `parameters` and those of `auto`, it has what the types of the signature stand for. Returns the bare name if there are
// no arguments. Long arguments are cut: a hash keeps them different from others.
std::string name_of_instance(std::string_view name, int parameters, std::string_view function);

// Makes the kernel's name that of the instance, once; the text is kept for ever.
void add_template_arguments(Kernel& kernel);

} // namespace nestbed::program
