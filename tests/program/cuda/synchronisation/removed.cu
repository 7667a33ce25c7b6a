// Every thread writes its own element, and touches that of its neighbour in a way that the compiler may remove.
#include <cstdio>

struct Pair {
    int first, second;
};
struct Node {
    int value;
    Node* next;
};

__device__ int value_of(const int* v, unsigned i)
{
    return v[i]; // RACE
}

__global__ void itself(float* v)
{
    v[threadIdx.x] = 1;                      // RACE
    v[threadIdx.x + 1] = v[threadIdx.x + 1]; // RACE
}

__global__ void neutral(int* v)
{
    v[threadIdx.x] = 1;      // RACE
    v[threadIdx.x + 1] += 0; // RACE
    v[threadIdx.x + 2] *= 1; // RACE
    v[threadIdx.x + 3] |= 0; // RACE
}

__global__ void unused(int* v)
{
    v[threadIdx.x] = 1;            // RACE
    int next = v[threadIdx.x + 1]; // RACE
    (void)next;
    value_of(v, threadIdx.x + 2);
}

__global__ void of_a_struct(Pair* v)
{
    v[threadIdx.x].second = 1;            // RACE
    const Pair copy = v[threadIdx.x + 1]; // RACE
    (void)copy;
}

__global__ void unused_sum(int* v)
{
    int sum = 0;
    v[threadIdx.x] = 1; // RACE
    for (unsigned i = 0; i < 40; ++i)
        sum += v[i]; // RACE
    int largest = 0;
    for (unsigned i = 0; i < 40; ++i)
        if (v[i] > largest) // RACE
            largest = static_cast<int>(i);
}

__global__ void empty_branch(int* v)
{
    v[threadIdx.x] = 1;            // RACE
    if (v[threadIdx.x + 1] != 0) { // RACE
    }
}

// Only its own elements.
__global__ void right(int* v)
{
    v[threadIdx.x] = v[threadIdx.x];
    v[threadIdx.x] += 0;
    int own = v[threadIdx.x];
    (void)own;
    own = v[100];
}

int main()
{
    int* v;
    cudaMalloc(&v, 1024);
    cudaMemset(v, 0, 1024);
    itself<<<1, 32>>>(reinterpret_cast<float*>(v));
    neutral<<<1, 32>>>(v);
    unused<<<1, 32>>>(v);
    of_a_struct<<<1, 32>>>(reinterpret_cast<Pair*>(v));
    unused_sum<<<1, 32>>>(v);
    empty_branch<<<1, 32>>>(v);
    right<<<1, 32>>>(v);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
