// Memory that kernels allocate: malloc and free, new and delete, a list whose nodes are given to children.
#include "../check.h"

struct Node {
    int value;
    Node* next;
    __device__ Node(int of, Node* after) : value(of), next(after) {}
};

__global__ void free_all(int* scratch, Node* list)
{
    free(scratch);
    while (list != nullptr) {
        Node* const next = list->next;
        delete list;
        list = next;
    }
}

__global__ void sum_all(const int* scratch, int count, const Node* list, int* result)
{
    int sum = 0;
    for (int i = 0; i < count; ++i)
        sum += scratch[i];
    for (; list != nullptr; list = list->next)
        sum += list->value;
    *result = sum;
}

__global__ void parent(int count, int* result)
{
    int* const scratch = static_cast<int*>(malloc(count * sizeof(int)));
    if (scratch == nullptr)
        return;
    Node* list = nullptr;
    for (int i = 0; i < count; ++i) {
        scratch[i] = i;
        list = new Node(100 * i, list);
    }
    int* const numbers = new int[4];
    for (int i = 0; i < 4; ++i)
        numbers[i] = scratch[i] + 1;
    *result = numbers[3];
    delete[] numbers;
    sum_all<<<1, 1>>>(scratch, count, list, result);
    free_all<<<1, 1>>>(scratch, list);
}

int main()
{
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    int* const result = memory<int>();
    parent<<<1, 1>>>(10, result);
    return verdict(value_of(result), 4545);
}
