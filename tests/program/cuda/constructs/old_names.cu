// Names that are keywords of C++20, and names that the run-time library could use itself.
#include "../check.h"

#include <algorithm>

struct concept {
    int requires;
};

int constinit = 2;

namespace co_await
{
    struct char8_t
    {
        int kernel, launch, thread;
    };
} // namespace co_await

__global__ void shared(concept value, int* configure)
{
    *configure += value.requires;
}

__global__ void kernel(co_await ::char8_t value, int* level)
{
    const int launch = value.kernel, thread = value.launch + value.thread, body = 1, name = 2;
    *level = launch + thread + body + name;
    shared<<<1, 1>>>(concept {100}, level);
}

int main()
{
    int* const memory = ::memory<int>();
    kernel<<<1, 1>>>(co_await ::char8_t{10, 20, constinit}, memory);
    return verdict(std::max(value_of(memory), 0), 135);
}
