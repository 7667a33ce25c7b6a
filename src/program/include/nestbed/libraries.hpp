// For the headers of libraries that the executor does not have: they may be included, but no function may be called.
#pragma once

#include "program.hpp"

#define NESTBED_UNSUPPORTED_LIBRARY(library) __attribute__((error("nestbed's executor does not support " library)))
