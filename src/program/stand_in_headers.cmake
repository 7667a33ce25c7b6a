# Headers of CUDA by which a program only includes others, in the folder `include` of the program folder.

# header_by_name(TEXT NAME...): writes headers of one text; @up@ in it is the way up to `include`.
function(header_by_name text)
    foreach(name IN LISTS ARGN)
        string(REGEX MATCHALL "/" folders ${name})
        list(TRANSFORM folders REPLACE "/" "../")
        string(CONCAT up ${folders})
        file(CONFIGURE OUTPUT ${program_folder}/include/${name} CONTENT "#pragma once\n${text}\n" @ONLY)
    endforeach()
endfunction()

function(headers_of include) # headers_of(INCLUDE NAME...): they are INCLUDE by other names
    header_by_name("#include \"@up@${include}\"" ${ARGN})
endfunction()
function(refused_headers what) # refused_headers(WHAT NAME...): who includes them is told that the executor has no WHAT
    header_by_name("#error \"nestbed's executor does not support ${what}\"" ${ARGN})
endfunction()

headers_of(nestbed/program.hpp builtin_types.h channel_descriptor.h common_functions.h crt/common_functions.h crt/device_functions.h
    crt/host_defines.h crt/math_functions.h cuda_device_runtime_api.h cuda_occupancy.h cuda_profiler_api.h cuda_runtime.h
    cuda_runtime_api.h cuda_stdint.h device_atomic_functions.h device_double_functions.h device_functions.h device_launch_parameters.h
    device_types.h driver_types.h host_defines.h math_functions.h sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h
    sm_32_atomic_functions.h sm_32_intrinsics.h sm_35_atomic_functions.h sm_35_intrinsics.h sm_60_atomic_functions.h
    sm_61_intrinsics.h surface_functions.h surface_indirect_functions.h surface_types.h texture_fetch_functions.h
    texture_indirect_functions.h texture_types.h cuda_surface_types.h cuda_texture_types.h vector_functions.h vector_functions.hpp vector_types.h)
headers_of(nestbed/thrust.hpp thrust/adjacent_difference.h thrust/advance.h thrust/binary_search.h thrust/complex.h thrust/copy.h
    thrust/count.h thrust/device_allocator.h thrust/device_delete.h thrust/device_free.h thrust/device_malloc.h
    thrust/device_malloc_allocator.h thrust/device_new.h thrust/device_ptr.h thrust/device_reference.h thrust/device_vector.h
    thrust/detail/type_traits.h thrust/distance.h thrust/equal.h thrust/execution_policy.h thrust/extrema.h thrust/fill.h thrust/find.h thrust/for_each.h
    thrust/functional.h thrust/gather.h thrust/generate.h thrust/host_vector.h thrust/inner_product.h
    thrust/iterator/constant_iterator.h thrust/iterator/counting_iterator.h thrust/iterator/discard_iterator.h
    thrust/iterator/iterator_traits.h thrust/iterator/permutation_iterator.h thrust/iterator/reverse_iterator.h
    thrust/iterator/transform_iterator.h thrust/iterator/transform_output_iterator.h thrust/iterator/zip_iterator.h
    thrust/logical.h thrust/memory.h thrust/merge.h thrust/mismatch.h thrust/pair.h thrust/partition.h thrust/random.h
    thrust/random/linear_congruential_engine.h thrust/random/uniform_int_distribution.h
    thrust/random/uniform_real_distribution.h thrust/reduce.h thrust/remove.h thrust/replace.h thrust/reverse.h
    thrust/scan.h thrust/scatter.h thrust/sequence.h thrust/set_operations.h thrust/sort.h thrust/swap.h
    thrust/system/cuda/execution_policy.h thrust/system/cuda/experimental/pinned_allocator.h thrust/system/cuda/vector.h
    thrust/system_error.h thrust/tabulate.h thrust/transform.h thrust/transform_reduce.h thrust/transform_scan.h thrust/tuple.h
    thrust/uninitialized_copy.h thrust/uninitialized_fill.h thrust/unique.h thrust/universal_vector.h
    thrust/version.h thrust/zip_function.h)
headers_of(nestbed/cub/block.hpp cub/block/block_adjacent_difference.cuh cub/block/block_discontinuity.cuh cub/block/block_exchange.cuh
    cub/block/block_histogram.cuh cub/block/block_load.cuh cub/block/block_merge_sort.cuh cub/block/block_radix_sort.cuh
    cub/block/block_reduce.cuh cub/block/block_scan.cuh cub/block/block_shuffle.cuh cub/block/block_store.cuh)
headers_of(nestbed/cub/warp.hpp cub/warp/warp_reduce.cuh cub/warp/warp_scan.cuh)
headers_of(nestbed/cub/storage.hpp cub/util_ptx.cuh cub/util_type.cuh)
headers_of(nestbed/cub/device_wide.hpp cub/cub.cuh cub/device/device_histogram.cuh cub/device/device_merge_sort.cuh
    cub/device/device_partition.cuh cub/device/device_radix_sort.cuh cub/device/device_reduce.cuh
    cub/device/device_run_length_encode.cuh cub/device/device_scan.cuh cub/device/device_segmented_reduce.cuh
    cub/device/device_select.cuh cub/iterator/constant_input_iterator.cuh cub/iterator/counting_input_iterator.cuh
    cub/iterator/transform_input_iterator.cuh cub/util_allocator.cuh cub/util_debug.cuh)
headers_of(cooperative_groups.h cooperative_groups/memcpy_async.h cooperative_groups/reduce.h cooperative_groups/scan.h)
headers_of(nvToolsExt.h nvToolsExtCuda.h nvtx3/nvToolsExt.h)
headers_of(cuda_awbarrier.h cuda_awbarrier_primitives.h)
headers_of(cuda_pipeline.h cuda_pipeline_primitives.h)
headers_of(cublas_v2.h cublas_api.h)
headers_of(cusparse.h cusparse_v2.h)
headers_of(curand_kernel.h curand_philox4x32_x.h)
headers_of(cuda.h cudaProfiler.h) # the driver's profiler functions do nothing
foreach(name atomic barrier latch semaphore)
    headers_of(cuda/${name} cuda/std/${name})
endforeach()
# cuda::std is std here. What std has from C++20 on alone, or not at all, is in nestbed/cuda_std.hpp.
foreach(name array bitset cassert cfloat chrono climits cmath complex concepts cstddef cstdint cstdlib cstring ctime functional
        initializer_list iterator limits memory numeric optional ratio source_location tuple type_traits utility variant
        version)
    header_by_name("#include <${name}>\n#include \"@up@nestbed/cuda_std.hpp\"" cuda/std/${name})
endforeach()
header_by_name("#include <complex>\n#include \"@up@nestbed/cuda_std.hpp\"" cuda/std/ccomplex)
headers_of(nestbed/cuda_std.hpp cuda/std/bit cuda/std/numbers cuda/std/span cuda/cmath cuda/functional cuda/type_traits cuda/version)

foreach(name std/expected std/inplace_vector std/linalg std/mdspan std/ranges)
    string(REPLACE / :: qualified ${name})
    refused_headers(cuda::${qualified} cuda/${name})
endforeach()
refused_headers(graphics cuda_d3d11_interop.h cuda_egl_interop.h cuda_gl_interop.h cuda_vdpau_interop.h)
refused_headers(cuBLAS cublas.h)
refused_headers(cuSOLVER cusolverSp.h)
foreach(library cuDNN CUPTI NCCL NPP NVML NVRTC)
    string(TOLOWER ${library}.h header)
    refused_headers(${library} ${header})
endforeach()
