#!/usr/bin/python3
"""Tests of what orders the threads of cooperative grids and clusters, and launches with attributes and by pointer (cuda/group_orders.cu),
of barriers in memory and asynchronous copies (cuda/async_orders.cu), of bulk copies (cuda/bulk_orders.cu), of tensor cores
(cuda/matrix_orders.cu), of CUB (cuda/cub_orders.cu), and of Thrust and cuBLAS (cuda/library_orders.cu): none missed, none false. And of what
CUDA does not allow there. With NESTBED_THOROUGH set there are three orders.

    NESTBED=build/release/nestbed /usr/bin/python3 -W error tests/program/group_orders_test.py
"""
import os
import pathlib
import re
import unittest

from programs import EXIT_BAD, runner

FOLDER = pathlib.Path(__file__).with_name("cuda")
SCHEDULES = ("fifo", "eager", "random:1") if os.environ.get("NESTBED_THOROUGH") else ("eager",)

MISTAKES = r"""
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda_awbarrier.h>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <mma.h>
namespace cg = cooperative_groups;
__global__ void plain() { cg::this_grid().sync(); }
__global__ void some_blocks() { if (blockIdx.x != 0) cg::this_grid().sync(); }
__global__ void without_first_thread() { if (threadIdx.x == 0 && blockIdx.x == 0) return; cg::this_grid().sync(); }
__global__ void without_first_threads() { if (threadIdx.x == 0) return; cg::this_grid().sync(); }
__global__ void twice() { cg::this_cluster().barrier_arrive(); cg::this_cluster().barrier_arrive(); }
__global__ void only_wait() { cg::this_cluster().barrier_wait(); }
__global__ void rank(int* to) { __shared__ int own; *to = *cg::this_cluster().map_shared_rank(&own, 2); }
__global__ void no_shared(int* to) { *to = *cg::this_cluster().map_shared_rank(to, 0); }
__global__ void put(int* to) { to[cg::this_grid().is_valid() ? 1 : 0] = 1; }
__global__ void __cluster_dims__(2) pairs(int* to) { *to = 1; }
__global__ void __launch_bounds__(32) large(int* to) { *to = 1; }
__global__ void not_begun() { __shared__ __mbarrier_t barrier; barrier = 0; __mbarrier_arrive(&barrier); }
__global__ void too_many_arrive() { __shared__ cuda::barrier<cuda::thread_scope_block> barrier; init(&barrier, 4); (void)barrier.arrive(5); }
__global__ void of_none() { __shared__ cuda::barrier<cuda::thread_scope_block> barrier; init(&barrier, 0); }
__global__ void never() { __shared__ cuda::barrier<cuda::thread_scope_block> barrier; init(&barrier, 2); barrier.arrive_and_wait(); }
__global__ void number() { asm volatile("bar.sync %0, 32;" ::"r"(16)); }
__global__ void counts() { if (threadIdx.x < 16) asm volatile("bar.arrive 1, 32;"); else asm volatile("bar.arrive 1, 64;"); }
__global__ void no_address(int* to) { *to = (int)__cvta_generic_to_shared(to); }
namespace cde = cuda::device::experimental;
__global__ void odd_size(int* to) { __shared__ alignas(16) int part[32]; cde::cp_async_bulk_shared_to_global(to, part, 20); }
__global__ void no_map(const __grid_constant__ CUtensorMap map) { __shared__ alignas(128) int part[32]; cde::cp_async_bulk_tensor_1d_shared_to_global(&map, 0, part); }
__global__ void stores_a_tile(const __grid_constant__ CUtensorMap map, int at) { __shared__ alignas(128) int part[32]; cde::cp_async_bulk_tensor_1d_shared_to_global(&map, at, part); }
__global__ void half_a_warp() { nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sums; float to[256]; nvcuda::wmma::store_matrix_sync(to, sums, 16, nvcuda::wmma::mem_row_major); }
__global__ void plain_child() {}
__global__ void launches(int* to) { *to = 1; plain_child<<<1, 1>>>(); }
static int* d;
static const char* launched(const char* name)
{
    void* arguments[] = {&d};
    const auto is = [&](const char* other) { return strcmp(name, other) == 0; };
    const auto cooperative = [&](auto* kernel, int blocks, int threads = 32) {
        return cudaGetErrorName(cudaLaunchCooperativeKernel((const void*)kernel, blocks, threads, arguments));
    };
    const auto clustered = [&](void (*kernel)(int*), unsigned blocks, unsigned cluster) {
        cudaLaunchAttribute attribute = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {cluster, 1, 1};
        cudaLaunchConfig_t config = {};
        config.gridDim = blocks;
        config.blockDim = 32;
        config.attrs = &attribute;
        config.numAttrs = 1;
        return cudaGetErrorName(cudaLaunchKernelEx(&config, kernel, d));
    };
    int blocks = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, put, 32, 0);
    cudaDeviceProp device;
    cudaGetDeviceProperties(&device, 0);
    const int most = blocks * device.multiProcessorCount;
    if (is("plain")) return plain<<<1, 32>>>(), "";
    if (is("not_begun")) return not_begun<<<1, 1>>>(), "";
    if (is("too_many_arrive")) return too_many_arrive<<<1, 1>>>(), "";
    if (is("of_none")) return of_none<<<1, 1>>>(), "";
    if (is("never")) return never<<<1, 1>>>(), "";
    if (is("number")) return number<<<1, 32>>>(), "";
    if (is("counts")) return counts<<<1, 32>>>(), "";
    if (is("no_address")) return no_address<<<1, 1>>>(d), "";
    if (is("odd_size")) return odd_size<<<1, 1>>>(d), "";
    if (is("no_map")) return no_map<<<1, 1>>>(CUtensorMap{}), "";
    if (is("before_the_tensor") || is("odd_element")) {
        alignas(64) CUtensorMap map;
        const cuuint64_t size = 32;
        const cuuint32_t box = 32, step = 1;
        cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, d, &size, nullptr, &box, &step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                               CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        return stores_a_tile<<<1, 1>>>(map, is("odd_element") ? 2 : -16), "";
    }
    if (is("half_a_warp")) return half_a_warp<<<1, 16>>>(), "";
    if (is("large_box")) {
        CUtensorMap map;
        const cuuint64_t size = 1024, stride = 16;
        const cuuint32_t box = 300, step = 1;
        return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 1, d, &size, &stride, &box, &step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE ? "refused" : "made";
    }
    if (is("some_blocks")) return cooperative(some_blocks, 3);
    if (is("without_first_thread")) return cooperative(without_first_thread, 2);
    if (is("without_first_threads")) return cooperative(without_first_threads, 2);
    if (is("twice")) return twice<<<1, 32>>>(), "";
    if (is("only_wait")) return only_wait<<<1, 32>>>(), "";
    if (is("rank")) return clustered(rank, 2, 2);
    if (is("no_shared")) return clustered(no_shared, 2, 2);
    if (is("launches")) return cooperative(launches, 2);
    if (is("most")) return cooperative(put, most);
    if (is("too_many")) return cooperative(put, most + 1);
    if (is("bounds")) return cooperative(large, 1, 64);
    if (is("nine")) return clustered(put, 9, 9);
    if (is("nine_allowed")) return cudaFuncSetAttribute(put, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), clustered(put, 9, 9);
    if (is("other_dims")) return clustered(pairs, 8, 4);
    if (is("same_dims")) return clustered(pairs, 8, 2);
    if (is("odd")) return clustered(put, 3, 2);
    return "?";
}
int main(int, char** words)
{
    cudaMalloc(&d, 8);
    puts(launched(words[1]));
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
"""

# What a run says: the error of the launch, that of the device after it, and a text on standard error.
SAID = {
    "plain": ("", "cudaErrorLaunchFailure", "the barrier of the grid at my.cu:11: the grid was not launched by cudaLaunchCooperativeKernel"),
    "not_begun": ("", "cudaErrorLaunchFailure", "a barrier in memory: nothing has initialized it"),
    "too_many_arrive": ("", "cudaErrorLaunchFailure", "a barrier in memory: 5 more arrivals; its phase waits for 4"),
    "of_none": ("", "cudaErrorLaunchFailure", "a barrier in memory: initialized for 0 arrivals; allowed: 1 to 1048575"),
    "never": ("", "cudaErrorLaunchFailure", "1 thread of kernel never at my.cu:25"),
    "number": ("", "cudaErrorLaunchFailure", "barrier 16 of a block; allowed: 0 to 15"),
    "counts": ("", "cudaErrorLaunchFailure", "barrier 1 of a block for "),
    "no_address": ("", "cudaErrorLaunchFailure", "the address in shared memory of what is not in the shared memory of the block"),
    "odd_size": ("", "cudaErrorMisalignedAddress", "the size of a bulk copy is 0x14; allowed: multiples of 16"),
    "before_the_tensor": ("", "cudaErrorIllegalInstruction", "a tile is stored from element -16 of dimension 0 on; allowed: from 0 on"),
    "odd_element": ("", "cudaErrorIllegalInstruction", "a tile begins at element 2 of dimension 0, of 4 bytes each; allowed: multiples of 4"),
    "no_map": ("", "cudaErrorIllegalInstruction", "the tensor map of a bulk copy is not one of cuTensorMapEncodeTiled()"),
    "half_a_warp": ("", "cudaErrorIllegalInstruction", "an operation of all 32 lanes of a warp is called by a part of them"),
    "large_box": ("refused", "cudaSuccess", "cuTensorMapEncodeTiled(): the box has 300 elements of dimension 0; allowed: 1 to 256"),
    "some_blocks": ("cudaSuccess", "cudaErrorLaunchFailure", "the barrier of the grid at my.cu:12: 1 of the 3 blocks of the grid have ended"),
    "without_first_thread": ("cudaSuccess", "cudaErrorLaunchFailure", "at my.cu:13: 1 of the 2 blocks of the grid have ended"),
    "without_first_threads": ("cudaSuccess", "cudaSuccess", ""),  # as on a GPU, where it is no barrier
    "twice": ("", "cudaErrorLaunchFailure", "the barrier of the cluster at my.cu:15: the thread arrives once more"),
    "only_wait": ("", "cudaErrorLaunchFailure", "the barrier of the cluster at my.cu:16: the thread waits and has not arrived"),
    "rank": ("cudaSuccess", "cudaErrorLaunchFailure", "map_shared_rank() of rank 2; the cluster has 2 blocks"),
    "no_shared": ("cudaSuccess", "cudaErrorLaunchFailure", "map_shared_rank() of an address that is not in the shared memory"),
    # A GPU refuses the launch of such a grid, with the same error.
    "launches": ("cudaSuccess", "cudaErrorNotPermitted", "a cooperative grid launches a kernel"),
    "most": ("cudaSuccess", "cudaSuccess", ""),
    "too_many": ("cudaErrorCooperativeLaunchTooLarge", "cudaSuccess", "257 blocks of a cooperative grid"),
    "bounds": ("cudaErrorInvalidValue", "cudaSuccess", "the __launch_bounds__ of large allow 32"),
    "nine": ("cudaErrorInvalidClusterSize", "cudaSuccess", "a cluster of (9,1,1) blocks; allowed: 1 to 8"),
    "nine_allowed": ("cudaSuccess", "cudaSuccess", ""),
    "other_dims": ("cudaErrorInvalidClusterSize", "cudaSuccess", "the __cluster_dims__ of pairs are (2,1,1)"),
    "same_dims": ("cudaSuccess", "cudaSuccess", ""),
    "odd": ("cudaErrorInvalidClusterSize", "cudaSuccess", "a cluster of (2,1,1) blocks in a grid of (3,1,1)"),
}


class GroupOrders(unittest.TestCase):
    def check_uses(self, source, count):
        called = runner((FOLDER / source).read_text(encoding="utf-8"), "--nestbed-races")
        uses = called().stdout.splitlines()
        self.assertEqual(len(uses), count)  # as races.md says
        for use in uses:
            name, is_right, printed = use[1:], use[0] == "+", set()
            for schedule in SCHEDULES:
                with self.subTest(use=name, schedule=schedule):
                    done = called(name, NESTBED_SCHEDULE=schedule)
                    says = re.search(r"(?m)^(race|memory of another block|uninitialized): ", done.stderr) is not None
                    self.assertEqual((done.returncode, says), (0, False) if is_right else (EXIT_BAD, True), done.stderr)
                    printed.add(done.stdout)
            self.assertTrue(not is_right or len(printed) == 1, f"{name} prints {printed}")

    def test_each_use_of_groups_is_right_or_wrong(self):
        self.check_uses("group_orders.cu", 92)

    def test_each_use_of_barriers_and_copies_is_right_or_wrong(self):
        self.check_uses("async_orders.cu", 142)

    def test_each_use_of_tensor_cores_is_right_or_wrong(self):
        self.check_uses("matrix_orders.cu", 36)

    def test_each_use_of_bulk_copies_is_right_or_wrong(self):
        self.check_uses("bulk_orders.cu", 84)

    def test_each_use_of_cub_is_right_or_wrong(self):
        self.check_uses("cub_orders.cu", 64)

    def test_each_use_of_libraries_is_right_or_wrong(self):
        self.check_uses("library_orders.cu", 30)

    def test_what_cuda_does_not_allow(self):
        called = runner(MISTAKES)
        for schedule in SCHEDULES:
            for name, (launch, device, text) in SAID.items():
                with self.subTest(name=name, schedule=schedule):
                    done = called(name, NESTBED_SCHEDULE=schedule)
                    self.assertEqual(done.stdout.splitlines(), [launch, device], done.stderr)
                    self.assertIn(text, re.sub(r"\s+", " ", done.stderr).replace("/my.cu", " my.cu"))


if __name__ == "__main__":
    unittest.main()
