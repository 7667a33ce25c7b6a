// The system's calls on open files.
#pragma once

#include <cerrno>
#include <unistd.h>

namespace nestbed
{

// The result of a call. It is made again as long as a signal has interrupted it.
template <class Call>
auto uninterrupted(const Call& call)
{
    auto result = call();
    while (result < 0 && errno == EINTR)
        result = call();
    return result;
}

// Closed at the end of a scope.
class Descriptor
{
  public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { static_cast<void>(close(number_)); }
    operator int() const { return number_; } // NOLINT(google-explicit-constructor): as the system's calls want it

  private:
    int number_;
};

} // namespace nestbed
