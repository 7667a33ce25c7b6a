// How much of the same a test tries: random orders of the executor, and what else only repeats the same code.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

extern "C" void __asan_init() __attribute__((weak)); // only programs with AddressSanitizer have it

namespace nestbed
{

// A build with sanitizers looks for memory errors, and its executor is twenty times as slow. This is known only at run time, because
// it may link the objects of another build's tests.
inline bool is_sanitized()
{
    return __asan_init != nullptr;
}

inline bool is_set(const char* variable)
{
    const char* value = std::getenv(variable);
    return value != nullptr && std::string_view(value) == "1";
}

// Whether this is a thorough run: tests/run.sh --thorough.
inline bool is_thorough()
{
    return is_set("NESTBED_THOROUGH");
}

// Whether tests take every code path with few inputs: without tests/run.sh --all, and with sanitizers. The others compare the
// answers of all inputs.
inline bool tries_few()
{
    static const bool few = is_sanitized() || !is_set("NESTBED_ALL");
    return few;
}

// Returns `all` in a thorough run, otherwise `few`.
inline std::size_t random_orders(std::size_t few, std::size_t all)
{
    return is_thorough() ? all : few;
}

// Returns `all`; where tests try few inputs, `few`.
template <class Value>
Value all_or_few(Value all, Value few)
{
    return tries_few() ? few : all;
}

// Which combinations of the values of several axes a test takes: all in a thorough run, and where the values are few; otherwise
// every third or every second. No axis but the outermost may have a multiple of that number of values: then the ones that are
// taken have every value of an axis, with three axes or more every pair of values.
class Combinations
{
  public:
    explicit Combinations(std::size_t every) : every_(is_thorough() || tries_few() ? 1 : every) {}

    bool takes() { return next_++ % every_ == 0; }

  private:
    std::size_t every_;
    std::size_t next_ = 0;
};

// The schedules of the executor. Fifo is the fastest: ten times as fast as random.
inline std::vector<const char*> every_schedule()
{
    return tries_few() ? std::vector{"fifo"} : std::vector{"fifo", "eager", "random:1"};
}

} // namespace nestbed
