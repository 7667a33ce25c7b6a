// Stands in for the header of Thrust of this name.
#pragma once

#include "../nestbed/thrust.hpp"
