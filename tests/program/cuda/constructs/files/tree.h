// A program of several files: two of CUDA, one of C++, and this header. It counts the nodes of a binary tree, one grid for each node.
#pragma once

#include <cuda_runtime.h>

extern __device__ int nodes;

__device__ bool is_leaf(int level, int levels); // tree.cu

__global__ void visit(int level, int levels); // tree.cu, launched by main.cu too
extern __global__ void finish(int* result);   // main.cu, launched by tree.cu

int count_nodes(int levels); // main.cu
