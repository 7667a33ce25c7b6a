// What passes arguments to kernels by their offsets, and launches by the driver API of kernels of the program and of a loaded one, whose
// PTX is the argument. Prints the same with and without counts.
#include "check.h"

#include <cuda.h>

#include <cstddef>

#define CHECK_DRIVER(call) CHECK(static_cast<cudaError_t>(call))

struct alignas(16) Pair {
    double first, second;
};

__global__ void add(int* to, int value, Pair pair)
{
    atomicAdd(to, value + static_cast<int>(pair.first + pair.second));
}
extern "C" __global__ void plain(int value, int* to)
{
    atomicAdd(to, value);
}

// The arguments of add() and of plain(), as they lie in a buffer.
struct AddArguments {
    int* to;
    int value;
    Pair pair;
};
struct PlainArguments {
    int value;
    int* to;
};

__global__ void change(cudaGraphDeviceNode_t node, cudaGraphDeviceNode_t other, int* to, int value)
{
    cudaGraphKernelNodeSetParam<int>(node, offsetof(AddArguments, value), value);
    const Pair pair{0.5, 2.5};
    cudaGraphKernelNodeSetParam(node, offsetof(AddArguments, pair), &pair, sizeof(pair));
    const cudaGraphKernelNodeUpdate parameter = {other, cudaGraphKernelNodeFieldParam, {dim3(1)}};
    cudaGraphKernelNodeUpdate updates[2] = {parameter, parameter};
    updates[0].updateData.param = {&value, offsetof(PlainArguments, value), sizeof(value)};
    updates[1].updateData.param = {&to, offsetof(PlainArguments, to), sizeof(to)};
    cudaGraphKernelNodeUpdatesApply(updates, 2);
}

static cudaGraphDeviceNode_t make_updatable(cudaGraphNode_t node)
{
    cudaLaunchAttributeValue value = {};
    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    CHECK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeDeviceUpdatableKernelNode, &value));
    return value.deviceUpdatableKernelNode.devNode;
}

int main(int, char** words)
{
    int* const sum = zeros<int>();
    int three = 3;
    Pair pair{1, 2};
    void *add_list[] = {(void*)&sum, &three, &pair}, *plain_list[] = {&three, (void*)&sum};
    CUfunction of_add, of_plain;
    CHECK(cudaGetFuncBySymbol(&of_add, (const void*)add));
    CHECK(cudaGetFuncBySymbol(&of_plain, (const void*)plain));
    CHECK_DRIVER(cuLaunchKernel(of_add, 2, 1, 1, 1, 1, 1, 0, nullptr, add_list, nullptr)); // 12
    AddArguments buffer{sum, 4, {5, 6}};
    std::size_t bytes = sizeof(buffer);
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    CHECK_DRIVER(cuLaunchKernel(of_add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra)); // 15
    CUlaunchConfig shape = {};
    shape.gridDimX = 3;
    shape.gridDimY = shape.gridDimZ = shape.blockDimX = shape.blockDimY = shape.blockDimZ = 1;
    CHECK_DRIVER(cuLaunchKernelEx(&shape, of_plain, plain_list, nullptr));                       // 9
    CHECK_DRIVER(cuLaunchCooperativeKernel(of_plain, 1, 1, 1, 2, 1, 1, 0, nullptr, plain_list)); // 6
    const int refused = cuLaunchKernel(of_plain, 0, 1, 1, 1, 1, 1, 0, nullptr, plain_list, nullptr);

    CUmodule module;
    CUfunction loaded;
    CHECK_DRIVER(cuModuleLoad(&module, words[1]));
    CHECK_DRIVER(cuModuleGetFunction(&loaded, module, "of_module"));
    CHECK_DRIVER(cuLaunchKernel(loaded, 1, 1, 1, 1, 1, 1, 0, nullptr, plain_list, nullptr)); // 1003
    CHECK(cudaDeviceSynchronize());
    std::printf("driver %d, refused %d\n", value_of(sum), refused);

    cudaGraph_t graph, changing;
    cudaGraphNode_t first, second, changes;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaKernelNodeParams node = {};
    node.gridDim = node.blockDim = dim3(1);
    node.func = (void*)add;
    node.kernelParams = add_list;
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node));
    node.func = (void*)plain;
    node.kernelParams = plain_list;
    CHECK(cudaGraphAddKernelNode(&second, graph, &first, 1, &node));
    cudaGraphDeviceNode_t on_device = make_updatable(first), other = make_updatable(second);
    cudaGraphExec_t executable, before;
    CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    CHECK(cudaGraphUpload(executable, nullptr));
    int value = 40;
    void* change_list[] = {&on_device, &other, (void*)&sum, &value};
    CHECK(cudaGraphCreate(&changing, 0));
    node.func = (void*)change;
    node.kernelParams = change_list;
    CHECK(cudaGraphAddKernelNode(&changes, changing, nullptr, 0, &node));
    CHECK(cudaGraphInstantiateWithFlags(&before, changing, 0));
    CHECK(cudaGraphLaunch(executable, nullptr)); // 6 and 3
    CHECK(cudaGraphLaunch(before, nullptr));
    CHECK(cudaGraphLaunch(executable, nullptr)); // 43 and 40
    CHECK(cudaDeviceSynchronize());
    std::printf("nodes %d\n", value_of(sum));
    return 0;
}
