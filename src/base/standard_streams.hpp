// Standard input, output and error as this process was started with them.
#pragma once

#include <string>

namespace nestbed
{

// To be called before anything else is opened. A standard descriptor that is closed would be given to the next file or socket, which then
// takes what is printed. So it is opened on /dev/null; standard output so that writing to it fails: what belongs there is not lost in
// silence. Also ignores SIGXFSZ, for a write beyond the limit of a file's size to be an error like any other. False where there is no
// /dev/null.
bool prepare_standard_streams();

// The path names what the descriptor is open on: /dev/stdout, /dev/fd/1, the file or pipe that it was redirected to, the terminal. Not for
// devices that are no terminal, such as /dev/null.
bool is_open_on(int descriptor, const std::string& path);

} // namespace nestbed
