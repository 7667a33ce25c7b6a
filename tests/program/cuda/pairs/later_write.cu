// Kind: child reads what its parent writes after the launch
// The parent passes the number of the round by memory, and writes the next round's number before the child has read it.
#include "../check.h"

constexpr int kRounds = 5;

#ifdef BUG
__global__ void add_round(const int* round, int* sum)
{
    *sum += *round; // BUG
}

__global__ void parent(int* round, int* sum)
{
    for (int number = 1; number <= kRounds; ++number) {
        *round = number; // BUG
        add_round<<<1, 1>>>(round, sum);
    }
}
#else
__global__ void add_round(int round, int* sum)
{
    *sum += round;
}

__global__ void parent(int*, int* sum)
{
    for (int number = 1; number <= kRounds; ++number)
        add_round<<<1, 1>>>(number, sum);
}
#endif

int main()
{
    int* const round = memory<int>();
    int* const sum = zeros<int>();
    parent<<<1, 1>>>(round, sum);
    return verdict(value_of(sum), 15);
}
