// Stands in for CUDA's header of this name.
#pragma once

#include "nestbed/program.hpp"
