// Ways to end: the counts must be complete with each of them, and the exit code stays 5.
//   count_ends return | exit | _exit | _Exit | quick_exit | reset | twice | lost | none
#include "check.h"

#include <cstring>
#include <unistd.h>

__device__ int ran = 0;

__global__ void child()
{
    atomicAdd(&ran, 1);
}

__global__ void parent()
{
    child<<<1, 32>>>();
    child<<<2, 32>>>();
}

__global__ void faulty(int* nowhere)
{
    *nowhere = 1;
}

void launch_parents()
{
    for (int i = 0; i < 10; ++i)
        parent<<<3, 1>>>();
    CHECK(cudaGetLastError());
}

int main(int argc, char** argv)
{
    const char* const how = argc > 1 ? argv[1] : "return";
    const auto is = [how](const char* name) { return std::strcmp(how, name) == 0; };
    if (is("none"))
        return 5;
    launch_parents();
    if (is("exit"))
        std::exit(5);
    if (is("_exit"))
        _exit(5);
    if (is("_Exit"))
        std::_Exit(5);
    if (is("quick_exit"))
        std::quick_exit(5);
    if (is("lost")) {
        CHECK(cudaDeviceSynchronize());
        usleep(100000);
        launch_parents();
        CHECK(cudaDeviceSynchronize()); // more than 50 ms after the first launch: the counts are read
        launch_parents();
        faulty<<<1, 1>>>(nullptr);
        std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    }
    if (is("reset") || is("twice"))
        CHECK(cudaDeviceReset());
    if (is("twice")) {
        launch_parents();
        CHECK(cudaDeviceReset());
    }
    return 5;
}
