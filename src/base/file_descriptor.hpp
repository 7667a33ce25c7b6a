// System calls on open files.
#pragma once

#include <cerrno>
#include <unistd.h>

namespace nestbed
{

// Returns the result of a system call. Repeats the call while a signal interrupts it.
template <class Call>
auto uninterrupted(const Call& call)
{
    auto result = call();
    while (result < 0 && errno == EINTR)
        result = call();
    return result;
}

// A file descriptor that is closed at the end of its scope.
class Descriptor
{
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (number_ >= 0) // otherwise errno still says why it could not be opened
            static_cast<void>(close(number_));
    }
    operator int() const { return number_; } // NOLINT(google-explicit-constructor): system calls take an int

  private:
    int number_;
};

} // namespace nestbed
