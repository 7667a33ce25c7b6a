// Standard input, output and error as this process received them when it started.
#pragma once

#include <string>

namespace nestbed
{

// Call this before anything else is opened. Otherwise a closed standard descriptor would be reused for the next file
// or socket, which would then receive printed text. This function opens closed descriptors on /dev/null. It opens
// standard output read-only, so that writing to it fails and output is not lost silently. It also ignores SIGXFSZ, so
// that a write beyond the file size limit is an ordinary error. Returns false if there is no /dev/null.
bool prepare_standard_streams();

// Whether the path names the file that the descriptor is open on: /dev/stdout, /dev/fd/1, the file or pipe to which
// it was redirected, or the terminal. False for devices other than terminals, such as /dev/null.
bool is_open_on(int descriptor, const std::string& path);

// While this object lives, what code prints to standard output goes to standard error: kernels that call printf(), in a
// process whose standard output is for data. There is at most one at a time. Throws RunError.
class StandardOutputToError
{
  public:
    StandardOutputToError();
    StandardOutputToError(const StandardOutputToError&) = delete;
    StandardOutputToError& operator=(const StandardOutputToError&) = delete;
    ~StandardOutputToError() { end(); }

    // For a process that ends while such an object lives.
    static void end();
};

} // namespace nestbed
