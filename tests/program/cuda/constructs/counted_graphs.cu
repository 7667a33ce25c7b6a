// Kernels of graphs count when the graph runs: captured, added as nodes, in a child graph, and after an update.
#include "../check.h"

__global__ void add(int* to, int value)
{
    atomicAdd(to, value);
}

__global__ void twice(int* to)
{
    *to *= 2;
}

__global__ void launcher(int* to)
{
    add<<<1, 1>>>(to, 1);
}

int main()
{
    int* sum = zeros<int>();
    int three = 3;
    void* arguments[] = {&sum, &three};
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());

    cudaGraph_t captured;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    add<<<1, 2, 0, stream>>>(sum, 5);
    CHECK(cudaLaunchKernel((void*)add, dim3(1), dim3(1), arguments, 0, stream));
    launcher<<<1, 1, 0, stream>>>(sum);
    CHECK(cudaStreamEndCapture(stream, &captured)); // 14
    cudaGraphExec_t graph;
    CHECK(cudaGraphInstantiate(&graph, captured, 0));
    for (int i = 0; i < 3; ++i)
        CHECK(cudaGraphLaunch(graph, stream)); // 42
    CHECK(cudaStreamSynchronize(stream));

    cudaGraph_t nodes;
    CHECK(cudaGraphCreate(&nodes, 0));
    cudaGraphNode_t first, second, child;
    cudaKernelNodeParams node = {};
    node.func = (void*)add;
    node.gridDim = dim3(1);
    node.blockDim = dim3(1);
    node.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&first, nodes, nullptr, 0, &node));
    node.func = (void*)twice;
    CHECK(cudaGraphAddKernelNode(&second, nodes, &first, 1, &node));
    CHECK(cudaGraphAddChildGraphNode(&child, nodes, &second, 1, captured));
    cudaGraphExec_t with_child;
    CHECK(cudaGraphInstantiateWithFlags(&with_child, nodes, 0));
    CHECK(cudaGraphLaunch(with_child, stream)); // 45, 90, 104
    CHECK(cudaGraphLaunch(with_child, stream)); // 107, 214, 228
    CHECK(cudaStreamSynchronize(stream));
    add<<<1, 1, 0, stream>>>(sum, 2); // 230: an ordinary launch
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaGraphExecDestroy(graph));
    CHECK(cudaGraphExecDestroy(with_child));
    return verdict(value_of(sum), 230);
}
