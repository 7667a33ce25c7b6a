// Which headers a module and its program were built with: a module of other headers is not used.
#pragma once

// A hash of the headers of base, model and device, and of what changes them (src/interface.cmake). Each module has one, which
// the program looks for in the file.
extern "C" const char nestbed_interface[];
