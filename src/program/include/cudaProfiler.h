// The driver's profiler functions do nothing.
#pragma once

#include "cuda.h"
